// Random clicks, keys, wheels, resizes, drops and cancels on the whole window. What must hold afterwards: the window stands, what is open is shown as
// it is, and nothing blocked for long. ALIASCOPE_RANDOM_SECONDS (default 4) says how long, ALIASCOPE_RANDOM_SEED (default 1) which sequence,
// ALIASCOPE_RANDOM_TRACE=1 prints every step before it is taken.

#include <QApplication>
#include <QClipboard>
#include <QDir>
#include <QDragEnterEvent>
#include <QDropEvent>
#include <QElapsedTimer>
#include <QMimeData>
#include <QStandardPaths>
#include <QTemporaryDir>
#include <QTest>
#include <QTimer>
#include <QWheelEvent>
#include <random>

#include "app/gui/main_window.h"
#include "tests/views/open_session.h"
#include "tests/views/widget_test.h"
#include "views/models/sample_list.h"
#include "views/panels/stage_panel.h"
#include "views/panels/theme.h"

using namespace aliascope;

namespace {

constexpr std::array<int, 62> kKeys = {
    Qt::Key_A,    Qt::Key_B,      Qt::Key_C,      Qt::Key_D,    Qt::Key_E,      Qt::Key_F,     Qt::Key_G,        Qt::Key_H,        Qt::Key_I,
    Qt::Key_J,    Qt::Key_K,      Qt::Key_L,      Qt::Key_M,    Qt::Key_N,      Qt::Key_O,     Qt::Key_P,        Qt::Key_R,        Qt::Key_S,
    Qt::Key_T,    Qt::Key_U,      Qt::Key_V,      Qt::Key_W,    Qt::Key_X,      Qt::Key_Y,     Qt::Key_Z,        Qt::Key_0,        Qt::Key_1,
    Qt::Key_2,    Qt::Key_3,      Qt::Key_4,      Qt::Key_5,    Qt::Key_8,      Qt::Key_9,     Qt::Key_Period,   Qt::Key_Comma,    Qt::Key_Slash,
    Qt::Key_Plus, Qt::Key_Minus,  Qt::Key_Up,     Qt::Key_Down, Qt::Key_Left,   Qt::Key_Right, Qt::Key_PageUp,   Qt::Key_PageDown, Qt::Key_Home,
    Qt::Key_End,  Qt::Key_Return, Qt::Key_Escape, Qt::Key_Tab,  Qt::Key_Space,  Qt::Key_F3,    Qt::Key_F5,       Qt::Key_F6,       Qt::Key_F9,
    Qt::Key_F10,  Qt::Key_F11,    Qt::Key_Colon,  Qt::Key_At,   Qt::Key_Delete, Qt::Key_Less,  Qt::Key_Question, Qt::Key_Backspace};

int environment(const char* name, int otherwise) {
    bool ok = false;
    const int value = qEnvironmentVariableIntValue(name, &ok);
    return ok ? value : otherwise;
}

/// The offscreen platform says so for every menu.
QtMessageHandler passOn = nullptr;
void quieter(QtMsgType type, const QMessageLogContext& context, const QString& text) {
    if (!text.startsWith(QLatin1String("This plugin does not support"))) passOn(type, context, text);
}

}  // namespace

class TestRandomUse : public QObject {
    Q_OBJECT

private slots:
    void initTestCase() {
        passOn = qInstallMessageHandler(quieter);
        QStandardPaths::setTestModeEnabled(true);
        QVERIFY(folder_.isValid());
        QVERIFY(QDir::setCurrent(folder_.path()));  // what a chooser saves lands here
        write(QStringLiteral("bad.txt"), "this is a shopping list, not a graph\n");
        write(QStringLiteral("half.txt"),
              "graph():\n    %x : [num_users=1] = placeholder[target=x]\n    %r : [num_users=1] = "
              "call_function[target=torch.ops.aten.relu.default](args = (%x,, "
              "kwargs = {})\n    return r\n");
        write(QStringLiteral("cut.aliascope"), QByteArray("SQLite format 3\0 and no more", 29));
    }

