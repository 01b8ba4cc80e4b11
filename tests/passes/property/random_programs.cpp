// Long runs of the property tests: `random_programs [--first SEED] [--count N] [--seconds S] [--failures N] [--print] [--neutral]`. Seeds know
// nothing of each other: several processes take a range each, and a run that ended early goes on behind the seed that its last line names. Ends with
// warnings and failures by kind, and one line: programs, seconds, in how many of them best copies fewer bytes than torch-v2, failures.
// `random_programs FILE...` checks programs that stand in files instead, such as those that a long run printed. Exit code 1 when a program fails.

#include <chrono>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <map>
#include <string>
#include <vector>

#include "core/exec/symbol_values.h"
#include "core/text/document.h"
#include "core/text/print.h"
#include "tests/passes/property/program_check.h"
#include "tests/passes/property/random_program.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

struct Arguments {
    std::uint64_t first = 1, count = 1000;
    double seconds = 0;       ///< 0 = no limit
    std::uint64_t most = 20;  ///< failures after which it stops
    bool print = false;
    bool neutral = false;  ///< ProgramOptions::neutral
    std::vector<std::string> files;
};

std::optional<Arguments> read(int argc, char** argv) {
    Arguments out;
    for (int i = 1; i < argc; ++i) {
        const std::string key = argv[i];
        if (!key.starts_with("--")) {
            out.files.push_back(key);
            continue;
        }
        if (key == "--print" || key == "--neutral") {
            (key == "--print" ? out.print : out.neutral) = true;
            continue;
        }
        char* end = nullptr;
        const double value = i + 1 < argc ? std::strtod(argv[++i], &end) : -1;
        if (!end || *end || value < 0) return std::nullopt;
        if (key == "--first")
            out.first = static_cast<std::uint64_t>(value);
        else if (key == "--count")
            out.count = static_cast<std::uint64_t>(value);
        else if (key == "--seconds")
            out.seconds = value;
        else if (key == "--failures")
            out.most = static_cast<std::uint64_t>(value);
        else
            return std::nullopt;
    }
    return out;
}

struct Sums {
    std::uint64_t ran = 0, refused = 0, failed = 0, fewer = 0, fewerThanV1 = 0;
    std::map<std::string, std::uint64_t> failures, unsound;
    std::int64_t best = 0, v2 = 0;

    void add(const ProgramOutcome& outcome) {
        if (!outcome.refused.empty()) {
            ++refused;
            return;
        }
        ++ran;
        const LaneOutcome *mine = outcome.lane("best"), *theirs = outcome.lane("torch-v2"), *older = outcome.lane("torch-v1");
        for (const LaneOutcome* lane : {theirs, older})
            if (!lane->unsound.empty())
                ++unsound[lane->pipeline + " says " + lane->unsound + (lane->stage.empty() ? ", gives the same here" : ", differs")];
        fewer += mine->left.bytes() < theirs->left.bytes();
        fewerThanV1 += mine->left.bytes() < older->left.bytes();
        best += mine->left.bytes();
        v2 += theirs->left.bytes();
        if (outcome.failure.empty()) return;
        ++failed;
        ++failures[outcome.failure];
    }
};

/// One line per file: what fails, and what each pipeline copies.
bool checkFiles(const std::vector<std::string>& files, const OpRegistry& ops) {
    const ProgramChecker checker(ops);
    bool clean = true;
    for (const std::string& file : files) {
        auto document = openFile(file, ops);
        if (!document || document->units.size() != 1) {
            std::printf("%s: not one graph\n", file.c_str());
            clean = false;
            continue;
        }
        Graph& program = document->units[0].graph;
        exec::assumeSymbols(program, program.symbols);
        const ProgramOutcome outcome = checker.check(program);
        clean = clean && outcome.refused.empty() && outcome.failure.empty();
        std::printf("%s: %s", file.c_str(),
                    !outcome.refused.empty()  ? outcome.refused.c_str()
                    : outcome.failure.empty() ? "clean"
                                              : outcome.failure.c_str());
        for (const LaneOutcome& lane : outcome.lanes)
            std::printf("; %s %lld clones, %lld B, %lld copies, %lld B, %lld scatters, %lld B%s%s", lane.pipeline.c_str(),
                        static_cast<long long>(lane.left.clones), static_cast<long long>(lane.left.clonedBytes),
                        static_cast<long long>(lane.left.copies), static_cast<long long>(lane.left.copiedBytes),
                        static_cast<long long>(lane.left.scatters), static_cast<long long>(lane.left.scatteredBytes),
                        lane.unsound.empty() ? "" : ", says ", lane.unsound.c_str());
        std::printf("\n");
    }
    return clean;
}

}  // namespace

int main(int argc, char** argv) {
    const auto arguments = read(argc, argv);
    if (!arguments) {
        std::fputs("random_programs [--first SEED] [--count N] [--seconds S] [--failures N] [--print] [FILE...]\n", stderr);
        return 2;
    }
    OpRegistry ops = OpRegistry::withBuiltin();
    ops.addText(customOperators(), "custom");
    if (!arguments->files.empty()) return checkFiles(arguments->files, ops) ? 0 : 1;
    const ProgramChecker checker(ops);
    Sums sums;
    const auto start = std::chrono::steady_clock::now();
    constexpr std::uint64_t kProgress = 20'000;  ///< programs between two lines on stderr
    const auto elapsed = [&] { return std::chrono::duration<double>(std::chrono::steady_clock::now() - start).count(); };
    std::uint64_t seed = arguments->first;
    for (; seed < arguments->first + arguments->count && sums.failed < arguments->most; ++seed) {
        if (arguments->seconds > 0 && seed % 64 == 0 && elapsed() > arguments->seconds) break;
        const Graph program = sizedProgram(ops, seed, arguments->neutral);
        if (arguments->print) std::printf("%s\n", printReadable(program).c_str());
        const ProgramOutcome outcome = checker.check(program);
        sums.add(outcome);
        if (sums.ran % kProgress == 0 && outcome.refused.empty())
            std::fprintf(stderr, "seed %llu: %llu programs, %llu failures, %.0f s\n", static_cast<unsigned long long>(seed),
                         static_cast<unsigned long long>(sums.ran), static_cast<unsigned long long>(sums.failed), elapsed());
        if (outcome.failure.empty()) continue;
        const std::string name = "seed_" + std::to_string(seed);
        std::printf("%s\n", readyTest(checker.reduced(program, outcome.failure), outcome.failure, name).c_str());
        std::fflush(stdout);
    }
    for (const auto& [what, times] : sums.unsound) std::printf("%8llu  %s\n", static_cast<unsigned long long>(times), what.c_str());
    for (const auto& [what, times] : sums.failures) std::printf("%8llu  FAILED %s\n", static_cast<unsigned long long>(times), what.c_str());
    std::printf(
        "seeds %llu to %llu: %llu programs in %.1f s (%llu more that PyTorch refuses), best copies fewer bytes than torch-v2 in %llu and than "
        "torch-v1 in %llu, %lld B against %lld B of torch-v2 altogether, %llu failures\n",
        static_cast<unsigned long long>(arguments->first), static_cast<unsigned long long>(seed - 1), static_cast<unsigned long long>(sums.ran),
        elapsed(), static_cast<unsigned long long>(sums.refused), static_cast<unsigned long long>(sums.fewer),
        static_cast<unsigned long long>(sums.fewerThanV1), static_cast<long long>(sums.best), static_cast<long long>(sums.v2),
        static_cast<unsigned long long>(sums.failed));
    return sums.failed ? 1 : 0;
}
