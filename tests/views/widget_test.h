#pragma once
// The main function of tests that show widgets: an application in the light theme, whatever the system's is.

#include <QApplication>
#include <QTest>

#include "views/panels/theme.h"

#define ALC_WIDGET_TEST(TestClass)                            \
    int main(int argc, char** argv) {                         \
        QApplication app(argc, argv);                         \
        QCoreApplication::setAttribute(Qt::AA_Use96Dpi);      \
        aliascope::prepareTheme(app);                         \
        aliascope::applyTheme(aliascope::ThemeChoice::Light); \
        TestClass test;                                       \
        QTEST_SET_MAIN_SOURCE_PATH                            \
        return QTest::qExec(&test, argc, argv);               \
    }
