#pragma once
// The pass contract. A pass has a name, options, and one `run`. It reports rewrites and decisions through its context; it knows neither the
// recorder nor the executor. Whether it changed the graph is decided by structural hashes, not by what it says.

#include <array>
#include <cstdint>
#include <functional>
#include <limits>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <vector>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"
#include "core/support/cancel.h"
#include "core/support/result.h"

namespace aliascope {

/// A node as it is named in reports: id and name are copied, because the node may be gone when the report is read.
struct NodeRef {
    NodeId id;
    Name name;
};
inline NodeRef ref(const Graph& g, NodeId id) { return {id, id ? g[id].name : Name()}; }

/// One rule applied once: what stood there, what stands there now. `before` and `after` may share nodes (a node rewritten in place).
struct Rewrite {
    std::string rule;
    std::vector<NodeRef> before, after;
    enum class State : std::uint8_t { Applied, Failed, Skipped } state = State::Applied;
    std::string theorem;  ///< condition under which the rule holds, e.g. `reinplace 9 L1`
    std::string message;
};

/// A question that was asked on the way to a decision (the checks of the Why card).
struct CheckStep {
    std::string question;
    enum class Answer : std::uint8_t { Ok, Failed, Unknown, Skipped } answer = Answer::Ok;
    std::string detail;
};

/// A recorded verdict (reason-codes.md 1).
struct Decision {
    NodeRef node;                               ///< the node at the time of the decision
    NodeRef origin;                             ///< the node of the graph as opened that it stems from; may be invalid
    Name op;                                    ///< the node's own target, canonical
    std::string argument;                       ///< argument name, or base index for v2
    std::string verdict;                        ///< in-place, clone, not-attempted; applied, refused
    std::string need = "unknown";               ///< needed, avoidable, unknown, none
    std::string avoidedBy;                      ///< bundled pipeline that writes it in place; set by the runner (RunOptions::judgeNeeds)
    std::string code;                           ///< RI30.READ, …
    NodeRef blocker;                            ///< the node in the way, if any
    NodeRef view;                               ///< the value through which it is in the way
    std::optional<std::int64_t> reportedBytes;  ///< as PyTorch's log counts
    bool counted = false;
    std::optional<std::int64_t> clonedBytes, neededBytes;
    std::string bytesExpr;  ///< when symbolic
    std::string rule;       ///< row of the decision table, e.g. `reinplace 4.5 step 6`
    Params params;          ///< of the sentence
    std::vector<CheckStep> checks;
};

/// An option of a pass: typed, listed, canonical in print.
struct PassOption {
    enum class Type : std::uint8_t { Enum, Int, Float, Text, File } type = Type::Enum;
    std::string key;
    std::vector<std::string> values;  ///< allowed words of an Enum
    std::string defaultValue;
    std::string help;
};

/// Parsed options of one step; every key of the pass has a value.
class PassOptions {
public:
    void set(std::string key, std::string value);
    const std::string& get(std::string_view key) const;  ///< empty when absent
    bool is(std::string_view key, std::string_view value) const { return get(key) == value; }
    const std::vector<std::pair<std::string, std::string>>& entries() const { return entries_; }

private:
    std::vector<std::pair<std::string, std::string>> entries_;
};

/// How many rewrites a pass may apply; shared by the contexts of a run of it.
struct RewriteBudget {
    std::int64_t most = std::numeric_limits<std::int64_t>::max();
    std::int64_t taken = 0;
};

/// Forms of writes with which the rest of the pipeline copies less than with those that the passes choose by their own rules (reinplace.md 9, L5);
/// by names of nodes.
struct WriteForms {
    /// Copies that the whole program makes with this form, and with the other.
    struct Effect {
        std::int64_t copies = 0, bytes = 0, otherCopies = 0, otherBytes = 0;
        /// `copies`, `bytes`, `other_copies`, `other_bytes` of a reason's sentence.
        Params params() const;
    };
    using List = std::unordered_map<Name, Effect>;
    List v1;          ///< calls that functionalization wraps as auto_functionalized
    List functional;  ///< nodes that re-inplacing leaves functional
    List inPlace;     ///< scatters that it writes in place though neither operand need be in memory
    List removed;     ///< copies that no-op removal takes away although a write comes between
    List kept;        ///< copies that it leaves, and sums with zeros and products with ones that constant folding leaves

    static constexpr std::array<List WriteForms::*, 5> lists = {&WriteForms::v1, &WriteForms::functional, &WriteForms::inPlace, &WriteForms::removed,
                                                                &WriteForms::kept};
};

class PassContext {
public:
    PassContext(const OpRegistry& ops, const PassOptions& options, CancelToken cancel) : ops_(ops), options_(options), cancel_(std::move(cancel)) {}

    const OpRegistry& ops() const { return ops_; }
    const PassOptions& options() const { return options_; }
    bool cancelled() const { return cancel_.cancelled(); }
    /// For work on a part of the graph that gets a context of its own.
    const CancelToken& cancel() const { return cancel_; }

    /// Asked by a pass that stops early (Pass::stopsEarly) before each thing that it changes: false once the budget is used up. What it leaves then
    /// is as correct as the graph that it was given.
    bool mayRewrite() {
        if (budget->taken >= budget->most) return false;
        ++budget->taken;
        return true;
    }
    std::shared_ptr<RewriteBudget> budget = std::make_shared<RewriteBudget>();

    void rewrite(Rewrite r) { rewrites.push_back(std::move(r)); }
    void decide(Decision d) { decisions.push_back(std::move(d)); }
    void say(Diagnostic d) { diagnostics.push_back(std::move(d)); }

    /// Null = the passes' own rules decide. Speaks of the graph itself, not of the bodies of higher-order operators.
    const WriteForms* forms = nullptr;

    /// The node of the opened graph from which `id` stems, following recorded wrapping rewrites; set by the pipeline.
    std::function<NodeRef(NodeId)> originOf;

    std::vector<Rewrite> rewrites;
    std::vector<Decision> decisions;
    std::vector<Diagnostic> diagnostics;

private:
    const OpRegistry& ops_;
    const PassOptions& options_;
    CancelToken cancel_;
};

enum class Outcome : std::uint8_t {
    Done,     ///< ran; hashes tell whether it changed something
    Skipped,  ///< its precondition does not hold; it has said why
};

class Pass {
public:
    virtual ~Pass() = default;
    virtual std::string_view name() const = 0;
    virtual std::string_view help() const = 0;  ///< one line
    virtual std::vector<PassOption> options() const { return {}; }
    /// It honours PassContext::mayRewrite, so that a search can find the rewrite after which results differ.
    virtual bool stopsEarly() const { return false; }
    /// Rewrites `g`. An error leaves the graph in an undefined state; the pipeline goes back to the last good stage.
    virtual Result<Outcome> run(Graph& g, PassContext& ctx) const = 0;
};

/// Passes of this build, generated from the list in passes/CMakeLists.txt, in that order.
const std::vector<std::unique_ptr<Pass>>& allPasses();
const Pass* findPass(std::string_view name);

}  // namespace aliascope
