// Colours: none outside the palette, all readable, slots and verdicts told apart.

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <cmath>

#include "views/canvas/palette.h"

using namespace aliascope;

namespace {

double linear(double c) { return c <= 0.03928 ? c / 12.92 : std::pow((c + 0.055) / 1.055, 2.4); }

double luminance(const QColor& c) { return 0.2126 * linear(c.redF()) + 0.7152 * linear(c.greenF()) + 0.0722 * linear(c.blueF()); }

double contrast(const QColor& a, const QColor& b) {
    const double x = luminance(a), y = luminance(b);
    return (std::max(x, y) + 0.05) / (std::min(x, y) + 0.05);
}

}  // namespace

class TestPalette : public QObject {
    Q_OBJECT

private slots:
    void noColourOutsideThePalette() {
        // Hex colours, numeric QColor constructors, named and global colours. Transparency is no colour.
        const QRegularExpression literal(
            QStringLiteral("\"#[0-9A-Fa-f]{3,8}\"|#[0-9A-Fa-f]{6}\\b|QColor\\s*\\(\\s*[0-9]|qRgb|Qt::(black|white|red|green|blue|cyan|magenta|yellow|"
                           "gray|darkGray|lightGray|dark[A-Z]\\w+)\\b"));
        QStringList found;
        int files = 0;
        for (const QString& folder : {QStringLiteral("views"), QStringLiteral("app/gui")}) {
            QDirIterator it(QStringLiteral(ALIASCOPE_SOURCE_DIR "/") + folder, {"*.h", "*.cpp"}, QDir::Files, QDirIterator::Subdirectories);
            while (it.hasNext()) {
                const QString path = it.next();
                if (path.endsWith(QLatin1String("canvas/palette.cpp"))) continue;
                QFile file(path);
                QVERIFY(file.open(QIODevice::ReadOnly));
                ++files;
                int line = 0;
                for (const QString& text : QString::fromUtf8(file.readAll()).split(QLatin1Char('\n'))) {
                    ++line;
                    if (literal.match(text).hasMatch()) found << QStringLiteral("%1:%2: %3").arg(path).arg(line).arg(text.trimmed());
                }
            }
        }
        QVERIFY(files > 40);
        QVERIFY2(found.isEmpty(), qPrintable(found.join(QLatin1Char('\n'))));
    }

    void textIsReadable_data() {
        QTest::addColumn<int>("theme");
        QTest::newRow("light") << int(Theme::Light);
        QTest::newRow("dark") << int(Theme::Dark);
    }
    void textIsReadable() {
        QFETCH(int, theme);
        const Palette& p = Palette::of(Theme(theme));
        for (Role ground : {Role::Panel, Role::Canvas, Role::AddedFill, Role::ChangedFill, Role::RemovedFill}) {
            QVERIFY2(contrast(p(Role::Ink), p(ground)) >= 4.5, qPrintable(QString::number(int(ground))));
            QVERIFY2(contrast(p(Role::Secondary), p(ground)) >= 4.5, qPrintable(QString::number(int(ground))));
        }
    }

    void marksAreVisible_data() { textIsReadable_data(); }
    void marksAreVisible() {
        QFETCH(int, theme);
        const Palette& p = Palette::of(Theme(theme));
        for (int role = int(Role::Edge); role < int(Role::Heat1); ++role) {
            if (Role(role) == Role::AddedFill || Role(role) == Role::RemovedFill || Role(role) == Role::ChangedFill) continue;
            QVERIFY2(contrast(p(Role(role)), p(Role::Panel)) >= 3.0, qPrintable(QString::number(role)));
        }
    }

    void slotsHavePatternsOfTheirOwn() {
        QSet<int> patterns;
        for (int i = 0; i < kStorageSlots; ++i) patterns << int(slotPattern(i));
        QCOMPARE(patterns.size(), kStorageSlots);
        QCOMPARE(slotPattern(kStorageSlots), slotPattern(0));
        QCOMPARE(Palette::active().slot(-1), Palette::active().slot(kStorageSlots - 1));
    }

    void mixGoesFromOneColourToTheOther() {
        const Palette& p = Palette::of(Theme::Light);
        QCOMPARE(p.mix(Role::Panel, Role::Ink, 0), p(Role::Panel));
        QCOMPARE(p.mix(Role::Panel, Role::Ink, 1), p(Role::Ink));
    }
};

QTEST_MAIN(TestPalette)
#include "tst_palette.moc"
