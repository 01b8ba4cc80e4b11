// Colours: none outside the palette, all readable, slots and verdicts told apart.

#include <QDirIterator>
#include <QFile>
#include <QRegularExpression>
#include <QTest>
#include <algorithm>
#include <array>
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

/// Linear RGB as a dichromat sees it: Machado, Oliveira, Fernandes 2009, severity 1.
using Matrix = std::array<std::array<double, 3>, 3>;
constexpr Matrix kNormal = {{{1, 0, 0}, {0, 1, 0}, {0, 0, 1}}};
constexpr Matrix kProtan = {{{0.152286, 1.052583, -0.204868}, {0.114503, 0.786281, 0.099216}, {-0.003882, -0.048116, 1.051998}}};
constexpr Matrix kDeutan = {{{0.367322, 0.860646, -0.227968}, {0.280085, 0.672501, 0.047413}, {-0.011820, 0.042940, 0.968881}}};
constexpr Matrix kTritan = {{{1.255528, -0.076749, -0.178779}, {-0.078411, 0.930809, 0.147602}, {0.004733, 0.691367, 0.303900}}};

struct Lab {
    double l, a, b;
};

Lab labOf(const QColor& color, const Matrix& vision) {
    const std::array<double, 3> in = {linear(color.redF()), linear(color.greenF()), linear(color.blueF())};
    std::array<double, 3> rgb{};
    for (std::size_t i = 0; i < 3; ++i) rgb[i] = std::clamp(vision[i][0] * in[0] + vision[i][1] * in[1] + vision[i][2] * in[2], 0.0, 1.0);
    // sRGB to XYZ, D65.
    const double x = (0.4124564 * rgb[0] + 0.3575761 * rgb[1] + 0.1804375 * rgb[2]) / 0.95047;
    const double y = 0.2126729 * rgb[0] + 0.7151522 * rgb[1] + 0.0721750 * rgb[2];
    const double z = (0.0193339 * rgb[0] + 0.1191920 * rgb[1] + 0.9503041 * rgb[2]) / 1.08883;
    const auto f = [](double t) { return t > 216.0 / 24389 ? std::cbrt(t) : (24389.0 / 27 * t + 16) / 116; };
    return {116 * f(y) - 16, 500 * (f(x) - f(y)), 200 * (f(y) - f(z))};
}

