// Runs of recorded stages: what is kept of them, and what panels and verbs read back.

#include <QTemporaryDir>
#include <QtTest>
#include <set>

#include "core/pipeline/pipeline.h"
#include "core/recording/recorder.h"
#include "core/recording/stage_execution.h"
#include "core/text/document.h"

using namespace aliascope;

namespace {

const OpRegistry& operators() {
    static const OpRegistry registry = [] {
        OpRegistry r = OpRegistry::withBuiltin();
        if (auto read = r.addFile(ALIASCOPE_SOURCE_DIR "/sample_graphs/mylib.ops"); !read) qFatal("%s", read.error().format().c_str());
        return r;
    }();
    return registry;
}

/// Records a sample under a pipeline; the recording, open for reading.
std::shared_ptr<Recording> recorded(const std::string& path, const char* sample, const char* pipeline) {
    auto document = openFile(std::string(ALIASCOPE_SOURCE_DIR "/sample_graphs/") + sample, operators());
    auto recorder = Recorder::create(path);
    if (!document || !recorder) qFatal("cannot record %s", sample);
    const auto ids = (*recorder)->addDocument(*document);
    auto lane = (*recorder)->beginLane(ids->front(), pipeline, operators());
    (void)runPipeline(document->units[0].graph, *parsePipeline(pipeline), operators(), {*lane});
    if (!(*recorder)->close()) qFatal("cannot close");
    return *Recording::open(path);
}

std::vector<int> all(const StageRuns& runs) {
    std::vector<int> out;
    for (const StageRow& s : runs.stages()) out.push_back(s.idx);
    return out;
}

}  // namespace

class RunsTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string path_;
    std::shared_ptr<Recording> recording_;

    int functionalized() const {
        for (const StageRow& s : recording_->stages(1))
            if (s.pass == "functionalize") return s.idx;
        return 0;
    }

