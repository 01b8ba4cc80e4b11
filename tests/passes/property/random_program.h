#pragma once
// Random mutable programs for tests: views of views, in-place operators, mutable custom operators with overlapping arguments, inputs that are
// written, results that alias. Every program runs: nothing is written whose elements overlap one another.

#include <cstdint>
#include <string>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope::testing {

struct ProgramOptions {
    int calls = 12;
    bool customOps = true;
    bool dtypeViews = true;
    bool asStrided = true;
    /// Written operands of one call may share memory, and read operands may share memory with written ones.
    bool aliasedOperands = true;
    bool dynamicSizes = true;  ///< some programs have an input `s0` that is the size of others
    bool neutral = false;      ///< calls that give back an operand: sums with 0, products with 1, a split joined again, copies of copies
};

/// Schemas of the custom operators that programs call (mylib::foo and its kin).
std::string_view customOperators();
/// The same seed and options give the same program.
Graph randomProgram(const OpRegistry& ops, std::uint64_t seed, const ProgramOptions& options = {});
/// With 3 to 16 calls and, in one of three, operands of custom operators that share memory; by the seed.
Graph sizedProgram(const OpRegistry& ops, std::uint64_t seed, bool neutral = false);

}  // namespace aliascope::testing
