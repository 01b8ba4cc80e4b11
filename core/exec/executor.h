#pragma once
// The one interpreter (executor.md 0, 1): mutable, functional, re-inplaced and decomposed graphs run through the same node loop, on true aliases.
// Given a backend that does not compute, the same loop predicts memory.

#include <functional>
#include <memory>

#include "core/exec/backend.h"
#include "core/ir/graph.h"
#include "core/memory/memory_model.h"
#include "core/support/cancel.h"

namespace aliascope::exec {

class OpBodies;    // op_bodies.h
struct ArenaPlan;  // arena_plan.h

/// Nodes: as Outputs, and the nodes that an observer was told (RunCollector::digestOnly).
enum class DigestMode : std::uint8_t { None, Outputs, Nodes, All };
enum class Sanitize : std::uint8_t { Off, Reads, Full };

/// A finding of the sanitizer (executor.md 3.2): a code of reason-codes.md with the parameters of its sentence.
struct Finding {
    std::string code;  ///< STALE_READ, UNDEFINED_READ, WRITE_OUTSIDE, READ_ONLY_WRITTEN
    memory::Site reader;
    Name node;
    Params params;
};

/// Hears of a run while it happens, on the thread that runs it. Never blocks a launch.
class ExecObserver {
public:
    virtual ~ExecObserver() = default;
    virtual void runStarted(const Graph&) {}
    virtual void nodeStarted(const memory::Site&, const Graph&, const Node&) {}
    /// `value` is what the node gave; `wallNs` its time without digests.
    virtual void nodeFinished(const memory::Site&, const Graph&, const Node&, const RuntimeValue& value, std::int64_t wallNs) {
        (void)value, (void)wallNs;
    }
    virtual void digest(const memory::Site&, int out, const Digest&) { (void)out; }
    virtual void finding(const Finding&) {}
    /// A warning about the node that runs, the first of its code there.
    virtual void warned(const memory::Site&, std::string_view code) { (void)code; }
    virtual void runFinished(bool complete) { (void)complete; }
};

struct ExecOptions {
    CancelToken cancel;
    Progress progress;
    DigestMode digests = DigestMode::None;
    Sanitize sanitize = Sanitize::Off;
    memory::CachingOptions caching;
    std::uint64_t seed = 0;
    std::int64_t maxBytes = 0;  ///< refuse to hold more live bytes than this (OUT_OF_MEMORY); 0 = what the machine gives
    double maxFlops = 2e11;     ///< of the reference backend; 0 = unlimited
    bool standIn = false;       ///< run unknown operators as executor.md 6.4 says
    bool poison = true;         ///< fill what is uninitialised by definition (`empty`), so that reads of it show
    const OpBodies* bodies = nullptr;
    /// Results of elementwise operators take the storage of an operand that dies there (executor.md 4.2).
    bool reuse = false;
    /// Where storages lie; those that come otherwise than planned get memory of their own. The backend must not watch addresses (ReadTracer).
    std::shared_ptr<const ArenaPlan> arena;
    /// Every float is an f64 and nothing in between is rounded (executor.md 5.2, `--reference f64`): inputs and constants must be doubles too.
    bool doubles = false;
    /// With `doubles`: writes what another run gave for a component of a value over `into` and tells whether it had it. Asked for what rounding
    /// may decide otherwise: integers and bools made of floats, and everything random.
    std::function<bool(const memory::Site&, int out, const Tensor& into)> decided;
    /// Wrapper arguments written in place (executor.md 1.2 e), when node metadata does not say. The name is the argument's of v1 and of launches, the
    /// number of the base (`0`, `1`, …) of v2.
    std::function<bool(const Graph&, NodeId, Name)> reinplaced;
};

struct ExecResult {
    bool complete = false;
    std::vector<RuntimeValue> outputs;  ///< the flattened tree that the graph returns (None included)
    std::vector<RuntimeValue> inputs;   ///< by placeholder, after the run: the storages that the graph may have written
    memory::EventLog memory;
    std::optional<Diagnostic> error;   ///< names the node; set when not complete
    std::vector<Diagnostic> warnings;  ///< LAYOUT_STALE, OVERLAPPING_WRITE, …, once per operator
    std::vector<Finding> findings;     ///< with `sanitize`: READ_ONLY_WRITTEN; read_tracer.h finds the others
    bool synthetic = false;
    std::int64_t wallNs = 0;
};

/// Runs `g` on `inputs`, one value per placeholder, in order (tensors are written in place: copy first what must stay). Constants (`get_attr`) by
/// attribute path. Never throws; what fails is in the result. Thread-safety: as the backend.
ExecResult execute(const Graph& g, const OpRegistry& ops, Backend& backend, const std::vector<RuntimeValue>& inputs,
                   const std::unordered_map<Name, RuntimeValue>& constants = {}, const ExecOptions& options = {}, ExecObserver* observer = nullptr);

/// A fresh tensor outside any run: inputs, reference values.
Tensor makeTensor(Backend& backend, const TensorType& type);

/// Inputs without data, from the placeholders' types with symbols at their hints; an error names the placeholder whose shape is unknown.
Result<std::vector<RuntimeValue>> typedInputs(const Graph& g, Backend& backend);

}  // namespace aliascope::exec
