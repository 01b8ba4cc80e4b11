// Graphs that somebody has tampered with: numbers, names and lines of sane programs replaced at random. Each runs to its end or fails with a
// diagnostic, and where both a run and its prediction come to an end they agree event by event.
//
// ALIASCOPE_MUTATIONS sets how many graphs are tried (default 2000), ALIASCOPE_MUTATIONS_FIRST the first seed.

#include <QFile>
#include <random>

#include "tests/exec/exec_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;

namespace {

const std::vector<std::string>& programs() {
    static const std::vector<std::string> texts = [] {
        std::vector<std::string> out;
        for (const char* name : {"views", "wrappers", "bodies"}) {
            QFile file(QString(ALIASCOPE_SOURCE_DIR "/tests/exec/programs/%1.py").arg(name));
            if (file.open(QIODevice::ReadOnly)) out.push_back(file.readAll().toStdString());
        }
        return out;
    }();
    return texts;
}

/// Places of words that start with a character of this kind, as [begin, end).
std::vector<std::pair<std::size_t, std::size_t>> words(const std::string& text, int (*kind)(int)) {
    std::vector<std::pair<std::size_t, std::size_t>> out;
    const auto inWord = [](char c) { return std::isalnum(static_cast<unsigned char>(c)) || c == '_'; };
    for (std::size_t at = 0; at < text.size();) {
        std::size_t end = at;
        while (end < text.size() && inWord(text[end])) ++end;
        if (end > at && kind(static_cast<unsigned char>(text[at]))) out.emplace_back(at, end);
        at = std::max(end, at + 1);
    }
    return out;
}

void mutate(std::string& text, std::mt19937& random) {
    static const char* const values[] = {"0",      "1",
                                         "-1",     "2",
                                         "3",      "7",
                                         "-7",     "64",
                                         "1000",   "9223372036854775807",
                                         "None",   "[]",
                                         "[-1]",   "2.5",
                                         "True",   "4611686018427387904",
                                         "[2, 3]", "torch.float16",
                                         "x",      "-9223372036854775808"};
    const auto below = [&](std::size_t n) { return static_cast<std::size_t>(random() % n); };
    const auto numbers = words(text, std::isdigit), names = words(text, std::isalpha);
    const std::size_t what = below(6);
    if (what < 4 && !numbers.empty()) {
        const auto [begin, end] = numbers[below(numbers.size())];
        text.replace(begin, end - begin, values[below(std::size(values))]);
    } else if (what == 4 && !names.empty()) {
        const auto [begin, end] = names[below(names.size())];
        const auto [from, to] = names[below(names.size())];
        text.replace(begin, end - begin, text.substr(from, to - from));
    } else if (const std::size_t end = text.find('\n', below(text.size())); end != std::string::npos) {
        const std::size_t begin = text.rfind('\n', end > 0 ? end - 1 : 0);
        if (begin != std::string::npos) text.erase(begin, end - begin);
    }
}

}  // namespace

class MutatedGraphs : public QObject {
    Q_OBJECT

private slots:
    void runOrFail() {
        const auto number = [](const char* name, int otherwise) {
            return qEnvironmentVariableIsSet(name) ? qEnvironmentVariableIntValue(name) : otherwise;
        };
        QCOMPARE(programs().size(), std::size_t{3});
        const auto none = makeNullBackend();
        const int first = number("ALIASCOPE_MUTATIONS_FIRST", 1), count = number("ALIASCOPE_MUTATIONS", 2000);
        int complete = 0, failed = 0;
        for (int seed = first; seed < first + count; ++seed) {
            std::mt19937 random(static_cast<std::uint32_t>(seed));
            std::string text = programs()[random() % programs().size()];
            for (auto n = random() % 3; n != 0; --n) mutate(text, random);
            auto document = readText(text, "mutated", ops());
            if (!document || document->units.empty()) continue;
            const Graph& g = document->units[0].graph;
            Graph sized = g.clone();
            sized.symbols[Name("s0")].hint = 7;
            const auto typed = typedInputs(sized, *none);
            if (!typed) continue;
            const Ran predicted = run(sized, *typed, {}, *none);
            std::int64_t bytes = 0;
            for (const RuntimeValue& v : *typed) v.forEachTensor([&](const Tensor& t) { bytes += static_cast<std::int64_t>(t.storage->bytes); });
            if (bytes > (1 << 24)) continue;
            const auto inputs = typedInputs(sized, cpu());
            QVERIFY(inputs.has_value());
            for (const RuntimeValue& v : *inputs)
                v.forEachTensor([](const Tensor& t) {
                    if (t.storage->data) std::memset(t.storage->data, 0, t.storage->bytes);
                });
            ExecOptions options;
            options.maxBytes = 1 << 24;
            options.maxFlops = 1e7;
            const Ran ran = run(sized, *inputs, options);
            ran.result.complete ? ++complete : ++failed;
            QVERIFY2(ran.result.complete || !ran.error.empty(), text.c_str());
            if (!ran.result.complete) continue;
            QVERIFY2(predicted.result.complete, (predicted.error + "\n" + text).c_str());
            QVERIFY2(predicted.result.memory.conditional || predicted.result.memory.events.size() == ran.result.memory.events.size(), text.c_str());
            QVERIFY2(predicted.result.memory.conditional || predicted.result.memory.peakCharged == ran.result.memory.peakCharged, text.c_str());
        }
        qInfo("%d ran, %d failed", complete, failed);
        QVERIFY(complete > count / 10);
        QVERIFY(failed > count / 10);
    }
};

QTEST_APPLESS_MAIN(MutatedGraphs)
#include "tst_mutated_graphs.moc"
