#include "views/panels/node_card.h"

#include <QHBoxLayout>
#include <QVBoxLayout>
#include <algorithm>

#include "views/canvas/metrics.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

constexpr std::size_t kListed = 12;

/// `%a, %b, … and 40 more`, each once.
QString nodeList(const StageView& view, const std::vector<std::uint32_t>& edges, bool inputs) {
    QStringList out;
    std::vector<Uid> seen;
    std::size_t more = 0;
    for (std::uint32_t e : edges) {
        const EdgeRow& edge = view.snapshot->edges[e];
        const Uid uid = inputs ? edge.from : edge.to;
        if (std::find(seen.begin(), seen.end(), uid) != seen.end()) continue;
        seen.push_back(uid);
        const NodeRow* node = view.node(uid);
        if (!node) continue;
        if (seen.size() > kListed) {
            ++more;
            continue;
        }
        QString text = nodeLink(uid, node->name);
        if (edge.mode == EdgeRow::Mode::Write || edge.mode == EdgeRow::Mode::ReadWrite) text += QObject::tr(" (written)");
        out << text;
    }
    QString text = out.join(QStringLiteral(", "));
    if (more > 0) text += QObject::tr(" and %1 more").arg(more);
    return text.isEmpty() ? QObject::tr("none") : text;
}

QString storageText(const StageView& view, const NodeRow& node) {
    if (node.storage < 0) return QObject::tr("none");
    const StorageRow* storage = view.storage(node.storage);
    QString text = storageLink(node.storage);
    if (!storage) return text;
    text += storage->base == node.uid ? QObject::tr(" (base)") : QObject::tr(" view of %1").arg(nodeLink(storage->base, storage->baseName));
    const std::size_t members = view.members(node.storage).size();
    if (members > 1) text += QObject::tr(", %1 values share it").arg(members);
    return text;
}

}  // namespace

NodeCard::NodeCard(Session& session, QWidget* parent) : QScrollArea(parent), session_(session) {
    setObjectName(QStringLiteral("inspector.node"));
    setAccessibleName(tr("Node"));
    setWidgetResizable(true);
    setFrameShape(QFrame::NoFrame);
    setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    auto* body = new QWidget(this);
    body->setProperty("surface", QStringLiteral("panel"));
    auto* column = new QVBoxLayout(body);
    column->setContentsMargins(Metrics::pad(), Metrics::pad(), Metrics::pad(), Metrics::pad());
    column->setSpacing(Metrics::gap());
    title_ = heading(QString(), body, 1.2);
    title_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    title_->setWordWrap(true);
    title_->setFocusPolicy(Qt::NoFocus);
    operator_ = quietLabel(QString(), body);
    empty_ = quietLabel(QString(), body);
    facts_ = new FactGrid(body);
    code_ = new QLabel(body);
    code_->setWordWrap(true);
    code_->setFont(Metrics::monoFont(0.92));
    code_->setTextInteractionFlags(Qt::TextSelectableByMouse);
    code_->setFocusPolicy(Qt::NoFocus);
    code_->setMargin(Metrics::gap());
    code_->setProperty("surface", QStringLiteral("canvas"));
    code_->setAutoFillBackground(true);
    code_->setBackgroundRole(QPalette::AlternateBase);
    why_ = textButton(tr("Why?  W"), QStringLiteral("inspector.why"), body);
    copyCommand_ = textButton(tr("Copy as command"), QStringLiteral("inspector.copyCommand"), body);
    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(Metrics::gap());
    buttons->addWidget(why_);
    buttons->addWidget(copyCommand_);
    buttons->addStretch(1);
    column->addWidget(title_);
    column->addWidget(operator_);
    column->addWidget(empty_);
    column->addSpacing(Metrics::tight());
    column->addWidget(facts_);
    column->addWidget(code_);
    column->addSpacing(Metrics::tight());
    column->addLayout(buttons);
    column->addStretch(1);
    setWidget(body);
    connect(facts_, &FactGrid::linkActivated, this, [this](const QString& link) { followLink(session_, link, Origin::Program); });
    connect(why_, &QPushButton::clicked, this, &NodeCard::whyWanted);
    connect(copyCommand_, &QPushButton::clicked, this, &NodeCard::copyCommandWanted);
    connect(&session_, &Session::selectionChanged, this, [this](const Selection& selection, Origin) { show(selection); });
    connect(&session_, &Session::stageChanged, this, [this] { show(session_.selection()); });
    show({});
}

