#pragma once
// Values for symbols that nothing binds: 8, then distinct primes, within the symbol's range (executor.md 5.4).

#include <utility>
#include <vector>

#include "core/ir/graph.h"

namespace aliascope::exec {

/// Gives every symbol of the graph that has no hint in `symbols` one, in the order in which placeholders, then other nodes mention them.
/// Returns what was given.
std::vector<std::pair<Name, std::int64_t>> assumeSymbols(const Graph& g, SymbolTable& symbols);

}  // namespace aliascope::exec
