#include "core/exec/input_roles.h"

#include <algorithm>
#include <array>
#include <unordered_set>

namespace aliascope::exec {
namespace {

/// An operand position that tells something: operator (all overloads), parameter, what it makes of the value.
struct Evidence {
    std::string_view packet, param;
    InputRole role;
    std::string_view sized, sizedBy;  ///< parameter whose size bounds an index, and the parameter with the dimension; `*` = by place in a list
};

constexpr Evidence kIndexEvidence[] = {
    {"aten::embedding", "indices", InputRole::Ids, "weight", "0"},
    {"aten::embedding_dense_backward", "indices", InputRole::Ids, "num_weights", ""},
    {"aten::index", "indices", InputRole::Ids, "self", "*"},
    {"aten::_unsafe_index", "indices", InputRole::Ids, "self", "*"},
    {"aten::index_put", "indices", InputRole::Ids, "self", "*"},
    {"aten::index_put_", "indices", InputRole::Ids, "self", "*"},
    {"aten::_unsafe_index_put", "indices", InputRole::Ids, "self", "*"},
    {"aten::index_select", "index", InputRole::Ids, "self", "dim"},
    {"aten::index_add", "index", InputRole::Ids, "self", "dim"},
    {"aten::index_add_", "index", InputRole::Ids, "self", "dim"},
    {"aten::index_copy", "index", InputRole::Ids, "self", "dim"},
    {"aten::index_copy_", "index", InputRole::Ids, "self", "dim"},
    {"aten::index_fill", "index", InputRole::Ids, "self", "dim"},
    {"aten::index_fill_", "index", InputRole::Ids, "self", "dim"},
    {"aten::gather", "index", InputRole::Ids, "self", "dim"},
    {"aten::scatter", "index", InputRole::Ids, "self", "dim"},
    {"aten::scatter_", "index", InputRole::Ids, "self", "dim"},
    {"aten::scatter_add", "index", InputRole::Ids, "self", "dim"},
    {"aten::scatter_add_", "index", InputRole::Ids, "self", "dim"},
    {"aten::scatter_reduce", "index", InputRole::Ids, "self", "dim"},
    {"aten::scatter_reduce_", "index", InputRole::Ids, "self", "dim"},
    {"aten::take", "index", InputRole::Ids, "self", "all"},
    {"aten::nll_loss_forward", "target", InputRole::Labels, "self", "1"},
    {"aten::one_hot", "self", InputRole::Ids, "num_classes", ""},
    {"aten::max_pool2d_with_indices_backward", "indices", InputRole::Ids, "self", "last two"},
    {"aten::max_unpool2d", "indices", InputRole::Ids, "output_size", "product"},
    {"prims::_low_memory_max_pool_offsets_to_indices", "self", InputRole::WindowCentre, "kernel_size", "product"},
};

constexpr Evidence kFloatEvidence[] = {
    {"aten::mm", "mat2", InputRole::MatrixWeight, "", ""},       {"aten::addmm", "mat2", InputRole::MatrixWeight, "", ""},
    {"aten::linear", "weight", InputRole::MatrixWeight, "", ""}, {"aten::convolution", "weight", InputRole::MatrixWeight, "", ""},
    {"aten::conv1d", "weight", InputRole::MatrixWeight, "", ""}, {"aten::conv2d", "weight", InputRole::MatrixWeight, "", ""},
    {"aten::conv3d", "weight", InputRole::MatrixWeight, "", ""},
};

constexpr std::string_view kNorms[] = {"aten::native_layer_norm",
                                       "aten::layer_norm",
                                       "aten::native_group_norm",
                                       "aten::group_norm",
                                       "aten::native_batch_norm",
                                       "aten::_native_batch_norm_legit",
                                       "aten::_native_batch_norm_legit_no_training",
                                       "aten::_native_batch_norm_legit_functional",
                                       "aten::cudnn_batch_norm",
                                       "aten::batch_norm",
                                       "aten::instance_norm",
                                       "aten::rms_norm",
                                       "aten::_fused_rms_norm"};

/// Operators whose result still is the value, moved, cast, shifted or chosen from.
bool passesValue(const OpDef* op, Name packet) {
    if (op && op->isView()) return true;
    static const std::unordered_set<std::string_view> names = {
        "aten::add",      "aten::sub",     "aten::clone",      "aten::to",          "aten::_to_copy",     "prims::convert_element_type",
        "aten::where",    "aten::reshape", "aten::contiguous", "aten::expand",      "aten::repeat",       "aten::cat",
        "aten::stack",    "aten::clamp",   "aten::clamp_min",  "aten::masked_fill", "aten::_unsafe_view", "aten::lift_fresh_copy",
        "aten::remainder"};
    return names.contains(packet.view());
}

class UseWalk {
public:
    UseWalk(const Graph& g, const OpRegistry& ops, const SymbolTable& symbols) : g_(g), ops_(ops), symbols_(symbols) {}

