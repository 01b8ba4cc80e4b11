#include "views/panels/widgets.h"

#include <QComboBox>
#include <QGridLayout>
#include <QHeaderView>
#include <QPainter>

#include "views/canvas/metrics.h"
#include "views/models/decision_model.h"
#include "views/panels/term_label.h"
#include "views/panels/theme.h"

namespace aliascope {

QFrame* rule(QWidget* parent) {
    auto* frame = new QFrame(parent);
    frame->setProperty("rule", true);
    return frame;
}

QLabel* quietLabel(const QString& text, QWidget* parent) {
    auto* label = new QLabel(text, parent);
    label->setProperty("quiet", true);
    label->setWordWrap(true);
    return label;
}

ElidedLabel::ElidedLabel(QWidget* parent) : QLabel(parent) { setSizePolicy(QSizePolicy::Ignored, QSizePolicy::Preferred); }

void ElidedLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    painter.setPen(palette().color(foregroundRole()));
    painter.drawText(contentsRect(), int(alignment()) | Qt::TextSingleLine, fontMetrics().elidedText(text(), Qt::ElideRight, contentsRect().width()));
}

QLabel* heading(const QString& text, QWidget* parent, qreal scale) {
    auto* label = new QLabel(text, parent);
    label->setFont(Metrics::uiFont(scale, true));
    return label;
}

QToolButton* iconButton(const QString& icon, const QString& text, const QString& objectName, QWidget* parent) {
    auto* button = new QToolButton(parent);
    button->setObjectName(objectName);
    button->setIcon(themedIcon(icon));
    button->setIconSize(QSize(Metrics::icon(), Metrics::icon()));
    button->setToolTip(text);
    button->setAccessibleName(text);
    button->setFocusPolicy(Qt::TabFocus);
    return button;
}

QPushButton* textButton(const QString& text, const QString& objectName, QWidget* parent) {
    auto* button = new QPushButton(text, parent);
    button->setObjectName(objectName);
    QString name = text;
    button->setAccessibleName(name.remove(QLatin1Char('&')));
    button->setFocusPolicy(Qt::TabFocus);
    button->setCursor(Qt::PointingHandCursor);
    return button;
}

QComboBox* choiceBox(const QString& accessibleName, const QString& objectName, QWidget* parent) {
    auto* box = new QComboBox(parent);
    box->setObjectName(objectName);
    box->setAccessibleName(accessibleName);
    box->view()->setObjectName(objectName + QStringLiteral(".list"));
    box->view()->setAccessibleName(accessibleName);
    return box;
}

QLineEdit* filterField(const QString& placeholder, const QString& objectName, QWidget* parent) {
    auto* field = new QLineEdit(parent);
    field->setObjectName(objectName);
    field->setPlaceholderText(placeholder);
    field->setAccessibleName(placeholder);
    field->setClearButtonEnabled(true);
    field->addAction(themedIcon(QStringLiteral("search")), QLineEdit::LeadingPosition);
    for (QObject* child : field->children()) {
        if (auto* button = qobject_cast<QWidget*>(child)) button->setObjectName(objectName + QStringLiteral(".button"));
        if (auto* button = qobject_cast<QToolButton*>(child)) button->setAccessibleName(QObject::tr("Clear"));
    }
    return field;
}

void dressTable(QTableView* table, const QString& objectName, const QString& accessibleName) {
    table->setHorizontalHeader(new TermHeader(table));
    table->setObjectName(objectName);
    table->setAccessibleName(accessibleName);
    table->setSelectionBehavior(QAbstractItemView::SelectRows);
    table->setSelectionMode(QAbstractItemView::SingleSelection);
    table->setEditTriggers(QAbstractItemView::NoEditTriggers);
    table->setShowGrid(false);
    table->setWordWrap(false);
    table->setTabKeyNavigation(false);
    table->setSortingEnabled(true);
    table->setHorizontalScrollMode(QAbstractItemView::ScrollPerPixel);
    table->verticalHeader()->hide();
    table->verticalHeader()->setDefaultSectionSize(Metrics::row());
    table->verticalHeader()->setMinimumSectionSize(Metrics::row());
    table->horizontalHeader()->setHighlightSections(false);
    table->horizontalHeader()->setStretchLastSection(true);
    table->horizontalHeader()->setFixedHeight(Metrics::row());
    table->horizontalHeader()->setObjectName(objectName + QStringLiteral(".header"));
    table->horizontalHeader()->setAccessibleName(accessibleName);
    table->setCornerButtonEnabled(false);
}

QString nodeLink(Uid uid, const std::string& name) {
    return QStringLiteral("<a style=\"text-decoration:none\" href=\"node:%1\">%2</a>").arg(uid).arg(percentName(name).toHtmlEscaped());
}

QString storageLink(int storage) { return QStringLiteral("<a style=\"text-decoration:none\" href=\"storage:%1\">S%1</a>").arg(storage); }

QString stageLink(int stage, const QString& text) {
    return QStringLiteral("<a style=\"text-decoration:none\" href=\"stage:%1\">%2</a>").arg(stage).arg(text.toHtmlEscaped());
}

