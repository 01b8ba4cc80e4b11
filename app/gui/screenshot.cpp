#include "app/gui/screenshot.h"

#include <QCoreApplication>
#include <QEventLoop>
#include <QTimer>
#include <cstdio>
#include <optional>

#include "app/gui/main_window.h"

namespace aliascope {
namespace {

void complain(const ErrorReport& report) {
    QString text = QStringLiteral("aliascope-gui: %1%2\n").arg(report.where.isEmpty() ? QString() : report.where + QStringLiteral(": "), report.what);
    if (!report.excerpt.isEmpty()) text += report.excerpt + QLatin1Char('\n');
    if (!report.todo.isEmpty()) text += report.todo + QLatin1Char('\n');
    std::fputs(text.toLocal8Bit().constData(), stderr);
}

}  // namespace

int takeScreenshot(MainWindow& window, const QString& path, bool opensSomething) {
    std::optional<ErrorReport> error;
    QObject::connect(&window.session(), &Session::failed, &window, [&](const ErrorReport& report) {
        if (!error) error = report;
    });
    window.show();
    QEventLoop loop;
    // An answer may bring further questions: only when a turn of the loop after `idle` finds nothing running is the picture complete.
    auto settle = [&] {
        QTimer::singleShot(0, &loop, [&] {
            if (!window.session().jobs().busy()) loop.quit();
        });
    };
    QObject::connect(&window.session(), &Session::idle, &loop, settle);
    if (!opensSomething) settle();
    loop.exec();
    QCoreApplication::processEvents();
    if (error) complain(*error);
    if (!window.grab().save(path)) {
        std::fprintf(stderr, "aliascope-gui: the picture cannot be written: %s\n", qPrintable(path));
        return 9;
    }
    return error ? error->exitCode : 0;
}

}  // namespace aliascope
