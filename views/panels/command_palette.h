#pragma once
// One box for commands, stages, nodes, storages, decisions and samples (ui.md 3.3). Prefixes: `>` command, `:` stage, `@` node, `#` storage,
// `!` decision.

#include <QFrame>
#include <functional>

#include "views/session/session.h"

class QLineEdit;
class QListView;
class QStandardItemModel;

namespace aliascope {

class CommandPalette : public QFrame {
    Q_OBJECT

public:
    CommandPalette(Session& session, QWidget* parent);
    /// Shows the box with `text` in it (a prefix, or nothing).
    void open(const QString& text = {});
    int resultCount() const;

    /// Verbs of the command line, in the order of their table.
    struct Verb {
        QString name, arguments, help;
    };
    void setVerbs(std::vector<Verb> verbs) { verbs_ = std::move(verbs); }

signals:
    void verbChosen(const QString& name);
    void explainWanted(const QString& logLine);
    void said(const QString& sentence);
    void commandChosen(const QString& id);
    void sampleChosen(int sample);

protected:
    bool eventFilter(QObject* watched, QEvent* event) override;

private:
    struct Entry {
        QString kind, text, detail;
        std::function<void()> run;
    };
    void search();
    void collect();
    void collectNodes();
    void collectWords();
    void showExplain(const QString& line);
    void accept();
    void place();

    Session& session_;
    std::vector<Verb> verbs_;
    QLineEdit* field_;
    QListView* list_;
    QStandardItemModel* model_;
    std::vector<Entry> entries_;
    std::vector<std::size_t> shown_;  ///< index into entries_ of each row
    std::vector<QString> recent_;     ///< chosen lately, newest first
};

}  // namespace aliascope
