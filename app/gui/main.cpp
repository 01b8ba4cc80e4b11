#include <QApplication>
#include <cstdio>

#include "app/gui/launch_options.h"
#include "app/gui/main_window.h"
#include "app/gui/screenshot.h"

namespace {

/// A picture needs no display, and neither does a machine without one.
void choosePlatform(bool screenshot) {
    if (qEnvironmentVariableIsSet("QT_QPA_PLATFORM")) return;
#ifdef Q_OS_LINUX
    const bool display = qEnvironmentVariableIsSet("DISPLAY") || qEnvironmentVariableIsSet("WAYLAND_DISPLAY");
    if (screenshot && !display) qputenv("QT_QPA_PLATFORM", "offscreen");
#else
    Q_UNUSED(screenshot)
#endif
}

/// Warnings of the offscreen platform about what it does not do; stderr is for what the user can act on.
void quietOnScreenshots(QtMsgType type, const QMessageLogContext&, const QString& text) {
    if (type != QtCriticalMsg && type != QtFatalMsg) return;
    std::fprintf(stderr, "aliascope-gui: %s\n", qPrintable(text));
}

}  // namespace

int main(int argc, char** argv) {
    using namespace aliascope;
    if (const QByteArray scale = scaleArgument(argc, argv); !scale.isEmpty()) qputenv("QT_SCALE_FACTOR", scale);
    const bool screenshot = wantsScreenshot(argc, argv);
    if (screenshot) qInstallMessageHandler(quietOnScreenshots);
    choosePlatform(screenshot);
    QStringList arguments;
    for (int i = 1; i < argc; ++i) arguments << QString::fromLocal8Bit(argv[i]);
    const ParsedLaunch launch = parseLaunch(arguments);
    if (launch.exitCode >= 0) {
        std::fputs(launch.message.toLocal8Bit().constData(), launch.exitCode == 0 ? stdout : stderr);
        return launch.exitCode;
    }
    QApplication::setHighDpiScaleFactorRoundingPolicy(Qt::HighDpiScaleFactorRoundingPolicy::PassThrough);
    QApplication app(argc, argv);
    QApplication::setApplicationName(QStringLiteral("aliascope"));
    QApplication::setOrganizationName(QStringLiteral("aliascope"));
    QApplication::setApplicationVersion(QStringLiteral(ALIASCOPE_VERSION));
    prepareTheme(app);
    applyTheme(launch.options.theme);
    MainWindow window(launch.options);
    if (!launch.options.screenshot.isEmpty()) return takeScreenshot(window, launch.options.screenshot, !launch.options.open.path.isEmpty());
    window.show();
    return QApplication::exec();
}
