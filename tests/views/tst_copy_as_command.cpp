// Every panel's *Copy as command* runs, and what it prints is what the panel shows.

#include <QApplication>
#include <QClipboard>
#include <QComboBox>
#include <QDir>
#include <QLineEdit>
#include <QProcess>
#include <QTabWidget>
#include <QTableView>
#include <QTest>
#include <QTreeView>
#include <algorithm>

#include "tests/cli/program.h"
#include "tests/views/open_window.h"
#include "tests/views/widget_test.h"
#include "views/models/history_model.h"
#include "views/panels/alias_panel.h"
#include "views/panels/compare_panel.h"
#include "views/panels/decisions_panel.h"
#include "views/panels/history_panel.h"
#include "views/panels/memory_panel.h"
#include "views/panels/nodes_panel.h"
#include "views/panels/numerics_panel.h"
#include "views/panels/stage_panel.h"
#include "views/panels/why_card.h"

using namespace aliascope;
using aliascope::testing::Answer;

namespace {

/// Words of a line that quotes as a POSIX shell does: single quotes, and `'\''` between them.
QStringList wordsOf(const QString& line) {
    QStringList words;
    QString word;
    bool quoted = false, any = false;
    for (qsizetype i = 0; i < line.size(); ++i) {
        const QChar c = line[i];
        if (c == QLatin1Char('\'')) {
            quoted = !quoted;
            any = true;
        } else if (c == QLatin1Char('\\') && !quoted && i + 1 < line.size()) {
            word += line[++i];
        } else if (c == QLatin1Char(' ') && !quoted) {
            if (any || !word.isEmpty()) words << word;
            word.clear();
            any = false;
        } else {
            word += c;
        }
    }
    if (any || !word.isEmpty()) words << word;
    return words;
}

QString text(const QJsonValue& value) { return value.toString(); }

}  // namespace