    /// Everything known after walking on from `input`.
    void walk(NodeId input, bool integral) {
        std::vector<NodeId> queue = {input};
        std::unordered_set<NodeId> seen = {input};
        for (std::size_t at = 0; at < queue.size(); ++at)
            for (const Node::User& user : g_[queue[at]].users) {
                const Node& n = g_[user.id];
                if (!n.isCall()) continue;
                const auto bound = bindCall(ops_, n);
                const Name packet = packetOf(n.op);
                if (integral) asWrapped(n, queue[at]);
                if (bound) integral ? asIndex(n, *bound, packet, queue[at]) : asFloat(n, *bound, packet, queue[at]);
                if (n.op == "operator::getitem"_n || passesValue(bound ? bound->op : nullptr, packet))
                    if (seen.insert(user.id).second) queue.push_back(user.id);
            }
    }

    std::optional<RoleChoice> index, slots, offsets, weight, norm, variance;
    bool comparedWithIgnored = false;

private:
    static bool holds(const Value& v, NodeId id) { return v.usesNode(id); }

    std::optional<std::int64_t> sizeOf(const Value* tensor, std::int64_t dim) const {
        const TensorType* t = tensor && tensor->isNode() ? g_[tensor->asNode()].tensor() : nullptr;
        if (!t) return std::nullopt;
        if (dim < 0) dim += static_cast<std::int64_t>(t->rank());
        if (dim < 0 || dim >= static_cast<std::int64_t>(t->rank())) return std::nullopt;
        return t->sizes[static_cast<std::size_t>(dim)].evaluate(symbols_);
    }

    std::string reason(const Node& n, const BoundCall& call, NodeId value) const {
        for (std::size_t i = 0; i < call.values.size(); ++i)
            if (holds(call.values[i], value)) return call.op->schema.params[i].name.str() + " of " + call.op->canonical.str() + " at " + n.name.str();
        return call.op->canonical.str() + " at " + n.name.str();
    }

    void least(std::optional<RoleChoice>& slot, InputRole role, std::int64_t limit, std::string why) {
        if (limit < 1) limit = 1;
        if (!slot || limit < slot->limit) slot = RoleChoice{role, limit, 1, std::move(why)};
    }

    /// What bounds an index that stands at `e.param`.
    std::optional<std::int64_t> limitOf(const Evidence& e, const BoundCall& call, const Value& place, NodeId value) const {
        const Value* sized = call.find(Name(e.sized));
        if (e.sizedBy.empty()) return sized ? sized->asInt() : std::nullopt;
        if (e.sizedBy == "all") {
            const TensorType* t = sized && sized->isNode() ? g_[sized->asNode()].tensor() : nullptr;
            return t ? t->numel().evaluate(symbols_) : std::nullopt;
        }
        if (e.sizedBy == "last two") {
            const auto height = sizeOf(sized, -2), width = sizeOf(sized, -1);
            std::int64_t product = 0;
            return height && width && !__builtin_mul_overflow(*height, *width, &product) ? std::optional(product) : std::nullopt;
        }
        if (e.sizedBy == "product") {
            std::int64_t product = 1;
            for (const Value& item : sized ? sized->items() : std::vector<Value>())
                if (const auto n = item.asInt(); !n || __builtin_mul_overflow(product, *n, &product)) return std::nullopt;
            return e.role == InputRole::WindowCentre ? product / 2 : product;
        }
        if (e.sizedBy == "*") {
            for (std::size_t i = 0; i < place.items().size(); ++i)
                if (holds(place.items()[i], value)) return sizeOf(sized, static_cast<std::int64_t>(i));
            return std::nullopt;
        }
        if (e.sizedBy[0] >= '0' && e.sizedBy[0] <= '9') return sizeOf(sized, e.sizedBy[0] - '0');
        const Value* dim = call.find(Name(e.sizedBy));
        const auto d = dim ? dim->asInt() : std::nullopt;
        return d ? sizeOf(sized, *d) : std::nullopt;
    }

