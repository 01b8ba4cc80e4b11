#pragma once
// One run of a graph: frames, the node loop, operators (executor.md 1.4, 2, 3.5). Private to core/exec.
//
// Errors inside are ExecError exceptions; execute() turns the first into a diagnostic.

#include <map>
#include <set>

#include "core/exec/executor.h"
#include "core/exec/ledger.h"
#include "core/exec/plan.h"
#include "core/exec/shape_rules.h"

namespace aliascope::exec {

using Args = std::vector<RuntimeValue>;

class Run {
public:
    Run(const Graph& g, const OpRegistry& ops, Backend& backend, const std::unordered_map<Name, RuntimeValue>& constants, const ExecOptions& options,
        ExecObserver* observer);

    /// Runs the main graph. Throws ExecError.
    RuntimeValue runMain(const std::vector<RuntimeValue>& inputs);

    Ledger& ledger() { return ledger_; }
    /// Warnings of the run, complete when it has ended.
    std::vector<Diagnostic> takeWarnings();
    std::vector<Finding> takeFindings() { return std::move(findings_); }
    bool conditional() const { return conditional_; }
    bool synthetic() const { return synthetic_; }
    /// Node at which the run is, or at which it failed: its name with the call path before it, its own name, its operator.
    struct Place {
        std::string path;
        Name node, op;
    };
    const Place& failure() const { return failure_; }

private:
    /// A graph while it runs.
    struct Frame {
        const Graph* graph = nullptr;
        const GraphPlan* plan = nullptr;
        std::vector<RuntimeValue> values;  ///< by node id
        SymbolTable symbols;
        std::string path;  ///< call path; empty = main graph
        std::uint32_t pathId = 0;
        std::optional<memory::Site> owner;  ///< of operator bodies: the node to which everything in the body belongs
    };
    class FrameScope;

    // --- frames (run.cpp)
    RuntimeValue runGraph(const Graph& g, Args inputs, const std::string& path, const memory::Site* owner);
    void bindInputs(Frame& f, Args& inputs);
    void runNode(Frame& f, NodeId id);
    void release(Frame& f, const Node& n, const NodePlan& plan);
    memory::Site siteOf(const Frame& f, const Node& n);
    RuntimeValue resolve(const Frame& f, const Value& v) const;
    RuntimeValue resolveSymbol(const Frame& f, const SymInt& s) const;
    RuntimeValue constant(const Frame& f, const Node& n);
    RuntimeValue callNode(Frame& f, const Node& n, const NodePlan& plan);
    RuntimeValue symbolicNode(Frame& f, const Node& n, const NodePlan& plan);
    std::optional<RuntimeValue> itemOf(Frame& f, const Node& n, const NodePlan& plan);
    /// Arguments become the only owners of the operands that die at `n`.
    void donate(Frame& f, const NodePlan& plan);
    void recordDigests(const Node& n, const RuntimeValue& value);
    const GraphPlan& planOf(const Graph& g);
    /// The first of its code for `subject`, an operator or a node.
    void warnOnce(std::string_view code, Name subject, Params params);
    /// Values that rounding may decide otherwise are taken from the run that `decided` knows.
    void takeDecided(const Node& n, const NodePlan& plan, const Frame& f, const RuntimeValue& value);
    void noteCast(const Tensor& to, const Tensor& from);

