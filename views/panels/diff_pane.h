#pragma once
// Two stages as text beside each other: the one before and the current one, scrolled together, line against line (ui.md 2.4).

#include <QWidget>

#include "views/panels/text_pane.h"
#include "views/session/session.h"
#include "views/session/side_by_side.h"

class QLabel;

namespace aliascope {

/// One side of a comparison as lines; where the other side has more, it has nothing.
class SideLines : public LineSource {
public:
    enum class Side : std::uint8_t { Left, Right };
    SideLines(SideBySidePtr both, Side side);
    int lineCount() const override { return int(both_->rows.size()); }
    QString line(int row) const override;
    Uid uidOf(int row) const override;
    char mark(int row) const override;
    int longestLine() const override { return text().longest; }
    int lineOf(Uid uid) const override;
    Uid uidOfName(const QString& name) const override;
    int numberOf(int row) const override { return lineAt(row) + 1; }

private:
    const StageText& text() const { return side_ == Side::Left ? *both_->left : *both_->right; }
    int lineAt(int row) const { return side_ == Side::Left ? both_->rows[std::size_t(row)].left : both_->rows[std::size_t(row)].right; }

    SideBySidePtr both_;
    Side side_;
    std::vector<int> rowOf_;  ///< by line of the text
};

class DiffPane : public QWidget {
    Q_OBJECT

public:
    explicit DiffPane(Session& session, QWidget* parent = nullptr);
    /// Asks for the texts of the current stage and the one before; the pane shows them when they come.
    void request(TextForm form);
    void setSelection(Uid uid);
    void setStorageNames(int storage, const std::unordered_set<QString>& names);
    /// To the next (+1) or previous run of differing lines; false at the ends.
    bool goToHunk(int direction);
    TextPane* left() const { return left_; }
    TextPane* right() const { return right_; }
    const SideBySidePtr& shown() const { return shown_; }
    /// `12 hunks`, `3 of 12 hunks`.
    QString said() const;

signals:
    void selected(aliascope::Uid uid);
    void activated(aliascope::Uid uid);

private:
    void show(SideBySidePtr both);
    void say();

    Session& session_;
    QLabel *leftTitle_ = nullptr, *rightTitle_ = nullptr;
    TextPane *left_ = nullptr, *right_ = nullptr;
    SideBySidePtr shown_;
    int hunk_ = -1;
    bool scrolling_ = false;
};

}  // namespace aliascope
