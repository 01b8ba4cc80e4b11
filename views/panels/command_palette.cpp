#include "views/panels/command_palette.h"

#include <QKeyEvent>
#include <QLineEdit>
#include <QListView>
#include <QPainter>
#include <QStandardItemModel>
#include <QStyledItemDelegate>
#include <QVBoxLayout>
#include <algorithm>

#include "views/canvas/metrics.h"
#include "views/models/sample_list.h"
#include "views/panels/command_table.h"
#include "views/panels/glossary.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

constexpr std::size_t kShown = 60;
constexpr int kDetail = Qt::UserRole;
constexpr int kKind = Qt::UserRole + 1;

/// Kind in quiet ink, text, and what goes with it at the right.
class EntryDelegate : public QStyledItemDelegate {
public:
    using QStyledItemDelegate::QStyledItemDelegate;
    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override { return {Metrics::em(20), Metrics::row()}; }
    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Palette& p = Palette::active();
        painter->save();
        if (option.state & QStyle::State_Selected)
            painter->fillRect(option.rect, p.mix(Role::Panel, Role::Selection, p.theme() == Theme::Light ? 0.14 : 0.26));
        const QRect row = option.rect.adjusted(Metrics::pad(), 0, -Metrics::pad(), 0);
        const int kindWidth = Metrics::em(5);
        painter->setPen(p(Role::Secondary));
        painter->setFont(Metrics::uiFont(0.9));
        painter->drawText(QRect(row.left(), row.top(), kindWidth, row.height()), Qt::AlignVCenter, index.data(kKind).toString());
        const QString detail = index.data(kDetail).toString();
        const int detailWidth = std::min(row.width() / 2, painter->fontMetrics().horizontalAdvance(detail) + 2);
        painter->drawText(QRect(row.right() - detailWidth, row.top(), detailWidth, row.height()), Qt::AlignVCenter | Qt::AlignRight,
                          painter->fontMetrics().elidedText(detail, Qt::ElideRight, detailWidth));
        painter->setPen(p(Role::Ink));
        painter->setFont(Metrics::uiFont());
        const int textWidth = row.width() - kindWidth - detailWidth - Metrics::gap();
        painter->drawText(QRect(row.left() + kindWidth, row.top(), textWidth, row.height()), Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(index.data().toString(), Qt::ElideMiddle, textWidth));
        painter->restore();
    }
};

/// Lower is better; negative = no match. Starts of the whole text, then of a word, then anywhere.
int matchRank(const QString& text, const QString& wanted) {
    if (wanted.isEmpty()) return 3;
    const qsizetype at = text.indexOf(wanted, 0, Qt::CaseInsensitive);
    if (at < 0) return -1;
    if (at == 0) return 0;
    return text[at - 1].isLetterOrNumber() ? 2 : 1;
}

}  // namespace

CommandPalette::CommandPalette(Session& session, QWidget* parent) : QFrame(parent), session_(session), model_(new QStandardItemModel(this)) {
    setObjectName(QStringLiteral("palette"));
    setFrameShape(QFrame::Box);
    setAutoFillBackground(true);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Metrics::gap(), Metrics::gap(), Metrics::gap(), Metrics::gap());
    column->setSpacing(Metrics::gap());
    field_ =
        filterField(tr("> command  : stage  @ node  # storage  ! decision  ? word   explain: a log line"), QStringLiteral("palette.field"), this);
    column->addWidget(field_);
    list_ = new QListView(this);
    list_->setObjectName(QStringLiteral("palette.list"));
    list_->setAccessibleName(tr("Matches"));
    list_->setModel(model_);
    list_->setItemDelegate(new EntryDelegate(list_));
    list_->setUniformItemSizes(true);
    list_->setEditTriggers(QAbstractItemView::NoEditTriggers);
    list_->setFocusPolicy(Qt::NoFocus);
    column->addWidget(list_, 1);
    field_->installEventFilter(this);
    connect(field_, &QLineEdit::textChanged, this, [this] {
        search();
        place();
    });
    connect(list_, &QListView::clicked, this, &CommandPalette::accept);
    hide();
}

int CommandPalette::resultCount() const { return model_->rowCount(); }

