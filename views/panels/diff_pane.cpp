#include "views/panels/diff_pane.h"

#include <QHBoxLayout>
#include <QLabel>
#include <QScrollBar>
#include <QVBoxLayout>
#include <algorithm>

#include "views/canvas/metrics.h"
#include "views/panels/widgets.h"

namespace aliascope {

SideLines::SideLines(SideBySidePtr both, Side side) : both_(std::move(both)), side_(side) {
    rowOf_.assign(text().lines.size(), -1);
    for (int row = 0; row < int(both_->rows.size()); ++row)
        if (const int line = lineAt(row); line >= 0) rowOf_[std::size_t(line)] = row;
}

QString SideLines::line(int row) const {
    const int line = lineAt(row);
    return line < 0 ? QString() : text().lines[std::size_t(line)];
}

Uid SideLines::uidOf(int row) const {
    const int line = lineAt(row);
    return line < 0 ? kNoUid : text().uidOfLine[std::size_t(line)];
}

char SideLines::mark(int row) const {
    const char mark = both_->rows[std::size_t(row)].mark;
    if (lineAt(row) < 0) return '.';  // nothing here: the other side has a line
    if (mark == '~' && side_ == Side::Left && both_->rows[std::size_t(row)].right >= 0) return '~';
    return mark;
}

int SideLines::lineOf(Uid uid) const {
    const auto found = text().lineOf.find(uid);
    return found == text().lineOf.end() ? -1 : rowOf_[std::size_t(found->second)];
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
    auto* heads = new QWidget(this);
    heads->setProperty("surface", QStringLiteral("panel"));
    heads->setAttribute(Qt::WA_StyledBackground);
    auto* headRow = new QHBoxLayout(heads);
    headRow->setContentsMargins(Metrics::pad(), Metrics::em(0.2), Metrics::pad(), Metrics::em(0.2));
    leftTitle_ = new ElidedLabel(heads);
    leftTitle_->setObjectName(QStringLiteral("diff.left.title"));
    rightTitle_ = new ElidedLabel(heads);
    rightTitle_->setObjectName(QStringLiteral("diff.right.title"));
    headRow->addWidget(leftTitle_, 1);
    headRow->addWidget(rightTitle_, 1);
    column->addWidget(heads);
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
        return made;
    };
    left_ = pane("diff.left", tr("Text of the stage before"));
    right_ = pane("diff.right", tr("Text of the stage"));
    column->addLayout(row, 1);
    const auto follow = [this](TextPane* from, TextPane* to) {
        connect(from->verticalScrollBar(), &QScrollBar::valueChanged, this, [this, to](int value) {
            if (std::exchange(scrolling_, true)) return;
            to->verticalScrollBar()->setValue(value);
            scrolling_ = false;
        });
    };
    follow(left_, right_);
    follow(right_, left_);
}

void DiffPane::request(TextForm form) {
    const StageViewPtr view = session_.view();
    if (!view) return show(nullptr);
    session_.ask(
        QStringLiteral("sideBySide"),
        [view, form, ops = session_.ops()](const Recording& recording, const JobContext& job) -> SideBySidePtr {
            const StageTextPtr right = loadStageText(recording, *view, form, *ops, job.cancelToken());
            const StageViewPtr before = view->stage > 1 ? loadStageView(recording, view->lane, view->stage - 1, {}, job.cancelToken()) : view;
            const StageTextPtr left = before ? loadStageText(recording, *before, form, *ops, job.cancelToken()) : nullptr;
            return left && right ? alignTexts(left, right) : nullptr;
        },
        [this, view](SideBySidePtr both) {
            if (view->stage == session_.stage()) show(std::move(both));
        });
}

void DiffPane::show(SideBySidePtr both) {
    shown_ = std::move(both);
    hunk_ = -1;
    left_->setSource(shown_ ? std::make_shared<SideLines>(shown_, SideLines::Side::Left) : nullptr);
    right_->setSource(shown_ ? std::make_shared<SideLines>(shown_, SideLines::Side::Right) : nullptr);
    setSelection(session_.selection().node);
    say();
}

void DiffPane::say() {
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
    rightTitle_->setText(title(shown_->right->stage) + QStringLiteral("   \u00b7   ") + said());
}

QString DiffPane::said() const {
    if (!shown_ || shown_->hunks.empty()) return tr("no difference");
    if (hunk_ < 0) return counted(std::int64_t(shown_->hunks.size()), tr("hunk"), tr("hunks"));
    return tr("hunk %1 of %2").arg(hunk_ + 1).arg(shown_->hunks.size());
}

void DiffPane::setSelection(Uid uid) {
    scrolling_ = true;
    left_->setSelection(uid);
    right_->setSelection(uid);
    const TextPane* leads = right_->selectedLine() >= 0 ? right_ : left_;
    TextPane* other = leads == right_ ? left_ : right_;
    other->verticalScrollBar()->setValue(leads->verticalScrollBar()->value());
    scrolling_ = false;
}

void DiffPane::setStorageNames(int storage, const std::unordered_set<QString>& names) {
    left_->setStorageNames(storage, names);
    right_->setStorageNames(storage, names);
}

bool DiffPane::goToHunk(int direction) {
    if (!shown_ || shown_->hunks.empty()) return false;
    const int here = hunk_ >= 0 ? shown_->hunks[std::size_t(hunk_)] : right_->firstVisibleLine() - (direction > 0 ? 1 : 0);
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
    right_->verticalScrollBar()->setValue(row - 3);
    say();
    const SideBySide::Row& first = shown_->rows[std::size_t(row)];
    const Uid uid = first.right >= 0 ? shown_->right->uidOfLine[std::size_t(first.right)] : shown_->left->uidOfLine[std::size_t(first.left)];
    if (uid != kNoUid) emit selected(uid);
    return true;
}

}  // namespace aliascope