    void asIndex(const Node& n, const BoundCall& call, Name packet, NodeId value) {
        if (packet == "aten::ne" || packet == "aten::eq") {
            const auto other = call.values.size() > 1 ? call.values[1].asInt() : std::nullopt;
            comparedWithIgnored |= other == -100;
        }
        if (const Value* offs = call.find("offs"_n); offs && holds(*offs, value)) {
            const Value* self = call.find("self"_n);
            if (const auto rows = sizeOf(self, 0)) least(offsets, InputRole::Offsets, *rows, reason(n, call, value));
        }
        for (const Evidence& e : kIndexEvidence) {
            if (packet != e.packet) continue;
            const Value* place = call.find(Name(e.param));
            if (!place || !holds(*place, value)) continue;
            const auto limit = limitOf(e, call, *place, value);
            if (!limit) continue;
            const Value* accumulate = call.find("accumulate"_n);
            const bool put = packet.view().find("index_put") != std::string_view::npos && !(accumulate && accumulate->asBool().value_or(false));
            least(put ? slots : index, put ? InputRole::Slots : e.role, *limit, reason(n, call, value));
        }
        customCache(n, call, value);
    }

    /// An integer argument of a custom operator addresses rows of what that operator writes.
    void customCache(const Node& n, const BoundCall& call, NodeId value) {
        const std::string_view name = call.op->canonical.view();
        if (name.starts_with("aten::") || name.starts_with("prims::") || !call.op->schema.isMutable()) return;
        for (std::size_t i = 0; i < call.values.size(); ++i)
            if (call.op->schema.params[i].written() && !holds(call.values[i], value))
                if (const auto rows = sizeOf(&call.values[i], 0)) least(slots, InputRole::Slots, *rows, reason(n, call, value));
    }

    /// The same inside a functional wrapper: a row address among what the wrapped operator writes.
    void asWrapped(const Node& n, NodeId value) {
        const bool v2 = n.op == "hop::auto_functionalized_v2"_n;
        if ((!v2 && n.op != "hop::auto_functionalized"_n) || n.arg(0).kind() != Value::Kind::Op) return;
        const OpDef* op = ops_.find(n.arg(0).name());
        const auto place = std::find_if(n.kwargs.begin(), n.kwargs.end(), [&](const Keyword& k) { return holds(k.second, value); });
        if (!op || place == n.kwargs.end() || place->first == "_all_bases"_n) return;
        for (std::size_t i : op->schema.writtenParams()) {
            const Name param = op->schema.params[i].name;
            std::optional<std::int64_t> rows = sizeOf(n.kwarg(param), 0);
            if (const Value* size = v2 ? n.kwarg(Name("_" + param.str() + "_size")) : nullptr; size && !size->items().empty())
                rows = size->items()[0].asInt();
            const Value* base = v2 ? n.kwarg(Name("_" + param.str() + "_base_index")) : nullptr;
            const Value* bases = n.kwarg("_all_bases"_n);
            if (const auto b = base ? base->asInt() : std::nullopt;
                !rows && b && bases && *b >= 0 && *b < static_cast<std::int64_t>(bases->items().size()))
                rows = sizeOf(&bases->items()[static_cast<std::size_t>(*b)], 0);
            if (rows) least(slots, InputRole::Slots, *rows, place->first.str() + " of " + op->canonical.str() + " at " + n.name.str());
        }
    }

