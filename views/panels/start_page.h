#pragma once
// What stands in the window before a file is open: open, paste, newest trace, watch, recent files, samples (ui.md 2.13).

#include <QWidget>

#include "views/models/sample_list.h"

class QListView;

namespace aliascope {

class StartPage : public QWidget {
    Q_OBJECT

public:
    explicit StartPage(RecentModel& recent, QWidget* parent = nullptr);

signals:
    void openWanted();
    void pasteWanted();
    void newestWanted();
    void watchWanted();
    void learnWanted(std::size_t card);  ///< index into learnCards()
    void requested(const aliascope::OpenRequest& request);

protected:
    void paintEvent(QPaintEvent* event) override;

private:
    QWidget* left();
    QWidget* right();

    RecentModel& recent_;
    QListView *recentList_ = nullptr, *sampleList_ = nullptr;
    QWidget* recentEmpty_ = nullptr;
};

}  // namespace aliascope
