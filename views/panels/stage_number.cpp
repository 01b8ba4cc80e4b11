#include "views/panels/stage_number.h"

#include <QShortcut>
#include <QWidget>
#include <algorithm>
#include <utility>

namespace aliascope {
namespace {

constexpr int kPatienceMs = 3000;
constexpr int kLargest = 99'999;  // no lane has as many stages

}  // namespace

StageNumber::StageNumber(QWidget* window) : QObject(window) {
    for (int digit = 0; digit <= 9; ++digit) {
        auto* key = new QShortcut(QKeySequence(Qt::Key_0 + digit), window);
        connect(key, &QShortcut::activated, this, [this, digit] { add(digit); });
        digits_.push_back(key);
    }
    for (const auto& [code, chooses] : {std::pair(Qt::Key_Return, true), std::pair(Qt::Key_Enter, true), std::pair(Qt::Key_Backspace, false)}) {
        auto* key = new QShortcut(QKeySequence(code), window);
        key->setEnabled(false);
        connect(key, &QShortcut::activated, this, [this, chooses = chooses] { finish(chooses); });
        ends_.push_back(key);
    }
    patience_.setSingleShot(true);
    patience_.setInterval(kPatienceMs);
    connect(&patience_, &QTimer::timeout, this, [this] { finish(false); });
}

void StageNumber::setEnabled(bool on) {
    finish(false);
    for (QShortcut* key : digits_) key->setEnabled(on);
}

void StageNumber::add(int digit) {
    number_ = std::min(number_ * 10 + digit, kLargest);
    for (QShortcut* key : ends_) key->setEnabled(true);
    patience_.start();
    emit typed(tr("stage: %1_").arg(number_));
}

void StageNumber::finish(bool choose) {
    const int number = std::exchange(number_, 0);
    patience_.stop();
    for (QShortcut* key : ends_) key->setEnabled(false);
    if (choose)
        emit chosen(number);
    else if (number > 0)
        emit typed({});
}

}  // namespace aliascope
