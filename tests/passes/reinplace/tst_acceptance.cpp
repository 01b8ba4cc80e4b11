// The acceptance table of reinplace.md 11: what `best` copies in every case that the reference corpus holds, read off the table's last column.
// Needs ALIASCOPE_SHARED, the folder with spec/ and oracle/.

#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <map>
#include <optional>

#include "core/pipeline/pipeline.h"
#include "core/text/document.h"
#include "core/text/print.h"

using namespace aliascope;

namespace {

struct Copies {
    int clones = 0;
    std::int64_t bytes = 0;
};

QByteArray contents(const QString& path) {
    QFile file(path);
    return file.open(QIODevice::ReadOnly) ? file.readAll() : QByteArray();
}

/// Clone nodes of all graphs of a file; bytes where sizes are stated.
std::optional<Copies> clonesOf(const Graph& g) {
    Copies out;
    for (NodeId id : inOrder(g)) {
        if (!g[id].op.view().starts_with("aten::clone")) continue;
        ++out.clones;
        const auto bytes = g[id].tensor() ? g[id].tensor()->bytes() : std::nullopt;
        out.bytes += bytes ? bytes->evaluate(g.symbols).value_or(0) : 0;
    }
    return out;
}

/// `0` or `1 (96)` at the end of a row; by case.
std::map<QString, Copies> acceptanceTable(const QString& shared) {
    std::map<QString, Copies> table;
    const QString text = QString::fromUtf8(contents(shared + "/spec/reinplace.md"));
    const qsizetype begin = text.indexOf("## 11. Acceptance table"), end = text.indexOf("## 12.");
    static const QRegularExpression row(R"(^\|\s*(\w+)\s*\|.*\|\s*(\d+)(?:\s*\(([\d ]+)\))?\s*\|$)");
    for (const QString& line : text.mid(begin, end - begin).split('\n')) {
        const auto m = row.match(line);
        if (m.hasMatch()) table[m.captured(1)] = {m.captured(2).toInt(), m.captured(3).remove(' ').toLongLong()};
    }
    return table;
}

}  // namespace

class AcceptanceTest : public QObject {
    Q_OBJECT

private:
    QString shared_ = qEnvironmentVariable("ALIASCOPE_SHARED");
    OpRegistry ops_ = OpRegistry::withBuiltin();

    /// Runs `passes` on every graph of a file; what the final graphs copy, and how many custom calls or wrappers are left.
    std::optional<Copies> copiesAfter(const QString& path, const char* passes) {
        auto document = readText(contents(path).toStdString(), "case.readable.py", ops_);
        if (!document || document->units.empty()) return std::nullopt;
        Copies sum;
        for (auto& unit : document->units) {
            if (*passes != '\0') {
                const RunResult run = runPipeline(unit.graph, *parsePipeline(passes), ops_, {});
                if (run.failed) {
                    qWarning("%s: %s", qPrintable(path), run.error ? run.error->format().c_str() : "failed");
                    return std::nullopt;
                }
                for (NodeId id : inOrder(unit.graph))
                    if (unit.graph[id].op.view().starts_with("hop::auto_functionalized")) return std::nullopt;
            }
            const auto copies = clonesOf(unit.graph);
            sum.clones += copies->clones;
            sum.bytes += copies->bytes;
        }
        return sum;
    }

    void rows() {
        QTest::addColumn<QString>("folder");
        QTest::addColumn<int>("clones");
        QTest::addColumn<qint64>("bytes");
        if (shared_.isEmpty()) QSKIP("ALIASCOPE_SHARED is not set");
        int visible = 0;
        for (const auto& [name, copies] : acceptanceTable(shared_)) {
            const QString folder = shared_ + "/oracle/cases/" + name;
            if (!QFile::exists(folder + "/v2.before_reinplace.readable.py")) continue;
            QTest::newRow(qPrintable(name)) << folder << copies.clones << qint64(copies.bytes);
            ++visible;
        }
        QVERIFY(visible > 20);
    }

    /// The user's own clones are those that PyTorch's clean-ups leave in front of re-inplacing.
    void compare(const QString& source, const char* passes) {
        QFETCH(QString, folder);
        QFETCH(int, clones);
        QFETCH(qint64, bytes);
        const auto own = copiesAfter(folder + "/v2.before_reinplace.readable.py", "");
        const auto ours = copiesAfter(source, passes);
        QVERIFY(own && ours);
        QCOMPARE(ours->clones - own->clones, clones);
        QCOMPARE(qint64(ours->bytes - own->bytes), bytes);
    }

private slots:
    void initTestCase() {
        if (shared_.isEmpty()) QSKIP("ALIASCOPE_SHARED is not set");
        QVERIFY(ops_.addText(contents(shared_ + "/oracle/mylib.ops").toStdString(), "mylib.ops").empty());
        QCOMPARE(acceptanceTable(shared_).size(), std::size_t(50));
    }

    void programs_data() { rows(); }
    void programs() {
        QFETCH(QString, folder);
        const QString mutable_ = folder + "/aten.mutable.readable.py";
        compare(QFile::exists(mutable_) ? mutable_ : folder + "/v2.before_joint.readable.py", "best");
    }

    /// Behind PyTorch's own reordering, which makes misses: ordering by memory dependence undoes them (L2).
    void behindLocalityReordering_data() { rows(); }
    void behindLocalityReordering() {
        QFETCH(QString, folder);
        compare(folder + "/v2.before_reinplace.readable.py", "reinplace{analysis=extent},decompose-functionalized{mode=extended}");
    }
};

QTEST_APPLESS_MAIN(AcceptanceTest)
#include "tst_acceptance.moc"
