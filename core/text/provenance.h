#pragma once
// Comments that say where the following nodes came from (formats.md 5.6).

#include <string_view>

#include "core/ir/graph.h"

namespace aliascope {

/// Whether a comment (from `#` on) states a place or the lack of one. Others are no provenance.
bool isProvenance(std::string_view comment);
/// Precondition: isProvenance(comment). `# No stacktrace found …` gives an entry without file.
Provenance parseProvenance(std::string_view comment);

}  // namespace aliascope