void CommandPalette::open(const QString& text) {
    collect();
    field_->setText(text);
    search();
    place();
    raise();
    show();
    field_->setFocus(Qt::ShortcutFocusReason);
}

void CommandPalette::place() {
    const int width = std::min(parentWidget()->width() - 2 * Metrics::section(), Metrics::em(48));
    // As high as what is found needs.
    const int row = model_->rowCount() > 0 ? list_->sizeHintForRow(0) : Metrics::row();
    const int wanted = field_->sizeHint().height() + std::max(1, model_->rowCount()) * row + 3 * Metrics::gap() + 4 * frameWidth();
    const int height = std::min({parentWidget()->height() - Metrics::em(8), Metrics::em(30), wanted});
    setGeometry((parentWidget()->width() - width) / 2, Metrics::em(4), width, height);
}

void CommandPalette::collect() {
    entries_.clear();
    for (const Command& command : commandTable()) {
        if (command.needsGraph && !session_.isOpen()) continue;
        QString text = QObject::tr(command.text);
        text.remove(QLatin1Char('&')).remove(QLatin1String("..."));
        const QString keys = QString::fromLatin1(command.keys).section(QLatin1Char(' '), 0, 0);
        const QString id = QString::fromLatin1(command.id);
        entries_.push_back(
            {QStringLiteral(">"), text, QKeySequence(keys).toString(QKeySequence::NativeText), [this, id] { emit commandChosen(id); }});
    }
    for (const StageRow& row : session_.data().stages)
        entries_.push_back({QStringLiteral(":"), QStringLiteral("%1 %2").arg(row.idx).arg(qstr(row.name)),
                            row.changed ? tr("%1 nodes").arg(row.nodes) : tr("no change"), [this, idx = row.idx] { session_.setStage(idx); }});
    collectNodes();
    collectWords();
    const auto& samples = bundledSamples();
    for (std::size_t i = 0; i < samples.size(); ++i)
        entries_.push_back(
            {QStringLiteral(">"), tr("Sample: %1").arg(samples[i].title), samples[i].pipeline, [this, i] { emit sampleChosen(int(i)); }});
}

/// Verbs of the command line, and the words of the window.
void CommandPalette::collectWords() {
    for (const Verb& verb : verbs_)
        entries_.push_back({QStringLiteral("$"), QStringLiteral("aliascope %1 %2").arg(verb.name, verb.arguments).trimmed(), verb.help,
                            [this, name = verb.name] { emit verbChosen(name); }});
    for (const GlossaryTerm& term : glossary()) {
        const QString meaning = QObject::tr(term.meaning);
        entries_.push_back({QStringLiteral("?"), QObject::tr(term.word), meaning, [this, meaning] { emit said(meaning); }});
    }
}

/// A pasted line of a log is one answer: its card.
void CommandPalette::showExplain(const QString& line) {
    model_->clear();
    shown_.clear();
    auto* item =
        new QStandardItem(line.isEmpty() ? tr("Paste a line: For node NAME, attempted to reinplace [...] ...") : tr("Explain this log line"));
    item->setData(line.left(80), kDetail);
    item->setData(tr("log"), kKind);
    model_->appendRow(item);
    entries_.push_back({QStringLiteral("explain"), QStringLiteral("explain"), QString(), [this, line] { emit explainWanted(line); }});
    shown_.push_back(entries_.size() - 1);
    list_->setCurrentIndex(model_->index(0, 0));
}

void CommandPalette::collectNodes() {
    const StageViewPtr& view = session_.view();
    if (!view) return;
    for (const DecisionRow& d : *session_.data().decisions)
        entries_.push_back({QStringLiteral("!"),
                            QStringLiteral("%1 %2 %3").arg(percentName(d.origin.empty() ? d.node : d.origin), qstr(d.argument), reasonText(d.code)),
                            verdictWord(verdictKind(d)), [this, d] { session_.selectDecision(d, Origin::Command); }});
    for (const StorageRow& row : *view->storages)
        entries_.push_back({QStringLiteral("#"), QStringLiteral("S%1 %2").arg(row.id).arg(percentName(row.baseName)), bytesText(row.bytes),
                            [this, row] { session_.selectNode(row.base, Origin::Command); }});
    for (const NodeRowPtr& node : view->snapshot->nodes)
        entries_.push_back({QStringLiteral("@"), percentName(node->name), qstr(shortOp(*node)),
                            [this, uid = node->uid] { session_.selectNode(uid, Origin::Command); }});
}

