// Mutated files never crash a reader: it refuses, or gives what can be read.

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <random>

#include "core/text/print.h"
#include "recorded_sample.h"

using namespace aliascope;

class TestSessionsDamaged : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;
    std::string bytes_;
    int opened_ = 0, refused_ = 0;

    /// Asks everything that a window would ask.
    void read(const std::string& content) {
        const std::string path = folder_.filePath("mutated.aliascope").toStdString();
        std::ofstream(path, std::ios::binary | std::ios::trunc).write(content.data(), static_cast<std::streamsize>(content.size()));
        const auto file = Recording::open(path);
        if (!file) {
            ++refused_;
            const std::string code = file.error().code;
            QVERIFY2(code == "S001" || code == "S002" || code == "R003", code.c_str());
            QVERIFY(!file.error().sentence().empty());
            return;
        }
        ++opened_;
        const Recording& r = **file;
        for (const GraphRow& g : r.graphs()) (void)r.sourceText(g.id);
        for (const LaneRow& lane : r.lanes()) {
            (void)r.decisions(lane.id);
            for (const StageRow& stage : r.stages(lane.id)) {
                (void)r.storages(lane.id, stage.idx);
                (void)r.changes(lane.id, stage.idx);
                (void)r.rewrites(lane.id, stage.idx);
                if (const auto snapshot = r.snapshot(lane.id, stage.idx))
                    if (!snapshot->nodes.empty()) (void)r.history(lane.id, snapshot->nodes.back()->uid);
                if (const auto graph = r.graph(lane.id, stage.idx, test::ops())) {
                    (void)printGraphText(*graph);
                    (void)printReadable(*graph);
                }
            }
        }
        (void)r.diagnostics();
        (void)r.query("SELECT count(*) FROM v_node");
    }

private slots:
    void initTestCase() {
        const std::string path = folder_.filePath("whole.aliascope").toStdString();
        test::recordSample(path);
        std::ifstream in(path, std::ios::binary);
        bytes_.assign((std::istreambuf_iterator<char>(in)), {});
        QVERIFY(bytes_.size() % 8192 == 0);
    }

    void cutAtEveryPage() {
        for (std::size_t size = 0; size < bytes_.size(); size += 8192) read(bytes_.substr(0, size));
        QVERIFY(refused_ > 0);
    }

    void cutInsidePages() {
        for (std::size_t size : {1u, 15u, 16u, 99u, 100u, 500u, 8191u, 8193u, 20000u}) read(bytes_.substr(0, size));
    }

    void flippedBits() {
        std::mt19937 random(20260131);
        opened_ = refused_ = 0;
        for (int i = 0; i < 1000; ++i) {
            std::string mutated = bytes_;
            // Most of a page is empty: half of the flips aim at bytes that hold something.
            for (int flips = 1 + i % 4; flips > 0;) {
                const std::size_t at = random() % mutated.size();
                if (i % 2 == 0 && mutated[at] == 0) continue;
                mutated[at] = static_cast<char>(mutated[at] ^ (1 << random() % 8));
                --flips;
            }
            read(mutated);
        }
        QVERIFY2(opened_ > 50 && refused_ > 50, qPrintable(QString("%1 opened, %2 refused").arg(opened_).arg(refused_)));
    }

    void swappedPages() {
        const std::size_t pages = bytes_.size() / 8192;
        for (std::size_t i = 1; i + 1 < pages; ++i) {
            std::string mutated = bytes_;
            std::swap_ranges(mutated.begin() + static_cast<std::ptrdiff_t>(i * 8192), mutated.begin() + static_cast<std::ptrdiff_t>((i + 1) * 8192),
                             mutated.begin() + static_cast<std::ptrdiff_t>((i + 1) * 8192));
            read(mutated);
        }
    }
};

QTEST_GUILESS_MAIN(TestSessionsDamaged)
#include "tst_sessions_damaged.moc"
