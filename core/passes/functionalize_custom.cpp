// Mutable custom operators: eligibility, auto_functionalized (v1), and what its clones of single arguments get wrong (functionalize.md 4, 5).

#include <algorithm>

#include "core/passes/functionalize_state.h"

namespace aliascope::functionalization {
namespace {

const Name kV1("hop::auto_functionalized");

std::string joined(const std::vector<std::string>& parts) {
    std::string out;
    for (const std::string& p : parts) out += (out.empty() ? "" : ", ") + p;
    return out;
}

}  // namespace

Status Functionalizer::checkEligible(NodeId id, const OpDef& op) {
    const Schema& s = op.schema;
    for (const SchemaParam& p : s.params)
        if (p.written() && !p.type.isTensorLike())
            return failAt(id, "NOT_ELIGIBLE_ARG", {{"op", op.canonical.str()}, {"arg", p.name.str()}, {"type", p.type.str()}, {"node", nameOf(id)}});
    for (std::size_t r = 0; r < s.returns.size(); ++r) {
        const SchemaType& type = s.returns[r].type;
        const bool nothing = s.returns.size() == 1 && type.base == "None"_n;
        if (!nothing && (type.kind != SchemaType::Kind::Base || type.base != "Tensor"_n || type.alias))
            return failAt(id, "NOT_ELIGIBLE_RETURN",
                          {{"op", op.canonical.str()}, {"i", std::to_string(r)}, {"type", type.str()}, {"node", nameOf(id)}});
    }
    return {};
}

Status Functionalizer::customCall(NodeId id, const OpDef& op) {
    if (Status s = checkEligible(id, op); !s) return s;
    auto bound = bindCall(ops_, g_[id]);
    if (!bound) return fail(bound.error());
    auto written = writtenOf(id, *bound);
    if (!written) return fail(written.error());
    for (const Written& w : *written)
        if (w.handle)
            if (Status s = checkWrite(w.handle, true); !s) return s;
    if (form_ == Form::V1) return wrapV1(id, *bound, *written);
    if (const auto* effect = cheaperV1(id, *bound, *written)) {
        Params params = effect->params();
        params.insert(params.end(), {{"op", op.canonical.str()}, {"form", "auto_functionalized"}, {"other_form", "auto_functionalized_v2"}});
        decide(id, "FORM_BY_RUN", "", std::move(params));
        return wrapV1(id, *bound, *written);
    }
    if (Status s = wrapV2(id, *bound, *written); !s) return s;
    if (form_ == Form::Auto) reportForm(id, op, *written);
    return {};
}

/// The cheaper form (reinplace.md 9, L5). In the order of the program nothing reads an old value behind the call, so that v2 writes every base where
/// it stands; v1 takes each view out of its base and puts it back.
void Functionalizer::reportForm(NodeId id, const OpDef& op, const std::vector<Written>& written) {
    std::int64_t bytes = 0;
    for (const Written& w : written) {
        if (!w.handle || !w.handle->parent) continue;
        const auto size = w.handle->geometry ? w.handle->geometry->bytes() : std::nullopt;
        const auto value = size ? size->evaluate(g_.symbols) : std::nullopt;
        if (!value || __builtin_add_overflow(bytes, *value, &bytes)) return;
    }
    if (bytes == 0) return;
    decide(id, "FORM_BY_BYTES", "",
           {{"op", op.canonical.str()},
            {"form", "auto_functionalized_v2"},
            {"bytes", "0"},
            {"other_form", "auto_functionalized"},
            {"other_bytes", std::to_string(bytes)}});
}

const WriteForms::Effect* Functionalizer::cheaperV1(NodeId id, const BoundCall& call, const std::vector<Written>& written) const {
    if (form_ != Form::Auto || !ctx_.forms || writtenInputs_) return nullptr;
    const auto found = ctx_.forms->v1.find(g_[id].name);
    if (found == ctx_.forms->v1.end()) return nullptr;
    // v1 clones every written argument on its own: operands that share elements with one would lose its writes.
    std::vector<const Handle*> writtenHandles, others;
    for (const Written& w : written)
        if (w.handle) writtenHandles.push_back(w.handle);
    for (std::size_t p = 0; p < call.values.size(); ++p)
        if (!call.op->schema.params[p].written())
            call.values[p].forEachNode([&](NodeId used) {
                if (const Handle* h = knownHandle(used)) others.push_back(h);
            });
    constexpr std::size_t kMostPairs = 4096;
    if (writtenHandles.size() * (writtenHandles.size() + others.size()) > kMostPairs) return nullptr;
    for (std::size_t i = 0; i < writtenHandles.size(); ++i) {
        for (std::size_t j = 0; j < i; ++j)
            if (overlap(writtenHandles[i], writtenHandles[j]) != Overlap::Disjoint) return nullptr;
        for (const Handle* other : others)
            if (overlap(writtenHandles[i], other) != Overlap::Disjoint) return nullptr;
    }
    return &found->second;
}

Overlap Functionalizer::overlap(const Handle* a, const Handle* b) const {
    if (a->storage != b->storage) return Overlap::Disjoint;
    if (!a->geometry || !b->geometry) return Overlap::May;
    return exactOverlap(*a->geometry, *b->geometry, g_.symbols);
}

Status Functionalizer::wrapV1(NodeId id, const BoundCall& call, const std::vector<Written>& written) {
    const OpDef& op = *call.op;
    reportOverlaps(id, call, written);
    reportAliasedReads(id, call, written);
    const NodeRef before = ref(g_, id);
    const TypePtr oldType = g_[id].type;
    std::vector<Keyword> kwargs;
    for (std::size_t p = 0; p < call.values.size(); ++p) kwargs.emplace_back(op.schema.params[p].name, current(call.values[p]));
    becomeWrapper(id, kV1, op, std::move(kwargs));
    at_ = g_[id].next;
    std::vector<NodeRef> made{ref(g_, id)};
    takeReturns(id, op, oldType, made);

    // Result R + j is the new value of the j-th written argument, absent ones counted; a list's is a list.
    const auto firstNew = static_cast<std::int64_t>(std::max<std::size_t>(1, op.schema.returns.size()));
    const std::vector<std::size_t> params = op.schema.writtenParams();
    std::vector<std::pair<Handle*, NodeId>> values;
    for (std::size_t j = 0; j < params.size(); ++j) {
        NodeId list;
        for (const Written& w : written) {
            if (w.param != params[j] || !w.handle) continue;
            const TypePtr type = w.handle->geometry ? Type::tensor(*w.handle->geometry) : nullptr;
            const Value key = Value::integer(firstNew + static_cast<std::int64_t>(j));
            NodeId value;
            if (w.element < 0) {
                value = emitItem(id, key, type);
            } else {
                if (!list) {
                    list = emitItem(id, key, nullptr);
                    made.push_back(ref(g_, list));
                }
                value = emitItem(list, Value::integer(w.element), type);
            }
            made.push_back(ref(g_, value));
            values.emplace_back(w.handle, value);
        }
    }
    reportWrapped(id, before, op, "auto_functionalized", std::move(made), written, values.size());
    for (const auto& [handle, value] : values)
        if (Status s = write(handle, value); !s) return s;
    return {};
}

void Functionalizer::becomeWrapper(NodeId id, Name wrapper, const OpDef& op, std::vector<Keyword> kwargs) {
    // The wrapper's result is a tuple: what was known of the operator's own result does not hold for it.
    g_.setType(id, nullptr, Trust::Unknown);
    become(id, wrapper, {Value::op(op.canonical)}, std::move(kwargs));
}

void Functionalizer::takeReturns(NodeId wrapper, const OpDef& op, const TypePtr& oldType, std::vector<NodeRef>& made) {
    // Several returns stand at the same places in the wrapper's tuple; a single one was the node itself.
    if (op.schema.returns.size() != 1 || !g_.hasUsers(wrapper)) return;
    const NodeId value = emitItem(wrapper, Value::integer(0), oldType);
    made.push_back(ref(g_, value));
    setHandle(wrapper, newRoot(wrapper, value));
}

void Functionalizer::reportWrapped(NodeId id, const NodeRef& before, const OpDef& op, std::string_view form, std::vector<NodeRef> made,
                                   const std::vector<Written>& written, std::size_t bases) {
    std::vector<std::string> names;
    for (const Written& w : written) {
        const std::string& name = op.schema.params[w.param].name.str();
        if (w.handle && (names.empty() || names.back() != name)) names.push_back(name);
    }
    rewrite(form_ == Form::V1 ? "wrap-v1" : "wrap-v2", {before}, std::move(made));
    decide(id, "WRAPPED", "",
           {{"op", op.canonical.str()}, {"form", std::string(form)}, {"written", joined(names)}, {"bases", std::to_string(bases)}});
}

void Functionalizer::reportOverlaps(NodeId id, const BoundCall& call, const std::vector<Written>& written) {
    // A long list could overlap in many ways; one instance is enough for the report.
    constexpr std::size_t kMostPairs = 4096;
    std::unordered_map<const Storage*, std::vector<const Written*>> byStorage;
    for (const Written& w : written)
        if (w.handle) byStorage[w.handle->storage].push_back(&w);
    std::size_t pairs = 0;
    const auto nameOfArgument = [&](const Written& w) {
        return call.op->schema.params[w.param].name.str() + (w.element < 0 ? "" : "[" + std::to_string(w.element) + "]");
    };
    for (const Written& w : written) {
        if (!w.handle) continue;
        for (const Written* other : byStorage[w.handle->storage]) {
            if (other <= &w || ++pairs > kMostPairs) continue;
            if (overlap(w.handle, other->handle) == Overlap::Disjoint) continue;
            if (!firstTime("OVERLAPPING_WRITES", call.op->canonical.view())) return;
            std::string bytes = "some";
            if (w.handle->geometry && other->handle->geometry)
                if (const auto n = overlapElements(*w.handle->geometry, *other->handle->geometry))
                    bytes = std::to_string(*n * itemSize(w.handle->geometry->dtype));
            Diagnostic d = warning("OVERLAPPING_WRITES",
                                   {{"args", nameOfArgument(w) + " and " + nameOfArgument(*other)}, {"overlap", bytes}, {"node", nameOf(id)}});
            d.node = Name(nameOf(id));
            ctx_.say(std::move(d));
            return;
        }
    }
}

void Functionalizer::reportAliasedReads(NodeId id, const BoundCall& call, const std::vector<Written>& written) {
    constexpr std::size_t kMostPairs = 4096;
    std::unordered_map<const Storage*, std::vector<const Written*>> byStorage;
    for (const Written& w : written)
        if (w.handle) byStorage[w.handle->storage].push_back(&w);
    std::size_t pairs = 0;
    for (std::size_t p = 0; p < call.values.size(); ++p) {
        const SchemaParam& param = call.op->schema.params[p];
        if (param.written()) continue;
        call.values[p].forEachNode([&](NodeId used) {
            const Handle* h = knownHandle(used);
            const auto group = h ? byStorage.find(h->storage) : byStorage.end();
            if (group == byStorage.end()) return;
            for (const Written* w : group->second) {
                if (++pairs > kMostPairs || overlap(h, w->handle) == Overlap::Disjoint) continue;
                if (!firstTime("ALIASED_READ", call.op->canonical.str() + " " + param.name.str())) return;
                Diagnostic d = warning("ALIASED_READ",
                                       {{"arg", param.name.str()}, {"other", call.op->schema.params[w->param].name.str()}, {"node", nameOf(id)}});
                d.node = Name(nameOf(id));
                ctx_.say(std::move(d));
                return;
            }
        });
    }
}

}  // namespace aliascope::functionalization
