#include "views/panels/glossary.h"

#include <QHash>
#include <QObject>

namespace aliascope {

const std::vector<GlossaryTerm>& glossary() {
    static const std::vector<GlossaryTerm> terms = {
        {"stage", QT_TRANSLATE_NOOP("Glossary", "The graph after one pass. The first stage is the graph as it was read.")},
        {"rewrite", QT_TRANSLATE_NOOP("Glossary", "One application of a rule inside a pass: the nodes it took away and the nodes it put in.")},
        {"storage",
         QT_TRANSLATE_NOOP(
             "Glossary",
             "Memory that a value and its views share, shown as S3. Two values of one storage are the same memory where their bytes overlap.")},
        {"base", QT_TRANSLATE_NOOP("Glossary", "The value that a storage was made for; views are cut from it.")},
        {"view",
         QT_TRANSLATE_NOOP("Glossary", "A value that shows part of a storage with sizes, strides and an offset of its own and copies nothing.")},
        {"write",
         QT_TRANSLATE_NOOP("Glossary", "A call that changes one of its arguments in place: every value over the same bytes changes with it.")},
        {"decision", QT_TRANSLATE_NOOP("Glossary", "What a pass recorded about a write or a copy: verdict, reason, what is in the way, bytes.")},
        {"needed", QT_TRANSLATE_NOOP("Glossary", "A copy that every correct program has to make, because the old value is still used.")},
        {"avoidable", QT_TRANSLATE_NOOP("Glossary", "A copy that another pipeline of this build does without.")},
        {"reported", QT_TRANSLATE_NOOP("Glossary", "Bytes as PyTorch's log counts missed writes: number of elements times their size.")},
        {"cloned", QT_TRANSLATE_NOOP("Glossary",
                                     "Bytes that the clones of the final graph copy; a view at an offset is cloned from the start of its storage.")},
        {"copied back", QT_TRANSLATE_NOOP("Glossary", "Bytes that a copy_ at the end writes into an input of the graph.")},
        {"session", QT_TRANSLATE_NOOP("Glossary", "A file with everything recorded: graphs, pipelines, stages, rewrites, decisions, runs.")},
        {"pipeline", QT_TRANSLATE_NOOP("Glossary", "Passes in order, with their options.")},
        {"lane", QT_TRANSLATE_NOOP("Glossary", "One run of a pipeline over a graph of the session. Two lanes can stand side by side (Ctrl+D).")},
        {"run", QT_TRANSLATE_NOOP("Glossary", "One execution of one stage on a device, with its inputs, values, times and memory.")},
        {"pre-grad graph", QT_TRANSLATE_NOOP("Glossary", "The graph as Dynamo traced it, with torch functions and mutation, before autograd.")},
        {"joint graph", QT_TRANSLATE_NOOP("Glossary", "Forward and backward of a training step in one graph, before it is split.")},
        {"post-grad graph", QT_TRANSLATE_NOOP("Glossary", "The graph of ATen operators that Inductor lowers to kernels.")},
        {"predicted memory",
         QT_TRANSLATE_NOOP("Glossary",
                           "Live bytes computed from shapes in program order; a run measures them. The memory view says which of the two it shows.")},
    };
    return terms;
}

QString meaningOf(const QString& word) {
    static const QHash<QString, QString> meanings = [] {
        QHash<QString, QString> out;
        for (const GlossaryTerm& term : glossary()) {
            const QString one = QObject::tr(term.word).toLower(), meaning = QObject::tr(term.meaning);
            out.insert(one, meaning);
            out.insert(one + QLatin1Char('s'), meaning);
        }
        return out;
    }();
    return meanings.value(word.trimmed().toLower());
}

QString glossarySheet() {
    QString html = QStringLiteral("<table cellspacing=0 cellpadding=4>");
    for (const GlossaryTerm& term : glossary())
        html +=
            QStringLiteral("<tr><td width=130><b>%1</b></td><td>%2</td></tr>").arg(QObject::tr(term.word), QObject::tr(term.meaning).toHtmlEscaped());
    return html + QStringLiteral("</table>");
}

}  // namespace aliascope
