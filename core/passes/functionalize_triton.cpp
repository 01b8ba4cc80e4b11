// Launches of Triton kernels: triton_kernel_wrapper_mutation -> triton_kernel_wrapper_functional (functionalize.md 7).

#include "core/passes/functionalize_state.h"

namespace aliascope::functionalization {
namespace {

const Name kFunctional("hop::triton_kernel_wrapper_functional");

std::string kernelName(const Node& n) {
    const Value* index = n.kwarg("kernel_idx"_n);
    const auto i = index ? index->asInt() : std::nullopt;
    return i ? std::to_string(*i) : index && index->kind() == Value::Kind::String ? index->name().str() : n.name.str();
}

}  // namespace

Status Functionalizer::launch(NodeId id) {
    const Node& n = g_[id];
    const Value* inner = n.kwarg("kwargs"_n);
    if (!inner || inner->kind() != Value::Kind::Dict)
        return failAt(id, "WRITE_WITHOUT_WRITE_BACK",
                      {{"node", nameOf(id)}, {"arg", "kwargs"}, {"why", "the call does not state the kernel's arguments"}});
    const std::string kernel = kernelName(n);
    if (!ops_.find(Name("triton::kernel." + kernel)) && firstTime("TRITON_WRITES_UNKNOWN", kernel)) {
        Diagnostic d = warning("TRITON_WRITES_UNKNOWN", {{"kernel", kernel}, {"node", nameOf(id)}});
        d.node = n.name;
        ctx_.say(std::move(d));
    }
    // In the order of the launch's own arguments.
    std::unordered_set<Name> names;
    for (const WrittenOperand& w : writtenOperands(ops_, g_, id)) names.insert(w.param);
    std::vector<std::pair<Name, Handle*>> written;
    std::vector<Value> toClone;
    for (std::size_t i = 0; i < inner->items().size(); ++i) {
        const NodeId tensor = inner->items()[i].asNode();
        if (!names.contains(inner->keys()[i]) || !tensor) continue;
        Handle* h = handleOf(tensor);
        if (Status s = checkWrite(h, true); !s) return s;
        written.emplace_back(inner->keys()[i], h);
        toClone.push_back(Value::string(inner->keys()[i]));
    }
    reportLaunchAliases(id, written);
    const NodeRef before = ref(g_, id);
    syncOperands(id);
    std::vector<Keyword> kwargs = g_[id].kwargs;
    kwargs.emplace_back("tensors_to_clone"_n, Value::list(std::move(toClone)));
    std::vector<Value> args = g_[id].args;
    become(id, kFunctional, std::move(args), std::move(kwargs), "triton_kernel_wrapper_functional_proxy");
    at_ = g_[id].next;
    std::vector<NodeRef> made{ref(g_, id)};
    std::vector<NodeId> values;
    std::string names_;
    for (const auto& [name, handle] : written) {
        values.push_back(emitItem(id, Value::string(name), handle->geometry ? Type::tensor(*handle->geometry) : nullptr));
        made.push_back(ref(g_, values.back()));
        names_ += (names_.empty() ? "" : ", ") + name.str();
    }
    rewrite("wrap-launch", {before}, std::move(made));
    decide(
        id, "WRAPPED", "",
        {{"op", "kernel " + kernel}, {"form", "triton_kernel_wrapper_functional"}, {"written", names_}, {"bases", std::to_string(written.size())}});
    for (std::size_t i = 0; i < written.size(); ++i)
        if (Status s = write(written[i].second, values[i]); !s) return s;
    return {};
}

void Functionalizer::reportLaunchAliases(NodeId id, const std::vector<std::pair<Name, Handle*>>& written) {
    // The functional form clones every written argument on its own: arguments that share memory lose each other.
    const Value& inner = *g_[id].kwarg("kwargs"_n);
    std::unordered_map<const Storage*, std::vector<const std::pair<Name, Handle*>*>> byStorage;
    for (const auto& w : written) byStorage[w.second->storage].push_back(&w);
    for (std::size_t i = 0; i < inner.items().size(); ++i) {
        const NodeId tensor = inner.items()[i].asNode();
        const Handle* h = tensor ? knownHandle(tensor) : nullptr;
        const auto group = h ? byStorage.find(h->storage) : byStorage.end();
        if (group == byStorage.end()) continue;
        for (const auto* w : group->second) {
            if (w->first == inner.keys()[i] || overlap(h, w->second) == Overlap::Disjoint) continue;
            if (!firstTime("ALIASED_READ", nameOf(id) + " " + inner.keys()[i].str())) continue;
            Diagnostic d = warning("ALIASED_READ", {{"arg", inner.keys()[i].str()}, {"other", w->first.str()}, {"node", nameOf(id)}});
            d.node = Name(nameOf(id));
            ctx_.say(std::move(d));
        }
    }
}

}  // namespace aliascope::functionalization