    void theWindowStandsWhateverIsDone() {
        const int seed = environment("ALIASCOPE_RANDOM_SEED", 1), seconds = environment("ALIASCOPE_RANDOM_SECONDS", 4);
        trace_ = environment("ALIASCOPE_RANDOM_TRACE", 0) != 0;
        random_.seed(std::uint32_t(seed));
        LaunchOptions options;
        options.clean = true;
        options.size = QSize(1440, 900);
        window_ = std::make_unique<MainWindow>(options);
        window_->show();
        // Menus and choosers run a loop of their own; nobody else would close them.
        QTimer closer;
        connect(&closer, &QTimer::timeout, this, [this] { closePopups(); });
        closer.start(40);
        open(sampleRequest("kv_cache_layers.py", "torch-v1"));
        QVERIFY(settle());

        QElapsedTimer clock;
        clock.start();
        qint64 longest = 0;
        QString slowest;
        int steps = 0;
        while (clock.elapsed() < qint64(seconds) * 1000) {
            const qint64 before = clock.elapsed();
            step();
            if (const qint64 took = clock.elapsed() - before; took > longest) {
                longest = took;
                slowest = last_;
            }
            if (!window_->isVisible()) window_->show();
            if (++steps % 60 != 0) continue;
            const QString found = wrong();
            QVERIFY2(found.isEmpty(), qPrintable(found + QStringLiteral(" after ") + last_));
        }
        const QString found = wrong();
        QVERIFY2(found.isEmpty(), qPrintable(found + QStringLiteral(" after ") + last_));
        qInfo("seed %d: %d steps in %d s, the longest %lld ms (%s)", seed, steps, seconds, static_cast<long long>(longest), qPrintable(slowest));
        QVERIFY(steps > 20);
        window_.reset();
    }

private:
    int pick(int count) { return int(random_() % std::uint32_t(count)); }

    void write(const QString& name, const QByteArray& text) {
        QFile file(folder_.filePath(name));
        QVERIFY(file.open(QIODevice::WriteOnly));
        file.write(text);
    }

    void say(const QString& what) {
        last_ = what;
        if (trace_) qInfo("%s", qPrintable(what));
    }

    void open(const OpenRequest& request) {
        say(QStringLiteral("open %1").arg(request.path));
        window_->open(request);
    }

    static void closePopups() {
        if (QWidget* popup = QApplication::activePopupWidget()) popup->close();
        for (QWidget* widget : QApplication::topLevelWidgets())
            if (widget->isVisible() && widget->isModal()) widget->close();
    }

    /// A visible part of the window, weighted towards none.
    QWidget* anyWidget() {
        QList<QWidget*> shown;
        for (QWidget* widget : window_->findChildren<QWidget*>())
            if (widget->isVisible() && widget->width() > 2 && widget->height() > 2 && widget->isEnabled()) shown << widget;
        return shown.isEmpty() ? window_.get() : shown[pick(int(shown.size()))];
    }

    void step() {
        const int dice = pick(100);
        if (dice < 50) return key();
        if (dice < 78) return click();
        if (dice < 84) return wheel();
        if (dice < 87) return resize();
        if (dice < 90) return drop();
        if (dice < 92) return open(bundledSamples()[std::size_t(pick(int(bundledSamples().size())))].request());
        if (dice < 95) return cancel();
        if (dice < 96) {
            say(QStringLiteral("theme"));
            applyTheme(ThemeChoice(int(ThemeChoice::Light) + pick(3)));
            return;
        }
        if (dice < 98) {
            say(QStringLiteral("wait"));
            QTest::qWait(pick(60));
            return;
        }
        command();
    }

    void key() {
        QWidget* focus = QApplication::focusWidget();
        if (!focus || focus->window() != window_.get()) focus = window_.get();
        const int modifiers[] = {Qt::NoModifier,      Qt::NoModifier,  Qt::ShiftModifier,
                                 Qt::ControlModifier, Qt::AltModifier, Qt::ControlModifier | Qt::ShiftModifier};
        const auto modifier = Qt::KeyboardModifiers(modifiers[pick(6)]);
        const auto key = Qt::Key(kKeys[std::size_t(pick(int(kKeys.size())))]);
        say(QStringLiteral("key %1 in %2").arg(QKeySequence(int(modifier) | key).toString(), focus->objectName()));
        QTest::keyClick(focus, key, modifier);
    }

    void click() {
        QWidget* widget = anyWidget();
        const QPoint at(pick(widget->width()), pick(widget->height()));
        const Qt::MouseButton button = pick(8) == 0 ? Qt::RightButton : Qt::LeftButton;
        const Qt::KeyboardModifiers modifiers = pick(6) == 0 ? Qt::ControlModifier : pick(6) == 0 ? Qt::ShiftModifier : Qt::NoModifier;
        say(QStringLiteral("click %1 at %2,%3").arg(widget->objectName()).arg(at.x()).arg(at.y()));
        switch (pick(5)) {
            case 0:
                return QTest::mouseDClick(widget, button, modifiers, at);
            case 1: {
                const QPoint to(pick(widget->width()), pick(widget->height()));
                const QPointer<QWidget> alive(widget);
                QTest::mousePress(widget, Qt::LeftButton, modifiers, at);
                if (alive) QTest::mouseMove(widget, to);
                if (alive) QTest::mouseRelease(widget, Qt::LeftButton, modifiers, to);
                return;
            }
            default:
                return QTest::mouseClick(widget, button, modifiers, at);
        }
    }

