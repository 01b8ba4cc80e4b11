#include "core/passes/reinplace_report.h"

#include <algorithm>
#include <limits>

#include "core/passes/functional_wrappers.h"

namespace aliascope {
namespace {

/// Bytes that PyTorch's log counts: numel x item size of every tensor, 0 for one with a symbolic size.
std::int64_t loggedBytes(const Graph& g, const Value& value) {
    std::int64_t sum = 0;
    for (NodeId id : tensorsOf(value)) {
        const TensorType* t = id ? g[id].tensor() : nullptr;
        const auto bytes = t ? t->bytes() : std::nullopt;
        if (bytes && __builtin_add_overflow(sum, bytes->constant().value_or(0), &sum)) return std::numeric_limits<std::int64_t>::max();
    }
    return sum;
}

/// Bytes that the clone really moves: of a wrapper the storage prefix up to the last element (without what lies before the first in extent mode),
/// of a functional operator the value.
std::optional<SymInt> clonedBytes(const ReinplaceIndex& index, const Subject& s) {
    SymInt sum = 0;
    for (NodeId id : tensorsOf(s.value)) {
        const TensorType* t = id ? index.geometry(id) : nullptr;
        if (!t || itemSize(t->dtype) == 0) return std::nullopt;
        std::optional<SymInt> elements = s.wrapper ? t->extent() : std::optional(t->numel());
        if (!elements) return std::nullopt;
        if (s.wrapper && s.mode == AnalysisMode::Extent && t->offset && !(*elements == SymInt(0))) elements = *elements - *t->offset;
        sum = sum + *elements * SymInt(itemSize(t->dtype));
    }
    return sum;
}

std::string_view needOf(const Answer& answer, bool inPlace) {
    if (answer.saved) return answer.neededBytes.value_or(0) > 0 ? "needed" : "unknown";
    if (inPlace) return "none";
    if (answer.code == "RI51" || (answer.code == "RI50" && answer.neededBytes.value_or(0) > 0)) return "needed";
    return "unknown";
}

}  // namespace

Decision makeDecision(const Graph& g, const ReinplaceIndex& index, const Subject& s, const Answer& answer, const PassContext& ctx, bool clone) {
    Decision d;
    d.node = ref(g, s.node);
    if (ctx.originOf) d.origin = ctx.originOf(s.node);
    d.op = g[s.node].op;
    d.argument = s.argument;
    d.verdict = answer.saved ? "clone" : answer.inPlace ? "in-place" : clone ? "clone" : "not-attempted";
    d.need = needOf(answer, answer.inPlace || !clone);
    d.code = answer.saved ? "RI52" : answer.inPlace ? "RI00" : answer.code;
    d.blocker = ref(g, answer.blocker);
    d.view = ref(g, answer.view);
    d.rule = answer.rule;
    d.checks = answer.checks;
    d.neededBytes = answer.neededBytes;
    d.reportedBytes = 0;
    d.clonedBytes = 0;
    if (answer.saved) {
        d.clonedBytes = s.bytes ? answer.saved->bytes : 0;
        d.counted = false;
    } else if (!answer.inPlace && clone && s.bytes) {
        d.counted = s.logged && answer.code != "RI13";
        if (d.counted) d.reportedBytes = loggedBytes(g, s.value);
        if (const auto bytes = clonedBytes(index, s)) {
            d.clonedBytes = bytes->evaluate(g.symbols);
            if (!bytes->isConst()) d.bytesExpr = bytes->str();
        } else {
            d.clonedBytes.reset();
        }
    } else if (!answer.inPlace && clone) {
        d.counted = false;
    }

    const auto tensors = tensorsOf(s.value);
    const NodeId first = tensors.empty() ? NodeId() : tensors.front();
    d.params = {{"node", d.node.name.str()},
                {"arg", s.shown},
                {"cloned", d.clonedBytes         ? std::to_string(*d.clonedBytes)
                           : d.bytesExpr.empty() ? "unknown"
                                                 : d.bytesExpr}};
    d.params.insert(d.params.end(), answer.params.begin(), answer.params.end());
    if (answer.saved)
        d.params.insert(d.params.end(), {{"form", answer.saved->form},
                                         {"less", std::to_string(answer.saved->bytes)},
                                         {"more", std::to_string(answer.saved->instead)}});
    const auto given = [&](std::string_view key) {
        return std::any_of(d.params.begin(), d.params.end(), [&](const auto& p) { return p.first == key; });
    };
    if (!given("op")) d.params.emplace_back("op", d.op.str());
    if (!given("base")) d.params.emplace_back("base", first ? g[first].name.str() : s.shown);
    return d;
}

}  // namespace aliascope
