#include "views/panels/command_table.h"

#include <QKeySequence>
#include <QObject>
#include <QStringList>

namespace aliascope {

const std::vector<Command>& commandTable() {
    static const std::vector<Command> table = {
        {"file.open", "File", QT_TRANSLATE_NOOP("Command", "&Open..."), "Ctrl+O", false, "open"},
        {"file.paste", "File", QT_TRANSLATE_NOOP("Command", "&Paste graph text"), "Ctrl+V", false, "run"},
        {"file.newest", "File", QT_TRANSLATE_NOOP("Command", "Open &newest trace"), "", false, ""},
        {"file.graphs", "File", QT_TRANSLATE_NOOP("Command", "Other &graphs of the file"), "Ctrl+Shift+O", true, "list"},
        {"file.watch", "File", QT_TRANSLATE_NOOP("Command", "&Watch a folder for new dumps..."), "", false, ""},
        {"file.operators", "File", QT_TRANSLATE_NOOP("Command", "Add operator &schemas..."), "", false, ""},
        {"file.save", "|File", QT_TRANSLATE_NOOP("Command", "&Save session as..."), "Ctrl+S Ctrl+Shift+S", true, "run"},
        {"file.export", "File", QT_TRANSLATE_NOOP("Command", "&Export a report or the stage..."), "Ctrl+E", true, "report"},
        {"file.print", "File", QT_TRANSLATE_NOOP("Command", "P&rint what is shown..."), "Ctrl+P", true, ""},
        {"file.close", "File", QT_TRANSLATE_NOOP("Command", "&Close"), "Ctrl+W", true, ""},
        {"file.quit", "|File", QT_TRANSLATE_NOOP("Command", "&Quit"), "Ctrl+Q", false, ""},

        {"edit.undo", "Edit", QT_TRANSLATE_NOOP("Command", "&Undo"), "Ctrl+Z", true, ""},
        {"edit.redo", "Edit", QT_TRANSLATE_NOOP("Command", "&Redo"), "Ctrl+Shift+Z", true, ""},
        {"edit.copy", "Edit", QT_TRANSLATE_NOOP("Command", "&Copy"), "Ctrl+C", true, ""},
        {"edit.copyCommand", "Edit", QT_TRANSLATE_NOOP("Command", "Copy as co&mmand"), "Ctrl+Shift+K", true, ""},
        {"edit.palette", "|Edit", QT_TRANSLATE_NOOP("Command", "Command, node or stage..."), "Ctrl+K", false, ""},
        {"edit.explain", "Edit", QT_TRANSLATE_NOOP("Command", "&Explain a log line..."), "", false, "why"},
        {"edit.find", "Edit", QT_TRANSLATE_NOOP("Command", "&Find here"), "Ctrl+F /", true, "show"},
        {"edit.findNext", "Edit", QT_TRANSLATE_NOOP("Command", "Next hit"), "F3", true, "show"},
        {"edit.findPrevious", "Edit", QT_TRANSLATE_NOOP("Command", "Previous hit"), "Shift+F3", true, "show"},
        {"edit.findAll", "Edit", QT_TRANSLATE_NOOP("Command", "Find in &all stages"), "Ctrl+Shift+F", true, "show"},
        {"edit.findNode", "Edit", QT_TRANSLATE_NOOP("Command", "Find in the table of &nodes"), "", true, "show"},
        {"edit.findDecision", "Edit", QT_TRANSLATE_NOOP("Command", "Find &decision"), "Ctrl+Shift+D", true, "decisions"},
        {"edit.findStage", "Edit", QT_TRANSLATE_NOOP("Command", "Find &stage"), "Ctrl+G", true, "stages"},
        {"edit.settings", "|Edit", QT_TRANSLATE_NOOP("Command", "&Settings"), "Ctrl+,", false, ""},
        {"edit.clear", "Edit", QT_TRANSLATE_NOOP("Command", "Cancel or clear selection"), "Esc", false, ""},

        {"view.graph", "View", QT_TRANSLATE_NOOP("Command", "&Graph"), "G", true, "show"},
        {"view.text", "View", QT_TRANSLATE_NOOP("Command", "&Text"), "L", true, "show"},
        {"view.both", "View", QT_TRANSLATE_NOOP("Command", "&Both"), "Shift+L", true, ""},
        {"view.removed", "View", QT_TRANSLATE_NOOP("Command", "&Difference in text"), "R", true, "diff"},
        {"view.sides", "View", QT_TRANSLATE_NOOP("Command", "The stage before &beside it"), "Shift+R", true, "diff"},
        {"view.unchanged", "View", QT_TRANSLATE_NOOP("Command", "Hide &unchanged lines"), "", true, "diff"},
        {"view.renames", "View", QT_TRANSLATE_NOOP("Command", "&Ignore renames"), "", true, "diff"},
        {"view.colour", "|View", QT_TRANSLATE_NOOP("Command", "Next &colour mode"), "K", true, ""},
        {"view.colourBack", "View", QT_TRANSLATE_NOOP("Command", "Previous colour mode"), "Shift+K", true, ""},
        {"view.alias", "View", QT_TRANSLATE_NOOP("Command", "Highlight &storage"), "A", true, "aliases"},
        {"view.slot1", "View", QT_TRANSLATE_NOOP("Command", "Storage keeps colour &1"), "Ctrl+1", true, ""},
        {"view.slot2", "View", QT_TRANSLATE_NOOP("Command", "Storage keeps colour &2"), "Ctrl+2", true, ""},
        {"view.slot3", "View", QT_TRANSLATE_NOOP("Command", "Storage keeps colour &3"), "Ctrl+3", true, ""},
        {"view.slot4", "View", QT_TRANSLATE_NOOP("Command", "Storage keeps colour &4"), "Ctrl+4", true, ""},
        {"view.slot5", "View", QT_TRANSLATE_NOOP("Command", "Storage keeps colour &5"), "Ctrl+5", true, ""},
        {"view.slot6", "View", QT_TRANSLATE_NOOP("Command", "Storage keeps colour &6"), "Ctrl+6", true, ""},
        {"view.clearSlots", "View", QT_TRANSLATE_NOOP("Command", "No storage keeps a colour"), "Ctrl+7", true, ""},
        {"view.mutation", "View", QT_TRANSLATE_NOOP("Command", "&Mutation edges"), "Shift+M", true, ""},
        {"view.fold", "View", QT_TRANSLATE_NOOP("Command", "&Fold views"), "V", true, ""},
        {"view.neighbourhood", "View", QT_TRANSLATE_NOOP("Command", "&Neighbourhood of the selection"), "F", true, "show"},
        {"view.widen", "View", QT_TRANSLATE_NOOP("Command", "Wider neighbourhood"), "+ =", true, ""},
        {"view.narrow", "View", QT_TRANSLATE_NOOP("Command", "Narrower neighbourhood"), "-", true, ""},
        {"view.changedOnly", "View", QT_TRANSLATE_NOOP("Command", "&Only what changed in the graph"), "", true, ""},
        {"view.hide", "View", QT_TRANSLATE_NOOP("Command", "&Hide the selection"), "H", true, ""},
        {"view.unhide", "View", QT_TRANSLATE_NOOP("Command", "Show what is hidden"), "Shift+H", true, ""},
        {"view.toggleGroup", "View", QT_TRANSLATE_NOOP("Command", "Open or close &group"), "X", true, ""},
        {"view.toggleGroups", "View", QT_TRANSLATE_NOOP("Command", "Open or close all groups"), "Shift+X", true, ""},
        {"view.zoomIn", "|View", QT_TRANSLATE_NOOP("Command", "Larger"), "Ctrl++ Ctrl+=", true, ""},
        {"view.zoomOut", "View", QT_TRANSLATE_NOOP("Command", "Smaller"), "Ctrl+-", true, ""},
        {"view.zoomReset", "View", QT_TRANSLATE_NOOP("Command", "100 %"), "Ctrl+0", true, ""},
        {"view.fitSelection", "View", QT_TRANSLATE_NOOP("Command", "Fit selection"), "Ctrl+8", true, ""},
        {"view.fitWidth", "View", QT_TRANSLATE_NOOP("Command", "Fit width"), "Ctrl+9", true, ""},
        {"view.workPasses", "|View", QT_TRANSLATE_NOOP("Command", "Layout for &passes"), "Alt+1", true, ""},
        {"view.enlargeTables", "View", QT_TRANSLATE_NOOP("Command", "Larger or smaller ta&bles"), "", true, ""},
        {"view.workAliases", "View", QT_TRANSLATE_NOOP("Command", "Layout for &aliases"), "Alt+2", true, "aliases"},
        {"view.workMemory", "View", QT_TRANSLATE_NOOP("Command", "Layout for &memory"), "Alt+3", true, "memory"},
        {"view.workNumerics", "View", QT_TRANSLATE_NOOP("Command", "Layout for &numerics"), "Alt+4", true, "numerics"},
        {"view.workCompare", "View", QT_TRANSLATE_NOOP("Command", "Layout for &comparing"), "Alt+5", true, "compare"},
        {"view.singleKeys", "|View", QT_TRANSLATE_NOOP("Command", "Single-&key commands on or off"), "", false, ""},
        {"view.resetLayout", "View", QT_TRANSLATE_NOOP("Command", "&Reset layout"), "", true, ""},
        {"view.fullScreen", "|View", QT_TRANSLATE_NOOP("Command", "Full screen"), "Shift+Alt+Return", false, ""},

        {"go.nextChanged", "Go", QT_TRANSLATE_NOOP("Command", "&Next changed stage"), "N", true, "stages"},
        {"go.previousChanged", "Go", QT_TRANSLATE_NOOP("Command", "&Previous changed stage"), "P", true, "stages"},
        {"go.next", "Go", QT_TRANSLATE_NOOP("Command", "Next stage"), "Shift+N F10", true, ""},
        {"go.previous", "Go", QT_TRANSLATE_NOOP("Command", "Previous stage"), "Shift+P", true, ""},
        {"go.first", "Go", QT_TRANSLATE_NOOP("Command", "First stage"), "Home", true, ""},
        {"go.last", "Go", QT_TRANSLATE_NOOP("Command", "Last stage"), "End", true, ""},
        {"go.firstTouch", "Go", QT_TRANSLATE_NOOP("Command", "First touch"), "T", true, "history"},
        {"go.lastTouch", "Go", QT_TRANSLATE_NOOP("Command", "Last touch"), "Shift+T", true, "history"},
        {"go.back", "|Go", QT_TRANSLATE_NOOP("Command", "Back"), "Alt+Left", true, ""},
        {"go.forward", "Go", QT_TRANSLATE_NOOP("Command", "Forward"), "Alt+Right", true, ""},
        {"go.bookmark", "|Go", QT_TRANSLATE_NOOP("Command", "Boo&kmark this place, or forget it"), "Ctrl+B", true, ""},
        {"go.bookmarks", "Go", QT_TRANSLATE_NOOP("Command", "Bookmarks"), "Ctrl+Shift+B", true, ""},
        {"go.why", "|Go", QT_TRANSLATE_NOOP("Command", "&Why?"), "W", true, "why"},
        {"go.blocker", "Go", QT_TRANSLATE_NOOP("Command", "Show blocker"), "J", true, "why"},
        {"go.definition", "Go", QT_TRANSLATE_NOOP("Command", "Definition"), "D", true, ""},
        {"go.nextUse", "Go", QT_TRANSLATE_NOOP("Command", "First user"), "U", true, ""},
        {"go.previousUse", "Go", QT_TRANSLATE_NOOP("Command", "First operand"), "Shift+U", true, ""},
        {"go.base", "Go", QT_TRANSLATE_NOOP("Command", "Base of the storage"), "B", true, "aliases"},
        {"go.nextWrite", "Go", QT_TRANSLATE_NOOP("Command", "Next write of this storage"), ".", true, "aliases"},
        {"go.previousWrite", "Go", QT_TRANSLATE_NOOP("Command", "Previous write of this storage"), ",", true, "aliases"},
        {"go.nextCopy", "Go", QT_TRANSLATE_NOOP("Command", "Next clone or copy"), "C", true, ""},
        {"go.previousCopy", "Go", QT_TRANSLATE_NOOP("Command", "Previous clone or copy"), "Shift+C", true, ""},
        {"go.nextHunk", "Go", QT_TRANSLATE_NOOP("Command", "Next changed line, or node"), "Alt+Down", true, "diff"},
        {"go.previousHunk", "Go", QT_TRANSLATE_NOOP("Command", "Previous changed line, or node"), "Alt+Up", true, "diff"},
        {"memory.peak", "|Go", QT_TRANSLATE_NOOP("Command", "Pea&k of memory"), "M", true, "memory"},
        {"memory.nextEvent", "Go", QT_TRANSLATE_NOOP("Command", "Next memory event"), "", true, "memory"},
        {"memory.previousEvent", "Go", QT_TRANSLATE_NOOP("Command", "Previous memory event"), "", true, "memory"},
        {"memory.nextChange", "Go", QT_TRANSLATE_NOOP("Command", "Next big change of memory"), "", true, "memory"},
        {"memory.previousChange", "Go", QT_TRANSLATE_NOOP("Command", "Previous big change of memory"), "", true, "memory"},
        {"go.nextPanel", "|Go", QT_TRANSLATE_NOOP("Command", "Next panel"), "F6", false, ""},
        {"go.previousPanel", "Go", QT_TRANSLATE_NOOP("Command", "Previous panel"), "Shift+F6", false, ""},

        {"pipeline.run", "Pipeline", QT_TRANSLATE_NOOP("Command", "&Run the chosen pipeline"), "F5", true, "run"},
        {"pipeline.form", "Pipeline", QT_TRANSLATE_NOOP("Command", "Edit the &step of this stage"), "E", true, ""},
        {"pipeline.switch", "Pipeline", QT_TRANSLATE_NOOP("Command", "Switch the step &on or off"), "Shift+E", true, ""},
        {"pipeline.up", "Pipeline", QT_TRANSLATE_NOOP("Command", "Move the step &earlier"), "Alt+Shift+Up", true, ""},
        {"pipeline.down", "Pipeline", QT_TRANSLATE_NOOP("Command", "Move the step &later"), "Alt+Shift+Down", true, ""},

        {"compare.duplicate", "Compare", QT_TRANSLATE_NOOP("Command", "&Duplicate pipeline and compare"), "Ctrl+D", true, "compare"},
        {"compare.swap", "Compare", QT_TRANSLATE_NOOP("Command", "&Switch lane"), "Ctrl+Tab", true, ""},
        {"compare.next", "Compare", QT_TRANSLATE_NOOP("Command", "&Next node without counterpart"), "", true, ""},
        {"compare.stop", "Compare", QT_TRANSLATE_NOOP("Command", "&End comparing"), "", true, ""},

        {"run.panel", "Run", QT_TRANSLATE_NOOP("Command", "&How to run..."), "", true, "exec"},
        {"run.stage", "|Run", QT_TRANSLATE_NOOP("Command", "Run the current &stage"), "", true, "exec"},
        {"run.all", "Run", QT_TRANSLATE_NOOP("Command", "Run &all stages and compare"), "Ctrl+F5", true, "exec"},
        {"run.stop", "Run", QT_TRANSLATE_NOOP("Command", "S&top the run"), "Shift+F5", true, ""},
        {"numerics.first", "|Run", QT_TRANSLATE_NOOP("Command", "Go to the &first divergence"), "", true, "numerics"},

        {"help.here", "Help", QT_TRANSLATE_NOOP("Command", "What is &this?"), "Ctrl+I", false, ""},
        {"help.keys", "Help", QT_TRANSLATE_NOOP("Command", "&Keyboard"), "?", false, "help"},
        {"help.glossary", "Help", QT_TRANSLATE_NOOP("Command", "&Glossary"), "", false, ""},
        {"help.about", "Help", QT_TRANSLATE_NOOP("Command", "&About"), "", false, "version"},
    };
    return table;
}

QString keyboardSheet() {
    QString html;
    QString menu;
    for (const Command& command : commandTable()) {
        if (!*command.keys) continue;
        QString own = QString::fromLatin1(command.menu);
        own.remove(QLatin1Char('|'));
        if (own != menu) {
            if (!menu.isEmpty()) html += QStringLiteral("</table>");
            html += QStringLiteral("<p><b>%1</b></p><table cellspacing=0 cellpadding=2>").arg(own);
            menu = own;
        }
        QStringList keys;
        for (const QString& key : QString::fromLatin1(command.keys).split(QLatin1Char(' ')))
            keys << QKeySequence(key).toString(QKeySequence::NativeText).toHtmlEscaped();
        QString text = QObject::tr(command.text);
        text.remove(QLatin1Char('&')).remove(QLatin1String("..."));
        html += QStringLiteral("<tr><td width=150>%1</td><td>%2</td></tr>").arg(keys.join(QStringLiteral(", ")), text.toHtmlEscaped());
    }
    return html + QStringLiteral("</table>");
}

}  // namespace aliascope