/// CIEDE2000 (Sharma, Wu, Dalal 2005), all weights 1.
double ciede2000(const Lab& p, const Lab& q) {
    constexpr double pi = 3.14159265358979323846, degrees = pi / 180, pow25 = 6103515625.0;
    const double c1 = std::hypot(p.a, p.b), c2 = std::hypot(q.a, q.b), mean7 = std::pow((c1 + c2) / 2, 7);
    const double g = 0.5 * (1 - std::sqrt(mean7 / (mean7 + pow25)));
    const double a1 = (1 + g) * p.a, a2 = (1 + g) * q.a, d1 = std::hypot(a1, p.b), d2 = std::hypot(a2, q.b);
    const auto hue = [&](double a, double b) {
        if (a == 0 && b == 0) return 0.0;
        const double h = std::atan2(b, a) / degrees;
        return h < 0 ? h + 360 : h;
    };
    const double h1 = hue(a1, p.b), h2 = hue(a2, q.b);
    double dh = 0, hMean = h1 + h2;
    if (d1 * d2 != 0) {
        dh = h2 - h1;
        if (dh > 180) dh -= 360;
        if (dh < -180) dh += 360;
        hMean = std::abs(h1 - h2) <= 180 ? (h1 + h2) / 2 : (h1 + h2 < 360 ? (h1 + h2 + 360) / 2 : (h1 + h2 - 360) / 2);
    }
    const double dl = q.l - p.l, dc = d2 - d1, dH = 2 * std::sqrt(d1 * d2) * std::sin(dh / 2 * degrees);
    const double lMean = (p.l + q.l) / 2, cMean = (d1 + d2) / 2, cMean7 = std::pow(cMean, 7);
    const double t = 1 - 0.17 * std::cos((hMean - 30) * degrees) + 0.24 * std::cos(2 * hMean * degrees) + 0.32 * std::cos((3 * hMean + 6) * degrees) -
                     0.20 * std::cos((4 * hMean - 63) * degrees);
    const double turn = 30 * std::exp(-std::pow((hMean - 275) / 25, 2)), rc = 2 * std::sqrt(cMean7 / (cMean7 + pow25));
    const double sl = 1 + 0.015 * std::pow(lMean - 50, 2) / std::sqrt(20 + std::pow(lMean - 50, 2)), sc = 1 + 0.045 * cMean,
                 sh = 1 + 0.015 * cMean * t;
    const double rt = -std::sin(2 * turn * degrees) * rc;
    return std::sqrt(std::pow(dl / sl, 2) + std::pow(dc / sc, 2) + std::pow(dH / sh, 2) + rt * (dc / sc) * (dH / sh));
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
        QTest::newRow("high contrast") << int(Theme::HighContrast);
    }
    void textIsReadable() {
        QFETCH(int, theme);
        const Palette& p = Palette::of(Theme(theme));
        const double least = p.theme() == Theme::HighContrast ? 7.0 : 4.5;
        for (Role ground : {Role::Panel, Role::Canvas, Role::AddedFill, Role::ChangedFill, Role::RemovedFill}) {
            QVERIFY2(contrast(p(Role::Ink), p(ground)) >= least, qPrintable(QString::number(int(ground))));
            QVERIFY2(contrast(p(Role::Secondary), p(ground)) >= least, qPrintable(QString::number(int(ground))));
        }
    }

    void marksAreVisible_data() { textIsReadable_data(); }
    void marksAreVisible() {
        QFETCH(int, theme);
        const Palette& p = Palette::of(Theme(theme));
        for (int role = int(Role::Edge); role < int(Role::Heat1); ++role) {
            if (Role(role) == Role::AddedFill || Role(role) == Role::RemovedFill || Role(role) == Role::ChangedFill) continue;
            QVERIFY2(contrast(p(Role(role)), p(Role::Panel)) >= (p.theme() == Theme::HighContrast ? 4.5 : 3.0), qPrintable(QString::number(role)));
        }
    }

    /// The published pairs that show a wrong implementation first.
    void distancesAreThoseOfTheStandard() {
        QVERIFY(std::abs(ciede2000({50, 2.6772, -79.7751}, {50, 0, -82.7485}) - 2.0425) < 1e-4);
        QVERIFY(std::abs(ciede2000({50, 2.5, 0}, {73, 25, -18}) - 27.1492) < 1e-4);
        QVERIFY(std::abs(ciede2000({2.0776, 0.0795, -1.135}, {0.9033, -0.0636, -0.5514}) - 0.9082) < 1e-4);
    }

    void statesAreToldApart_data() {
        QTest::addColumn<int>("theme");
        QTest::addColumn<QList<int>>("roles");
        QTest::addColumn<double>("least");
        const std::initializer_list<std::pair<const char*, Theme>> themes = {
            {"light", Theme::Light}, {"dark", Theme::Dark}, {"high contrast", Theme::HighContrast}};
        const auto range = [](Role from, Role to) {
            QList<int> roles;
            for (int role = int(from); role <= int(to); ++role) roles << role;
            return roles;
        };
        for (const auto& [name, theme] : themes) {
            QTest::addRow("%s differences", name) << int(theme)
                                                  << QList<int>{int(Role::Added), int(Role::Removed), int(Role::Changed), int(Role::Unchanged)}
                                                  << 16.0;
            QTest::addRow("%s verdicts", name) << int(theme) << range(Role::InPlace, Role::Wrong) << 16.0;
            QTest::addRow("%s storages", name) << int(theme) << range(Role::Slot1, Role::Slot6) << 8.0;
            QTest::addRow("%s families", name) << int(theme) << range(Role::FamilyView, Role::FamilyIo) << 8.0;
        }
    }
    void statesAreToldApart() {
        QFETCH(int, theme);
        QFETCH(QList<int>, roles);
        QFETCH(double, least);
        const Palette& p = Palette::of(Theme(theme));
        double closest = 1000;
        for (const Matrix* vision : {&kNormal, &kProtan, &kDeutan, &kTritan})
            for (int i = 0; i < roles.size(); ++i)
                for (int k = i + 1; k < roles.size(); ++k)
                    closest = std::min(closest, ciede2000(labOf(p(Role(roles[i])), *vision), labOf(p(Role(roles[k])), *vision)));
        qInfo("closest: %.1f", closest);
        QVERIFY2(closest >= least, qPrintable(QString::number(closest)));
    }

    void slotsHavePatternsOfTheirOwn() {
        QSet<int> patterns;
        for (int i = 0; i < kStorageSlots; ++i) patterns << int(slotPattern(i));
        QCOMPARE(patterns.size(), kStorageSlots);
        QCOMPARE(slotPattern(kStorageSlots), slotPattern(0));
        QCOMPARE(Palette::active().slot(-1), Palette::active().slot(kStorageSlots - 1));
    }

    void highContrastHasWideLinesAndNoFills() {
        const Palette& p = Palette::of(Theme::HighContrast);
        QCOMPARE(p.line(), 2);
        QVERIFY(!p.hasFills());
        for (Role fill : {Role::AddedFill, Role::RemovedFill, Role::ChangedFill, Role::Canvas}) QCOMPARE(p(fill), p(Role::Panel));
        QVERIFY(contrast(p(Role::Line), p(Role::Panel)) >= 7);  // frames stand in for fills
        QCOMPARE(Palette::of(Theme::Dark).line(), 1);
    }

    void mixGoesFromOneColourToTheOther() {
        const Palette& p = Palette::of(Theme::Light);
        QCOMPARE(p.mix(Role::Panel, Role::Ink, 0), p(Role::Panel));
        QCOMPARE(p.mix(Role::Panel, Role::Ink, 1), p(Role::Ink));
    }
};

QTEST_MAIN(TestPalette)
#include "tst_palette.moc"
