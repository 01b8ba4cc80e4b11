#include "views/panels/start_page.h"

#include <QGridLayout>
#include <QHBoxLayout>
#include <QListView>
#include <QPainter>
#include <QStyledItemDelegate>
#include <QVBoxLayout>

#include "views/canvas/metrics.h"
#include "views/panels/learn.h"
#include "views/panels/theme.h"
#include "views/panels/widgets.h"

namespace aliascope {
namespace {

/// A title and, below it, what it is about.
class StartDelegate : public QStyledItemDelegate {
public:
    StartDelegate(int detailLines, QObject* parent) : QStyledItemDelegate(parent), detailLines_(detailLines) {}

    QSize sizeHint(const QStyleOptionViewItem&, const QModelIndex&) const override {
        return {Metrics::em(16), Metrics::em(1.0) + lineHeight(1.0) + detailLines_ * lineHeight(0.92)};
    }

    void paint(QPainter* painter, const QStyleOptionViewItem& option, const QModelIndex& index) const override {
        const Palette& p = Palette::active();
        painter->save();
        const bool selected = option.state & QStyle::State_Selected && option.state & QStyle::State_HasFocus;
        if (selected) painter->fillRect(option.rect, p.mix(Role::Panel, Role::Selection, p.theme() == Theme::Light ? 0.10 : 0.20));
        if (!selected && option.state & QStyle::State_MouseOver) painter->fillRect(option.rect, p.mix(Role::Panel, Role::Ink, 0.04));
        const bool missing = index.data(MissingRole).toBool();
        QRect area = option.rect.adjusted(Metrics::gap(), Metrics::em(0.5), -Metrics::gap(), -Metrics::em(0.5));
        painter->setFont(Metrics::uiFont(1.0, true));
        painter->setPen(p(missing ? Role::Secondary : Role::Ink));
        painter->drawText(QRect(area.left(), area.top(), area.width(), lineHeight(1.0)), Qt::AlignVCenter,
                          painter->fontMetrics().elidedText(index.data(TitleRole).toString(), Qt::ElideRight, area.width()));
        area.setTop(area.top() + lineHeight(1.0));
        paintDetail(*painter, area, index.data(DetailRole).toString());
        if (selected) {
            painter->setPen(QPen(p(Role::Selection), Metrics::focus()));
            painter->drawRect(option.rect.adjusted(1, 1, -1, -1));
        }
        painter->restore();
    }

private:
    static int lineHeight(qreal scale) { return QFontMetrics(Metrics::uiFont(scale)).height(); }

    void paintDetail(QPainter& painter, const QRect& area, const QString& text) const {
        painter.setFont(Metrics::uiFont(0.92));
        painter.setPen(Palette::active()(Role::Secondary));
        const QFontMetrics fm = painter.fontMetrics();
        if (detailLines_ == 1) {
            painter.drawText(area, Qt::AlignLeft | Qt::AlignTop, fm.elidedText(text, Qt::ElideMiddle, area.width()));
            return;
        }
        const QStringList lines = text.split(QLatin1Char('\n'));
        for (int n = 0; n < detailLines_ && n < lines.size(); ++n) {
            const QRect row(area.left(), area.top() + n * fm.height(), area.width(), fm.height());
            painter.drawText(row, Qt::AlignLeft | Qt::AlignTop, fm.elidedText(lines[n], Qt::ElideRight, area.width()));
        }
    }

