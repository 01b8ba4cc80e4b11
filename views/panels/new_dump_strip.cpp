#include "views/panels/new_dump_strip.h"

#include <QDir>
#include <QHBoxLayout>
#include <QPainter>

#include "views/canvas/metrics.h"
#include "views/panels/widgets.h"

namespace aliascope {

NewDumpStrip::NewDumpStrip(QWidget* parent) : QWidget(parent) {
    setObjectName(QStringLiteral("watch.strip"));
    auto* row = new QHBoxLayout(this);
    row->setContentsMargins(Metrics::pad(), Metrics::em(0.3), Metrics::pad(), Metrics::em(0.3));
    row->setSpacing(Metrics::gap());
    text_ = new ElidedLabel(this);
    text_->setObjectName(QStringLiteral("watch.text"));
    open_ = textButton(tr("Open the latest"), QStringLiteral("watch.open"), this);
    stop_ = textButton(tr("Stop watching"), QStringLiteral("watch.stop"), this);
    row->addWidget(text_, 1);
    row->addWidget(open_);
    row->addWidget(stop_);
    connect(&watch_, &FolderWatch::appeared, this, &NewDumpStrip::tell);
    connect(open_, &QPushButton::clicked, this, [this] {
        told_.clear();
        open_->hide();
        text_->setText(tr("Watching %1").arg(QDir::toNativeSeparators(watch_.folder())));
        emit openWanted(latest_);
    });
    connect(stop_, &QPushButton::clicked, this, [this] {
        watch_.stop();
        hide();
    });
    hide();
}

void NewDumpStrip::watch(const QString& folder) {
    watch_.watch(folder);
    told_.clear();
    text_->setText(tr("Watching %1 for new dumps").arg(QDir::toNativeSeparators(watch_.folder())));
    open_->hide();
    setVisible(true);
}

void NewDumpStrip::tell(const QString& path) {
    latest_ = path;
    told_.insert(path);
    const QString name = QDir(watch_.folder()).relativeFilePath(path);
    text_->setText(told_.size() == 1 ? tr("New dump: %1").arg(name) : tr("%1 new dumps, the latest: %2").arg(told_.size()).arg(name));
    open_->setVisible(true);
    setVisible(true);
}

void NewDumpStrip::paintEvent(QPaintEvent*) {
    QPainter painter(this);
    const Palette& p = Palette::active();
    painter.fillRect(rect(), p.mix(Role::Panel, Role::Selection, p.theme() == Theme::Light ? 0.08 : 0.16));
    painter.setPen(p(Role::Line));
    painter.drawLine(rect().bottomLeft(), rect().bottomRight());
}

}  // namespace aliascope
