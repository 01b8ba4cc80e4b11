#include "views/session/error_report.h"

#include <QObject>
#include <QStringList>

namespace aliascope {
namespace {

QString text(const std::string& s) { return QString::fromStdString(s); }

int exitCodeOf(const std::string& code) {
    if (code == "S003") return 9;
    if (!code.empty() && code.front() == 'S' && code.size() == 4) return 7;
    if (code == "V001") return 4;
    if (!code.empty() && code.front() == 'P' && code.size() == 4) return 2;
    if (!code.empty() && code.front() == 'R') return 3;
    return 4;
}

QString adviceFor(const std::string& code) {
    if (code == "R002") return QObject::tr("Open the text that torch.compile wrote: graph text, readable Python, or a log that holds them.");
    if (code == "R003")
        return QObject::tr(
            "A graph starts with \"graph():\" or \"class ...(torch.nn.Module):\". Set TORCH_LOGS=aot_graphs,post_grad_graphs to get one.");
    if (code == "R014" || code == "R015") return QObject::tr("Open the file again after mending that line; what stands before it is usable.");
    if (code == "S001") return QObject::tr("Open it with a newer version of the program.");
    if (code == "S002") return QObject::tr("Open the graph file again to record a new session.");
    if (code == "S003") return QObject::tr("Choose another folder, or free some space.");
    if (code == "V001") return QObject::tr("The stages before it are good and stay open. Please report this.");
    return {};
}

}  // namespace

ErrorReport reportOf(const Diagnostic& d) {
    ErrorReport report;
    report.internal = d.audience == Audience::Internal;
    report.what = text(d.sentence());
    if (!report.what.isEmpty()) report.what[0] = report.what[0].toUpper();
    QStringList place;
    if (!d.file.empty()) place << text(d.file);
    if (d.line > 0) place << (d.column > 0 ? QObject::tr("line %1, column %2").arg(d.line).arg(d.column) : QObject::tr("line %1").arg(d.line));
    if (!d.node.empty()) place << QStringLiteral("%") + text(d.node.str());
    report.where = place.join(QStringLiteral(", "));
    report.todo = d.note.empty() ? adviceFor(d.code) : text(d.note);
    report.excerpt = text(d.excerpt);
    report.code = text(d.code);
    report.exitCode = exitCodeOf(d.code);
    return report;
}

}  // namespace aliascope
