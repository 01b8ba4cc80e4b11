#include "core/passes/chunk_transform.h"

#include <algorithm>
#include <unordered_map>

#include "core/ops/infer.h"
#include "core/passes/chunk_axes.h"
#include "core/passes/chunk_rules.h"
#include "core/passes/new_nodes.h"

namespace aliascope {
namespace {

Value dtypeValue(DType dtype) { return Value::constant(Name("torch." + std::string(info(dtype).torchName))); }

/// Type of the same value with another length of one axis, laid out in the same order of axes.
TensorType withLength(const TensorType& t, int axis, std::int64_t length) {
    TensorType out = t;
    out.sizes[static_cast<std::size_t>(axis)] = length;
    out.offset.reset();
    if (t.isContiguous())
        out.strides = TensorType::contiguousStrides(out.sizes);
    else
        out.strides.reset();
    return out;
}

/// Rewrites the sizes that a call states, where they are those of its result.
std::vector<Value> withStatedLength(const Node& n, int axis, std::int64_t length) {
    std::vector<Value> args = n.args;
    const Name packet = packetOf(n.op);
    const bool fill = isFill(n.op);
    const bool states = fill || packet == "aten::view" || packet == "aten::reshape" || packet == "aten::_unsafe_view" || packet == "aten::expand";
    const std::size_t at = fill ? 0 : 1;
    if (!states || args.size() <= at || !args[at].isSequence()) return args;
    std::vector<Value> sizes = args[at].items();
    const std::size_t rank = n.tensor()->rank();
    if (sizes.size() != rank) return args;
    for (std::size_t i = 0; i < rank; ++i) {
        // -1 stands for what is left: of the other axes nothing is, once the cut one is stated.
        if (i == static_cast<std::size_t>(axis))
            sizes[i] = Value::integer(length);
        else if (sizes[i].asInt() == -1 && n.tensor()->sizes[i].isConst())
            sizes[i] = Value::integer(*n.tensor()->sizes[i].constant());
    }
    args[at] = Value::container(args[at].kind(), std::move(sizes));
    return args;
}

class ChunkMaker {
public:
    ChunkMaker(Graph& g, const OpRegistry& ops, const ChunkPlan& plan, const ChunkCut& cut, const ChunkForm& form)
        : g_(g), ops_(ops), plan_(plan), cut_(cut), form_(form), region_(g[plan.amplifier->node].provenance) {}

    Result<ChunkedGraph> run() {
        const std::int64_t chunks = cut_.chunks(), last = cut_.items - cut_.perChunk * (chunks - 1);
        makeOnes();
        cutInputs(chunks);
        makeAccumulators();
        if (auto made = makeBody(cut_.perChunk); !made) return fail(made.error());
        if (last != cut_.perChunk)
            if (auto made = makeBody(last); !made) return fail(made.error());
        for (std::int64_t i = 0; i < chunks; ++i) callChunk(i, i + 1 == chunks ? bodies_.back() : bodies_.front());
        recover();
        for (NodeId id : plan_.after) g_.moveBefore(id, NodeId());
        eraseRegion();
        return std::move(out_);
    }

private:
    const ChunkMeta& meta(NodeId id) const { return *plan_.metas.find(id); }
    std::int64_t lengthIn(NodeId id, std::int64_t items) const { return cutLength(g_, plan_.metas, id) / cut_.items * items; }

    NodeId call(Name op, std::vector<Value> args, std::vector<Keyword> kwargs = {}, std::string_view name = {}) {
        Node n = newCall(op, std::move(args), std::move(kwargs));
        if (!name.empty()) n.name = Name(name);
        n.provenance = region_;
        const NodeId id = g_.append(std::move(n));
        setInferredType(ops_, g_, id);
        return id;
    }
    NodeId item(NodeId tuple, std::int64_t i, TypePtr type) {
        const NodeId id = call("operator::getitem"_n, {Value::node(tuple), Value::integer(i)}, {}, "getitem");
        if (!g_[id].type) g_.setType(id, std::move(type), Trust::Inferred);
        return id;
    }
    NodeId constantFill(const TensorType& t, DType dtype, std::int64_t value, std::string_view name) {
        std::vector<Value> sizes;
        for (const SymInt& s : t.sizes) sizes.push_back(Value::sym(s));
        std::vector<Keyword> kwargs;
        if (t.device) kwargs.emplace_back("device"_n, Value::device(t.device));
        kwargs.emplace_back("dtype"_n, dtypeValue(dtype));
        return call("aten::full"_n, {Value::tuple(std::move(sizes)), Value::integer(value)}, std::move(kwargs), name);
    }

