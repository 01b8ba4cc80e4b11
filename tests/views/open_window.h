#pragma once
// What tests of the whole window share: a window without the user's settings, and waiting until nothing runs.

#include <memory>

#include "app/gui/main_window.h"
#include "tests/views/open_session.h"

namespace aliascope {

/// A shown window of the usual size that neither reads nor writes settings; null when it does not come up.
inline std::unique_ptr<MainWindow> openWindow(const QSize& size = QSize(1440, 900)) {
    LaunchOptions options;
    options.clean = true;
    options.size = size;
    auto window = std::make_unique<MainWindow>(options);
    window->show();
    return QTest::qWaitForWindowExposed(window.get()) ? std::move(window) : nullptr;
}

}  // namespace aliascope