void NodeCard::show(const Selection& selection) {
    facts_->clear();
    const StageViewPtr& view = session_.view();
    const auto at = view ? view->indexOf(selection.node) : std::nullopt;
    for (QWidget* widget : std::initializer_list<QWidget*>{title_, operator_, facts_, why_, copyCommand_}) widget->setVisible(at.has_value());
    code_->setVisible(false);
    empty_->setVisible(!at);
    if (!at) {
        empty_->setText(selection.node == kNoUid
                            ? tr("Nothing is selected. Click a node in the graph, the text or a table; everything known of it stands here.")
                            : tr("The selected node does not stand in this stage."));
        return;
    }
    showNode(*view, *at);
}

void NodeCard::showNode(const StageView& view, std::uint32_t at) {
    const NodeRow& node = *view.snapshot->nodes[at];
    title_->setText(percentName(node.name));
    QString what = qstr(shortOp(node));
    if (const QString family = QString::fromLatin1(familyWord(view.family[at])); family != what) what += QStringLiteral("  \u00b7  ") + family;
    if (view.mark[at] == '+') what += tr("  \u00b7  + added in this stage");
    if (view.mark[at] == '~') what += tr("  \u00b7  ~ changed in this stage");
    operator_->setText(what);
    if (!node.type.empty()) facts_->add(tr("Type"), qstr(node.type).toHtmlEscaped(), true);
    if (node.bytes) facts_->add(tr("Bytes"), bytesText(*node.bytes), false, exactBytes(*node.bytes));
    facts_->add(tr("Storage"), storageText(view, node));
    facts_->add(tr("From"), nodeList(view, view.inputs(node.uid), true), true);
    facts_->add(tr("Users"), nodeList(view, view.outputs(node.uid), false), true);
    if (!node.body.empty()) facts_->add(tr("Body"), qstr(node.body).toHtmlEscaped(), true);
    if (!node.module.empty()) facts_->add(tr("Module"), qstr(node.module).toHtmlEscaped(), true);
    showDecisions(node.uid);
    if (node.line > 0) {
        QString place = QStringLiteral("%1:%2").arg(qstr(node.file)).arg(node.line).toHtmlEscaped();
        if (!node.function.empty()) place += tr(" in %1").arg(qstr(node.function).toHtmlEscaped());
        facts_->add(tr("Source"), place);
        code_->setText(qstr(node.code));
        code_->setVisible(!node.code.empty());
    }
}

void NodeCard::showDecisions(Uid uid) {
    QStringList lines;
    for (const DecisionRow* about : decisionsAbout(session_.data(), uid)) {
        const DecisionRow& d = *about;
        QString line = verdictGlyph(verdictKind(d)) + QLatin1Char(' ') + verdictWord(verdictKind(d));
        if (!d.argument.empty()) line += tr(": %1").arg(qstr(d.argument));
        lines << QStringLiteral("<a style=\"text-decoration:none\" href=\"decision:%1\">%2</a>").arg(d.id).arg(line.toHtmlEscaped());
    }
    if (!lines.isEmpty()) facts_->add(tr("Decisions"), lines.join(QStringLiteral("<br>")));
    why_->setToolTip(lines.isEmpty() ? tr("No pass considered this node") : tr("Why it was decided so"));
}

}  // namespace aliascope
