#include "views/panels/theme.h"

#include <QApplication>
#include <QFile>
#include <QFontInfo>
#include <QIconEngine>
#include <QLabel>
#include <QPainter>
#include <QPalette>
#include <QStyleFactory>
#include <QSvgRenderer>

#include "views/canvas/metrics.h"

/// Resources of a static library are linked in only when they are asked for; the macro wants the global namespace.
static void initResources() { Q_INIT_RESOURCE(aliascope_resources); }

namespace aliascope {
namespace {

ThemeChoice currentChoice = ThemeChoice::System;
bool systemIsDark = false;

/// Paints an SVG whose strokes are `currentColor`; reads the palette when it paints, so icons follow the theme.
class ThemedIconEngine : public QIconEngine {
public:
    ThemedIconEngine(QString name, Role role) : name_(std::move(name)), role_(role) {}

    void paint(QPainter* painter, const QRect& rect, QIcon::Mode mode, QIcon::State state) override {
        const Palette& p = Palette::active();
        QColor colour = p(role_);
        if (mode == QIcon::Disabled) colour = p.mix(Role::Panel, Role::Secondary, 0.45);
        if (state == QIcon::On && role_ == Role::Secondary) colour = p(Role::Selection);
        QFile file(QStringLiteral(":/icons/%1.svg").arg(name_));
        if (!file.open(QIODevice::ReadOnly)) return;
        QSvgRenderer renderer(file.readAll().replace("currentColor", colour.name().toLatin1()));
        renderer.render(painter, rect);
    }

    QPixmap pixmap(const QSize& size, QIcon::Mode mode, QIcon::State state) override {
        QPixmap out(size);
        if (size.isEmpty()) return out;  // a button without room
        out.fill(Qt::transparent);
        QPainter painter(&out);
        paint(&painter, QRect(QPoint(0, 0), size), mode, state);
        return out;
    }

