#pragma once
// What a newcomer has to know, a few sentences each (ui.md 2.13). Shown on the start page and in Help.

#include <QString>
#include <vector>

namespace aliascope {

struct LearnCard {
    const char* title;
    const char* text;  ///< rich text
};

const std::vector<LearnCard>& learnCards();
/// One card as a sheet.
QString learnSheet(std::size_t card);

}  // namespace aliascope
