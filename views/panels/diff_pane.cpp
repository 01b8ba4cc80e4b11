#include "views/panels/diff_pane.h"

#include <QCheckBox>
#include <QHBoxLayout>
#include <QLabel>
#include <QScrollBar>
#include <QToolButton>
#include <QVBoxLayout>
#include <algorithm>

#include "views/canvas/metrics.h"
#include "views/panels/widgets.h"

namespace aliascope {

namespace {

/// Rows around a difference that stay when the rest is left out.
constexpr int kContext = 3;

}  // namespace

SideLines::SideLines(SideBySidePtr both, ShownRowsPtr shown, Side side) : both_(std::move(both)), shown_(std::move(shown)), side_(side) {
    rowOf_.assign(text().lines.size(), -1);
    for (int row = 0; row < int(both_->rows.size()); ++row)
        if (const int line = ofRow(row); line >= 0) rowOf_[std::size_t(line)] = row;
}

int SideLines::lineAt(int line) const {
    const ShownRows::Line& shown = shown_->lines[std::size_t(line)];
    return shown.left > 0 ? -1 : ofRow(shown.row);
}

QString SideLines::line(int line) const {
    if (const int left = shown_->lines[std::size_t(line)].left; left > 0) return QObject::tr("\u2026 %1 lines alike").arg(left);
    const int at = lineAt(line);
    return at < 0 ? QString() : text().lines[std::size_t(at)];
}

Uid SideLines::uidOf(int line) const {
    const int at = lineAt(line);
    return at < 0 ? kNoUid : text().uidOfLine[std::size_t(at)];
}

char SideLines::mark(int line) const {
    const ShownRows::Line& shown = shown_->lines[std::size_t(line)];
    if (shown.left > 0) return '=';
    return lineAt(line) < 0 ? '.' : both_->rows[std::size_t(shown.row)].mark;  // `.`: nothing here, the other side has a line
}

int SideLines::lineOf(Uid uid) const {
    const auto found = text().lineOf.find(uid);
    const int row = found == text().lineOf.end() ? -1 : rowOf_[std::size_t(found->second)];
    if (row < 0) return -1;
    const int line = shown_->lineOf[std::size_t(row)];
    return shown_->lines[std::size_t(line)].left > 0 ? -1 : line;
}

Uid SideLines::uidOfName(const QString& name) const {
    const auto found = text().uidOfName.find(name.toStdString());
    return found == text().uidOfName.end() ? kNoUid : found->second;
}

DiffPane::DiffPane(Session& session, QWidget* parent) : QWidget(parent), session_(session) {
    setObjectName(QStringLiteral("diff.pane"));
    setAccessibleName(tr("Two stages beside each other"));
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(0, 0, 0, 0);
    column->setSpacing(0);
    column->addWidget(buildHead());
    auto* row = new QHBoxLayout;
    row->setSpacing(Metrics::hair());
    const auto pane = [&](const char* name, const QString& words) {
        auto* made = new TextPane(this);
        made->setObjectName(QLatin1String(name));
        made->setAccessibleName(words);
        made->setPlaceholder(tr("Printing the stages \u2026"));
        row->addWidget(made, 1);
        connect(made, &TextPane::selected, this, &DiffPane::selected);
        connect(made, &TextPane::activated, this, &DiffPane::activated);
        connect(made, &TextPane::foldClicked, this, &DiffPane::openRun);
        connect(made, &TextPane::hovered, &session_, &Session::setPreview);
        connect(&session_, &Session::previewChanged, made, &TextPane::setPreview);
        return made;
    };
    left_ = pane("diff.left", tr("Text of the stage before"));
    right_ = pane("diff.right", tr("Text of the stage"));
    column->addLayout(row, 1);
    const auto follow = [this](TextPane* from, TextPane* to) {
        for (QScrollBar* (QAbstractScrollArea::*bar)() const : {&QAbstractScrollArea::verticalScrollBar, &QAbstractScrollArea::horizontalScrollBar})
            connect((from->*bar)(), &QScrollBar::valueChanged, this, [this, to, bar](int value) {
                if (std::exchange(scrolling_, true)) return;
                (to->*bar)()->setValue(value);
                scrolling_ = false;
            });
    };
    follow(left_, right_);
    follow(right_, left_);
}

QWidget* DiffPane::buildHead() {
    auto* head = new QWidget(this);
    head->setProperty("surface", QStringLiteral("panel"));
    head->setAttribute(Qt::WA_StyledBackground);
    auto* column = new QVBoxLayout(head);
    column->setContentsMargins(Metrics::pad(), Metrics::em(0.2), Metrics::pad(), Metrics::em(0.2));
    column->setSpacing(Metrics::tight());
    auto* tools = new QHBoxLayout;
    tools->setSpacing(Metrics::tight());
    hunks_ = new QLabel(head);
    hunks_->setObjectName(QStringLiteral("diff.hunks"));
    tools->addWidget(hunks_);
    previous_ = iconButton(QStringLiteral("up"), tr("Previous difference (Alt+Up)"), QStringLiteral("diff.previous"), head);
    next_ = iconButton(QStringLiteral("down"), tr("Next difference (Alt+Down)"), QStringLiteral("diff.next"), head);
    tools->addWidget(previous_);
    tools->addWidget(next_);
    tools->addStretch(1);
    const auto box = [&](const QString& words, const char* name, const QString& tip) {
        auto* made = new QCheckBox(words, head);
        made->setObjectName(QLatin1String(name));
        made->setAccessibleName(words);
        made->setToolTip(tip);
        tools->addWidget(made);
        tools->addSpacing(Metrics::gap());
        return made;
    };
    renames_ = box(tr("Ignore renames"), "diff.renames", tr("Lines that differ only in how the same nodes are called are alike"));
    hide_ = box(tr("Hide unchanged"), "diff.unchanged", tr("Leave out what is alike on both sides; click the line that stands for it to see it"));
    column->addLayout(tools);
    auto* titles = new QHBoxLayout;
    leftTitle_ = new ElidedLabel(head);
    leftTitle_->setObjectName(QStringLiteral("diff.left.title"));
    rightTitle_ = new ElidedLabel(head);
    rightTitle_->setObjectName(QStringLiteral("diff.right.title"));
    titles->addWidget(leftTitle_, 1);
    titles->addWidget(rightTitle_, 1);
    column->addLayout(titles);
    connect(previous_, &QToolButton::clicked, this, [this] { goToHunk(-1); });
    connect(next_, &QToolButton::clicked, this, [this] { goToHunk(1); });
    connect(hide_, &QCheckBox::toggled, this, [this] {
        opened_.clear();
        fill();
    });
    connect(renames_, &QCheckBox::toggled, this, [this] { request(form_); });
    return head;
}

void DiffPane::request(TextForm form) {
    form_ = form;
    const StageViewPtr view = session_.view();
    if (!view) return show(nullptr);
    session_.ask(
        QStringLiteral("sideBySide"),
        [view, form, renames = ignoresRenames() ? Renames::Ignored : Renames::Shown, ops = session_.ops()](const Recording& recording,
                                                                                                           const JobContext& job) -> SideBySidePtr {
            const StageTextPtr right = loadStageText(recording, *view, form, *ops, job.cancelToken());
            const StageViewPtr before = view->stage > 1 ? loadStageView(recording, view->lane, view->stage - 1, {}, job.cancelToken()) : view;
            const StageTextPtr left = before ? loadStageText(recording, *before, form, *ops, job.cancelToken()) : nullptr;
            return left && right ? alignTexts(left, right, renames) : nullptr;
        },
        [this, view](SideBySidePtr both) {
            if (view->stage == session_.stage()) show(std::move(both));
        });
}

void DiffPane::show(SideBySidePtr both) {
    shown_ = std::move(both);
    hunk_ = -1;
    opened_.clear();
    fill();
}

void DiffPane::setHideUnchanged(bool on) { hide_->setChecked(on); }
bool DiffPane::hidesUnchanged() const { return hide_->isChecked(); }
void DiffPane::setIgnoreRenames(bool on) { renames_->setChecked(on); }
bool DiffPane::ignoresRenames() const { return renames_->isChecked(); }

/// Both panes anew; the selected line, else the first one, keeps its place.
void DiffPane::fill() {
    rows_ = !shown_ ? nullptr : hidesUnchanged() ? hideUnchanged(*shown_, kContext, opened_) : showAllRows(*shown_);
    scrolling_ = true;
    left_->setSource(shown_ ? std::make_shared<SideLines>(shown_, rows_, SideLines::Side::Left) : nullptr);
    right_->setSource(shown_ ? std::make_shared<SideLines>(shown_, rows_, SideLines::Side::Right) : nullptr);
    scrolling_ = false;
    setSelection(session_.selection().node);
    say();
}

void DiffPane::openRun(int line) {
    if (!rows_ || line < 0 || line >= int(rows_->lines.size()) || rows_->lines[std::size_t(line)].left == 0) return;
    opened_.insert(rows_->lines[std::size_t(line)].row);
    const int top = right_->firstVisibleLine();
    fill();
    right_->verticalScrollBar()->setValue(top);
}

/// What is selected is shown, also where it is alike on both sides.
void DiffPane::openRunOf(Uid uid) {
    const auto lineIn = [&](const StageText& text) {
        const auto found = text.lineOf.find(uid);
        return found == text.lineOf.end() ? -1 : found->second;
    };
    const int left = lineIn(*shown_->left), right = lineIn(*shown_->right);
    for (std::size_t line = 0; line < rows_->lines.size(); ++line) {
        const ShownRows::Line& run = rows_->lines[line];
        for (int row = run.row; row < run.row + run.left; ++row) {
            const SideBySide::Row& of = shown_->rows[std::size_t(row)];
            if ((left < 0 || of.left != left) && (right < 0 || of.right != right)) continue;
            opened_.insert(run.row);
            return fill();
        }
    }
}

void DiffPane::say() {
    const QString words = said();
    hunks_->setText(words);
    hunks_->setAccessibleName(words);
    for (QToolButton* button : {previous_, next_}) button->setEnabled(shown_ && !shown_->hunks.empty());
    if (!shown_) {
        leftTitle_->clear();
        rightTitle_->clear();
        return;
    }
    const auto title = [this](int stage) {
        const StageRow* row = session_.stageRow(stage);
        return row ? QStringLiteral("%1 %2").arg(stage).arg(qstr(row->name)) : QString::number(stage);
    };
    leftTitle_->setText(title(shown_->left->stage));
    rightTitle_->setText(title(shown_->right->stage));
}

QString DiffPane::said() const {
    if (!shown_) return {};
    if (shown_->hunks.empty()) return tr("no difference");
    if (hunk_ < 0) return counted(std::int64_t(shown_->hunks.size()), tr("hunk"), tr("hunks"));
    return tr("hunk %1 of %2").arg(hunk_ + 1).arg(shown_->hunks.size());
}

void DiffPane::setSelection(Uid uid) {
    if (shown_ && uid != kNoUid && right_->source()->lineOf(uid) < 0 && left_->source()->lineOf(uid) < 0 && hidesUnchanged()) openRunOf(uid);
    scrolling_ = true;
    left_->setSelection(uid);
    right_->setSelection(uid);
    const TextPane* leads = right_->selectedLine() >= 0 ? right_ : left_;
    TextPane* other = leads == right_ ? left_ : right_;
    other->verticalScrollBar()->setValue(leads->verticalScrollBar()->value());
    scrolling_ = false;
}

void DiffPane::setStorageNames(int slot, const std::unordered_set<QString>& names) {
    left_->setStorageNames(slot, names);
    right_->setStorageNames(slot, names);
}

bool DiffPane::goToHunk(int direction) {
    if (!shown_ || shown_->hunks.empty()) return false;
    const int top = std::clamp(right_->firstVisibleLine(), 0, int(rows_->lines.size()) - 1);
    const int here = hunk_ >= 0 ? shown_->hunks[std::size_t(hunk_)] : rows_->lines[std::size_t(top)].row - (direction > 0 ? 1 : 0);
    int next = -1;
    if (direction > 0) {
        const auto after = std::upper_bound(shown_->hunks.begin(), shown_->hunks.end(), here);
        if (after != shown_->hunks.end()) next = int(after - shown_->hunks.begin());
    } else {
        next = int(std::lower_bound(shown_->hunks.begin(), shown_->hunks.end(), here) - shown_->hunks.begin()) - 1;
    }
    if (next < 0) return false;
    hunk_ = next;
    const int row = shown_->hunks[std::size_t(next)];
    right_->verticalScrollBar()->setValue(rows_->lineOf[std::size_t(row)] - kContext);
    say();
    const SideBySide::Row& first = shown_->rows[std::size_t(row)];
    const Uid uid = first.right >= 0 ? shown_->right->uidOfLine[std::size_t(first.right)] : shown_->left->uidOfLine[std::size_t(first.left)];
    if (uid != kNoUid) emit selected(uid);
    return true;
}

}  // namespace aliascope
