// Settings: what is chosen holds at once, and the next time.

#include <QCheckBox>
#include <QComboBox>
#include <QLabel>
#include <QLineEdit>
#include <QSettings>
#include <QStatusBar>
#include <QTableView>
#include <QTemporaryDir>
#include <QTest>
#include <QToolButton>

#include "tests/views/open_window.h"
#include "tests/views/picture.h"
#include "tests/views/widget_test.h"
#include "views/models/key_model.h"
#include "views/panels/stage_panel.h"
#include "views/panels/theme.h"

using namespace aliascope;

class TestSettings : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        QCoreApplication::setOrganizationName(QStringLiteral("aliascope-test"));
        QSettings::setDefaultFormat(QSettings::IniFormat);
        QSettings::setPath(QSettings::IniFormat, QSettings::UserScope, folder_.path());
    }

    void oneKeyMeansOneCommand() {
        KeyModel model;
        QString refused;
        connect(&model, &KeyModel::refused, this, [&](const QString& sentence) { refused = sentence; });
        const QModelIndex next = cell(model, QStringLiteral("Next changed stage"));
        QCOMPARE(next.data().toString(), QStringLiteral("N"));
        QVERIFY(!model.setData(next, QStringLiteral("W"), Qt::EditRole));
        QVERIFY2(refused.contains(QLatin1String("W means \"Why?\" already")), qPrintable(refused));
        QVERIFY(!model.setData(next, QStringLiteral("Ctrl+Nonsense"), Qt::EditRole));
        QVERIFY2(refused.contains(QLatin1String("is no key")), qPrintable(refused));
        QVERIFY(model.setData(next, QStringLiteral("Ctrl+Alt+N ]"), Qt::EditRole));
        QCOMPARE(model.keysOf(QStringLiteral("go.nextChanged")).size(), 2);
        QVERIFY(model.setData(next, QString(), Qt::EditRole));
        QVERIFY(model.keysOf(QStringLiteral("go.nextChanged")).isEmpty());
        QVERIFY(model.setData(next, QStringLiteral("N"), Qt::EditRole));
        QVERIFY(model.changes().isEmpty());  // as it was: nothing to remember
    }

    void aChangedKeyHoldsAtOnceAndTheNextTime() {
        {
            MainWindow window;
            window.show();
            QVERIFY(QTest::qWaitForWindowExposed(&window));
            openSample(window);
            QTest::keyClick(window.stagePanel()->canvas(), Qt::Key_Comma, Qt::ControlModifier);
            auto* table = window.findChild<QTableView*>(QStringLiteral("settings.keys"));
            QVERIFY(table->isVisible());
            auto* filter = window.findChild<QLineEdit*>(QStringLiteral("settings.filter"));
            QTest::keyClicks(filter, QStringLiteral("Next changed stage"));
            QCOMPARE(table->model()->rowCount(), 1);
            keepPicture(window, QStringLiteral("settings"));
            table->setCurrentIndex(table->model()->index(0, KeyModel::Keys));
            QTest::keyClick(table, Qt::Key_F2);
            auto* editor = table->viewport()->findChild<QLineEdit*>();
            QVERIFY(editor);
            QTest::keyClick(editor, Qt::Key_A, Qt::ControlModifier);
            QTest::keyClicks(editor, QStringLiteral("]"));
            QTest::keyClick(editor, Qt::Key_Return);
            const int before = toFirst(window);
            QTest::keyClick(window.stagePanel()->canvas(), Qt::Key_N);
            QVERIFY(settled(window.session()));
            QCOMPARE(window.session().stage(), before);
            QTest::keyClick(window.stagePanel()->canvas(), Qt::Key_BracketRight);
            QVERIFY(settled(window.session()));
            QVERIFY(window.session().stage() > before);
            auto* theme = window.findChild<QComboBox*>(QStringLiteral("settings.theme"));
            const auto* chip = window.findChild<QToolButton*>(QStringLiteral("decisions.chip0"));
            const QImage light = chip->icon().pixmap(chip->iconSize()).toImage();
            while (theme->currentText() != QLatin1String("dark")) QTest::keyClick(theme, Qt::Key_Down);
            QCOMPARE(themeChoice(), ThemeChoice::Dark);
            QVERIFY(chip->icon().pixmap(chip->iconSize()).toImage() != light);
            keepPicture(window, QStringLiteral("settings-dark"));
            QTest::keyClick(theme, Qt::Key_Down);
            QCOMPARE(themeChoice(), ThemeChoice::HighContrast);
            QCOMPARE(Palette::active().theme(), Theme::HighContrast);
            keepPicture(window, QStringLiteral("settings-high-contrast"));
            auto* graphviz = window.findChild<QCheckBox*>(QStringLiteral("settings.graphviz"));
            QVERIFY(graphviz->isChecked());
            QTest::keyClick(graphviz, Qt::Key_Space);
            QVERIFY(!window.stagePanel()->graphviz());
            window.close();
        }
        applyTheme(ThemeChoice::Light);
        MainWindow window;
        window.show();
        QVERIFY(QTest::qWaitForWindowExposed(&window));
        QCOMPARE(themeChoice(), ThemeChoice::HighContrast);
        QVERIFY(!window.stagePanel()->graphviz());
        openSample(window);
        const int before = toFirst(window);
        QTest::keyClick(window.stagePanel()->canvas(), Qt::Key_BracketRight);
        QVERIFY(settled(window.session()));
        QVERIFY(window.session().stage() > before);
        QTest::keyClick(window.stagePanel()->canvas(), Qt::Key_Comma, Qt::ControlModifier);
        QTest::mouseClick(window.findChild<QWidget*>(QStringLiteral("settings.reset")), Qt::LeftButton);
        QTest::keyClick(window.stagePanel()->canvas(), Qt::Key_N);
        applyTheme(ThemeChoice::Light);
    }

    /// Lines of another width make the status bar arrange itself anew.
    void aMessageStandsAloneWhateverTheTheme() {
        auto window = openWindow();
        openSample(*window);
        auto* status = window->findChild<QLabel*>(QStringLiteral("status.text"));
        QVERIFY(status->isVisible());
        QTest::keyClick(window->stagePanel()->canvas(), Qt::Key_B, Qt::ControlModifier);
        QVERIFY(!window->statusBar()->currentMessage().isEmpty());
        for (const ThemeChoice theme : {ThemeChoice::HighContrast, ThemeChoice::Light}) {
            applyTheme(theme);
            for (int turn = 0; turn < 5; ++turn) QCoreApplication::processEvents();
            QVERIFY(status->isVisible() == window->statusBar()->currentMessage().isEmpty());
        }
        window->statusBar()->clearMessage();
        QVERIFY(status->isVisible());
    }

    void singleKeysCanBeSwitchedOff() {
        auto window = openWindow();
        openSample(*window);
        QTest::keyClick(window->stagePanel()->canvas(), Qt::Key_Comma, Qt::ControlModifier);
        auto* box = window->findChild<QCheckBox*>(QStringLiteral("settings.singleKeys"));
        QVERIFY(box->isChecked());
        QTest::keyClick(box, Qt::Key_Space);
        const int before = toFirst(*window);
        QTest::keyClick(window->stagePanel()->canvas(), Qt::Key_N);
        QVERIFY(settled(window->session()));
        QCOMPARE(window->session().stage(), before);
        QTest::mouseClick(window->findChild<QWidget*>(QStringLiteral("settings.close")), Qt::LeftButton);
        QVERIFY(!box->isVisible());
    }

private:
    static QModelIndex cell(const KeyModel& model, const QString& command) {
        for (int row = 0; row < model.rowCount(); ++row)
            if (model.index(row, KeyModel::Name).data().toString().contains(command)) return model.index(row, KeyModel::Keys);
        return {};
    }

    static void openSample(MainWindow& window) {
        window.open(sampleRequest("kv_cache_layers.py", "torch-v1"));
        QVERIFY(settled(window.session()));
    }

    static int toFirst(MainWindow& window) {
        QTest::keyClick(window.stagePanel()->canvas(), Qt::Key_Home);
        (void)settled(window.session());
        return window.session().stage();
    }

    QTemporaryDir folder_;
};

ALC_WIDGET_TEST(TestSettings)
#include "tst_settings.moc"
