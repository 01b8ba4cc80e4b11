// Programs compute the same after every step of pipelines that are not bundled: each form of functionalization by itself, and the extended passes
// without the clean-ups of `best`. tst_random_programs does the same for the bundled ones.
//
// With ALIASCOPE_SHARED set to the folder of the reference corpus, its programs are run too.
// ALIASCOPE_PROPERTY_SEEDS sets how many programs are tried (default 400), ALIASCOPE_PROPERTY_FIRST the first seed.

#include <QDirIterator>
#include <QTest>

#include "core/text/document.h"
#include "tests/passes/property/program_check.h"
#include "tests/passes/property/random_program.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

constexpr const char* kExtended = "functionalize,dce,remove-noops{mode=extended},reinplace{analysis=extent},decompose-functionalized{mode=extended}";

qint64 setting(const char* name, qint64 fallback) { return qEnvironmentVariableIsSet(name) ? qEnvironmentVariableIntValue(name) : fallback; }

}  // namespace

class PassSemanticsTest : public QObject {
    Q_OBJECT

private slots:
    void randomPrograms_data() {
        QTest::addColumn<QString>("passes");
        QTest::newRow("v1") << "functionalize{custom-ops=v1},dce";
        QTest::newRow("v2") << "functionalize{custom-ops=v2},dce";
        QTest::newRow("automatic") << "functionalize,dce";
        QTest::newRow("extended") << kExtended;
    }
    void randomPrograms() {
        QFETCH(QString, passes);
        OpRegistry ops = OpRegistry::withBuiltin();
        QVERIFY(ops.addText(customOperators(), "custom").empty());
        ProgramChecker checker(ops);
        checker.pipelines = {*parsePipeline(passes.toStdString())};
        const qint64 first = setting("ALIASCOPE_PROPERTY_FIRST", 1), count = setting("ALIASCOPE_PROPERTY_SEEDS", 400);
        qint64 compared = 0;
        for (qint64 seed = first; seed < first + count; ++seed) {
            const Graph program = sizedProgram(ops, static_cast<std::uint64_t>(seed));
            const ProgramOutcome outcome = checker.check(program);
            if (!outcome.refused.empty()) continue;
            ++compared;
            if (outcome.failure.empty()) continue;
            const std::string name = "seed_" + std::to_string(seed);
            QFAIL(readyTest(checker.reduced(program, outcome.failure), outcome.failure, name).c_str());
        }
        QVERIFY2(compared > count / 2, "too few programs were compared");
    }

    void programsOfTheCorpus() {
        const QString shared = qEnvironmentVariable("ALIASCOPE_SHARED");
        if (shared.isEmpty()) QSKIP("ALIASCOPE_SHARED is not set");
        OpRegistry ops = OpRegistry::withBuiltin();
        QVERIFY(ops.addFile((shared + "/oracle/mylib.ops").toStdString()).has_value());
        ProgramChecker checker(ops);
        checker.pipelines = {*namedPipeline("best"), *parsePipeline("functionalize{custom-ops=v1},dce"),
                             *parsePipeline("functionalize{custom-ops=v2},dce"), *parsePipeline(kExtended)};
        int compared = 0, notRun = 0;
        QDirIterator files(shared + "/oracle", {"aten.mutable.readable.py", "graph.readable.py"}, QDir::Files, QDirIterator::Subdirectories);
        while (files.hasNext()) {
            const QString path = files.next();
            auto document = openFile(path.toStdString(), ops);
            if (!document || document->units.empty()) continue;
            const Graph& program = document->units[0].graph;
            const ProgramOutcome outcome = checker.check(program);
            // What cannot be made functional is not run either.
            if (!outcome.refused.empty() || outcome.failure.find(": fails with") != std::string::npos) {
                ++notRun;
                continue;
            }
            QVERIFY2(outcome.failure.empty(), (path.toStdString() + ": " + outcome.failure).c_str());
            ++compared;
        }
        qInfo("%d programs compared, %d not run", compared, notRun);
        QVERIFY(compared > 0);
    }
};

QTEST_APPLESS_MAIN(PassSemanticsTest)
#include "tst_pass_semantics.moc"