void CommandPalette::search() {
    QString wanted = field_->text().trimmed();
    QString kind;
    std::erase_if(entries_, [](const Entry& entry) { return entry.kind == QLatin1String("explain"); });
    if (wanted.startsWith(QLatin1String("explain:"))) return showExplain(wanted.mid(8).trimmed());
    if (wanted.contains(QLatin1String("attempted to reinplace"))) return showExplain(wanted);
    if (!wanted.isEmpty() && QStringLiteral(">:@#!?$").contains(wanted[0])) {
        kind = wanted.left(1);
        wanted = wanted.mid(1).trimmed();
    }
    std::vector<std::pair<int, std::size_t>> found;
    for (std::size_t i = 0; i < entries_.size(); ++i) {
        const Entry& entry = entries_[i];
        if (!kind.isEmpty() && entry.kind != kind) continue;
        if (kind.isEmpty() && wanted.isEmpty() && (entry.kind == QLatin1String("@") || entry.kind == QLatin1String("?"))) continue;
        const QString text = entry.text.startsWith(QLatin1Char('%')) ? entry.text.mid(1) : entry.text;
        int rank = matchRank(text, wanted);
        if (rank < 0) continue;
        const auto used = std::find(recent_.begin(), recent_.end(), entry.text);
        rank = rank * 1000 + (used == recent_.end() ? 500 : int(used - recent_.begin()));
        found.emplace_back(rank, i);
    }
    std::stable_sort(found.begin(), found.end(), [](const auto& a, const auto& b) { return a.first < b.first; });
    if (found.size() > kShown) found.resize(kShown);
    model_->clear();
    shown_.clear();
    const QHash<QString, QString> words = {{QStringLiteral(">"), tr("command")},  {QStringLiteral(":"), tr("stage")},
                                           {QStringLiteral("@"), tr("node")},     {QStringLiteral("#"), tr("storage")},
                                           {QStringLiteral("!"), tr("decision")}, {QStringLiteral("?"), tr("word")},
                                           {QStringLiteral("$"), tr("shell")}};
    for (const auto& [rank, i] : found) {
        auto* item = new QStandardItem(entries_[i].text);
        item->setData(entries_[i].detail, kDetail);
        item->setData(words.value(entries_[i].kind), kKind);
        model_->appendRow(item);
        shown_.push_back(i);
    }
    list_->setCurrentIndex(model_->index(0, 0));
}

void CommandPalette::accept() {
    const int row = list_->currentIndex().row();
    if (row < 0 || row >= int(shown_.size())) return;
    const Entry entry = entries_[shown_[std::size_t(row)]];
    constexpr std::size_t kRecent = 50;
    std::erase(recent_, entry.text);
    recent_.insert(recent_.begin(), entry.text);
    if (recent_.size() > kRecent) recent_.pop_back();
    hide();
    entry.run();
}

bool CommandPalette::eventFilter(QObject* watched, QEvent* event) {
    if (event->type() == QEvent::FocusOut) {
        hide();
        return false;
    }
    if (event->type() == QEvent::ShortcutOverride && static_cast<QKeyEvent*>(event)->key() == Qt::Key_Escape) {
        event->accept();  // closes the box, not the job behind it
        return true;
    }
    if (event->type() != QEvent::KeyPress) return QFrame::eventFilter(watched, event);
    const int key = static_cast<QKeyEvent*>(event)->key();
    const int row = list_->currentIndex().row();
    switch (key) {
        case Qt::Key_Down:
        case Qt::Key_Up: {
            const int next = std::clamp(row + (key == Qt::Key_Down ? 1 : -1), 0, std::max(0, model_->rowCount() - 1));
            list_->setCurrentIndex(model_->index(next, 0));
            return true;
        }
        case Qt::Key_Return:
        case Qt::Key_Enter:
            accept();
            return true;
        case Qt::Key_Escape:
            hide();
            return true;
        default:
            return QFrame::eventFilter(watched, event);
    }
}

}  // namespace aliascope
