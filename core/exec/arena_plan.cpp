#include "core/exec/arena_plan.h"

#include <algorithm>

namespace aliascope::exec {
namespace {

/// Values of the same geometry without data. Tensors that share storage share it here too.
class Shells {
public:
    explicit Shells(Backend& backend) : backend_(backend) {}

    RuntimeValue of(const RuntimeValue& v) {
        if (const Tensor* t = v.tensor()) {
            Tensor shell = *t;
            if (t->storage) {
                StoragePtr& storage = storages_[t->storage.get()];
                if (!storage) {
                    storage = std::make_shared<Storage>(backend_, nullptr, t->storage->bytes);
                    storage->start = t->storage->start;
                }
                shell.storage = storage;
            }
            return shell;
        }
        const RuntimeList* list = v.list();
        if (!list) return v;
        RuntimeList out;
        for (const RuntimeValue& item : *list) out.push_back(of(item));
        return out;
    }

private:
    Backend& backend_;
    std::unordered_map<const Storage*, StoragePtr> storages_;
};

}  // namespace

std::shared_ptr<const ArenaPlan> planArena(memory::EventLog happened, const CancelToken& cancel) {
    auto plan = std::make_shared<ArenaPlan>();
    memory::PlanOptions options;
    options.cancel = cancel;
    const memory::MemoryPlan placed = memory::planMemory(happened, options);
    for (const memory::Interval& interval : placed.intervals)
        for (const memory::StorageId id : interval.tenants) {
            if (plan->offsets.size() <= id) plan->offsets.resize(std::size_t(id) + 1, -1);
            plan->offsets[id] = interval.offset;
        }
    plan->arena = placed.arena;
    plan->lowerBound = placed.lowerBound;
    plan->reused =
        std::count_if(happened.events.begin(), happened.events.end(), [](const memory::Event& e) { return e.kind == memory::EventKind::Reuse; });
    plan->complete = true;
    plan->expected = std::move(happened);
    return plan;
}

std::shared_ptr<const ArenaPlan> planArena(const Graph& g, const OpRegistry& ops, const std::vector<RuntimeValue>& inputs,
                                           const std::unordered_map<Name, RuntimeValue>& constants, const ExecOptions& options) {
    const auto nothing = makeNullBackend();
    Shells shells(*nothing);
    std::vector<RuntimeValue> values;
    for (const RuntimeValue& v : inputs) values.push_back(shells.of(v));
    std::unordered_map<Name, RuntimeValue> attributes;
    for (const auto& [name, v] : constants) attributes.emplace(name, shells.of(v));
    ExecOptions dry = options;
    dry.reuse = true;
    dry.arena = nullptr;
    dry.decided = nullptr;
    dry.progress = nullptr;
    dry.maxFlops = 0;  // nothing is computed
    dry.maxBytes = 0;
    dry.sanitize = Sanitize::Off;
    ExecResult foreseen = execute(g, ops, *nothing, values, attributes, dry);
    auto plan = std::make_shared<ArenaPlan>(*planArena(std::move(foreseen.memory), options.cancel));
    plan->complete = foreseen.complete;
    return plan;
}

}  // namespace aliascope::exec