    void wheel() {
        QWidget* widget = anyWidget();
        say(QStringLiteral("wheel on %1").arg(widget->objectName()));
        const QPointF at(pick(widget->width()), pick(widget->height()));
        const Qt::KeyboardModifiers modifiers = pick(3) == 0 ? Qt::ControlModifier : pick(3) == 0 ? Qt::ShiftModifier : Qt::NoModifier;
        QWheelEvent event(at, widget->mapToGlobal(at), {}, QPoint(0, pick(2) == 0 ? 120 : -120), Qt::NoButton, modifiers, Qt::NoScrollPhase, false);
        QApplication::sendEvent(widget, &event);
    }

    void resize() {
        const QSize size(400 + pick(1700), 300 + pick(900));
        say(QStringLiteral("resize to %1x%2").arg(size.width()).arg(size.height()));
        window_->resize(size);
    }

    void drop() {
        QMimeData data;
        const QStringList files = {QStringLiteral("bad.txt"), QStringLiteral("half.txt"), QStringLiteral("cut.aliascope"),
                                   QStringLiteral("nothing.txt"), QStringLiteral(".")};
        const int what = pick(int(files.size()) + 2);
        if (what < files.size()) data.setUrls({QUrl::fromLocalFile(folder_.filePath(files[what]))});
        if (what == files.size()) data.setUrls({QUrl::fromLocalFile(QStringLiteral(ALIASCOPE_SOURCE_DIR "/sample_graphs/overlapping_views.py"))});
        if (what > files.size()) data.setText(QApplication::clipboard()->text());
        say(QStringLiteral("drop %1").arg(data.hasUrls() ? data.urls().front().toString() : data.text().left(30)));
        const QPoint at(pick(window_->width()), pick(window_->height()));
        QDragEnterEvent enter(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window_.get(), &enter);
        if (pick(5) == 0) {
            QDragLeaveEvent leave;
            QApplication::sendEvent(window_.get(), &leave);
            return;
        }
        QDropEvent event(at, Qt::CopyAction, &data, Qt::LeftButton, Qt::NoModifier);
        QApplication::sendEvent(window_.get(), &event);
    }

    void cancel() {
        say(QStringLiteral("cancel"));
        if (pick(2) == 0)
            window_->session().jobs().cancelNewest();
        else
            window_->session().jobs().cancelAll();
    }

    void command() {
        const QList<QAction*> actions = window_->findChildren<QAction*>();
        QAction* action = actions[pick(int(actions.size()))];
        say(QStringLiteral("command %1 %2").arg(action->objectName(), action->text()));
        action->trigger();
    }

    /// Empty when everything that ran has ended, and the panels show one and the same stage.
    QString wrong() {
        if (!settle()) return QStringLiteral("something still runs");
        const Session& session = window_->session();
        if (!session.isOpen()) return {};
        if (!session.view())  // the first stage was cancelled while it was read
            return session.stage() == 0 ? QString() : QStringLiteral("stage %1 is not shown").arg(session.stage());
        if (session.view()->stage != session.stage()) return QStringLiteral("stage %1 stands for %2").arg(session.view()->stage).arg(session.stage());
        // Graphviz may have placed it since: then it is another drawing of the same stage.
        const StageViewPtr drawn = window_->stagePanel()->canvas()->stage();
        const bool same = drawn && drawn->stage == session.view()->stage && drawn->lane == session.view()->lane;
        return same && drawn->snapshot == session.view()->snapshot ? QString() : QStringLiteral("the graph is another stage's");
    }

    /// What runs for long (a large graph is executed) is cancelled, and then has to end.
    bool settle() {
        const auto quiet = [this] { return !window_->session().jobs().busy(); };
        for (int turn = 0; turn < 4; ++turn) {
            if (!QTest::qWaitFor(quiet, 4'000)) {
                say(last_ + QStringLiteral(", then cancelled what ran for long"));
                window_->session().jobs().cancelAll();
                if (!QTest::qWaitFor(quiet, 60'000)) return false;
            }
            QCoreApplication::processEvents();
            if (turn > 0 && quiet()) return true;
        }
        return quiet();
    }

    QTemporaryDir folder_;
    std::mt19937 random_;
    std::unique_ptr<MainWindow> window_;
    QString last_;
    bool trace_ = false;
};

ALC_WIDGET_TEST(TestRandomUse)
#include "tst_random_use.moc"
