#pragma once
// Two stages' runs, value by value (executor.md 5.2). Digests tell which values are equal; of those that are not, the values themselves are fetched
// by running again (compare_values.h). What the program returns and its inputs after the run always have a counterpart; other values are paired by
// the rewrites that passes recorded, else by name, else by provenance.
//
// The verdict of a stage is that of its results and inputs. A pair of other values may differ without a fault where a rewrite computes the same
// results another way; they tell where a difference begins, not whether there is one.

#include <functional>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/exec/digest.h"
#include "core/exec/tolerance.h"
#include "core/ir/graph.h"
#include "core/ir/op_registry.h"
#include "core/memory/mem_event.h"

namespace aliascope::exec {

enum class Verdict : std::uint8_t { Same, ValueSame, Close, Differs, NotComparable };
std::string_view toString(Verdict v);  ///< `same`, `value-same`, `close`, `differs`, `not-comparable`
inline bool agrees(Verdict v) { return v <= Verdict::Close; }

/// Components of `out` below 0: what a call wrote, and an input after the run.
inline constexpr int kAfter = -1;                          ///< of a placeholder: its value after the run
inline constexpr int writtenOut(int k) { return -1 - k; }  ///< of a call: its k-th written operand, after the call

/// One value of a run: component `out` (flattened tensors of the result) of a node; of the output node the k-th tensor that the graph returns.
struct RunValue {
    memory::Site site;
    int out = 0;
    Digest digest;
};

/// What is kept of a stage's run, in the order in which it happened.
struct RunValues {
    std::vector<RunValue> rows;
    std::vector<std::string> callPaths = {""};
    bool synthetic = false;
    std::vector<memory::Site> beyondRange;  ///< calls that converted values outside their type (CAST_RANGE): no two machines need agree there
};

/// A rewrite as recorded: nodes of one body before and after.
struct RewriteStep {
    std::vector<memory::Site> before, after;
};
/// The rewrites of each stage between the two, in order.
using RewriteSteps = std::vector<RewriteStep>;

/// A row of a comparison; `a` or `b` is missing where a value has no counterpart.
struct ComparedValue {
    std::optional<memory::Site> a, b;
    int outA = 0, outB = 0;
    Verdict verdict = Verdict::NotComparable;
    bool inherited = false;  ///< differs, and so does something it was computed from
    std::string why;         ///< of not-comparable: `random`, `undefined`, `beyond range`, `synthetic`, `no counterpart`, `other shape`
    // Where values were fetched:
    bool measured = false;
    /// With equal operands: what the operator may differ by (executor.md 5.3), instead of the bound for whole graphs.
    std::optional<ElementBound> bound;
    double maxAbs = 0, maxRel = 0, ulp = 0;
    double rounding = 0;  ///< l2 norm of what the rounding of its own sums may do to the whole value (tolerance.h)
    /// Largest error of either value against one computed in doubles; set with a reference.
    std::optional<double> errorA, errorB;
    std::int64_t index = -1;  ///< logical index of the largest error
    Shape at;                 ///< the same as coordinates
    std::string valueA, valueB;
};

struct Comparison {
    std::string policy;                ///< `bitwise`, `tolerance`, `given`; `reference`: by errors against doubles
    Verdict verdict = Verdict::Same;   ///< worst of results and inputs after the run
    std::vector<ComparedValue> rows;   ///< results first, then inputs after the run, then values in the order of the later stage
    std::optional<std::size_t> first;  ///< row where the difference begins; set when the verdict is `differs`
};

/// A stage and what its run gave.
struct ComparedStage {
    const Graph* graph = nullptr;
    const RunValues* values = nullptr;
};

/// Values to look at in detail: indices of rows whose digests differ.
using FetchRows = std::function<void(Comparison&, const std::vector<std::size_t>& rows)>;

/// Compares `later` with `earlier`. `fetch` (may be empty) measures rows whose digests differ and sets their verdict; without it they are `differs`.
Comparison compareStages(const ComparedStage& earlier, const ComparedStage& later, const RewriteSteps& rewrites, const Tolerance& tolerance,
                         const OpRegistry& ops, const FetchRows& fetch);

}  // namespace aliascope::exec