class TestCopyAsCommand : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QVERIFY(QDir::setCurrent(QStringLiteral(ALIASCOPE_SOURCE_DIR "/sample_graphs")));  // where the samples lie that a command names
    }

    void init() {
        window_ = openWindow();
        QVERIFY(window_);
        window_->open(sampleRequest("kv_cache_layers.py", "torch-v1"));
        QVERIFY(settled(session()));
        for (int i = 0; i < 20 && nameOfSelection() != QLatin1String("clone_default_1"); ++i) {
            QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_C);
            QVERIFY(settled(session()));
        }
    }

    void stages() {
        const QJsonArray rows = copied("passes.list").rows("stages");
        QCOMPARE(rows.size(), qsizetype(session().data().stages.size()));
        for (qsizetype i = 0; i < rows.size(); ++i) {
            const StageRow& row = session().data().stages[std::size_t(i)];
            QCOMPARE(text(rows[i]["name"]), QString::fromStdString(row.name));
            QCOMPARE(rows[i]["nodes"].toInteger(), row.nodes);
            QCOMPARE(rows[i]["clones"].toInteger(), row.clones);
            QCOMPARE(rows[i]["cloned_bytes"].toInteger(), row.clonedBytes.value_or(0));
        }
    }

    void stageAsText() {
        session().clearSelection(Origin::Program);
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_L);
        window_->stagePanel()->setRemovedLines(false);
        QVERIFY(settled(session()));
        const Answer answer = copied("text.pane", false);
        const LineSource* lines = window_->stagePanel()->textPane()->source();
        QVERIFY(lines);
        QStringList shown;
        for (int i = 0; i < lines->lineCount(); ++i) shown << lines->line(i);
        QString printed = answer.out, pane = shown.join(QLatin1Char('\n'));
        QCOMPARE(printed.trimmed(), pane.trimmed());
    }

    void decisions() {
        const QJsonArray rows = copied("decisions.table").rows("decisions");
        QVERIFY(rows.size() > 20);
        sameDecisions(rows);
    }

    void decisionsOfOneVerdict() {
        QTest::mouseClick(panel(QStringLiteral("decisions.chip%1").arg(int(VerdictKind::Avoidable))), Qt::LeftButton);
        const QJsonArray rows = copied("decisions.table").rows("decisions");
        QCOMPARE(rows.size(), 8);
        sameDecisions(rows);
    }

    void why() {
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_W);
        QVERIFY(settled(session()));
        const QJsonArray cards = copied("why.card").rows("cards");
        QCOMPARE(cards.size(), 1);
        const DecisionRow& card = *window_->whyCard()->decision();
        QCOMPARE(text(cards[0]["code"]), QString::fromStdString(card.code));
        QCOMPARE(text(cards[0]["argument"]), QString::fromStdString(card.argument));
        QCOMPARE(text(cards[0]["blocker"]["name"]), QString::fromStdString(card.blocker));
        QCOMPARE(cards[0]["cloned_bytes"].toInteger(), card.clonedBytes.value_or(-1));
        const QJsonArray checks = cards[0]["checks"].toArray();
        QCOMPARE(checks.size(), qsizetype(card.checks.size()));
        for (qsizetype i = 0; i < checks.size(); ++i) QCOMPARE(text(checks[i]["result"]), QString::fromStdString(card.checks[std::size_t(i)].result));
    }

    void aliases() {
        raise("inspector.tab", 1);
        QVERIFY(settled(session()));
        const QJsonArray storages = copied("aliases.tree").rows("storages");
        QCOMPARE(storages.size(), 1);
        QCOMPARE(text(storages[0]["id"]), QStringLiteral("S%1").arg(session().selection().storage));
        const QJsonArray members = storages[0]["members"].toArray();
        auto* tree = window_->findChild<QTreeView*>(QStringLiteral("aliases.tree"));
        const QModelIndex parent = tree->currentIndex().parent();
        QStringList shown, printed;
        for (int row = 0; row < tree->model()->rowCount(parent); ++row) {
            const QModelIndex at = tree->model()->index(row, 0, parent);
            if (at.data(AliasTreeModel::KindRole).toInt() != int(AliasMember::Kind::Write))
                shown << at.siblingAtColumn(AliasTreeModel::Place).data().toString();
        }
        for (const QJsonValue& member : members)
            printed << QStringLiteral("%1 \u2013 %2").arg(grouped(member["first_byte"].toInteger()), grouped(member["end_byte"].toInteger()));
        QCOMPARE(printed, shown);
    }

    void history() {
        raise("inspector.tab", 3);
        QVERIFY(settled(session()));
        const QJsonArray rows = copied("history.table").rows("history");
        auto* table = window_->findChild<QTableView*>(QStringLiteral("history.table"));
        QCOMPARE(rows.size(), table->model()->rowCount());
        for (qsizetype i = 0; i < rows.size(); ++i) {
            QCOMPARE(rows[i]["stage"].toInt(), table->model()->index(int(i), 0).data(HistoryModel::StageRole).toInt());
            QVERIFY2(table->model()->index(int(i), HistoryModel::State).data().toString().startsWith(text(rows[i]["state"])),
                     qPrintable(text(rows[i]["state"])));
        }
    }

    void nodesThatAreSearchedFor() {
        raise("bottom.tab", 1);
        auto* filter = window_->findChild<QLineEdit*>(QStringLiteral("nodes.filter"));
        auto* table = window_->findChild<QTableView*>(QStringLiteral("nodes.table"));
        for (const QString& find : {QStringLiteral("op:clone"), QStringLiteral("bytes>100K view"), QStringLiteral("-changed op:mm,select")}) {
            filter->setText(find);
            QVERIFY(settled(session()));
            QStringList shown, printed;
            for (int row = 0; row < table->model()->rowCount(); ++row)
                shown << table->model()->index(row, 1).data().toString().remove(QLatin1Char('%'));
            for (const QJsonValue& node : copied("nodes.table").rows("nodes"))
                printed << (node["node"].isObject() ? text(node["node"]["name"]) : node["name"].isString() ? text(node["name"]) : text(node["node"]));
            shown.sort();
            printed.sort();
            QVERIFY2(!shown.isEmpty(), qPrintable(find));
            QCOMPARE(printed, shown);
        }
    }

    void hitsOfOneOfAllStages() {
        raise("bottom.tab", 7);
        window_->findChild<QLineEdit*>(QStringLiteral("find.text"))->setText(QStringLiteral("op:select"));
        QVERIFY(settled(session()));
        auto* tree = window_->findChild<QTreeView*>(QStringLiteral("find.tree"));
        QVERIFY(tree->model()->rowCount() > 2);
        const QModelIndex stage = tree->model()->index(1, 0);
        QStringList shown, printed;
        for (int row = 0; row < tree->model()->rowCount(stage); ++row)
            shown << tree->model()->index(row, 0, stage).data().toString().remove(QLatin1Char('%'));
        tree->setCurrentIndex(tree->model()->index(0, 0, stage));
        for (const QJsonValue& node : copied("find.tree").rows("nodes"))
            printed << (node["node"].isObject() ? text(node["node"]["name"]) : node["name"].isString() ? text(node["name"]) : text(node["node"]));
        QVERIFY(!shown.isEmpty());
        QCOMPARE(printed, shown);
    }

    void memory() {
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_M);
        QVERIFY(settled(session()));
        const QJsonObject result = copied("memory.chart").result();
        auto* memory = window_->findChild<MemoryPanel*>();
        const MemoryProfilePtr profile = memory->chart()->curves().front().profile;
        QCOMPARE(result["moment"]["live_exact"].toInteger(), profile->live(memory->chart()->cursor(), memory::Accounting::Exact));
        QCOMPARE(result["live"].toArray().size(), qsizetype(window_->findChild<QTableView*>(QStringLiteral("memory.live"))->model()->rowCount()));
    }

    void numerics() {
        window_->open(sampleRequest("overlapping_views.py", "torch-v1"));
        QVERIFY(settled(session()));
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_F5, Qt::ControlModifier);
        QVERIFY(settled(session()));
        raise("bottom.tab", 3);
        const QJsonObject result = copied("numerics.filter").result();
        const QJsonObject first = result["first_divergence"].toObject();
        window_->action(QStringLiteral("numerics.first"))->trigger();
        QVERIFY(settled(session()));
        QCOMPARE(first["idx"].toInt(), session().stage());
        QCOMPARE(text(first["node"]["name"]), nameOfSelection());
        QCOMPARE(result["values"].toArray().size(),
                 qsizetype(window_->findChild<QTableView*>(QStringLiteral("numerics.table"))->model()->rowCount()));
    }

    void twoPipelines() {
        QTest::keyClick(window_->stagePanel()->canvas(), Qt::Key_D, Qt::ControlModifier);
        QVERIFY(settled(session()));
        const Answer answer = copied("compare.canvasA");
        QVERIFY2(answer.exit == 0, qPrintable(answer.err));
        const QString out = QString::fromUtf8(QJsonDocument(answer.result()).toJson(QJsonDocument::Compact));
        QVERIFY2(out.contains(QLatin1String("1769472")), qPrintable(out.left(1500)));
        QVERIFY2(window_->comparePanel()->differences().contains(QLatin1String("cloned 1.69 MiB / 0 B")),
                 qPrintable(window_->comparePanel()->differences()));
    }

    void decisionsThatAreSearchedFor() {
        auto* filter = window_->findChild<QLineEdit*>(QStringLiteral("decisions.filter"));
        auto* table = window_->findChild<QTableView*>(QStringLiteral("decisions.table"));
        for (const QString& find :
             {QStringLiteral("code:RI30 cloned>200K"), QStringLiteral("value_cache -verdict:applied"), QStringLiteral("pass:functionalize")}) {
            filter->setText(find);
            QVERIFY(settled(session()));
            QVERIFY2(table->model()->rowCount() > 0, qPrintable(find));
            sameDecisions(copied("decisions.table").rows("decisions"));
        }
        // Two verdicts at once become one term.
        filter->clear();
        for (VerdictKind kind : {VerdictKind::Avoidable, VerdictKind::NotAttempted})
            QTest::mouseClick(panel(QStringLiteral("decisions.chip%1").arg(int(kind))), Qt::LeftButton);
        sameDecisions(copied("decisions.table").rows("decisions"));
    }

    void chunksAndRuns() {
        raise("bottom.tab", 4);
        const Answer chunk = copied("chunk.number");
        QVERIFY2(chunk.exit == 0 || chunk.exit == 1, qPrintable(chunk.err));
        raise("bottom.tab", 5);
        const Answer run = copied("run.device");
        QVERIFY2(run.exit == 0 || run.exit == 1, qPrintable(run.err));
        QVERIFY(!run.result().isEmpty());
    }