    void makeOnes() {
        for (NodeId t : plan_.tangents) {
            const TensorType& type = *g_[t].tensor();
            ones_.push_back(constantFill(type, type.dtype, 1, "tangent_overriden_as_one__idx_"));
        }
    }

    /// Pieces of the cut inputs: `chunk` as PyTorch writes it, `split` where the rows of a chunk are chosen.
    void cutInputs(std::int64_t chunks) {
        for (NodeId input : plan_.inputs) {
            const ChunkMeta& m = meta(input);
            if (!m.cut()) continue;
            const std::int64_t rows = lengthIn(input, cut_.perChunk), all = cutLength(g_, plan_.metas, input);
            const Value x = Value::node(input), axis = Value::integer(m.dim);
            const bool equal = (all - 1) / chunks + 1 == rows;
            const NodeId pieces =
                equal ? call("aten::chunk"_n, {x, Value::integer(chunks), axis}) : call("aten::split.Tensor"_n, {x, Value::integer(rows), axis});
            for (std::int64_t i = 0; i < chunks; ++i) {
                const std::int64_t length = i + 1 < chunks ? rows : all - rows * (chunks - 1);
                pieces_[input].push_back(item(pieces, i, Type::tensor(withLength(*g_[input].tensor(), m.dim, length))));
            }
        }
    }

    DType accumulatorType(const TensorType& t) const {
        const bool wide = form_.wideSums && info(t.dtype).floating && itemSize(t.dtype) < 4;
        return wide || constantNumel(t) == 1 ? DType::F32 : t.dtype;
    }
    void makeAccumulators() {
        for (NodeId o : plan_.outputs) {
            if (meta(o).cut()) continue;
            const TensorType& t = *g_[o].tensor();
            accumulators_.push_back(constantFill(t, accumulatorType(t), 0, "full_default"));
        }
    }

