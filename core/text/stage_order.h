#pragma once
// The graphs of one compilation in the order in which PyTorch makes them (formats.md 15).

#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/document.h"

namespace aliascope {

/// `0_forward`, `3_backward`, `1_inference`: the AOT id and the phase, as output code and debug folders write them.
struct AotName {
    int id = 0;
    Phase phase = Phase::Unknown;
};
std::optional<AotName> parseAotName(std::string_view text);
/// Of `# AOT ID: ['0_forward']` in the first lines of output code.
std::optional<AotName> aotNameOfCode(std::string_view code);

/// Whether both come from one compilation, whatever attempt.
bool sameCompilation(const Unit& a, const Unit& b);

/// Puts graphs of one group beside each other, phases in the order of the compiler, file order inside a phase. Before: what later attempts replaced
/// is marked, graphs without a phase get that of the AOT graph whose parameters they have, AOT ids spread inside a group, and inputs that lack
/// strides or device take them from the input of the same name and sizes in another stage. What is in order stays as it is.
void orderStages(std::vector<Unit>& units);

/// Graphs that are stages of one program, in order.
struct StageChain {
    std::string name;                ///< `0/0 forward`, `rank 1 0/0 backward`, `dumps`
    std::vector<std::size_t> units;  ///< at least two
    std::size_t home = 0;            ///< the unit of the chain that stands for the program: the first of its last phase
};
/// The chains of a document (formats.md 15.5): what leads to forward or inference, what leads to backward, or the numbered files of a folder. Kernels
/// and abandoned attempts are in none. Empty when nothing says that graphs belong together.
std::vector<StageChain> stageChains(const Document& doc);

/// The graphs of the compilation that `unit` belongs to, as a document of their own; `unit` becomes its place there. A long text is cut to the part in
/// which they stand. A document of one compilation is copied whole.
Document compilationOf(const Document& doc, std::size_t& unit);

}  // namespace aliascope
