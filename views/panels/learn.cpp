#include "views/panels/learn.h"

#include <QObject>

namespace aliascope {

const std::vector<LearnCard>& learnCards() {
    static const std::vector<LearnCard> cards = {
        {QT_TRANSLATE_NOOP("Learn", "Stages and passes"),
         QT_TRANSLATE_NOOP(
             "Learn",
             "A <b>pipeline</b> is a list of passes; the graph after each of them is a <b>stage</b>. The list at the left is the steering "
             "wheel: every other panel shows the graph at the stage that is chosen there.<p><b>N</b> and <b>P</b> step between stages "
             "that changed something, <b>Shift+N</b> and <b>Shift+P</b> visit all of them, <b>Home</b> is the graph as it was read.")},
        {QT_TRANSLATE_NOOP("Learn", "Which memory is the same memory"),
         QT_TRANSLATE_NOOP("Learn",
                           "Values that share memory share a <b>storage</b>, shown as S3 on their cards. The value that it was made for is its "
                           "<b>base</b>; a <b>view</b> shows part of it and copies nothing. A <b>write</b> through one changes all that overlap.<p>"
                           "<b>A</b> points out the storage of the selection, <b>B</b> goes to its base, <b>.</b> and <b>,</b> to its writes, "
                           "<b>Ctrl+1</b> to <b>Ctrl+6</b> give it a colour of its own. The byte map shows which bytes each view takes.")},
        {QT_TRANSLATE_NOOP("Learn", "Why is there a copy?"),
         QT_TRANSLATE_NOOP(
             "Learn",
             "<b>C</b> goes to the next clone or copy, <b>W</b> asks why it is there. The card names the rule, the node that is in the way "
             "(<b>J</b> goes there), the questions that the pass asked in their order, and what would change the answer. A line of "
             "PyTorch's log can be pasted into <b>Ctrl+K</b> after <tt>explain:</tt>.")},
        {QT_TRANSLATE_NOOP("Learn", "Needed, avoidable, reported, cloned"),
         QT_TRANSLATE_NOOP(
             "Learn",
             "A copy is <b>needed</b> when every correct program has to make it, because the old value is still used; it is "
             "<b>avoidable</b> when another pipeline does without. <b>Reported</b> bytes are what PyTorch's log counts; <b>cloned</b> bytes "
             "are what the clones copy: a view at an offset is cloned from the start of its storage, so that the two differ.")},
        {QT_TRANSLATE_NOOP("Learn", "Two pipelines side by side"),
         QT_TRANSLATE_NOOP(
             "Learn",
             "<b>Ctrl+D</b> runs the other form of custom operators (v1 or v2) over the same graph and puts it beside this one: stages, "
             "selection and scrolling are linked, what has no counterpart is said, and the line below adds up what differs. Both memory "
             "curves lie over each other in the memory panel.")},
        {QT_TRANSLATE_NOOP("Learn", "What it costs, and whether it is right"),
         QT_TRANSLATE_NOOP(
             "Learn",
             "Memory is <b>predicted</b> from shapes and program order as soon as a graph is open (<b>M</b> goes to the peak); a run "
             "measures it. <b>Ctrl+F5</b> runs every stage on equal inputs and compares: the first stage with an X in the numerics panel "
             "is the first that gives other numbers. <b>Ctrl+E</b> writes all of it into one HTML file.")},
    };
    return cards;
}

QString learnSheet(std::size_t card) {
    const LearnCard& shown = learnCards()[card];
    return QStringLiteral("<h3>%1</h3><p>%2</p>").arg(QObject::tr(shown.title), QObject::tr(shown.text));
}

}  // namespace aliascope
