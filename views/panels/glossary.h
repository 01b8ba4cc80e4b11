#pragma once
// What the words of the window mean (ui.md 0): for the palette (`?`), Help > Glossary and tooltips.

#include <QString>
#include <vector>

namespace aliascope {

struct GlossaryTerm {
    const char* word;
    const char* meaning;
};

const std::vector<GlossaryTerm>& glossary();
/// What a word means, whatever its case, in one or several; empty = no word of the glossary.
QString meaningOf(const QString& word);
/// All terms as rich text.
QString glossarySheet();

}  // namespace aliascope