bool followLink(Session& session, const QString& link, Origin origin) {
    const QString kind = link.section(QLatin1Char(':'), 0, 0), value = link.section(QLatin1Char(':'), 1);
    if (kind == QLatin1String("node")) {
        session.selectNode(value.toULongLong(), origin);
    } else if (kind == QLatin1String("storage")) {
        session.selectStorage(value.toInt(), origin);
    } else if (kind == QLatin1String("stage")) {
        session.setStage(value.toInt());
    } else if (kind == QLatin1String("decision")) {
        for (const DecisionRow& d : *session.data().decisions) {
            if (d.id != value.toLongLong()) continue;
            session.selectDecision(d, origin);
            break;
        }
    } else {
        return false;
    }
    return true;
}

FactGrid::FactGrid(QWidget* parent) : QWidget(parent), grid_(new QGridLayout(this)) {
    grid_->setContentsMargins(0, 0, 0, 0);
    grid_->setHorizontalSpacing(Metrics::pad());
    grid_->setVerticalSpacing(Metrics::em(0.35));
    grid_->setColumnStretch(1, 1);
    grid_->setColumnMinimumWidth(0, Metrics::em(5.5));
}

void FactGrid::clear() {
    while (QLayoutItem* item = grid_->takeAt(0)) {
        if (QWidget* widget = item->widget()) {
            widget->hide();
            widget->deleteLater();
        }
        delete item;
    }
    row_ = 0;
}

void FactGrid::add(const QString& key, const QString& value, bool mono, const QString& tooltip) {
    auto* keyLabel = new TermLabel(key, this);
    keyLabel->setProperty("quiet", true);
    auto* valueLabel = new QLabel(value, this);
    valueLabel->setTextFormat(Qt::RichText);
    valueLabel->setWordWrap(true);
    valueLabel->setTextInteractionFlags(Qt::TextSelectableByMouse | Qt::LinksAccessibleByMouse);
    valueLabel->setToolTip(tooltip);
    valueLabel->setFocusPolicy(Qt::NoFocus);
    if (mono) {
        valueLabel->setFont(Metrics::monoFont());
        valueLabel->setContentsMargins(0, Metrics::em(0.12), 0, 0);  // the fixed font stands higher in its line
    }
    connect(valueLabel, &QLabel::linkActivated, this, &FactGrid::linkActivated);
    grid_->addWidget(keyLabel, row_, 0, Qt::AlignTop | Qt::AlignLeft);
    grid_->addWidget(valueLabel, row_, 1, Qt::AlignTop);
    ++row_;
}

void paintVerdictGlyph(QPainter& painter, const QRect& square, VerdictKind kind) {
    const Palette& p = Palette::active();
    painter.fillRect(square, p(verdictRole(kind)));
    QFont font = Metrics::uiFont();
    font.setPixelSize(std::max(7, int(square.height() * 0.82)));
    font.setBold(true);
    painter.setFont(font);
    painter.setPen(p(Role::Panel));
    painter.drawText(square, Qt::AlignCenter, verdictGlyph(kind));
}

VerdictLabel::VerdictLabel(QWidget* parent) : QWidget(parent) { setSizePolicy(QSizePolicy::Preferred, QSizePolicy::Fixed); }

void VerdictLabel::setKind(VerdictKind kind) {
    kind_ = kind;
    setAccessibleName(verdictWord(kind));
    updateGeometry();
    update();
}

QSize VerdictLabel::sizeHint() const {
    const QFontMetrics fm(Metrics::uiFont(1.1, true));
    return {Metrics::em(1.25) + Metrics::gap() + fm.horizontalAdvance(verdictWord(kind_)) + 2, Metrics::em(1.7)};
}

void VerdictLabel::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const int side = Metrics::em(1.25);
    paintVerdictGlyph(painter, QRect(0, (height() - side) / 2, side, side), kind_);
    painter.setFont(Metrics::uiFont(1.1, true));
    painter.setPen(Palette::active()(Role::Ink));
    painter.drawText(rect().adjusted(side + Metrics::gap(), 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, verdictWord(kind_));
}

void VerdictDelegate::paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QStyleOptionViewItem shown = option;
    initStyleOption(&shown, index);
    const int side = Metrics::em(1.1);
    const QString word = shown.text;
    shown.text.clear();
    option.widget->style()->drawControl(QStyle::CE_ItemViewItem, &shown, painter, option.widget);
    painter->save();
    const QRect square(option.rect.left() + Metrics::gap(), option.rect.center().y() - side / 2, side, side);
    paintVerdictGlyph(*painter, square, VerdictKind(index.data(DecisionModel::KindRole).toInt()));
    painter->setFont(option.font);
    painter->setPen(Palette::active()(Role::Ink));
    painter->drawText(option.rect.adjusted(Metrics::gap() + side + Metrics::gap(), 0, 0, 0), Qt::AlignVCenter | Qt::AlignLeft, word);
    painter->restore();
}

QSize MonoDelegate::sizeHint(const QStyleOptionViewItem& option, const QModelIndex& index) const {
    QSize size = QStyledItemDelegate::sizeHint(option, index);
    size.setHeight(std::max(size.height(), Metrics::em(1.65)));
    return size;
}

void MonoDelegate::initStyleOption(QStyleOptionViewItem* option, const QModelIndex& index) const {
    QStyledItemDelegate::initStyleOption(option, index);
    option->font = Metrics::monoFont();
    option->textElideMode = Qt::ElideMiddle;
}

}  // namespace aliascope
