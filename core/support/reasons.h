#pragma once
// The one list of reasons (resources/reasons.tsv, after reason-codes.md): code, area, sentence, advice.

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/support/diagnostic.h"

namespace aliascope {

struct Reason {
    std::string_view code;      ///< `RI30.READ`, `R014`, `WRAPPED`
    std::string_view name;      ///< `LATER_READ`; equals code where a code is a name
    std::string_view area;      ///< reinplace, functionalize, cleanup, patterns, chunk, exec, read
    std::string_view sentence;  ///< with {parameters}
    std::string_view advice;    ///< may be empty
};

/// All rows in the order of the file.
const std::vector<Reason>& allReasons();
/// Row of `code` (or of a name such as LATER_READ); `area` decides between two rows of one code, empty = first.
const Reason* findReason(std::string_view code, std::string_view area = {});
/// Fills {name} from params; an unknown {name} stays as it is, so that a missing parameter is seen.
std::string fillSentence(std::string_view sentence, const Params& params);

}  // namespace aliascope