    void asFloat(const Node& n, const BoundCall& call, Name packet, NodeId value) {
        for (const Evidence& e : kFloatEvidence) {
            const Value* place = packet == e.packet ? call.find(Name(e.param)) : nullptr;
            if (place && holds(*place, value) && !weight)
                weight = RoleChoice{InputRole::MatrixWeight, 8, fanIn(packet, *place), reason(n, call, value)};
        }
        if (std::find(std::begin(kNorms), std::end(kNorms), packet.view()) != std::end(kNorms)) asNorm(n, call, value);
        if ((packet == "aten::sqrt" || packet == "aten::rsqrt" || packet == "aten::log") && !variance)
            variance = RoleChoice{InputRole::Variance, 8, 1, reason(n, call, value)};
    }

    void asNorm(const Node& n, const BoundCall& call, NodeId value) {
        static constexpr std::pair<std::string_view, InputRole> params[] = {{"weight", InputRole::NormWeight},
                                                                            {"bias", InputRole::NormBias},
                                                                            {"running_mean", InputRole::NormBias},
                                                                            {"running_var", InputRole::Variance}};
        for (const auto& [param, role] : params)
            if (const Value* place = call.find(Name(param)); place && holds(*place, value) && !norm)
                norm = RoleChoice{role, 8, 1, reason(n, call, value)};
    }

    /// Terms of the sum that makes one element: rows of mat2, all but the first dimension of a weight.
    std::int64_t fanIn(Name packet, const Value& place) const {
        const TensorType* t = place.isNode() ? g_[place.asNode()].tensor() : nullptr;
        if (!t || t->rank() < 2) return 1;
        if (packet == "aten::mm" || packet == "aten::addmm") return std::max<std::int64_t>(1, t->sizes[0].evaluate(symbols_).value_or(1));
        std::int64_t terms = 1;
        for (std::size_t d = 1; d < t->rank(); ++d)
            if (__builtin_mul_overflow(terms, t->sizes[d].evaluate(symbols_).value_or(1), &terms)) return 1;
        return std::max<std::int64_t>(1, terms);
    }

    const Graph& g_;
    const OpRegistry& ops_;
    const SymbolTable& symbols_;
};

}  // namespace

bool isTangent(std::string_view input) {
    if (input.starts_with('g')) {
        const std::size_t digits = input.find_first_not_of("0123456789", 1);
        if (digits != std::string_view::npos && digits > 1 && input[digits] == '_') input.remove_prefix(digits + 1);
    }
    return input.starts_with("tangents_");
}

std::string_view toString(InputRole role) {
    static constexpr std::array<std::string_view, 14> names = {"ids",     "slots",       "labels",    "window centre", "offsets",
                                                               "mask",    "norm weight", "norm bias", "variance",      "matrix weight",
                                                               "tangent", "float",       "int",       "size"};
    return names[static_cast<std::size_t>(role)];
}

RoleChoice roleOf(const Graph& g, const OpRegistry& ops, NodeId input, const SymbolTable& symbols) {
    const Node& n = g[input];
    const TensorType* t = n.tensor();
    if (!t) return {InputRole::Float, 8, 1, "nothing is known of its type"};
    const DTypeInfo& dtype = info(t->dtype);
    if (t->dtype == DType::B8) return {InputRole::Mask, 8, 1, "its elements are bool"};
    UseWalk uses(g, ops, symbols);
    uses.walk(input, dtype.integral);
    if (dtype.integral) {
        if (uses.offsets) return *uses.offsets;
        if (uses.slots && (!uses.index || uses.slots->limit <= uses.index->limit)) return *uses.slots;
        if (uses.index && uses.comparedWithIgnored) {
            uses.index->role = InputRole::Labels;
            uses.index->reason += ", compared with -100";
        }
        if (uses.index) return *uses.index;
        return {InputRole::Int, 8, 1, "its elements are integers"};
    }
    if (isTangent(n.name.view())) return {InputRole::Tangent, 8, 1, "its name"};
    if (uses.norm) return *uses.norm;
    if (uses.variance) return *uses.variance;
    if (uses.weight) return *uses.weight;
    return {InputRole::Float, 8, 1, "its elements are floats"};
}

}  // namespace aliascope::exec
