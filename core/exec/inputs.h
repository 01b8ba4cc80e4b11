#pragma once
// The values that a graph runs on (executor.md 5.4): from a file, or random by role. They belong to the graph as opened; every stage of a pipeline
// gets the same ones, because its placeholders are those of the graph as opened. Thread-safety: an InputSet is immutable; forStage may be called from
// several threads with different backends.

#include <cstdint>
#include <optional>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/exec/backend.h"
#include "core/exec/literal_constants.h"
#include "core/exec/tensor_files.h"
#include "core/ir/graph.h"
#include "core/support/result.h"

namespace aliascope::exec {

/// `name` shares the storage of `base` (executor.md 1.2 f).
struct InputAlias {
    Name name, base;
    std::int64_t offset = 0;  ///< of its first element, in its own elements from the start of the storage
};

/// A number, or the tensor of a file, for one input, constant or symbol.
struct InputBinding {
    Name name;
    std::optional<std::int64_t> number;
    std::string file;
};

struct InputOptions {
    const TensorFile* file = nullptr;  ///< null: everything is random; tangents that it lacks are so too
    std::uint64_t seed = 0;
    bool cast = false;  ///< floats of the file may be converted to the placeholder's type
    /// With a file: constants that it lacks are random too instead of CONSTANT_VALUE_MISSING.
    bool randomConstants = false;
    std::vector<InputAlias> aliases;
    std::vector<InputBinding> bindings;
    /// Constants whose values are known from elsewhere (literal_constants.h), by name; a file goes before them.
    std::vector<LiteralConstant> literals;
};

/// One chosen value. Tensors are kept as the bytes of their storage, so that strides, gaps and offset come out alike on every device.
struct InputValue {
    Name name;    ///< placeholder, or attribute path of a constant
    NodeId node;  ///< of the graph as opened; invalid for constants
    bool constant = false;
    TensorType type;                      ///< sizes, strides and offset are numbers; only of tensors
    std::vector<std::byte> storage;       ///< of tensors
    std::optional<std::int64_t> integer;  ///< of symbols
    std::string role;                     ///< `ids`, `float`, …, `file`
    std::string reason;                   ///< why, or the name in the file
    Name sharesWith;                      ///< the input that owns its storage; empty = itself
    int index = -1;                       ///< among the tensors of the inputs, from 0; -1 = no tensor, or a constant
};

/// What execute() takes.
struct StageInputs {
    std::vector<RuntimeValue> values;  ///< by placeholder of the stage
    std::unordered_map<Name, RuntimeValue> constants;
    std::vector<int> indices;  ///< by placeholder of the stage: INDEX of `in/INDEX` and `after/INDEX`; -1 = none
};

class InputSet {
public:
    /// Values for every placeholder and constant of `opened`. Errors: INPUT_MISSING, INPUT_MISMATCH (both list what the file has and what the graph
    /// wants), CONSTANT_VALUE_MISSING, those of TensorFile::read.
    static Result<InputSet> make(const Graph& opened, const OpRegistry& ops, const InputOptions& options);

    const std::vector<InputValue>& values() const { return values_; }
    /// Symbols of the graph with the values that the inputs give them, as hints.
    const SymbolTable& symbols() const { return symbols_; }
    /// Fresh copies for a stage. Errors: INPUT_MISSING for a placeholder that the graph as opened lacks, OUT_OF_MEMORY.
    Result<StageInputs> forStage(const Graph& stage, Backend& backend) const;
    /// Bytes of all tensors together.
    std::int64_t bytes() const;

private:
    std::vector<InputValue> values_;
    SymbolTable symbols_;
    friend class InputChooser;
};

}  // namespace aliascope::exec
