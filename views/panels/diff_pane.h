#pragma once
// Two stages as text beside each other: the one before and the current one, scrolled together, line against line (ui.md 2.4).

#include <QWidget>
#include <set>

#include "views/panels/text_pane.h"
#include "views/session/session.h"
#include "views/session/side_by_side.h"

class QCheckBox;
class QLabel;
class QToolButton;

namespace aliascope {

/// One side of a comparison as lines; where the other side has more, it has nothing.
class SideLines : public LineSource {
public:
    enum class Side : std::uint8_t { Left, Right };
    SideLines(SideBySidePtr both, ShownRowsPtr shown, Side side);
    int lineCount() const override { return int(shown_->lines.size()); }
    QString line(int line) const override;
    Uid uidOf(int line) const override;
    char mark(int line) const override;
    int longestLine() const override { return text().longest; }
    int lineOf(Uid uid) const override;
    Uid uidOfName(const QString& name) const override;
    int numberOf(int line) const override { return lineAt(line) + 1; }

private:
    const StageText& text() const { return side_ == Side::Left ? *both_->left : *both_->right; }
    /// Line of the text that stands there; -1 = none.
    int lineAt(int line) const;
    int ofRow(int row) const { return side_ == Side::Left ? both_->rows[std::size_t(row)].left : both_->rows[std::size_t(row)].right; }

    SideBySidePtr both_;
    ShownRowsPtr shown_;
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
    void setStorageNames(int slot, const std::unordered_set<QString>& names);
    /// To the next (+1) or previous run of differing lines; false at the ends.
    bool goToHunk(int direction);
    TextPane* left() const { return left_; }
    TextPane* right() const { return right_; }
    const SideBySidePtr& shown() const { return shown_; }
    /// Leaves out what is alike on both sides; a click on the line that stands for it, or selecting a node in it, brings it back.
    void setHideUnchanged(bool on);
    bool hidesUnchanged() const;
    /// Lines that differ only in how the same nodes are called count as alike.
    void setIgnoreRenames(bool on);
    bool ignoresRenames() const;
    /// `12 hunks`, `3 of 12 hunks`.
    QString said() const;

signals:
    void selected(aliascope::Uid uid);
    void activated(aliascope::Uid uid);

private:
    QWidget* buildHead();
    void show(SideBySidePtr both);
    void fill();
    void openRun(int line);
    void openRunOf(Uid uid);
    void say();

    Session& session_;
    QLabel *leftTitle_ = nullptr, *rightTitle_ = nullptr, *hunks_ = nullptr;
    QToolButton *previous_ = nullptr, *next_ = nullptr;
    QCheckBox *hide_ = nullptr, *renames_ = nullptr;
    TextPane *left_ = nullptr, *right_ = nullptr;
    SideBySidePtr shown_;
    ShownRowsPtr rows_;
    std::set<int> opened_;  ///< first rows of runs that were brought back
    TextForm form_ = TextForm::Readable;
    int hunk_ = -1;
    bool scrolling_ = false;
};

}  // namespace aliascope