private:
    Session& session() { return window_->session(); }

    QWidget* panel(const QString& name) { return window_->findChild<QWidget*>(name); }

    void raise(const char* tabs, int page) { window_->findChild<QTabWidget*>(QLatin1String(tabs))->setCurrentIndex(page); }

    QString nameOfSelection() {
        const NodeRow* node = session().view() ? session().view()->node(session().selection().node) : nullptr;
        return node ? QString::fromStdString(node->name) : QString();
    }

    /// Ctrl+Shift+K in a panel, then what was copied is run.
    Answer copied(const char* name, bool json = true) {
        QWidget* where = panel(QLatin1String(name));
        if (!where) {
            qWarning("no %s", name);
            return {};
        }
        where->setFocus(Qt::OtherFocusReason);
        if (!where->hasFocus()) {
            for (QWidget* child : where->findChildren<QWidget*>())
                if (child->focusPolicy() != Qt::NoFocus && child->isVisible()) {
                    child->setFocus(Qt::OtherFocusReason);
                    break;
                }
        }
        QTest::keyClick(QApplication::focusWidget(), Qt::Key_K, Qt::ControlModifier | Qt::ShiftModifier);
        const QString line = QApplication::clipboard()->text();
        QStringList words = wordsOf(line);
        if (words.value(0) != QLatin1String("aliascope")) {
            qWarning("%s copies: %s", name, qPrintable(line));
            return {};
        }
        words.removeFirst();
        if (json && !words.contains(QStringLiteral("json"))) words << QStringLiteral("--json");
        const Answer answer = aliascope::testing::runProgram(words);
        if (answer.exit != 0) qInfo("%s: exit %d: %s", qPrintable(line), answer.exit, qPrintable(answer.err.left(300)));
        return answer;
    }

    void sameDecisions(const QJsonArray& rows) {
        auto* table = window_->findChild<QTableView*>(QStringLiteral("decisions.table"));
        auto* proxy = qobject_cast<DecisionFilterProxy*>(table->model());
        QVERIFY(proxy);
        QStringList shown, printed;
        for (int row = 0; row < proxy->rowCount(); ++row) {
            const DecisionRow& d = *proxy->decisionAt(proxy->index(row, 0));
            shown << QString::fromStdString(d.node + " " + d.argument + " " + d.verdict + " " + d.code + " ") +
                         QString::number(d.clonedBytes.value_or(0));
        }
        for (const QJsonValue& d : rows)
            printed << QStringList{text(d["node"]["name"]), text(d["argument"]), text(d["verdict"]), text(d["code"]),
                                   QString::number(d["cloned_bytes"].toInteger())}
                           .join(QLatin1Char(' '));
        shown.sort();
        printed.sort();
        QCOMPARE(printed, shown);
    }

    std::unique_ptr<MainWindow> window_;
};

ALC_WIDGET_TEST(TestCopyAsCommand)
#include "tst_copy_as_command.moc"
