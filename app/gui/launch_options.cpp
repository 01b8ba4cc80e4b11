#include "app/gui/launch_options.h"

#include <QCommandLineParser>
#include <QObject>
#include <cstring>

namespace aliascope {
namespace {

ParsedLaunch wrongUsage(const QString& why) {
    ParsedLaunch out;
    out.exitCode = 2;
    out.message = QStringLiteral("aliascope-gui: %1\nTry aliascope-gui --help.\n").arg(why);
    return out;
}

QSize sizeOf(const QString& text) {
    const QStringList parts = text.toLower().split(QLatin1Char('x'));
    bool okWidth = false, okHeight = false;
    if (parts.size() != 2) return {};
    const QSize size(parts[0].toInt(&okWidth), parts[1].toInt(&okHeight));
    constexpr int kLargest = 16384;
    return okWidth && okHeight && size.width() > 0 && size.height() > 0 && size.width() <= kLargest && size.height() <= kLargest ? size : QSize();
}

}  // namespace

ParsedLaunch parseLaunch(const QStringList& arguments) {
    QCommandLineParser parser;
    parser.setApplicationDescription(QObject::tr("See and step through what a graph compiler does to memory."));
    parser.addPositionalArgument(QStringLiteral("FILE"), QObject::tr("graph text, readable Python, log, or .aliascope session"),
                                 QStringLiteral("[FILE]"));
    const QCommandLineOption help = parser.addHelpOption();
    const QCommandLineOption version = parser.addVersionOption();
    const std::vector<QCommandLineOption> valued = {
        {QStringLiteral("ops"), QObject::tr("operator schemas (may be given several times)"), QStringLiteral("FILE")},
        {QStringLiteral("pipeline"), QObject::tr("pipeline to run over a graph file"), QStringLiteral("NAME")},
        {QStringLiteral("graph"), QObject::tr("which graph of a file with several"), QStringLiteral("ID")},
        {QStringLiteral("stage"), QObject::tr("stage to stand at: number, name, first or last"), QStringLiteral("STAGE")},
        {QStringLiteral("node"), QObject::tr("node to select"), QStringLiteral("NAME")},
        {QStringLiteral("screenshot"), QObject::tr("write a picture and leave; needs no display"), QStringLiteral("OUT.png")},
        {QStringLiteral("size"), QObject::tr("size of the window"), QStringLiteral("WxH")},
        {QStringLiteral("theme"), QObject::tr("light, dark, high-contrast or system"), QStringLiteral("THEME")},
        {QStringLiteral("view"), QObject::tr("graph, text or both"), QStringLiteral("VIEW")},
        {QStringLiteral("panel"),
         QObject::tr("panel to raise: node, aliases, why, history, decisions, nodes, find, bookmarks, memory, numerics, "
                     "chunker, run, log"),
         QStringLiteral("PANEL")},
        {QStringLiteral("zoom"), QObject::tr("zoom of the graph, 0.1 to 2"), QStringLiteral("F")},
        {QStringLiteral("scale"), QObject::tr("scale of the whole window, 0.5 to 4"), QStringLiteral("F")},
    };
    for (const QCommandLineOption& option : valued) parser.addOption(option);
    const QCommandLineOption clean(QStringLiteral("clean"), QObject::tr("ignore saved settings"));
    parser.addOption(clean);
    if (!parser.parse(QStringList{QStringLiteral("aliascope-gui")} + arguments)) return wrongUsage(parser.errorText());

    ParsedLaunch out;
    if (parser.isSet(help) || parser.isSet(version)) {
        out.exitCode = 0;
        out.message = parser.isSet(help) ? parser.helpText() : QStringLiteral("aliascope-gui " ALIASCOPE_VERSION "\n");
        return out;
    }
    auto value = [&](const char* name) { return parser.value(QLatin1String(name)); };
    LaunchOptions& o = out.options;
    const QStringList files = parser.positionalArguments();
    if (files.size() > 1) return wrongUsage(QObject::tr("one FILE at a time, %1 given").arg(files.size()));
    if (!files.isEmpty()) o.open.path = files.front();
    o.open.ops = parser.values(QStringLiteral("ops"));
    o.open.pipeline = value("pipeline");
    o.open.graph = value("graph");
    o.open.stage = value("stage");
    o.open.node = value("node");
    if (o.open.node.startsWith(QLatin1Char('%'))) o.open.node.remove(0, 1);
    o.screenshot = value("screenshot");
    o.clean = parser.isSet(clean) || !o.screenshot.isEmpty();
    o.view = value("view");
    o.panel = value("panel");
    o.zoom = value("zoom").toDouble();
    if (parser.isSet(QStringLiteral("size"))) {
        o.size = sizeOf(value("size"));
        if (!o.size.isValid()) return wrongUsage(QObject::tr("--size: WxH expected, as in 1440x900; got %1").arg(value("size")));
    }
    if (parser.isSet(QStringLiteral("theme"))) {
        const QString theme = value("theme");
        o.themeGiven = true;
        if (theme == QLatin1String("light")) {
            o.theme = ThemeChoice::Light;
        } else if (theme == QLatin1String("dark")) {
            o.theme = ThemeChoice::Dark;
        } else if (theme == QLatin1String("high-contrast")) {
            o.theme = ThemeChoice::HighContrast;
        } else if (theme != QLatin1String("system")) {
            return wrongUsage(QObject::tr("--theme: light, dark, high-contrast or system expected; got %1").arg(theme));
        }
    }
    if (!o.view.isEmpty() && !QStringList{QStringLiteral("graph"), QStringLiteral("text"), QStringLiteral("both")}.contains(o.view))
        return wrongUsage(QObject::tr("--view: graph, text or both expected; got %1").arg(o.view));
    const QStringList panels = QStringLiteral("node aliases why history decisions nodes memory numerics chunker run log").split(QLatin1Char(' '));
    if (!o.panel.isEmpty() && !panels.contains(o.panel))
        return wrongUsage(QObject::tr("--panel: one of %1 expected; got %2").arg(panels.join(QStringLiteral(", ")), o.panel));
    return out;
}

QByteArray scaleArgument(int argc, char** argv) {
    constexpr const char* flag = "--scale";
    const std::size_t length = std::strlen(flag);
    for (int i = 1; i < argc; ++i) {
        if (std::strncmp(argv[i], flag, length) != 0) continue;
        QByteArray value;
        if (argv[i][length] == '=') value = argv[i] + length + 1;
        if (argv[i][length] == '\0' && i + 1 < argc) value = argv[i + 1];
        const double scale = value.toDouble();
        if (scale >= 0.5 && scale <= 4) return value;
    }
    return {};
}

bool wantsScreenshot(int argc, char** argv) {
    for (int i = 1; i < argc; ++i)
        if (std::strncmp(argv[i], "--screenshot", 12) == 0) return true;
    return false;
}

}  // namespace aliascope
