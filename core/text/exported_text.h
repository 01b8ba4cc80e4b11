#pragma once
// The signature and the ranges below the code of an `ExportedProgram:` print (formats.md 11.6).

#include "core/text/document.h"
#include "core/text/source_text.h"

namespace aliascope {

/// Reads what follows unit.spanEnd into the unit's signature and symbols, in both spellings of PyTorch. Parts may be missing.
void readExportedText(const SourceText& source, Unit& unit);

}  // namespace aliascope