    QIconEngine* clone() const override { return new ThemedIconEngine(name_, role_); }

private:
    QString name_;
    Role role_;
};

QPalette qtPalette(const Palette& p) {
    QPalette out;
    const QColor ink = p(Role::Ink), faint = p.mix(Role::Panel, Role::Secondary, 0.55);
    const QColor selected = p.mix(Role::Panel, Role::Selection, p.theme() == Theme::Light ? 0.14 : 0.26);
    out.setColor(QPalette::Window, p(Role::Panel));
    out.setColor(QPalette::WindowText, ink);
    out.setColor(QPalette::Base, p(Role::Panel));
    out.setColor(QPalette::AlternateBase, p(Role::Canvas));
    out.setColor(QPalette::Text, ink);
    out.setColor(QPalette::PlaceholderText, p(Role::Secondary));
    out.setColor(QPalette::Button, p(Role::Panel));
    out.setColor(QPalette::ButtonText, ink);
    out.setColor(QPalette::BrightText, p(Role::Wrong));
    out.setColor(QPalette::Link, p(Role::Selection));
    out.setColor(QPalette::LinkVisited, p(Role::Selection));
    out.setColor(QPalette::Highlight, selected);
    out.setColor(QPalette::HighlightedText, ink);
    out.setColor(QPalette::ToolTipBase, p(Role::Panel));
    out.setColor(QPalette::ToolTipText, ink);
    out.setColor(QPalette::Light, p.mix(Role::Panel, Role::Canvas, 0.5));
    out.setColor(QPalette::Midlight, p(Role::Canvas));
    out.setColor(QPalette::Mid, p(Role::Line));
    out.setColor(QPalette::Dark, p(Role::Line));
    out.setColor(QPalette::Shadow, p(Role::Line));
    for (QPalette::ColorRole role : {QPalette::WindowText, QPalette::Text, QPalette::ButtonText, QPalette::HighlightedText})
        out.setColor(QPalette::Disabled, role, faint);
    return out;
}

QString styleSheet(const Palette& p) {
    QString css = QStringLiteral(R"(
QMainWindow, QMainWindow::separator { background: @canvas; }
QMainWindow::separator { width: @gapHalf; height: @gapHalf; }
QMainWindow::separator:hover { background: @line; }
QToolTip { background: @panel; color: @ink; border: @hair solid @line; padding: @tight; }
QMenuBar { background: @panel; padding: 0 @tight; border-bottom: @hair solid @line; }
QMenuBar::item { padding: @menuPad @gap; background: transparent; }
QMenuBar::item:selected, QMenuBar::item:pressed { background: @hover; }
QMenu { background: @panel; border: @hair solid @line; padding: @tight 0; }
QMenu::item { padding: @menuPad @section @menuPad @section; }
QMenu::item:selected { background: @hover; }
QMenu::item:disabled { color: @faint; }
QMenu::separator { height: @hair; background: @line; margin: @tight 0; }
QMenu::indicator { width: @icon; height: @icon; margin-left: @tight; }
QMenu::indicator:checked { image: none; background: @selection; }
QToolBar { background: @panel; border: none; border-bottom: @hair solid @line; padding: @tight @gap; spacing: @tight; }
QToolBar::separator { background: @line; width: @hair; margin: @tight @gap; }
QToolButton, QPushButton { background: @panel; color: @ink; border: @hair solid transparent; padding: @buttonPad @gap; }
QPushButton { border-color: @line; min-height: @buttonHeight; padding: @buttonPad @pad; }
QToolButton:hover, QPushButton:hover { background: @hover; }
QToolButton:pressed, QPushButton:pressed { background: @pressed; }
QToolButton:checked { background: @tint; color: @ink; border-color: @selection; }
QToolButton:disabled, QPushButton:disabled { color: @faint; }
QPushButton:default, QPushButton[primary="true"] { background: @selection; color: @panel; border-color: @selection; }
QPushButton[primary="true"]:hover { background: @selectionHover; }
QPushButton[primary="true"]:disabled { background: @pressed; color: @faint; border-color: @line; }
QPushButton[flat="true"] { border-color: transparent; }
QPushButton[link="true"] { color: @selection; padding: @buttonPad 0; text-align: left; }
QPushButton:focus, QToolButton:focus { border: 2px solid @selection; padding: @buttonPadFocus @gapFocus; }
QToolButton::menu-indicator { image: none; width: 0; }
QLineEdit, QComboBox { background: @panel; color: @ink; border: @hair solid @line; padding: @buttonPad @gap; min-height: @buttonHeight; selection-background-color: @tint; selection-color: @ink; }
QLineEdit:focus, QComboBox:focus { border: 2px solid @selection; padding: @buttonPadFocus @gapFocus; }
QComboBox:hover { background: @hover; }
QComboBox::drop-down { border: none; width: @dropDown; }
QComboBox::down-arrow { image: url(:/icons/combo-arrow.svg); width: @check; height: @check; }
QComboBox QAbstractItemView { background: @panel; border: @hair solid @line; outline: 0; padding: @tight 0; }
QComboBox QAbstractItemView::item { min-height: @row; padding: 0 @gap; }
QAbstractSpinBox { background: @panel; color: @ink; border: @hair solid @line; padding: @buttonPad @gap; min-height: @buttonHeight; selection-background-color: @tint; selection-color: @ink; }
QAbstractSpinBox:focus { border: 2px solid @selection; padding: @buttonPadFocus @gapFocus; }
QAbstractSpinBox QLineEdit { border: none; padding: 0; min-height: 0; }
QAbstractSpinBox::up-button, QAbstractSpinBox::down-button { subcontrol-origin: border; border: none; width: @dropDown; background: transparent; }
QAbstractSpinBox::up-button { subcontrol-position: top right; }
QAbstractSpinBox::down-button { subcontrol-position: bottom right; }
QAbstractSpinBox::up-button:hover, QAbstractSpinBox::down-button:hover { background: @hover; }
QAbstractSpinBox::up-arrow { image: url(:/icons/spin-up.svg); width: @check; height: @check; }
QAbstractSpinBox::down-arrow { image: url(:/icons/combo-arrow.svg); width: @check; height: @check; }
QCheckBox { spacing: @tight; padding: @buttonPad 0; }
QCheckBox::indicator { width: @check; height: @check; border: @hair solid @edge; background: @panel; }
QCheckBox::indicator:checked { background: @selection; border-color: @selection; image: url(:/icons/@tick.svg); }
QCheckBox::indicator:disabled { border-color: @faint; }
QCheckBox:focus { color: @selection; }
QTabWidget::pane { border: none; border-top: @hair solid @line; background: @panel; top: -1px; }
QTabBar { background: @panel; }
QTabBar::tab { background: transparent; color: @secondary; padding: @tabPad @pad; border: none; border-bottom: 2px solid transparent; }
QTabBar::tab:selected { color: @ink; border-bottom: 2px solid @selection; }
QTabBar::tab:hover:!selected { background: @hover; }
QTabBar::tab:focus { color: @selection; }
QDockWidget { color: @ink; font-weight: 600; }
QDockWidget::title { background: @panel; padding: @tabPad @pad; border-bottom: @hair solid @line; }
QAbstractItemView { background: @panel; color: @ink; border: none; outline: 0; selection-background-color: @tint; selection-color: @ink; alternate-background-color: @canvas; }
QTableView { gridline-color: transparent; }
QTableView::item, QListView::item { padding: 0 @gap; border: none; }
QTableView::item:hover, QTreeView::item:hover, QListView::item:hover { background: @hover; }
QTableView::item:selected, QTreeView::item:selected, QListView::item:selected { background: @tint; color: @ink; }
QHeaderView { background: @panel; border: none; }
QHeaderView::section { background: @panel; color: @secondary; border: none; border-bottom: @hair solid @line; padding: @tight @gap; font-weight: 500; }
QHeaderView::section:hover { color: @ink; }
QHeaderView::up-arrow, QHeaderView::down-arrow { image: none; width: 0; height: 0; }
QTreeView::branch { background: transparent; border-image: none; image: none; }
QStatusBar { background: @panel; border-top: @hair solid @line; color: @secondary; }
QStatusBar::item { border: none; }
QScrollBar:vertical { background: transparent; width: @bar; margin: 0; }
QScrollBar:horizontal { background: transparent; height: @bar; margin: 0; }
QScrollBar::handle { background: @thumb; border: 2px solid @panel; min-height: @section; min-width: @section; }
QScrollBar::handle:hover { background: @edge; }
QScrollBar::add-line, QScrollBar::sub-line { width: 0; height: 0; }
QScrollBar::add-page, QScrollBar::sub-page { background: transparent; }
QAbstractScrollArea::corner { background: @panel; border: none; }
QSplitter::handle { background: @line; }
QSplitter::handle:hover { background: @selection; }
QProgressBar { background: @pressed; border: none; max-height: @gapHalf; min-height: @gapHalf; }
QProgressBar::chunk { background: @selection; }
QFrame[rule="true"] { background: @line; border: none; max-height: @hair; min-height: @hair; }
QLabel { background: transparent; }
QLabel[quiet="true"] { color: @secondary; }
QWidget[surface="canvas"] { background: @canvas; }
QWidget[surface="panel"] { background: @panel; }
)");
    auto px = [](int n) { return QString::number(n) + QStringLiteral("px"); };
    const bool light = p.theme() == Theme::Light;
    const std::vector<std::pair<QString, QString>> values = {
        {QStringLiteral("@canvas"), p(Role::Canvas).name()},
        {QStringLiteral("@panel"), p(Role::Panel).name()},
        {QStringLiteral("@line"), p(Role::Line).name()},
        {QStringLiteral("@hair"), px(p.line())},
        {QStringLiteral("@tick"), light ? QStringLiteral("tick-light") : QStringLiteral("tick-dark")},
        {QStringLiteral("@ink"), p(Role::Ink).name()},
        {QStringLiteral("@secondary"), p(Role::Secondary).name()},
        {QStringLiteral("@edge"), p(Role::Edge).name()},
        {QStringLiteral("@selectionHover"), p.mix(Role::Selection, Role::Ink, 0.15).name()},
        {QStringLiteral("@selection"), p(Role::Selection).name()},
        {QStringLiteral("@hover"), p.mix(Role::Panel, Role::Ink, 0.05).name()},
        {QStringLiteral("@pressed"), p.mix(Role::Panel, Role::Ink, 0.10).name()},
        {QStringLiteral("@thumb"), p.mix(Role::Panel, Role::Ink, 0.22).name()},
        {QStringLiteral("@faint"), p.mix(Role::Panel, Role::Secondary, 0.55).name()},
        {QStringLiteral("@tint"), p.mix(Role::Panel, Role::Selection, light ? 0.14 : 0.26).name()},
        {QStringLiteral("@buttonPadFocus"), px(std::max(0, Metrics::em(0.15) - 1))},
        {QStringLiteral("@buttonPad"), px(Metrics::em(0.15))},
        {QStringLiteral("@buttonHeight"), px(Metrics::em(1.45))},
        {QStringLiteral("@gapFocus"), px(Metrics::gap() - 1)},
        {QStringLiteral("@gapHalf"), px(Metrics::em(0.3))},
        {QStringLiteral("@gap"), px(Metrics::gap())},
        {QStringLiteral("@tight"), px(Metrics::tight())},
        {QStringLiteral("@menuPad"), px(Metrics::em(0.3))},
        {QStringLiteral("@tabPad"), px(Metrics::em(0.45))},
        {QStringLiteral("@pad"), px(Metrics::pad())},
        {QStringLiteral("@section"), px(Metrics::section())},
        {QStringLiteral("@icon"), px(Metrics::em(0.5))},
        {QStringLiteral("@check"), px(Metrics::em(0.85))},
        {QStringLiteral("@dropDown"), px(Metrics::em(1.4))},
        {QStringLiteral("@row"), px(Metrics::row())},
        {QStringLiteral("@bar"), px(Metrics::scrollBar())},
    };
    for (const auto& [key, value] : values) css.replace(key, value);
    return css;
}

}  // namespace

void prepareTheme(QApplication& app) {
    initResources();
    const QPalette palette = QApplication::palette();
    systemIsDark = palette.color(QPalette::Window).lightnessF() < palette.color(QPalette::WindowText).lightnessF();
    app.setStyle(QStyleFactory::create(QStringLiteral("Fusion")));
}

Theme systemTheme() { return systemIsDark ? Theme::Dark : Theme::Light; }

ThemeChoice themeChoice() { return currentChoice; }

namespace {

Theme themeOf(ThemeChoice choice) {
    switch (choice) {
        case ThemeChoice::Light:
            return Theme::Light;
        case ThemeChoice::Dark:
            return Theme::Dark;
        case ThemeChoice::HighContrast:
            return Theme::HighContrast;
        case ThemeChoice::System:
            break;
    }
    return systemTheme();
}

}  // namespace

ThemeChoice themeChoiceFrom(int stored) {
    return stored >= 0 && stored <= int(ThemeChoice::HighContrast) ? ThemeChoice(stored) : ThemeChoice::System;
}

void applyTheme(ThemeChoice choice) {
    currentChoice = choice;
    const Theme theme = themeOf(choice);
    Palette::setActive(theme);
    QApplication::setPalette(qtPalette(Palette::of(theme)));
    qApp->setStyleSheet(styleSheet(Palette::of(theme)));
    // A rich text keeps the colour that links had when it was set.
    for (QWidget* widget : QApplication::allWidgets()) {
        auto* label = qobject_cast<QLabel*>(widget);
        if (!label || !label->text().contains(QLatin1String("<a "))) continue;
        const QString text = label->text();
        label->clear();
        label->setText(text);
    }
}

QIcon themedIcon(const QString& name, Role role) { return QIcon(new ThemedIconEngine(name, role)); }

}  // namespace aliascope
