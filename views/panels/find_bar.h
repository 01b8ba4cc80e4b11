#pragma once
// Finds nodes of the current stage in the language of ui.md 3.7: what is typed so far finds, a mistake is named with its column.

#include <QWidget>

#include "views/session/session.h"

class QLabel;
class QLineEdit;

namespace aliascope {

using FindHits = std::shared_ptr<const std::vector<std::uint32_t>>;  ///< indices into the stage's nodes, in program order

class FindBar : public QWidget {
    Q_OBJECT

public:
    explicit FindBar(Session& session, QWidget* parent = nullptr);
    /// Shows the bar with its text selected.
    void open();
    void setText(const QString& text);
    QString text() const;
    QString said() const;
    /// To the next (+1) or previous hit; opens the groups that hide it. False when there is none.
    bool step(int direction);
    const FindHits& hits() const { return hits_; }
    /// `show --find` with this text; empty when nothing is sought.
    QString command() const;

signals:
    void hitsChanged();
    void left();  ///< the reader is done: Esc

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    void seek();
    void say();
    void openGroupsOf(std::uint32_t node);

    Session& session_;
    QLineEdit* field_ = nullptr;
    QLabel* count_ = nullptr;
    FindHits hits_;
    QString mistake_;
    StageViewPtr seen_;  ///< the stage that hits_ are of
    bool stepWhenFound_ = false;
};

}  // namespace aliascope