    // --- bodies ------------------------------------------------------------------------------------------------------------------------------
    struct Body {
        Graph graph;
        std::unordered_map<NodeId, NodeId> of;  ///< node of the region -> node of the body
        std::int64_t items = 0;
    };
    void addParameter(Body& body, NodeId outer, NodeId standsFor) {
        Node n;
        n.kind = NodeKind::Placeholder;
        n.name = n.target = g_[outer].name;
        n.type = g_[outer].type;
        n.trust = Trust::Inferred;
        const ChunkMeta* m = plan_.metas.find(standsFor);
        if (m && m->cut()) n.type = Type::tensor(withLength(*g_[outer].tensor(), m->dim, lengthIn(standsFor, body.items)));
        const NodeId id = body.graph.appendExact(std::move(n));
        if (standsFor) body.of[standsFor] = id;
    }
    Status copyNode(Body& body, NodeId id) {
        const Node& from = g_[id];
        const ChunkMeta& m = meta(id);
        const auto mapped = [&](NodeId o) {
            const auto it = body.of.find(o);
            return Value::node(it == body.of.end() ? NodeId() : it->second);
        };
        Node n;
        n.kind = from.kind;
        n.name = from.name;
        n.target = from.target;
        n.op = from.op;
        n.modulePath = from.modulePath;
        n.provenance = provenanceIn(body, from.provenance);
        n.args = m.cut() ? withStatedLength(from, m.dim, lengthIn(id, body.items)) : from.args;
        for (Value& v : n.args) v = v.mapNodes(mapped);
        for (const auto& [key, v] : from.kwargs) n.kwargs.emplace_back(key, v.mapNodes(mapped));
        if (givesWideSum(id)) {
            n.op = "aten::mm.dtype"_n;
            n.target = spellOp(n.op);
            n.args.push_back(dtypeValue(DType::F32));
        }
        const NodeId copy = body.graph.appendExact(std::move(n));
        body.of[id] = copy;
        return typeCopy(body, id, copy);
    }
    /// A product that is only added up gives f32 itself: nothing is rounded before the end.
    bool givesWideSum(NodeId id) const {
        const Node& n = g_[id];
        if (!form_.wideSums || !n.is("aten::mm"_n) || !meta(id).sum || accumulatorType(*n.tensor()) == n.tensor()->dtype) return false;
        return std::none_of(n.users.begin(), n.users.end(), [&](const Node::User& u) { return plan_.metas.contains(u.id); });
    }
    /// What inference says of the copy must be the original with the cut axis shortened.
    Status typeCopy(Body& body, NodeId id, NodeId copy) {
        const ChunkMeta& m = meta(id);
        const TensorType& whole = *g_[id].tensor();
        TensorType wanted = m.cut() ? withLength(whole, m.dim, lengthIn(id, body.items)) : whole;
        if (givesWideSum(id)) wanted.dtype = DType::F32;
        setInferredType(ops_, body.graph, copy);
        const TensorType* got = body.graph[copy].tensor();
        if (!got) {
            body.graph.setType(copy, Type::tensor(wanted), Trust::Assumed);
            return {};
        }
        if (got->sizes == wanted.sizes && got->dtype == wanted.dtype) return {};
        Diagnostic d =
            internalError("META_CONFLICT", {{"node", g_[id].name.str()}, {"old", wanted.str(false, false)}, {"new", got->str(false, false)}});
        d.node = g_[id].name;
        return fail(std::move(d));
    }
    std::uint32_t provenanceIn(Body& body, std::uint32_t outer) {
        if (outer == 0 || outer >= g_.provenance.size()) return 0;
        const auto [it, fresh] = provenance_.emplace(outer, static_cast<std::uint32_t>(body.graph.provenance.size()));
        if (fresh) body.graph.provenance.push_back(g_.provenance[outer]);
        return it->second;
    }
    Status makeBody(std::int64_t items) {
        Body body;
        body.items = items;
        body.graph.symbols = g_.symbols;
        body.graph.style = g_.style;
        body.graph.phase = g_.phase;
        provenance_.clear();
        for (NodeId input : plan_.inputs) addParameter(body, input, input);
        for (std::size_t i = 0; i < ones_.size(); ++i) addParameter(body, ones_[i], plan_.tangents[i]);
        std::vector<NodeId> sums;
        for (NodeId a : accumulators_) {
            addParameter(body, a, {});
            sums.push_back(body.graph.last());
        }
        for (NodeId id : bodyOrder())
            if (!body.of.contains(id))
                if (auto copied = copyOrdered(body, id); !copied) return copied;
        finishBody(body, sums);
        std::string attribute;
        for (std::size_t number = bodies_.size(); attribute.empty() || g_.subGraph(Name(attribute)); ++number)
            attribute = std::string(kChunkBody) + std::to_string(number);
        bodies_.emplace_back(attribute);
        body.graph.name = attribute;
        g_.addSubGraph(Name(attribute), std::move(body.graph));
        return {};
    }
    /// Reference: outputs behind the rest of the body. Extended: as in the graph, so that a result that reads the logits does not keep them beside
    /// their gradient, which can then take their memory.
    std::vector<NodeId> bodyOrder() const {
        std::vector<NodeId> order = plan_.body;
        order.insert(order.end(), plan_.outputs.begin(), plan_.outputs.end());
        if (form_.extended) std::sort(order.begin(), order.end(), [&](NodeId a, NodeId b) { return g_.before(a, b); });
        return order;
    }
    /// What `id` uses comes before it.
    Status copyOrdered(Body& body, NodeId id) {
        std::vector<NodeId> work{id};
        while (!work.empty()) {
            const NodeId at = work.back();
            const auto missing = [&](NodeId o) { return !body.of.contains(o); };
            const std::vector<NodeId> operands = g_.operands(at);
            const auto first = std::find_if(operands.begin(), operands.end(), missing);
            if (first != operands.end()) {
                work.push_back(*first);
                continue;
            }
            work.pop_back();
            if (body.of.contains(at)) continue;
            if (auto copied = copyNode(body, at); !copied) return copied;
        }
        return {};
    }
    void finishBody(Body& body, const std::vector<NodeId>& sums) {
        std::vector<Value> results;
        std::size_t next = 0;
        for (NodeId o : plan_.outputs) {
            NodeId result = body.of.at(o);
            if (!meta(o).cut()) {
                Node add = newCall("aten::add.Tensor"_n, {Value::node(result), Value::node(sums[next++])});
                result = body.graph.append(std::move(add));
                setInferredType(ops_, body.graph, result);
            }
            results.push_back(Value::node(result));
        }
        Node output;
        output.kind = NodeKind::Output;
        output.name = output.target = "output"_n;
        output.args = {Value::tuple(std::move(results))};
        body.graph.append(std::move(output));
        const std::vector<NodeId> order = body.graph.order();
        for (auto it = order.rbegin(); it != order.rend(); ++it)
            if (body.graph[*it].isCall() && !body.graph.hasUsers(*it)) body.graph.erase(*it);
    }

