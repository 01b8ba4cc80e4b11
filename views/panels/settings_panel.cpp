#include "views/panels/settings_panel.h"

#include <QCheckBox>
#include <QComboBox>
#include <QFormLayout>
#include <QHBoxLayout>
#include <QHeaderView>
#include <QSortFilterProxyModel>
#include <QVBoxLayout>

#include "views/canvas/metrics.h"
#include "views/panels/widgets.h"

namespace aliascope {

SettingsPanel::SettingsPanel(QWidget* parent) : QWidget(parent), keys_(new KeyModel(this)), proxy_(new QSortFilterProxyModel(this)) {
    setObjectName(QStringLiteral("settings"));
    proxy_->setSourceModel(keys_);
    proxy_->setFilterKeyColumn(-1);
    proxy_->setFilterCaseSensitivity(Qt::CaseInsensitive);
    auto* column = new QVBoxLayout(this);
    column->setContentsMargins(Metrics::pad(), Metrics::gap(), Metrics::pad(), Metrics::gap());
    column->setSpacing(Metrics::gap());
    column->addWidget(buildHead());
    column->addWidget(heading(tr("Keys"), this));
    auto* row = new QHBoxLayout;
    auto* filter = filterField(tr("Filter commands and keys"), QStringLiteral("settings.filter"), this);
    row->addWidget(filter, 1);
    auto* reset = textButton(tr("As in the beginning"), QStringLiteral("settings.reset"), this);
    reset->setAccessibleName(tr("All keys as in the beginning"));
    row->addWidget(reset);
    column->addLayout(row);
    table_ = new QTableView(this);
    table_->setModel(proxy_);
    dressTable(table_, QStringLiteral("settings.keys"), tr("Commands and their keys"));
    table_->setSortingEnabled(false);
    table_->setEditTriggers(QAbstractItemView::DoubleClicked | QAbstractItemView::EditKeyPressed | QAbstractItemView::AnyKeyPressed);
    table_->setToolTip(tr("F2 or a double click changes a key, as Ctrl+E or Shift+F5; empty: none"));
    table_->setColumnWidth(KeyModel::Name, Metrics::em(19));
    column->addWidget(table_, 1);
    said_ = new QLabel(this);
    said_->setObjectName(QStringLiteral("settings.said"));
    said_->setWordWrap(true);
    said_->hide();
    column->addWidget(said_);

    const auto say = [this](const QString& sentence) {
        said_->setText(sentence);
        said_->setAccessibleName(sentence);
        said_->setVisible(!sentence.isEmpty());
    };
    connect(filter, &QLineEdit::textChanged, proxy_, &QSortFilterProxyModel::setFilterFixedString);
    connect(reset, &QPushButton::clicked, keys_, &KeyModel::reset);
    connect(keys_, &KeyModel::refused, this, say);
    connect(keys_, &KeyModel::keysChanged, this, [say] { say({}); });
}

QWidget* SettingsPanel::buildHead() {
    auto* head = new QWidget(this);
    auto* form = new QFormLayout(head);
    form->setContentsMargins(0, 0, 0, 0);
    form->setHorizontalSpacing(Metrics::pad());
    theme_ = choiceBox(tr("Theme"), QStringLiteral("settings.theme"), head);
    theme_->addItem(tr("as the desktop"), int(ThemeChoice::System));
    theme_->addItem(tr("light"), int(ThemeChoice::Light));
    theme_->addItem(tr("dark"), int(ThemeChoice::Dark));
    theme_->addItem(tr("high contrast"), int(ThemeChoice::HighContrast));
    form->addRow(tr("Theme"), theme_);
    singleKeys_ = new QCheckBox(tr("Commands of one key, as N and W"), head);
    singleKeys_->setObjectName(QStringLiteral("settings.singleKeys"));
    singleKeys_->setAccessibleName(singleKeys_->text());
    singleKeys_->setChecked(true);
    form->addRow(QString(), singleKeys_);
    graphviz_ = new QCheckBox(tr("Neighbourhoods placed by Graphviz"), head);
    graphviz_->setObjectName(QStringLiteral("settings.graphviz"));
    graphviz_->setAccessibleName(graphviz_->text());
    graphviz_->setToolTip(tr("Up to 200 nodes, where its program dot is installed; else the built-in placement"));
    graphviz_->setChecked(true);
    form->addRow(QString(), graphviz_);
    auto* close = textButton(tr("Close  Ctrl+,"), QStringLiteral("settings.close"), head);
    auto* last = new QHBoxLayout;
    last->addWidget(close);
    last->addStretch(1);
    form->addRow(QString(), last);
    for (QLabel* label : head->findChildren<QLabel*>(QString(), Qt::FindDirectChildrenOnly)) label->setProperty("quiet", true);
    connect(theme_, &QComboBox::activated, this, [this] { emit themeChosen(ThemeChoice(theme_->currentData().toInt())); });
    connect(singleKeys_, &QCheckBox::clicked, this, &SettingsPanel::singleKeysChosen);
    connect(graphviz_, &QCheckBox::clicked, this, &SettingsPanel::graphvizChosen);
    connect(close, &QPushButton::clicked, this, &SettingsPanel::closeWanted);
    return head;
}

void SettingsPanel::focusFirst() { theme_->setFocus(Qt::ShortcutFocusReason); }

void SettingsPanel::showTheme(ThemeChoice choice) { theme_->setCurrentIndex(theme_->findData(int(choice))); }

void SettingsPanel::showGraphviz(bool on) { graphviz_->setChecked(on); }

void SettingsPanel::showSingleKeys(bool on) { singleKeys_->setChecked(on); }

}  // namespace aliascope
