#pragma once
// What logs and traces tell of the inputs of graphs beside the graphs (formats.md 9): tensors as the program passed them, and what a compiled
// function does to them.

#include <map>
#include <string>
#include <string_view>
#include <vector>

#include "core/text/document.h"
#include "core/text/json_reader.h"

namespace aliascope {

/// The records `describe_storage`, `describe_tensor` and `describe_source` of one compilation.
class InputFacts {
public:
    /// `kind` is one of these; `fact` is its value.
    void add(std::string_view kind, JsonValue fact);
    /// Gives the inputs of a Dynamo graph the types of the tensors that they stand for, as far as they lack them; inputs on one storage become a
    /// note.
    void tell(Unit& unit) const;

private:
    using Id = std::pair<std::int64_t, std::int64_t>;  // describer, and its number there
    struct Tensor {
        TypePtr type;
        std::int64_t storage = -1;
    };
    std::map<Id, Tensor> tensors_;
    std::map<std::string, std::vector<Id>, std::less<>> sources_;  // by the name that Dynamo makes of `L['x']`
};

/// `ViewAndMutationMeta(input_info=[…], output_info=[…], …)`: notes on inputs that are written and outputs that are views of inputs.
std::vector<std::string> mutationNotes(std::string_view metadata, const Graph& g);

}  // namespace aliascope
