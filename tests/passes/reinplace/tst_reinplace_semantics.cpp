// Extent analysis on functional graphs in a random topological order: readers of old values stand anywhere behind the writes. Whatever is moved,
// saved or written in place, the program returns the same values and leaves the same in its inputs.
// ALIASCOPE_PROPERTY_SEEDS sets how many programs are tried (default 400), ALIASCOPE_PROPERTY_FIRST the first seed.

#include <QTest>
#include <map>
#include <optional>
#include <random>

#include "core/pipeline/pipeline.h"
#include "tests/passes/property/program_check.h"
#include "tests/passes/property/random_program.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

/// Moves every call to a random place between its last operand and its first user. What follows the first write-back stays.
void shuffle(Graph& g, std::mt19937& random) {
    NodeId end = g.output();
    for (NodeId id : g.order())
        if (g[id].op == "aten::copy_") {
            end = id;
            break;
        }
    for (NodeId id : g.order()) {
        if (g[id].kind != NodeKind::CallFunction || !g.before(id, end)) continue;
        NodeId after = g.first(), before = end;
        for (NodeId p : g.placeholders()) after = g.before(after, p) ? p : after;
        for (NodeId operand : g.operands(id)) after = g.before(after, operand) ? operand : after;
        for (NodeId user : g.users(id)) before = g.before(user, before) ? user : before;
        std::vector<NodeId> places;
        for (NodeId at = g[after].next; at != before; at = g[at].next) places.push_back(at);
        places.push_back(before);
        const NodeId place = places[random() % places.size()];
        if (place != id) g.moveBefore(id, place);
    }
}

/// How often each rule was applied.
class RewriteCount final : public PassObserver {
public:
    Status stageFinished(const Graph&, const StageResult& stage) override {
        if (stage.rewrites)
            for (const Rewrite& r : *stage.rewrites) ++counts[r.rule];
        return {};
    }
    std::map<std::string, int> counts;
};

}  // namespace

class ReinplaceSemanticsTest : public QObject {
    Q_OBJECT

private:
    OpRegistry ops_ = OpRegistry::withBuiltin();

    /// A functional graph in some topological order; nothing when a pass refuses the program.
    std::optional<Graph> shuffledProgram(std::uint32_t seed, const std::string& form) const {
        Graph g = randomProgram(ops_, seed);
        // The reference clean-up forwards clones that were there for a reason, so that operands of one call come to share memory.
        if (runPipeline(g, *parsePipeline("functionalize{custom-ops=" + form + "},dce,remove-noops{mode=reference}"), ops_, {}).failed) return std::nullopt;
        std::mt19937 random(seed);
        shuffle(g, random);
        return g;
    }

    void tryPrograms(const std::string& form) {
        const auto number = [](const char* name, int otherwise) {
            return qEnvironmentVariableIsSet(name) ? qEnvironmentVariableIntValue(name) : otherwise;
        };
        const int first = number("ALIASCOPE_PROPERTY_FIRST", 1), count = number("ALIASCOPE_PROPERTY_SEEDS", 400);
        const Pipeline extent = *parsePipeline("reinplace{analysis=extent},decompose-functionalized{mode=extended}");
        ProgramChecker checker(ops_);
        checker.pipelines = {extent};
        RewriteCount rules;
        int compared = 0;
        for (int seed = first; seed < first + count; ++seed) {
            const auto program = shuffledProgram(static_cast<std::uint32_t>(seed), form);
            if (!program) continue;
            const ProgramOutcome outcome = checker.check(*program);
            if (!outcome.refused.empty()) continue;
            if (!outcome.failure.empty())
                qWarning("%s", readyTest(checker.reduced(*program, outcome.failure), outcome.failure, "seed_" + std::to_string(seed)).c_str());
            QVERIFY2(outcome.failure.empty(), ("seed " + std::to_string(seed) + ": " + outcome.failure).c_str());
            ++compared;
            Graph again = program->clone();
            runPipeline(again, extent, ops_, {&rules});
        }
        qInfo("%d of %d compared; readers moved %d times, old values saved %d times", compared, count, rules.counts["order-readers"],
              rules.counts["save-old"]);
        if (count < 100) return;
        QVERIFY(compared > count / 2);
        QVERIFY(rules.counts["order-readers"] > 0);
    }

private slots:
    void initTestCase() { QVERIFY(ops_.addText(customOperators(), "custom").empty()); }
    void automatic() { tryPrograms("auto"); }
    void v1() { tryPrograms("v1"); }
    void v2() { tryPrograms("v2"); }
};

QTEST_APPLESS_MAIN(ReinplaceSemanticsTest)
#include "tst_reinplace_semantics.moc"
