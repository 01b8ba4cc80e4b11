// Pipeline texts: grammar, canonical form, named pipelines, errors with column and near names.

#include <QTest>

#include "core/pipeline/pipeline.h"

using namespace aliascope;

class TestPipelineText : public QObject {
    Q_OBJECT

private slots:
    void canonical_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("want");
        QTest::newRow("one") << "dce"
                             << "dce";
        QTest::newRow("empty braces") << "dce{}"
                                      << "dce";
        QTest::newRow("default left out") << "reinplace{analysis=reference}"
                                          << "reinplace";
        QTest::newRow("option") << "reinplace{analysis=extent}"
                                << "reinplace{analysis=extent}";
        QTest::newRow("quoted value") << "reinplace{analysis=\"extent\"}"
                                      << "reinplace{analysis=extent}";
        QTest::newRow("blanks and comments") << " functionalize { custom-ops = v2 } , # the wrappers\n dce\n# end"
                                             << "functionalize{custom-ops=v2},dce";
        QTest::newRow("twice") << "dce,dce"
                               << "dce,dce";
        QTest::newRow("default of functionalize") << "functionalize{custom-ops=auto}"
                                                  << "functionalize";
    }

    void canonical() {
        QFETCH(QString, text);
        QFETCH(QString, want);
        const auto pipeline = parsePipeline(text.toStdString());
        QVERIFY2(pipeline.has_value(), pipeline ? "" : pipeline.error().format().c_str());
        QCOMPARE(QString::fromStdString(pipeline->str()), want);
        const auto again = parsePipeline(pipeline->str());
        QVERIFY(again.has_value());
        QCOMPARE(again->str(), pipeline->str());
    }

    void mistakes_data() {
        QTest::addColumn<QString>("text");
        QTest::addColumn<QString>("code");
        QTest::addColumn<int>("line");
        QTest::addColumn<int>("column");
        QTest::addColumn<QString>("says");
        QTest::newRow("unknown pass") << "dce,rinplace"
                                      << "P001" << 1 << 5 << "reinplace";
        QTest::newRow("second line") << "dce,\n  rinplace"
                                     << "P001" << 2 << 3 << "reinplace";
        QTest::newRow("unknown option") << "reinplace{analysys=extent}"
                                        << "P002" << 1 << 11 << "analysis";
        QTest::newRow("pass without options") << "dce{mode=reference}"
                                              << "P002" << 1 << 5 << "mode";
        QTest::newRow("bad value") << "reinplace{analysis=exact}"
                                   << "P003" << 1 << 20 << "reference or extent";
        QTest::newRow("key twice") << "reinplace{analysis=extent,analysis=extent}"
                                   << "P004" << 1 << 27 << "once";
        QTest::newRow("empty") << ""
                               << "P004" << 1 << 1 << "a pass name";
        QTest::newRow("only blanks") << "  # nothing"
                                     << "P004" << 1 << 12 << "a pass name";
        QTest::newRow("comma at the end") << "dce,"
                                          << "P004" << 1 << 5 << "a pass name";
        QTest::newRow("no comma") << "dce dce"
                                  << "P004" << 1 << 5 << "\",\"";
        QTest::newRow("open brace") << "reinplace{analysis=extent"
                                    << "P004" << 1 << 26 << "\"}\"";
        QTest::newRow("no value") << "reinplace{analysis=}"
                                  << "P004" << 1 << 20 << "a value";
        QTest::newRow("no equals") << "reinplace{analysis}"
                                   << "P004" << 1 << 19 << "\"=\"";
        QTest::newRow("open string") << "reinplace{analysis=\"ext"
                                     << "P004" << 1 << 24 << "closing";
        QTest::newRow("bad escape") << "reinplace{analysis=\"\\n\"}"
                                    << "P004" << 1 << 22 << "quoted value";
        QTest::newRow("capital") << "Reinplace"
                                 << "P004" << 1 << 1 << "a pass name";
        QTest::newRow("characters, not bytes") << "# \xc3\xa9\xc3\xa9\ndce,# \xc3\xa9\n\xc3\xa9"
                                               << "P004" << 3 << 1 << "a pass name";
        QTest::newRow("option of no step") << "torch-v2{num-chunk=8}"
                                           << "P002" << 1 << 10 << "num-chunk";
        QTest::newRow("bad value of a named pipeline") << "best{analysis=exact}"
                                                       << "P003" << 1 << 15 << "reference or extent";
    }

    void mistakes() {
        QFETCH(QString, text);
        QFETCH(QString, code);
        QFETCH(int, line);
        QFETCH(int, column);
        QFETCH(QString, says);
        const auto pipeline = parsePipeline(text.toStdString());
        QVERIFY(!pipeline.has_value());
        const Diagnostic& d = pipeline.error();
        QCOMPARE(QString::fromStdString(d.code), code);
        QCOMPARE(int(d.line), line);
        QCOMPARE(int(d.column), column);
        QVERIFY2(QString::fromStdString(d.format()).contains(says), d.format().c_str());
        QVERIFY2(!QString::fromStdString(d.sentence()).contains('{') || text.contains('{'), d.sentence().c_str());
    }

    void caretStandsUnderThePlace() {
        const auto pipeline = parsePipeline("dce,rinplace");
        QVERIFY(!pipeline.has_value());
        const QStringList lines = QString::fromStdString(pipeline.error().excerpt).split('\n');
        QCOMPARE(lines.size(), 2);
        QCOMPARE(lines[0].indexOf("rinplace"), lines[1].indexOf('^'));
        const auto far = parsePipeline(std::string(5000, ' ') + "rinplace");
        QVERIFY(!far.has_value());
        QVERIFY(far.error().excerpt.size() < 300);
        const QStringList cut = QString::fromStdString(far.error().excerpt).split('\n');
        QCOMPARE(cut[0].indexOf("rinplace"), cut[1].indexOf('^'));
    }

    void namedPipelines() {
        for (const std::string& name : pipelineNames()) {
            const auto named = namedPipeline(name);
            QVERIFY(named.has_value());
            QCOMPARE(named->name, name);
            const auto parsed = parsePipeline(name);
            QVERIFY(parsed.has_value());
            QCOMPARE(parsed->name, name);
            QCOMPARE(parsed->str(), named->str());
            for (const std::string& missing : named->missing) QVERIFY2(!findPass(missing), missing.c_str());
        }
        QVERIFY(!namedPipeline("torch-v3").has_value());
        QCOMPARE(namedPipeline("torch-v3").error().code, std::string("P001"));
    }

    void torchPipelinesRunInReferenceMode() {
        for (const char* name : {"torch-v1", "torch-v2"}) {
            const auto pipeline = namedPipeline(name);
            std::vector<std::string> order;
            for (const PipelineStep& step : pipeline->steps) {
                order.emplace_back(step.pass->name());
                QVERIFY(step.options.get("mode").empty() || step.options.is("mode", "reference"));
                if (order.back() == "functionalize") QVERIFY(step.options.is("custom-ops", std::string(name) == "torch-v1" ? "v1" : "v2"));
                if (order.back() == "reinplace") QVERIFY(step.options.is("analysis", "reference"));
            }
            const auto at = [&](const char* pass) { return std::find(order.begin(), order.end(), pass) - order.begin(); };
            QVERIFY(at("functionalize") < at("dce"));
            QVERIFY(at("dce") < at("reorder-for-locality"));
            QVERIFY(at("reorder-for-locality") < at("reinplace"));
            QVERIFY(at("reinplace") < at("decompose-functionalized"));
            QCOMPARE(std::count(order.begin(), order.end(), "remove-noops"), 2);  // among the joint passes, and after them
        }
    }

    void bestRunsExtended() {
        const auto pipeline = namedPipeline("best");
        bool reinplaces = false;
        for (const PipelineStep& step : pipeline->steps) {
            QVERIFY(step.pass->name() != "reorder-for-locality");
            QVERIFY(step.options.get("mode").empty() || step.options.is("mode", "extended"));
            if (step.pass->name() == "reinplace") reinplaces = step.options.is("analysis", "extent");
            if (step.pass->name() == "functionalize") QVERIFY(step.options.is("custom-ops", "auto"));
        }
        QVERIFY(reinplaces);
    }

    void namedPipelineInsideAText() {
        const auto pipeline = parsePipeline("dce,torch-v2{analysis=extent},dce");
        QVERIFY(pipeline.has_value());
        QVERIFY(pipeline->name.empty());
        QVERIFY(pipeline->str().find("reinplace{analysis=extent}") != std::string::npos);
        QVERIFY(pipeline->steps.size() == namedPipeline("torch-v2")->steps.size() + 2);
    }

    void tooManySteps() {
        std::string text = "dce";
        for (int i = 0; i < 600; ++i) text += ",dce";
        QVERIFY(!parsePipeline(text).has_value());
        QCOMPARE(parsePipeline(text).error().code, std::string("P004"));
    }
};

QTEST_APPLESS_MAIN(TestPipelineText)
#include "tst_pipeline_text.moc"
