#include "core/passes/functional_wrappers.h"

#include <algorithm>

namespace aliascope {
namespace {

ViewEncoding readEncoding(const Node& n, const std::string& prefix, std::size_t bases) {
    ViewEncoding view;
    const auto key = [&](const char* suffix) { return n.kwarg(Name(prefix + suffix)); };
    const Value* base = key("_base_index");
    const auto index = base ? base->asInt() : std::nullopt;
    if (!index || *index < 0 || static_cast<std::size_t>(*index) >= bases) return view;
    view.base = static_cast<std::size_t>(*index);
    view.kind = ViewEncoding::Kind::Base;
    if (key("_alias")) {
        view.kind = ViewEncoding::Kind::Alias;
    } else if (const Value* dim = key("_slice_dim")) {
        view.kind = ViewEncoding::Kind::Slice;
        view.dim = *dim;
        if (const Value* v = key("_slice_start")) view.start = *v;
        if (const Value* v = key("_slice_end")) view.end = *v;
    } else if (const Value* size = key("_size")) {
        view.kind = ViewEncoding::Kind::AsStrided;
        view.size = *size;
        if (const Value* v = key("_stride")) view.stride = *v;
        if (const Value* v = key("_storage_offset")) view.offset = *v;
    }
    return view;
}

/// The encoded argument `param` of a v2 call; nothing when the call passes it by value or not at all.
std::optional<WrappedArgument> readEncodedArgument(const Node& n, Name param, std::size_t bases) {
    const std::string prefix = "_" + param.str();
    WrappedArgument argument;
    argument.param = param;
    if (const Value* length = n.kwarg(Name(prefix + "_length"))) {
        argument.list = true;
        const auto count = length->asInt();
        // A length that the keys do not bear out is cut: every element has a base index.
        for (std::int64_t i = 0; count && i < *count; ++i) {
            const std::string element = prefix + "_" + std::to_string(i);
            if (!n.kwarg(Name(element + "_base_index"))) break;
            argument.views.push_back(readEncoding(n, element, bases));
        }
        if (!count) argument.views.clear();
        return argument;
    }
    if (!n.kwarg(Name(prefix + "_base_index"))) return std::nullopt;
    argument.views.push_back(readEncoding(n, prefix, bases));
    return argument;
}

std::size_t resultsOf(const Schema& schema) { return std::max<std::size_t>(1, schema.returns.size()); }

/// Largest index that some getitem takes from the wrapper; -1 = none.
/// Results of an operator without schema that we believe in; a text may name any number.
constexpr std::int64_t kMostResults = 64;

std::int64_t largestResult(const Graph& g, NodeId id) {
    std::int64_t largest = -1;
    for (const Node::User& user : g[id].users)
        if (const auto i = g[user.id].arg(1).asInt(); g[user.id].op == "operator::getitem" && i && *i < kMostResults)
            largest = std::max(largest, *i);
    return largest;
}

/// Names that a v2 call without schema encodes, in the order of its keywords.
std::vector<Name> encodedNames(const Node& n) {
    std::vector<Name> names;
    std::string list;
    for (const auto& [key, value] : n.kwargs) {
        const std::string_view text = key.view();
        if (text.size() < 2 || text.front() != '_') continue;
        if (text.ends_with("_length")) {
            list = text.substr(0, text.size() - 7);
            names.emplace_back(text.substr(1, text.size() - 8));
        } else if (text.ends_with("_base_index") && (list.empty() || !text.starts_with(list + "_"))) {
            names.emplace_back(text.substr(1, text.size() - 12));
        }
    }
    return names;
}

void readV2(const Graph& g, NodeId id, WrapperCall& call) {
    const Node& n = g[id];
    if (call.definition) {
        for (const SchemaParam& param : call.definition->schema.params)
            if (auto argument = readEncodedArgument(n, param.name, call.bases.size())) {
                argument->written = param.written();
                call.arguments.push_back(std::move(*argument));
            }
        return;
    }
    for (Name name : encodedNames(n))
        if (auto argument = readEncodedArgument(n, name, call.bases.size())) call.arguments.push_back(std::move(*argument));
    const std::int64_t beforeBases = largestResult(g, id) + 1 - static_cast<std::int64_t>(call.bases.size());
    call.results = static_cast<std::size_t>(std::max<std::int64_t>(1, beforeBases));
}

void readV1(const Graph& g, NodeId id, WrapperCall& call) {
    const Node& n = g[id];
    const auto add = [&](Name name, const Value& value) {
        WrappedArgument argument;
        argument.param = name;
        argument.value = value;
        argument.list = value.isSequence();
        call.arguments.push_back(std::move(argument));
    };
    if (call.definition) {
        for (const SchemaParam& param : call.definition->schema.params)
            if (param.written()) {
                const Value* value = n.kwarg(param.name);
                add(param.name, value ? *value : Value::none());
            }
        return;
    }
    // Without a schema every tensor argument may be written (architecture.md 3); as many as there are new values, last ones first to go.
    for (const auto& [key, value] : n.kwargs)
        if (const auto tensors = tensorsOf(value); std::any_of(tensors.begin(), tensors.end(), [&](NodeId t) { return t && g[t].tensor(); }))
            add(key, value);
    const std::int64_t newValues = largestResult(g, id);
    if (newValues >= 1 && static_cast<std::size_t>(newValues) < call.arguments.size()) call.arguments.resize(static_cast<std::size_t>(newValues));
}

void readLaunch(const Node& n, WrapperCall& call) {
    const Value* kwargs = n.kwarg("kwargs"_n);
    const Value* names = n.kwarg("tensors_to_clone"_n);
    if (!kwargs || !names) return;
    for (const Value& item : names->items()) {
        WrappedArgument argument;
        argument.param = item.name();
        if (const Value* value = kwargs->find(item.name())) argument.value = *value;
        call.arguments.push_back(std::move(argument));
    }
}

std::optional<std::vector<SymInt>> asSymInts(const Graph& g, const Value& v) {
    if (!v.isSequence()) return std::nullopt;
    std::vector<SymInt> out;
    for (const Value& item : v.items()) {
        auto s = asSymInt(g, item);
        if (!s) return std::nullopt;
        out.push_back(std::move(*s));
    }
    return out;
}

}  // namespace

WrapperKind wrapperKind(const Node& node) {
    static const Name v1("hop::auto_functionalized"), v2("hop::auto_functionalized_v2"), launch("hop::triton_kernel_wrapper_functional");
    if (node.is(v2)) return WrapperKind::V2;
    if (node.is(v1)) return WrapperKind::V1;
    if (node.is(launch)) return WrapperKind::Launch;
    return WrapperKind::None;
}

std::vector<NodeId> tensorsOf(const Value& v) {
    if (v.isNode()) return {v.asNode()};
    std::vector<NodeId> out;
    if (v.isSequence())
        for (const Value& item : v.items()) out.push_back(item.asNode());
    return out;
}

std::optional<SymInt> asSymInt(const Graph& g, const Value& v) {
    if (const auto i = v.asInt()) return SymInt(*i);
    if (v.kind() == Value::Kind::Sym) return v.asSym();
    if (!v.isNode() || !g[v.asNode()].type) return std::nullopt;
    const SymInt* s = g[v.asNode()].type->asSym();
    return s && !s->isOpaque() ? std::optional(*s) : std::nullopt;
}

std::optional<WrapperCall> readWrapper(const OpRegistry& ops, const Graph& g, NodeId id) {
    const Node& n = g[id];
    WrapperCall call;
    call.kind = wrapperKind(n);
    if (call.kind == WrapperKind::None) return std::nullopt;
    if (call.kind == WrapperKind::Launch) {
        readLaunch(n, call);
        return call;
    }
    if (n.arg(0).kind() != Value::Kind::Op) return std::nullopt;
    call.inner = n.arg(0).name();
    call.definition = ops.find(call.inner);
    call.assumed = call.definition == nullptr;
    if (call.definition) call.results = resultsOf(call.definition->schema);
    if (call.kind == WrapperKind::V1) {
        readV1(g, id, call);
        return call;
    }
    const Value* bases = n.kwarg("_all_bases"_n);
    if (!bases || !bases->isSequence()) return std::nullopt;
    call.bases = bases->items();
    readV2(g, id, call);
    return call;
}

std::optional<TensorType> encodedGeometry(const Graph& g, const TensorType& base, const ViewEncoding& view) {
    TensorType t = base;
    switch (view.kind) {
        case ViewEncoding::Kind::Absent:
            return std::nullopt;
        case ViewEncoding::Kind::Base:
        case ViewEncoding::Kind::Alias:
            return t;
        case ViewEncoding::Kind::AsStrided: {
            auto size = asSymInts(g, view.size), stride = asSymInts(g, view.stride);
            auto offset = asSymInt(g, view.offset);
            if (!size || !stride || !offset || size->size() != stride->size()) return std::nullopt;
            t.sizes = std::move(*size);
            t.strides = std::move(*stride);
            t.offset = std::move(*offset);
            return t;
        }
        case ViewEncoding::Kind::Slice:
            break;
    }
    const auto dim = view.dim.asInt();
    const auto start = asSymInt(g, view.start), end = asSymInt(g, view.end);
    if (!dim || !start || !end || *dim < 0 || static_cast<std::size_t>(*dim) >= t.sizes.size() || !t.strides || t.strides->size() != t.sizes.size())
        return std::nullopt;
    const auto d = static_cast<std::size_t>(*dim);
    t.sizes[d] = *end - *start;
    t.offset = t.offset.value_or(SymInt(0)) + *start * (*t.strides)[d];
    return t;
}

}  // namespace aliascope