private slots:
    void initTestCase() {
        path_ = folder_.filePath("s.aliascope").toStdString();
        recording_ = recorded(path_, "overlapping_views.py", "torch-v1");
        StageRunOptions options;
        options.seed = 3;
        options.repeat = 2;
        auto runs = StageRuns::create(recording_, 1, operators(), options);
        QVERIFY2(runs, runs ? "" : runs.error().format().c_str());
        auto recorder = Recorder::create(path_);
        QVERIFY(recorder);
        auto execution = executeStages(**runs, all(**runs), true, {}, recorder->get());
        QVERIFY(execution && !execution->failed && !execution->unwritten);
        QVERIFY(execution->stages.front()->run != 0);  // written beside the stages after it
        QVERIFY(recordExecution(**recorder, **runs, *execution));
        ProbeRow probe;
        probe.kind = "bisect";
        probe.verdict = "differs";
        probe.k = 2;
        probe.command = "aliascope exec s --stage 2";
        QVERIFY((*recorder)->addProbe(probe, 1));
        QVERIFY((*recorder)->close());
        recording_ = *Recording::open(path_);
    }

    void stagesOfEqualGraphsHaveOneRun() {
        const auto runs = recording_->runs(1);
        QCOMPARE(runs.size(), std::size_t(4));
        QCOMPARE(runs[0].stageName, std::string("imported"));
        QCOMPARE(runs[1].stageName, std::string("functionalize"));
        for (const RunRow& r : runs) {
            QCOMPARE(r.state, std::string("complete"));
            QCOMPARE(r.kind, std::string("measured"));
            QCOMPARE(*r.seed, 3);
            QCOMPARE(r.inputs, std::string("random"));
            QVERIFY(r.options.find("\"role\":\"float\"") != std::string::npos);
            QVERIFY(r.digests > 0 && r.wallNs && *r.wallNs > 0 && r.peakExact);
        }
        QCOMPARE(recording_->runs(1, functionalized()).size(), std::size_t(1));
        QVERIFY(recording_->runs(7).empty());
    }

    void valuesHaveLabels() {
        QStringList labels;
        for (const DigestRow& d : recording_->digests(recording_->runs(1).front().id)) labels << QString::fromStdString(d.label);
        QCOMPARE(labels, QStringList({"x_1 after the run", "x_1", "cos", "slice_1", "slice_2", "y of mylib::two after (two)",
                                      "x of mylib::two after (two)", "returned value 0"}));
        const auto one = recording_->digests(1, 1);
        QCOMPARE(one.size(), std::size_t(1));
        QCOMPARE(one[0].node, std::string("cos"));
        QCOMPARE(one[0].digest.dtype, DType::F32);
        QVERIFY(one[0].digest.max <= 1 && one[0].digest.min >= -1);
    }

    void timesCountRepetitions() {
        std::set<int> repeats;
        for (const TimingRow& t : recording_->timings(1)) repeats.insert(t.repeat);
        QCOMPARE(repeats, std::set<int>({0, 1}));
    }

    void divergencesHaveABeginning() {
        const auto comparisons = recording_->comparisons(1);
        QCOMPARE(comparisons.size(), std::size_t(3));
        QCOMPARE(comparisons[0].verdict, std::string("differs"));
        QCOMPARE(comparisons[0].policy, std::string("bitwise"));
        QCOMPARE(comparisons[0].stageA, 1);
        QCOMPARE(comparisons[0].stageB, functionalized());
        const auto first = recording_->firstDivergence(1);
        QVERIFY(first);
        QCOMPARE(first->first.stageNameB, std::string("functionalize"));
        QCOMPARE(first->second.label, std::string("x of mylib::two after (two)"));
        QCOMPARE(first->second.glyph(), 'X');
        QVERIFY(first->second.maxAbs && std::abs(*first->second.maxAbs - 2) < 1e-5);
        QVERIFY(!first->second.at.empty() && !first->second.a.empty() && !first->second.b.empty());
        QString glyphs;
        for (const ComparedRow& r : recording_->comparisonRows(comparisons[0].id)) glyphs += r.glyph();
        QVERIFY2(glyphs.startsWith("x..."), qPrintable(glyphs));  // the returned value is inherited
        QCOMPARE(glyphs.count('X'), 2);
        QVERIFY(glyphs.contains('-'));
    }

    void probesAreKept() {
        const auto probes = recording_->probes(1);
        QCOMPARE(probes.size(), std::size_t(1));
        QCOMPARE(*probes[0].k, 2);
        QCOMPARE(probes[0].verdict, std::string("differs"));
    }

    void whatNobodyFinishedIsInterrupted() {
        const std::string path = folder_.filePath("i.aliascope").toStdString();
        recorded(path, "row_written.py", "torch-v2");
        {
            auto recorder = Recorder::create(path);
            QVERIFY(recorder);
            RunHeader header;
            header.stageId = 1;
            header.device = header.backend = "cpu";
            QVERIFY((*recorder)->beginRun(header));
        }
        const auto runs = (*Recording::open(path))->runs(1);
        QCOMPARE(runs.size(), std::size_t(1));
        QCOMPARE(runs[0].state, std::string("interrupted"));
    }

    void recordingChangesNoValue() {
        StageRunOptions options;
        options.seed = 3;
        auto runs = StageRuns::create(recording_, 1, operators(), options);
        QVERIFY(runs);
        auto stage = (*runs)->run(1);
        QVERIFY(stage);
        std::multiset<std::uint64_t> now, then;
        for (const exec::RunValue& v : stage->get().values->rows) now.insert(v.digest.hash);
        for (const DigestRow& d : recording_->digests(1)) then.insert(d.digest.hash);
        QVERIFY(now == then);
    }

    void devicesThatAreMissingAreNamed() {
        StageRunOptions options;
        options.device = "cuda:0";
        const auto runs = StageRuns::create(recording_, 1, operators(), options);
        QVERIFY(!runs);
        QCOMPARE(runs.error().code, std::string("DEVICE_MISSING"));
    }
};

QTEST_APPLESS_MAIN(RunsTest)
#include "tst_runs.moc"