    int detailLines_;
};

QListView* startList(QAbstractItemModel* model, int detailLines, const QString& objectName, const QString& accessibleName, QWidget* parent) {
    auto* list = new QListView(parent);
    list->setObjectName(objectName);
    list->setAccessibleName(accessibleName);
    list->setModel(model);
    list->setItemDelegate(new StartDelegate(detailLines, list));
    list->setMouseTracking(true);
    list->setCursor(Qt::PointingHandCursor);
    list->setHorizontalScrollBarPolicy(Qt::ScrollBarAlwaysOff);
    list->setVerticalScrollMode(QAbstractItemView::ScrollPerPixel);
    list->setResizeMode(QListView::Adjust);
    return list;
}

}  // namespace

StartPage::StartPage(RecentModel& recent, QWidget* parent) : QWidget(parent), recent_(recent) {
    setObjectName(QStringLiteral("start.page"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(Metrics::em(3), Metrics::em(3), Metrics::em(3), Metrics::em(2));
    row->setSpacing(Metrics::em(3));
    row->addWidget(left(), 2);
    row->addWidget(right(), 3);
}

QWidget* StartPage::left() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(Metrics::gap());
    column->addWidget(heading(QStringLiteral("Aliascope"), box, 1.9));
    auto* promise = quietLabel(tr("What did each pass change, which memory is the same memory, why is there a copy, and what does it cost?"), box);
    promise->setMaximumWidth(Metrics::em(32));
    column->addWidget(promise);
    column->addSpacing(Metrics::section());

    auto* buttons = new QHBoxLayout;
    buttons->setSpacing(Metrics::gap());
    auto* open = textButton(tr("Open a graph or session"), QStringLiteral("start.open"), box);
    open->setProperty("primary", true);
    auto* paste = textButton(tr("Paste graph text"), QStringLiteral("start.paste"), box);
    buttons->addWidget(open);
    buttons->addWidget(paste);
    buttons->addStretch(1);
    column->addLayout(buttons);
    auto* more = new QHBoxLayout;
    more->setSpacing(Metrics::gap());
    auto* newest = textButton(tr("Open newest trace"), QStringLiteral("start.newest"), box);
    newest->setToolTip(tr("The trace or dump in TORCH_TRACE or your home folder that was written last"));
    auto* watch = textButton(tr("Watch a folder"), QStringLiteral("start.watch"), box);
    watch->setToolTip(tr("Says when a program that is being compiled has written another dump"));
    more->addWidget(newest);
    more->addWidget(watch);
    more->addStretch(1);
    column->addLayout(more);
    column->addWidget(quietLabel(tr("or drop files, folders or .pt2 archives anywhere on this window"), box));
    column->addSpacing(Metrics::section());

    column->addWidget(heading(tr("Recent"), box, 1.1));
    column->addWidget(rule(box));
    recentList_ = startList(&recent_, 1, QStringLiteral("start.recent"), tr("Recent files"), box);
    column->addWidget(recentList_, 1);
    recentEmpty_ = quietLabel(tr("Files that you open are listed here."), box);
    column->addWidget(recentEmpty_);
    column->addSpacing(Metrics::section());
    column->addWidget(heading(tr("Learn"), box, 1.1));
    column->addWidget(rule(box));
    auto* cards = new QGridLayout;
    cards->setHorizontalSpacing(Metrics::section());
    cards->setVerticalSpacing(0);
    for (std::size_t card = 0; card < learnCards().size(); ++card) {
        auto* button = textButton(tr(learnCards()[card].title), QStringLiteral("start.learn.%1").arg(card + 1), box);
        button->setProperty("flat", true);
        button->setProperty("link", true);
        button->setCursor(Qt::PointingHandCursor);
        connect(button, &QPushButton::clicked, this, [this, card] { emit learnWanted(card); });
        cards->addWidget(button, int(card / 2), int(card % 2), Qt::AlignLeft);
    }
    cards->setColumnStretch(2, 1);
    column->addLayout(cards);
    auto update = [this] {
        const bool any = recent_.rowCount() > 0;
        recentList_->setVisible(any);
        recentEmpty_->setVisible(!any);
    };
    connect(&recent_, &QAbstractItemModel::modelReset, this, update);
    connect(&recent_, &QAbstractItemModel::rowsRemoved, this, update);
    update();
    column->addStretch(1);
    connect(open, &QPushButton::clicked, this, &StartPage::openWanted);
    connect(paste, &QPushButton::clicked, this, &StartPage::pasteWanted);
    connect(newest, &QPushButton::clicked, this, &StartPage::newestWanted);
    connect(watch, &QPushButton::clicked, this, &StartPage::watchWanted);
    auto openRecent = [this](const QModelIndex& index) {
        OpenRequest request;
        request.path = recent_.paths().value(index.row());
        emit requested(request);
    };
    connect(recentList_, &QListView::clicked, this, openRecent);
    connect(recentList_, &QListView::activated, this, openRecent);
    return box;
}

QWidget* StartPage::right() {
    auto* box = new QWidget(this);
    auto* column = new QVBoxLayout(box);
    column->setContentsMargins(0, Metrics::em(0.6), 0, 0);
    column->setSpacing(Metrics::gap());
    column->addWidget(heading(tr("Samples"), box, 1.1));
    column->addWidget(rule(box));
    sampleList_ = startList(new SampleModel(this), 2, QStringLiteral("start.samples"), tr("Samples"), box);
    column->addWidget(sampleList_, 1);
    auto openSample = [this](const QModelIndex& index) { emit requested(bundledSamples()[std::size_t(index.row())].request()); };
    connect(sampleList_, &QListView::clicked, this, openSample);
    connect(sampleList_, &QListView::activated, this, openSample);
    return box;
}

void StartPage::paintEvent(QPaintEvent*) { QPainter(this).fillRect(rect(), Palette::active()(Role::Panel)); }

}  // namespace aliascope
