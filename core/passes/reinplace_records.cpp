// What re-inplacing leaves at a wrapper for decomposition to clone, and what it says about each of its arguments.

#include <algorithm>
#include <unordered_map>

#include "core/analysis/footprint.h"
#include "core/passes/reinplace_candidates.h"
#include "core/passes/reinplace_report.h"

namespace aliascope {

void Reinplacer::recordClones(NodeId id, const WrapperCall& call, const std::vector<Key>& keys) {
    std::vector<Value> left;
    for (std::size_t i = 0; i < keys.size(); ++i) {
        if (keys[i].answer.inPlace) continue;
        left.push_back(call.kind == WrapperKind::V2 ? Value::integer(static_cast<std::int64_t>(i)) : Value::string(Name(keys[i].name)));
    }
    if (call.kind != WrapperKind::Launch) return g_.setMeta(id, "clone_only"_n, Value::list(std::move(left)));
    auto kwargs = g_[id].kwargs;
    for (auto& [key, value] : kwargs) {
        if (!(key == "tensors_to_clone")) continue;
        std::vector<Value> kept;
        for (const Value& item : value.items())
            if (std::any_of(left.begin(), left.end(), [&](const Value& l) { return l.name() == item.name(); })) kept.push_back(item);
        if (kept.size() == value.items().size()) return;
        value = Value::container(value.kind(), std::move(kept));
    }
    g_.setKwargs(id, std::move(kwargs));
}

void Reinplacer::decideByKey(NodeId id, const WrapperCall& call, const std::vector<Key>& keys) {
    const auto absent = [&](const WrappedArgument& argument) {
        Answer answer;
        answer.code = "RI60";
        answer.rule = "reinplace 4.5 step 0a";
        ctx_.decide(makeDecision(g_, index_, {id, argument.param.str(), argument.param.str(), {}, true, false, mode_}, answer, ctx_, false));
    };
    const auto decide = [&](const Key& key) {
        ctx_.decide(makeDecision(g_, index_, {id, key.name, shownName(call, key), key.value, true, true, mode_}, key.answer, ctx_));
    };
    if (call.kind == WrapperKind::V2) {
        for (const Key& key : keys) decide(key);
        return;
    }
    auto next = keys.begin();
    for (const WrappedArgument& argument : call.arguments) {
        if (argument.value.isNone())
            absent(argument);
        else
            decide(*next++);
    }
}

void Reinplacer::decideByArgument(NodeId id, const WrapperCall& call, const std::vector<Key>& keys) {
    std::vector<bool> stated(keys.size(), false);
    for (std::size_t j = 0; j < call.arguments.size(); ++j) {
        const WrappedArgument& argument = call.arguments[j];
        if (!argument.written) continue;
        const std::string name = argument.param.str();
        // A list may be cut out of several bases: it is cloned if one of them is.
        const Key* worst = nullptr;
        bool first = false;
        for (const Key& key : keys) {
            if (std::find(key.arguments.begin(), key.arguments.end(), j) == key.arguments.end()) continue;
            if (worst && (!worst->answer.inPlace || key.answer.inPlace)) continue;
            worst = &key;
            first = !stated[static_cast<std::size_t>(&key - keys.data())];
        }
        if (!worst) {
            Answer answer;
            answer.code = "RI60";
            answer.rule = "reinplace 4.5 step 0a";
            ctx_.decide(makeDecision(g_, index_, {id, name, name, {}, true, false, mode_}, answer, ctx_, false));
            continue;
        }
        stated[static_cast<std::size_t>(worst - keys.data())] = true;
        ctx_.decide(makeDecision(g_, index_, {id, name, name, worst->value, true, true, mode_, first}, worst->answer, ctx_));
    }
}

void Reinplacer::warnSeparateCopies(NodeId id, const WrapperCall& call, const std::vector<Key>& keys) {
    if (call.kind == WrapperKind::V2) return;
    struct Part {
        const Key* key;
        NodeId tensor;
    };
    constexpr std::size_t kComparedParts = 64;
    std::unordered_map<StorageId, std::vector<Part>> byStorage;
    for (const Key& key : keys)
        for (NodeId t : tensorsOf(key.value))
            if (t && index_.alias().storageOf(t)) byStorage[index_.alias().storageOf(t)].push_back({&key, t});
    for (const auto& [storage, parts] : byStorage)
        for (std::size_t i = 0; i < parts.size() && i < kComparedParts; ++i)
            for (std::size_t j = 0; j < i; ++j) {
                if (parts[i].key->answer.inPlace && parts[j].key->answer.inPlace) continue;
                const TensorType *a = index_.geometry(parts[i].tensor), *b = index_.geometry(parts[j].tensor);
                const auto overlap = a && b ? overlapElements(atHints(*a, g_.symbols), atHints(*b, g_.symbols)) : std::nullopt;
                if (!overlap || *overlap == 0) continue;
                const std::string names = parts[i].key == parts[j].key ? parts[i].key->name : parts[j].key->name + ", " + parts[i].key->name;
                return defects_.say("R5", g_, id, "OVERLAPPING_WRITES",
                                    {{"args", names}, {"overlap", std::to_string(*overlap * itemSize(a->dtype))}});
            }
}

}  // namespace aliascope
