#include "core/exec/executor.h"

#include <new>

#include "core/exec/run.h"

namespace aliascope::exec {
namespace {

void flatten(const RuntimeValue& v, std::vector<RuntimeValue>& out) {
    if (const RuntimeList* list = v.list()) {
        for (const RuntimeValue& item : *list) flatten(item, out);
    } else if (const auto* dict = std::get_if<RuntimeDict>(&v.data)) {
        for (const RuntimeValue& item : dict->items) flatten(item, out);
    } else {
        out.push_back(v);
    }
}

/// The error with the node at which the run stood.
Diagnostic diagnosticOf(const ExecError& e, const Run::Place& at) {
    Diagnostic d = userError(e.code, {});
    const std::string node = at.path.empty() ? at.node.str() : at.path + "/" + at.node.str();
    const auto given = [&](std::string_view key) {
        return std::any_of(e.params.begin(), e.params.end(), [&](const auto& p) { return p.first == key; });
    };
    if (!given("op")) d.with("op", at.op.str());
    if (!given("node")) d.with("node", node);
    for (const auto& [key, value] : e.params) d.with(key, value);
    d.node = at.node;
    return d;
}

}  // namespace

ExecResult execute(const Graph& g, const OpRegistry& ops, Backend& backend, const std::vector<RuntimeValue>& inputs,
                   const std::unordered_map<Name, RuntimeValue>& constants, const ExecOptions& options, ExecObserver* observer) {
    ExecResult result;
    result.inputs = inputs;
    Run run(g, ops, backend, constants, options, observer);
    if (observer) observer->runStarted(g);
    const auto failed = [&](const ExecError& e) { result.error = diagnosticOf(e, run.failure()); };
    try {
        const RuntimeValue returned = run.runMain(inputs);
        flatten(returned, result.outputs);
        result.complete = true;
    } catch (const ExecError& e) {
        failed(e);
    } catch (const std::bad_alloc&) {
        failed({"OUT_OF_MEMORY", {{"bytes", "more"}, {"live", "?"}, {"free", "0"}}});
    } catch (const std::exception& e) {
        failed({"UNSUPPORTED_OP", {{"why", std::string("its kernel failed: ") + e.what()}}});
    }
    result.wallNs = run.ledger().elapsed();
    result.memory = run.ledger().finish();
    result.memory.conditional = run.conditional();
    result.warnings = run.takeWarnings();
    result.synthetic = run.synthetic();
    result.findings = run.takeFindings();
    if (observer) observer->runFinished(result.complete);
    return result;
}

namespace {

Tensor tensorFrom(Backend& backend, const Geometry& g) {
    Tensor t;
    t.dtype = g.dtype;
    t.sizes = g.sizes;
    t.strides = g.strides;
    t.offset = g.offset;
    t.device = g.device;
    const auto bytes = static_cast<std::size_t>(storageBytes(g.sizes, g.strides, g.offset, itemSize(g.dtype)));
    std::byte* data = bytes > 0 ? backend.allocate(bytes) : nullptr;
    if (bytes > 0 && !data && backend.computes()) throw std::bad_alloc();
    t.storage = std::make_shared<Storage>(backend, data, bytes);
    t.storage->role = StorageRole::Input;
    return t;
}

}  // namespace

Tensor makeTensor(Backend& backend, const TensorType& type) {
    const auto g = evaluate(type, {});
    if (!g) failExec("SHAPE_MISMATCH", {{"arg", "type"}, {"got", type.str()}, {"want", "known sizes and element type"}});
    return tensorFrom(backend, *g);
}

Result<std::vector<RuntimeValue>> typedInputs(const Graph& g, Backend& backend) {
    std::vector<RuntimeValue> inputs;
    for (const NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (n.kind != NodeKind::Placeholder) continue;
        const auto missing = [&] { return fail(userError("INPUT_MISSING", {{"name", n.name.str()}, {"type", annotationText(n)}})); };
        if (const TensorType* t = n.tensor()) {
            const auto geometry = evaluate(*t, g.symbols);
            if (!geometry) return missing();
            try {
                inputs.emplace_back(tensorFrom(backend, *geometry));
            } catch (const ExecError& e) {
                Diagnostic d = userError(e.code, e.params);
                d.node = n.name;
                return fail(std::move(d));
            } catch (const std::bad_alloc&) {
                return fail(userError("OUT_OF_MEMORY", {{"node", n.name.str()}, {"bytes", t->str()}, {"live", "?"}, {"free", "0"}}));
            }
        } else if (const SymInt* s = n.type ? n.type->asSym() : nullptr) {
            const auto value = s->evaluate(g.symbols);
            if (!value) return missing();
            inputs.emplace_back(*value);
        } else if (const auto facts = g.symbols.find(n.target); facts != g.symbols.end() && facts->second.hint) {
            inputs.emplace_back(*facts->second.hint);
        } else {
            return missing();
        }
    }
    return inputs;
}

}  // namespace aliascope::exec