    // --- operators (operator_call.cpp, in_place.cpp, foreach.cpp)
    RuntimeValue callOperator(const OpPlan& op, Args args, const NodePlan* node = nullptr, const Frame* frame = nullptr);
    RuntimeValue callKernel(const OpPlan& op, Args args, const NodePlan* node, const Frame* frame);
    /// An operand of an elementwise node that dies there and whose memory the result can take (executor.md 4.2).
    std::optional<Tensor> overDying(const OpPlan& op, const Args& args, const TypePtr& result, const NodePlan& node, const Frame& frame);
    [[noreturn]] void failResultType(const OpPlan& op, const Args& args);
    RuntimeValue callView(const OpPlan& op, const Args& args);
    RuntimeValue copyOfView(const OpPlan& op, const Args& args);
    /// Of operators that nothing here computes: what the annotation or the shape rules say of their results, filled by a stand-in where that is
    /// asked for (executor.md 6.4).
    RuntimeValue unknownOperator(const OpPlan& op, const Args& args, const NodePlan* node, const Frame* frame);
    RuntimeValue unknownSchema(Frame& f, const Node& n, const NodePlan& plan);
    void standIn(Name op, const Args& args, const std::vector<Tensor>& results);
    bool reachedByStandIn(const Frame& f, const Node& n) const;
    void markSynthetic(const RuntimeValue& v);
    RuntimeValue uninitialised(const OpPlan& op, const Args& args, const NodePlan* node, const Frame* frame);
    RuntimeValue hostRead(const Args& args, const NodePlan* node, const Frame* frame);
    RuntimeValue callInPlace(const OpPlan& op, Args args);
    RuntimeValue copyInto(const OpPlan& op, const Args& args);
    RuntimeValue storeFunctional(const OpPlan& op, Args& args);
    RuntimeValue returnedArguments(const OpPlan& op, const Args& args, RuntimeList freshResults);
    void storeInto(const RuntimeValue& target, const RuntimeValue& value, const std::string& param);
    bool writesDirectly(const OpPlan& op, const Args& args, const Tensor& target, const Geometry& result);
    void checkWrite(const OpPlan& op, const Args& args, std::size_t written);
    RuntimeValue callForeach(const OpPlan& op, const Args& args);
    RuntimeValue callBody(const OpPlan& op, Args args);
    struct ReadOnlyArgument {
        Name param;
        StoragePtr storage;
        std::uint64_t generation = 0;
    };
    std::vector<ReadOnlyArgument> readOnlyArguments(const Schema& schema, const Args& args) const;
    RuntimeValue runBody(const std::vector<OpBody>& bodies, const Schema& schema, Args args, std::string_view label);
    /// Result types by the shape rules, by the annotation where these are silent.
    TypePtr resultType(const OpPlan& op, const Args& args, const NodePlan* node, const Frame* frame);
    void runKernel(const Kernel& kernel, OpCall& call);
    /// A tensor in a storage of its own, which begins `room` elements before it.
    Tensor fresh(const Geometry& g, std::int64_t room = 0, StorageRole role = StorageRole::Value);
    Tensor viewOf(const Tensor& base, const TensorType& type);
    void giveRoom(const Tensor& t);
    /// Tensors of a result type, allocated and appended to `outputs`, in the form of the operator's results.
    RuntimeValue materialise(const TypePtr& type, std::vector<Tensor>& outputs, const NodePlan* node, const Frame* frame, const OpPlan& op,
                             std::size_t position = 0);
    void reconcile(Geometry& g, const TypePtr& stated, const Frame& frame, const OpPlan& op);
    Tensor copyOf(const Tensor& t, bool keepOffset);

    // --- higher-order operators (wrappers.cpp, control_flow.cpp)
    RuntimeValue higherOrder(Frame& f, const Node& n, const NodePlan& plan);
    RuntimeValue autoFunctionalized(Frame& f, const Node& n);
    RuntimeValue autoFunctionalizedV2(Frame& f, const Node& n);
    RuntimeValue launchTriton(Frame& f, const Node& n, bool functional);
    RuntimeValue innerCall(const OpDef& op, Args args);
    RuntimeValue rebuildView(const Frame& f, const Node& n, const std::string& prefix, const RuntimeList& bases);
    bool isReinplaced(const Frame& f, const Node& n, const Value& key, Name name);
    RuntimeValue cloneAll(const RuntimeValue& v, bool keepOffset);
    const OpDef& innerOperator(const Node& n) const;
    RuntimeValue withEffects(Frame& f, const Node& n);
    RuntimeValue callSubgraph(Frame& f, const Node& n, const NodePlan& plan);
    RuntimeValue conditional(Frame& f, const Node& n, const NodePlan& plan);
    RuntimeValue whileLoop(Frame& f, const Node& n, const NodePlan& plan);
    RuntimeValue scan(Frame& f, const Node& n, const NodePlan& plan);
    RuntimeValue map(Frame& f, const Node& n, const NodePlan& plan);
    std::string pathAt(const Frame& f, const Node& n, std::optional<std::int64_t> iteration) const;
    RuntimeValue callOnce(const Graph& body, Args args, const std::string& path, const Frame& f, Name node);
    Args slicesAt(const Args& xs, std::int64_t i);
    void stack(RuntimeList& stacked, const RuntimeList& results, std::int64_t i, std::int64_t length);
    const Graph& bodyAt(const Frame& f, const Node& n, std::size_t arg) const;
    /// Results that are views of what the body was given are copied (executor.md 3.5).
    RuntimeValue ownResults(RuntimeValue results, const std::set<memory::StorageId>& lent, Name node);
    bool truth(const RuntimeValue& v);

    const Graph& main_;
    OpPlans ops_;
    Backend& backend_;
    const std::unordered_map<Name, RuntimeValue>& constants_;
    const ExecOptions& options_;
    ExecObserver* observer_;
    Ledger ledger_;
    CallTypes types_;
    std::unordered_map<const Graph*, std::unique_ptr<GraphPlan>> plans_;
    std::unordered_map<const Graph*, std::uint32_t> bodyNumbers_;
    std::set<std::pair<std::string, Name>> warned_;
    std::vector<Diagnostic> warnings_;
    std::vector<Finding> findings_;
    std::vector<bool> digested_;  ///< of DigestMode::Outputs: nodes of the main graph
    std::uint64_t randomOffset_ = 0;
    std::size_t done_ = 0;
    int depth_ = 0;
    bool conditional_ = false, synthetic_ = false;
    std::vector<Name> standIns_;  ///< operators, each once
    std::size_t syntheticValues_ = 0;
    Place failure_;
    memory::Site site_;
};

}  // namespace aliascope::exec
