#include "core/analysis/verifier.h"

#include <algorithm>
#include <unordered_set>

#include "core/ops/infer.h"

namespace aliascope {
namespace {

class Verifier {
public:
    Verifier(const Graph& g, const OpRegistry& ops, const VerifyOptions& options)
        : g_(g), ops_(ops), options_(options), typeOf_([&g](NodeId id) { return g[id].type; }) {}

    Status run() {
        if (Status s = checkOutput(); !s) return s;
        if (Status s = checkNodes(); !s) return s;
        if (Status s = checkUsers(); !s) return s;
        return checkSubGraphs();
    }

private:
    static tl::unexpected<Diagnostic> violation(std::string_view rule, Name node, std::string why) {
        Diagnostic d = internalError("V001", {{"rule", std::string(rule)}, {"node", node.str()}, {"why", std::move(why)}});
        d.node = node;
        return fail(std::move(d));
    }

    Status checkOutput() const {
        if (!g_.output() || !g_.contains(g_.output())) return violation("one output", Name(), "the graph returns nothing");
        if (g_.last() != g_.output()) return violation("output last", g_[g_.last()].name, "it stands behind the output");
        return {};
    }

    Status checkNodes() {
        seen_.assign(g_.idBound(), false);
        wanted_.assign(g_.idBound(), {});
        for (NodeId id : inOrder(g_)) {
            const Node& n = g_[id];
            if (n.name.empty() || g_.find(n.name) != id) return violation("unique names", n.name, "another node has the same name");
            if (n.kind == NodeKind::Output && id != g_.output()) return violation("one output", n.name, "the graph returns twice");
            if (Status s = checkOperands(id, n); !s) return s;
            if (n.kind == NodeKind::CallFunction)
                if (Status s = checkCall(n); !s) return s;
            seen_[id.value] = true;
        }
        return {};
    }

    Status checkOperands(NodeId id, const Node& n) {
        NodeId early;
        const std::uint64_t weight = weightOf(id);
        const std::function<void(NodeId)> use = [&](NodeId operand) {
            if (operand.value >= seen_.size() || !seen_[operand.value]) {
                early = operand;
            } else {
                wanted_[operand.value].uses += 1;
                wanted_[operand.value].weights += weight;
            }
        };
        for (const Value& v : n.args) v.forEachNode(use);
        for (const Keyword& k : n.kwargs) k.second.forEachNode(use);
        if (!early) return {};
        const bool exists = g_.contains(early);
        return violation("definition before use", n.name,
                         exists ? "it uses " + g_[early].name.str() + ", which comes later" : "it uses a node that was removed");
    }

    /// Users are compared by count and by a sum of hashes, so that this stays linear for nodes with many users.
    static std::uint64_t weightOf(NodeId id) {
        std::uint64_t h = id.value + 0x9e3779b97f4a7c15ull;
        h = (h ^ (h >> 30)) * 0xbf58476d1ce4e5b9ull;
        h = (h ^ (h >> 27)) * 0x94d049bb133111ebull;
        return h ^ (h >> 31);
    }

    Status checkUsers() const {
        for (NodeId id : inOrder(g_)) {
            std::uint64_t uses = 0, weights = 0;
            for (const Node::User& u : g_[id].users) {
                uses += u.uses;
                weights += u.uses * weightOf(u.id);
            }
            const Uses& w = wanted_[id.value];
            if (uses != w.uses || weights != w.weights) {
                return violation("users consistent", g_[id].name,
                                 "its list of users says " + std::to_string(uses) + " uses, there are " + std::to_string(w.uses));
            }
        }
        return {};
    }

    Status checkCall(const Node& n) const {
        if (n.op.empty()) return violation("operator named", n.name, "the call has no operator");
        if (options_.requireNoFunctionalWrappers && isFunctionalWrapper(n.op))
            return violation("no functional wrapper left", n.name, "it is a call of " + n.op.str());
        const OpDef* def = ops_.find(n.op);
        if (!def) return {};
        if (def->schema.isMutable()) return checkWritten(n, *def);
        return n.trust != Trust::Unknown && n.tensor() && def->isView() ? checkViewType(n) : Status{};
    }

    static bool isFunctionalWrapper(Name op) {
        static const Name wrappers[] = {"hop::auto_functionalized"_n, "hop::auto_functionalized_v2"_n, "hop::triton_kernel_wrapper_functional"_n};
        return std::find(std::begin(wrappers), std::end(wrappers), op) != std::end(wrappers);
    }

    /// A written argument is a tensor.
    Status checkWritten(const Node& n, const OpDef& def) const {
        for (std::size_t p : def.schema.writtenParams()) {
            const SchemaParam& param = def.schema.params[p];
            const Value* v = !param.keywordOnly && p < n.args.size() ? &n.args[p] : n.kwarg(param.name);
            const TypePtr type = v && v->isNode() ? g_[v->asNode()].type : nullptr;
            if (type && type->asSym())
                return violation("written arguments are tensors", n.name, param.name.str() + " is the number " + g_[v->asNode()].name.str());
        }
        return {};
    }

    /// Sizes that the view operator gives against the stated ones, when both are numbers. Strides are not compared: PyTorch itself keeps printing
    /// those of before a layout change (executor.md 2.2).
    Status checkViewType(const Node& n) const {
        const NodeId source = n.arg(0).asNode();
        const TensorType* base = source ? g_[source].tensor() : nullptr;
        if (!base || !isStatic(base->sizes) || !isStatic(n.tensor()->sizes)) return {};
        auto call = bindCall(ops_, n);
        if (!call) return {};
        auto view = viewResult(InferContext(g_, *call, typeOf_), *base);
        if (!view || view->list || view->types.size() != 1) return {};
        const TensorType& expected = view->types.front();
        if (!isStatic(expected.sizes) || expected.sizes == n.tensor()->sizes) return {};
        return violation("view types", n.name, "it says " + n.tensor()->str(false, false) + ", the operator gives " + expected.str(false, false));
    }

    static bool isStatic(const std::vector<SymInt>& sizes) {
        return std::all_of(sizes.begin(), sizes.end(), [](const SymInt& s) { return s.isConst(); });
    }

    Status checkSubGraphs() const {
        std::unordered_set<Name> attributes;
        for (const Graph::SubGraph& s : g_.subGraphs()) {
            if (!s.graph || !attributes.insert(s.attribute).second)
                return violation("sub-graphs resolved", s.attribute, s.graph ? "two bodies have this name" : "its body is missing");
            if (Status inner = Verifier(*s.graph, ops_, options_).run(); !inner) {
                Diagnostic d = std::move(inner.error());
                for (auto& [key, value] : d.params)
                    if (key == "node") value = s.attribute.str() + (value.empty() ? "" : "." + value);
                return fail(std::move(d));
            }
        }
        return {};
    }

    struct Uses {
        std::uint64_t uses = 0, weights = 0;
    };
    const Graph& g_;
    const OpRegistry& ops_;
    const VerifyOptions& options_;
    const std::function<TypePtr(NodeId)> typeOf_;
    std::vector<bool> seen_;
    std::vector<Uses> wanted_;
};

}  // namespace

Status verify(const Graph& g, const OpRegistry& ops, const VerifyOptions& options) { return Verifier(g, ops, options).run(); }

}  // namespace aliascope
