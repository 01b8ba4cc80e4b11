// Programs that are changed at random: whatever the chunker cuts must compute what the whole graph does, and nothing may bring it down.

#include <QTest>
#include <random>

#include "core/analysis/verifier.h"
#include "core/passes/chunk_proposal.h"
#include "tests/passes/auto-chunk/evaluate.h"
#include "tests/passes/auto-chunk/head_program.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

class Mutator {
public:
    explicit Mutator(std::uint32_t seed) : random_(seed) {}

    std::string program() {
        static const std::vector<std::string> programs = {
            headProgram(12), headProgram(7), shiftedProgram(), biasedProgram(), cappedProgram(), twoLossesProgram(), softmaxProgram("12", "3", "40")};
        std::string text = pick(programs);
        for (std::uint32_t changes = 1 + random_() % 3; changes > 0; --changes) change(text);
        return text;
    }
    std::uint32_t below(std::uint32_t n) { return random_() % n; }

private:
    template <class T>
    const T& pick(const std::vector<T>& from) {
        return from[random_() % from.size()];
    }
    static std::vector<std::size_t> places(const std::string& text, const std::string& word) {
        std::vector<std::size_t> out;
        for (std::size_t at = text.find(word); at != std::string::npos; at = text.find(word, at + 1)) out.push_back(at);
        return out;
    }
    void change(std::string& text) {
        switch (random_() % 4) {
            case 0:
                return changeNumber(text);
            case 1:
                return dropLine(text);
            case 2:
                return changeOperator(text);
            default:
                return changeOperand(text);
        }
    }
    void changeNumber(std::string& text) {
        std::vector<std::size_t> starts;
        for (std::size_t i = 1; i < text.size(); ++i)
            if (std::isdigit(static_cast<unsigned char>(text[i])) && std::string("[ ,-(").find(text[i - 1]) != std::string::npos) starts.push_back(i);
        const std::size_t at = pick(starts);
        std::size_t end = at;
        while (end < text.size() && std::isdigit(static_cast<unsigned char>(text[end]))) ++end;
        static const std::vector<std::string> numbers = {"0", "1", "2", "3", "5", "12", "40", "-1", "9223372036854775807", "s0"};
        text.replace(at, end - at, pick(numbers));
    }
    void dropLine(std::string& text) {
        const std::vector<std::size_t> ends = places(text, "\n");
        const std::size_t line = 2 + random_() % (ends.size() - 3);
        text.erase(ends[line], ends[line + 1] - ends[line]);
    }
    void changeOperator(std::string& text) {
        static const std::vector<std::string> operators = {"aten.add.Tensor",    "aten.mul.Tensor",     "aten.mm.default",
                                                           "aten.view.default",  "aten.slice.Tensor",   "aten.permute.default",
                                                           "aten.cat.default",   "aten.expand.default", "aten.gather.default",
                                                           "aten.squeeze.dim",   "aten.exp.default",    "aten.sum.dim_IntList",
                                                           "aten.bmm.default",   "aten.select.int",     "aten.amax.default",
                                                           "aten.copy_.default", "aten.t.default",      "aten.constant_pad_nd.default"};
        const std::size_t at = pick(places(text, "aten."));
        text.replace(at, text.find('(', at) - at, pick(operators));
    }
    void changeOperand(std::string& text) {
        static const std::vector<std::string> names = {"mm",        "sub",       "exp",     "div_1",   "tangents_1", "primals_1",
                                                       "primals_2", "unsqueeze", "permute", "scatter", "mul"};
        const std::string from = "(" + pick(names), to = "(" + pick(names);
        if (const std::size_t at = text.find(from); at != std::string::npos) text.replace(at, from.size(), to);
    }
    std::mt19937 random_;
};

/// Small enough to run, and its inputs are dense.
bool canRun(const Graph& g) {
    for (NodeId id : g.order()) {
        const TensorType* t = g[id].tensor();
        if (g[id].kind == NodeKind::Placeholder && (!t || !t->isContiguous() || t->dtype == DType::Unknown)) return false;
        const auto n = t ? t->numel().constant() : std::optional<std::int64_t>(0);
        if (!n || *n < 0 || *n > 100'000) return false;
    }
    return true;
}

bool finite(const Evaluated& e) {
    for (const auto& output : e.outputs)
        for (double x : output)
            if (!std::isfinite(x)) return false;
    return true;
}

}  // namespace

class ChunkPropertyTest : public QObject {
    Q_OBJECT

private slots:
    void whatIsCutComputesTheSame() {
        int cut = 0, compared = 0;
        for (std::uint32_t seed = 1; seed <= 1500; ++seed) {
            Mutator mutator(seed);
            const std::string text = mutator.program();
            auto document = readText(text, "program.py", testOps());
            if (!document || document->units.size() != 1) continue;
            const Graph& whole = document->units[0].graph;
            ChunkRequest request;
            const bool extended = mutator.below(2) != 0;
            request.limits = {extended, 0, extended ? std::nullopt : std::optional(0.01)};
            request.form = {extended, mutator.below(2) != 0};
            request.chunks = 2 + mutator.below(12);
            const ChunkProposal proposal = proposeChunks(whole, testOps(), request);
            if (proposal.refusal) {
                QVERIFY2(!proposal.refusal->code.empty(), text.c_str());
                continue;
            }
            ++cut;
            Graph chunked = whole.clone();
            if (!applyChunks(chunked, testOps(), proposal.plan, proposal.chosen->cut, request.form) || !verify(whole, testOps())) continue;
            QVERIFY2(verify(chunked, testOps()), text.c_str());
            if (!canRun(whole) || !canRun(chunked)) continue;
            const Evaluated a = evaluate(whole);
            if (!a.error.empty() || !finite(a)) continue;
            const Evaluated b = evaluate(chunked);
            if (b.error.find("INPUT_MISMATCH") != std::string::npos) continue;  // an annotation that is not what the operator gives
            QVERIFY2(b.error.empty(), (b.error + "\n" + text).c_str());
            QVERIFY2(distanceOf(a, b) < 1e-4, (std::to_string(distanceOf(a, b)) + "\n" + text).c_str());
            ++compared;
        }
        qInfo("%d programs cut, %d of them run", cut, compared);
        QVERIFY(cut > 50 && compared > 50);
    }
};

QTEST_APPLESS_MAIN(ChunkPropertyTest)
#include "tst_chunk_property.moc"