    // --- calls and results -----------------------------------------------------------------------------------------------------------------
    void callChunk(std::int64_t i, Name body) {
        Node get;
        get.kind = NodeKind::GetAttr;
        get.name = bodies_.front();
        get.target = body;
        get.provenance = region_;
        const NodeId attribute = g_.append(std::move(get));
        std::vector<Value> args = {Value::node(attribute), Value::string(body)};
        for (NodeId input : plan_.inputs) args.push_back(Value::node(meta(input).cut() ? pieces_[input][static_cast<std::size_t>(i)] : input));
        for (NodeId one : ones_) args.push_back(Value::node(one));
        for (NodeId a : accumulators_) args.push_back(Value::node(a));
        const NodeId result = call("hop::invoke_subgraph"_n, std::move(args), {}, "invoke_subgraph");
        const Graph& inner = *g_.subGraph(body);
        const std::vector<Value>& returned = inner[inner.output()].arg(0).items();
        std::size_t sum = 0;
        for (std::size_t k = 0; k < plan_.outputs.size(); ++k) {
            const NodeId piece = item(result, static_cast<std::int64_t>(k), inner[returned[k].asNode()].type);
            if (meta(plan_.outputs[k]).cut())
                pieces_[plan_.outputs[k]].push_back(piece);
            else
                accumulators_[sum++] = piece;
        }
    }
    void recover() {
        std::vector<std::pair<NodeId, NodeId>> by;
        std::size_t sum = 0;
        for (NodeId o : plan_.outputs) {
            const ChunkMeta m = meta(o);
            std::vector<NodeId> steps;
            const auto step = [&](NodeId id) { steps.push_back(id); };
            if (m.cut()) {
                std::vector<Value> parts;
                for (NodeId piece : pieces_[o]) parts.push_back(Value::node(piece));
                step(call("aten::cat"_n, {Value::list(std::move(parts)), Value::integer(m.dim)}));
            } else {
                step(accumulators_[sum++]);
            }
            if (m.scale) step(call("aten::mul.Tensor"_n, {Value::node(steps.back()), Value::node(m.scale)}));
            const DType own = g_[o].tensor()->dtype;
            if (m.sum && own != DType::F32) step(call("prims::convert_element_type"_n, {Value::node(steps.back()), dtypeValue(own)}));
            by.emplace_back(o, steps.back());
            out_.recovered.push_back(std::move(steps));
        }
        rewire(by);
    }
    void rewire(const std::vector<std::pair<NodeId, NodeId>>& by) {
        for (const auto& [from, to] : by)
            g_.replaceAllUses(from, to,
                              [&](NodeId user) { return plan_.classOf(user) == ChunkClass::Body || plan_.classOf(user) == ChunkClass::Output; });
    }
    void eraseRegion() {
        std::vector<NodeId> region = plan_.body;
        region.insert(region.end(), plan_.outputs.begin(), plan_.outputs.end());
        std::sort(region.begin(), region.end(), [&](NodeId a, NodeId b) { return g_.before(b, a); });
        for (NodeId id : region)
            if (!g_.hasUsers(id)) g_.erase(id);
    }

    Graph& g_;
    const OpRegistry& ops_;
    const ChunkPlan& plan_;
    ChunkCut cut_;
    ChunkForm form_;
    std::uint32_t region_;  ///< provenance of what is made
    ChunkedGraph out_;
    std::vector<NodeId> ones_, accumulators_;
    std::unordered_map<NodeId, std::vector<NodeId>> pieces_;
    std::unordered_map<std::uint32_t, std::uint32_t> provenance_;
    std::vector<Name> bodies_;
};

}  // namespace

ChunkCut cutInto(const ChunkPlan& plan, std::int64_t n, std::int64_t multiple) {
    n = std::min(n, plan.items);
    ChunkCut cut{plan.items, n > 0 ? (plan.items - 1) / n + 1 : plan.items};
    const std::int64_t unit = plan.items > 0 ? plan.rows / plan.items : 0;  // rows of an item
    if (multiple > 1 && unit > 0 && unit < multiple && multiple % unit == 0) {
        const std::int64_t step = multiple / unit;
        cut.perChunk = (cut.perChunk + step - 1) / step * step;
    }
    return cut;
}

Result<ChunkedGraph> applyChunks(Graph& g, const OpRegistry& ops, const ChunkPlan& plan, const ChunkCut& cut, const ChunkForm& form) {
    return ChunkMaker(g, ops, plan, cut, form).run();
}

}  // namespace aliascope
