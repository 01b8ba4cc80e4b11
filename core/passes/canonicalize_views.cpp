#include "core/passes/canonicalize_views.h"

#include <algorithm>
#include <set>

#include "core/ops/infer.h"
#include "core/passes/clean_up.h"
#include "core/passes/functional_wrappers.h"
#include "core/passes/replacements.h"
#include "core/passes/rule_set.h"

namespace aliascope {
namespace {

const Name& viewOp() {
    static const Name op("aten::view");
    return op;
}
const Name& reshapeOp() {
    static const Name op("aten::reshape");
    return op;
}
const Name& convertOp() {
    static const Name op("prims::convert_element_type");
    return op;
}
const Name& permuteOp() {
    static const Name op("aten::permute");
    return op;
}

/// A call with exactly two positional arguments, the first one a node: what PyTorch's patterns match.
bool isPlain(const Node& n, Name op) { return n.is(op) && n.args.size() == 2 && n.kwargs.empty() && n.args[0].isNode(); }

std::string shapeText(const std::vector<SymInt>& sizes) {
    std::string out = "[";
    for (std::size_t i = 0; i < sizes.size(); ++i) out += (i ? ", " : "") + sizes[i].str();
    return out + "]";
}

// --- reference ------------------------------------------------------------------------------------------------------------------------------

bool sameShape(RuleContext& c, NodeId root, NodeId source, const std::vector<NodeId>& matched) {
    const TensorType* t = c.tensor(source);
    if (!t) return false;
    bool undecided = false;
    const Value& size = c.g[root].arg(1);
    if (!definitelyEqual(c.g, t->sizes, size, &undecided)) {
        if (undecided)
            c.refuse(root, "UNDECIDED_SIZE", {{"a", shapeText(t->sizes)}, {"b", shapeText(c.tensor(root) ? c.tensor(root)->sizes : t->sizes)}});
        return false;
    }
    if (c.acrossWrite(root, matched.back())) return false;
    c.replace(root, source, matched, {});
    return true;
}

bool removePointlessView(RuleContext& c, NodeId root) {
    if (!isPlain(c.g[root], viewOp())) return false;
    return sameShape(c, root, c.g[root].arg(0).asNode(), {root});
}

/// Whether `inner` feeds only the root; says so when it does not and everything else would hold.
bool onlyUser(RuleContext& c, NodeId root, NodeId inner) {
    const std::size_t users = c.g[inner].users.size();
    if (users == 1) return true;
    c.refuse(root, "MULTI_USER", {{"inner", c.g[inner].name.str()}, {"n", std::to_string(users)}}, inner);
    return false;
}

bool removeViewPair(RuleContext& c, NodeId root) {
    if (!isPlain(c.g[root], viewOp())) return false;
    const NodeId inner = c.g[root].arg(0).asNode();
    if (!isPlain(c.g[inner], viewOp())) return false;
    const NodeId source = c.g[inner].arg(0).asNode();
    if (c.g[inner].users.size() != 1) {
        const TensorType* t = c.tensor(source);
        if (t && definitelyEqual(c.g, t->sizes, c.g[root].arg(1))) onlyUser(c, root, inner);
        return false;
    }
    return sameShape(c, root, source, {root, inner});
}

bool removePermutePair(RuleContext& c, NodeId root) {
    if (!isPlain(c.g[root], permuteOp())) return false;
    const NodeId inner = c.g[root].arg(0).asNode();
    if (!isPlain(c.g[inner], permuteOp())) return false;
    const std::vector<Value>&p = c.g[inner].arg(1).items(), &q = c.g[root].arg(1).items();
    if (p.size() != q.size()) return false;
    // p[q[i]] = i as Python indexes: a negative q counts from the end, a negative p equals no i.
    const auto rank = static_cast<std::int64_t>(p.size());
    for (std::int64_t i = 0; i < rank; ++i) {
        const auto at = q[static_cast<std::size_t>(i)].asInt();
        if (!at || *at < -rank || *at >= rank) return false;
        if (p[static_cast<std::size_t>(*at < 0 ? *at + rank : *at)].asInt() != i) return false;
    }
    if (!onlyUser(c, root, inner)) return false;
    if (c.acrossWrite(root, inner)) return false;
    c.replace(root, c.g[inner].arg(0).asNode(), {root, inner}, {});
    return true;
}

void runReference(Graph& g, PassContext& ctx) {
    RuleSet rules;
    rules.add("R1", {viewOp()}, removePointlessView);
    rules.add("R2", {viewOp()}, removeViewPair);
    rules.add("R3", {permuteOp()}, removePermutePair);
    rules.run(g, ctx);
}

// --- extended -------------------------------------------------------------------------------------------------------------------------------

class ViewNormalizer {
public:
    ViewNormalizer(Graph& g, PassContext& ctx)
        : g_(g), ctx_(ctx), hoists_(ctx.options().is("hoist-conversions", "on")), regions_(ctx.ops(), g), outputs_(flattenedOutputs(g)) {}

    void run() {
        for (NodeId id : g_.order()) {
            if (!mayGoOn(ctx_)) break;
            if (!g_.contains(id) || !isCandidate(g_[id]) || touchesUnsupported(g_, id)) continue;
            // Each round shortens the chain above the node.
            while (g_.contains(id) && !returned_.contains(id) && mayGoOn(ctx_) && step(id)) ctx_.mayRewrite();
        }
        redirectReturned();
    }

private:
    static bool isSqueeze(const Node& n) {
        static const Name packet("aten::squeeze"), un("aten::unsqueeze");
        return n.kind == NodeKind::CallFunction && (packetOf(n.op) == packet || n.op == un);
    }
    static bool isReshaping(const Node& n) { return isPlain(n, viewOp()) || isPlain(n, reshapeOp()); }
    bool isCandidate(const Node& n) const { return isCanonical(n) || (hoists_ && isPlain(n, convertOp())); }
    static bool isCanonical(const Node& n) { return isReshaping(n) || isPlain(n, permuteOp()) || (isSqueeze(n) && n.arg(0).isNode()); }

    bool step(NodeId id) {
        const Node& n = g_[id];
        if (isReshaping(n)) return reshaping(id);
        if (n.is(permuteOp())) return permute(id);
        if (n.is(convertOp())) return hoists_ && hoist(id);
        return besideSqueeze(id, n.arg(0).asNode());
    }

    const TensorType* tensor(NodeId id) const { return g_[id].tensor(); }
    bool sameRegion(NodeId inner, NodeId id, const char* rule) {
        const NodeId write = regions_.writeBetween(inner, id);
        if (write) refuseOnce(id, rule, "REGION", {{"a", g_[inner].name.str()}, {"b", g_[id].name.str()}, {"write", g_[write].name.str()}}, write);
        return !write;
    }

    bool reshaping(NodeId id) {
        const NodeId inner = g_[id].arg(0).asNode();
        const TensorType *own = tensor(id), *from = tensor(inner);
        if (!own || !from) return false;
        const bool view = g_[id].is(viewOp());
        if (own->sizes == from->sizes) return becomeSource(id, inner, {}, view ? "R1" : "E6");
        const Node& before = g_[inner];
        const bool mergeable = view ? isPlain(before, viewOp()) : isReshaping(before);
        if (mergeable) {
            const NodeId source = before.arg(0).asNode();
            const TensorType* t = tensor(source);
            if (!t || !sameRegion(inner, id, "E1")) return false;
            if (view ? !accepts(id, *t, *own) : !keepsLayout(*t, *own)) return false;
            if (t->sizes == own->sizes && becomeSource(id, source, inner, view ? "R2" : "E6")) return true;
            return merge(id, inner, source, "E1", {Value::node(source), sizesOf(id)});
        }
        return view && besideSqueeze(id, inner);
    }

    /// E5: the conversion of a view becomes the view of a conversion, so that views meet.
    bool hoist(NodeId id) {
        const NodeId inner = g_[id].arg(0).asNode();
        if (!isPlain(g_[inner], viewOp()) || g_[inner].users.size() != 1 || g_[id].users.size() != 1 || !sameRegion(inner, id, "E5")) return false;
        const NodeId source = g_[inner].arg(0).asNode();
        const TensorType *own = tensor(id), *from = tensor(source);
        if (!own || !from || outputs_.contains(id)) return false;
        Rewrite rewrite{"E5", {ref(g_, id), ref(g_, inner)}, {}};
        const NodeId made = NewNodes(g_, ctx_.ops(), id).call(convertOp(), {Value::node(source), g_[id].arg(1)});
        const TensorType* converted = tensor(made);
        if (!converted || !converted->strides || !reshapeStrides(*converted, own->sizes) || !keepsLayout(*converted, *own)) {
            g_.erase(made);
            return false;
        }
        const Value size = sizesOf(inner);
        g_.setCall(id, spellOp(viewOp()), viewOp());
        g_.setArgs(id, {Value::node(made), size});
        eraseDeadChain(ctx_.ops(), g_, inner);
        rewrite.after = {ref(g_, made), ref(g_, id)};
        ctx_.rewrite(std::move(rewrite));
        return true;
    }

    /// Whether a reshape of `x` has the strides that the reshape of its reshape had: where only the first of two copied, one may be a view of `x`.
    static bool keepsLayout(const TensorType& x, const TensorType& own) {
        if (!x.strides || !own.strides) return false;
        bool decided = true;
        const auto viewed = reshapeStrides(x, own.sizes, &decided);
        if (!viewed && !decided) return false;
        const std::vector<SymInt> strides = viewed ? *viewed : TensorType::contiguousStrides(own.sizes);
        for (std::size_t i = 0; i < own.rank(); ++i)
            if (!(own.sizes[i] == SymInt(1)) && !(strides[i] == (*own.strides)[i])) return false;
        return true;
    }

    /// Whether `x` can be viewed in the shape of `id` without a copy (canonicalize.md 4.2).
    bool accepts(NodeId id, const TensorType& x, const TensorType& shape) {
        bool decided = true;
        if (x.sizes == shape.sizes || (x.strides && reshapeStrides(x, shape.sizes, &decided))) return true;
        const NodeId inner = g_[id].arg(0).asNode();
        const NodeId source = g_[inner].arg(0).asNode();
        if (x.strides && !decided)
            refuseOnce(id, "E1", "UNDECIDED_SIZE", {{"a", shapeText(x.sizes)}, {"b", shapeText(shape.sizes)}}, source);
        else
            refuseOnce(id, "E1", "STRIDE",
                       {{"x", g_[source].name.str()}, {"strides", x.strides ? shapeText(*x.strides) : "unknown"}, {"shape", shapeText(shape.sizes)}},
                       source);
        return false;
    }

    /// The size argument of a view that gets another operand: its -1 depends on the operand, so a known size takes its place.
    Value sizesOf(NodeId id) const {
        const TensorType& t = *tensor(id);
        const Value& size = g_[id].arg(1);
        if (!size.isSequence() || size.items().size() != t.rank()) return numbers(t.sizes);
        std::vector<Value> out = size.items();
        for (std::size_t i = 0; i < out.size(); ++i)
            if (out[i].asInt() == -1 && t.sizes[i].isConst()) out[i] = Value::sym(t.sizes[i]);
        return Value::container(size.kind(), std::move(out));
    }
    static Value numbers(const std::vector<SymInt>& sizes) {
        std::vector<Value> out;
        for (const SymInt& s : sizes) out.push_back(Value::sym(s));
        return Value::list(std::move(out));
    }

    bool permute(NodeId id) {
        const NodeId inner = g_[id].arg(0).asNode();
        const TensorType *own = tensor(id), *from = tensor(inner);
        if (!own || !from) return false;
        const auto q = permutation(g_[id].arg(1), own->rank());
        if (!q) return false;
        if (isIdentity(*q) || movesOnlyOnes(*q, *from, *own)) return becomeSource(id, inner, {}, "E3");
        if (!isPlain(g_[inner], permuteOp())) return false;
        const auto p = permutation(g_[inner].arg(1), own->rank());
        const NodeId source = g_[inner].arg(0).asNode();
        if (!p || !sameRegion(inner, id, "E2")) return false;
        std::vector<std::size_t> composed;
        for (std::size_t at : *q) composed.push_back((*p)[at]);
        if (isIdentity(composed) && becomeSource(id, source, inner, "R3")) return true;
        std::vector<Value> dims;
        for (std::size_t at : composed) dims.push_back(Value::integer(static_cast<std::int64_t>(at)));
        return merge(id, inner, source, "E2", {Value::node(source), Value::list(std::move(dims))});
    }

    static bool isIdentity(const std::vector<std::size_t>& p) {
        for (std::size_t i = 0; i < p.size(); ++i)
            if (p[i] != i) return false;
        return true;
    }
    /// Dims of size above 1 keep their order, and sizes and strides are those of the operand.
    static bool movesOnlyOnes(const std::vector<std::size_t>& p, const TensorType& from, const TensorType& own) {
        if (!(from.sizes == own.sizes) || !from.strides || !own.strides || !(*from.strides == *own.strides)) return false;
        std::optional<std::size_t> last;
        for (std::size_t at : p) {
            if (from.sizes[at] == SymInt(1)) continue;
            if (last && at < *last) return false;
            last = at;
        }
        return true;
    }

    /// A view that only inserts or removes dims of size 1, and a squeeze or unsqueeze before or after it, are one view.
    bool besideSqueeze(NodeId id, NodeId inner) {
        if (!inner || !isCanonical(g_[inner]) || g_[inner].is(permuteOp()) || g_[inner].is(reshapeOp())) return false;
        const bool outerSqueezes = isSqueeze(g_[id]), innerSqueezes = isSqueeze(g_[inner]);
        if (outerSqueezes == innerSqueezes) return false;
        const NodeId source = g_[inner].arg(0).asNode();
        const TensorType *own = tensor(id), *middle = tensor(inner), *from = tensor(source);
        if (!own || !middle || !from || !allStatic(*own) || !allStatic(*middle) || !allStatic(*from)) return false;
        const bool onlyOnes = outerSqueezes ? withoutOnes(*middle) == withoutOnes(*from) : withoutOnes(*own) == withoutOnes(*middle);
        if (!onlyOnes || !sameRegion(inner, id, "E4")) return false;
        if (own->sizes == from->sizes && becomeSource(id, source, inner, "E4")) return true;
        return merge(id, inner, source, "E4", {Value::node(source), numbers(own->sizes)}, viewOp());
    }
    static bool allStatic(const TensorType& t) {
        return std::all_of(t.sizes.begin(), t.sizes.end(), [](const SymInt& s) { return s.isConst(); });
    }
    static std::vector<SymInt> withoutOnes(const TensorType& t) {
        std::vector<SymInt> out;
        for (const SymInt& s : t.sizes)
            if (!(s == SymInt(1))) out.push_back(s);
        return out;
    }

    /// `id` reads `source` from now on, past `inner`.
    bool merge(NodeId id, NodeId inner, NodeId source, const char* rule, std::vector<Value> args, Name op = {}) {
        Rewrite rewrite{rule, {ref(g_, id), ref(g_, inner)}, {ref(g_, id)}};
        rewrite.message = "reads " + g_[source].name.str();
        if (op && g_[id].op != op) {
            g_.setKwargs(id, {});
            g_.setCall(id, spellOp(op), op);
        }
        g_.setArgs(id, std::move(args));
        eraseDeadChain(ctx_.ops(), g_, inner);
        ctx_.rewrite(std::move(rewrite));
        return true;
    }

    /// Uses of `id` become `source`, if no output comes to be an input or another output by it.
    bool becomeSource(NodeId id, NodeId source, NodeId inner, const char* rule) {
        if (outputs_.contains(id)) {
            const NodeKind kind = g_[source].kind;
            const bool input = kind == NodeKind::Placeholder || kind == NodeKind::GetAttr;
            if (input || outputs_.contains(source)) {
                const std::string what = (input ? "input " : "output ") + g_[source].name.str();
                refuseOnce(id, rule, "OUTPUT_ALIAS", {{"output", g_[id].name.str()}, {"what", what}, {"other", g_[source].name.str()}}, source);
                return false;
            }
            outputs_.erase(id);
            outputs_.insert(source);
        }
        Rewrite rewrite{rule, {ref(g_, id)}, {ref(g_, source)}};
        if (inner) rewrite.before.push_back(ref(g_, inner));
        const NodeId output = g_.output();
        const bool isReturned = std::any_of(g_[id].users.begin(), g_[id].users.end(), [&](const Node::User& u) { return u.id == output; });
        g_.replaceAllUses(id, source, [&](NodeId user) { return user == output; });
        if (isReturned)
            returned_.add(id, source);
        else
            eraseDeadChain(ctx_.ops(), g_, id);
        ctx_.rewrite(std::move(rewrite));
        return true;
    }

    /// The output of a training graph lists thousands of values: it is rewritten once, not for each of them.
    void redirectReturned() {
        std::vector<NodeId> operands;
        for (NodeId id : returned_.nodes())
            for (NodeId operand : g_.operands(id)) operands.push_back(operand);
        returned_.apply(g_);
        for (NodeId operand : operands)
            if (g_.contains(operand)) eraseDeadChain(ctx_.ops(), g_, operand);
    }

    void refuseOnce(NodeId id, const char* rule, std::string code, Params params, NodeId blocker) {
        if (refused_.emplace(id, code).second) refuse(g_, ctx_, id, rule, std::move(code), std::move(params), blocker);
    }

    Graph& g_;
    PassContext& ctx_;
    const bool hoists_;  ///< E5
    const MutationRegions regions_;
    std::unordered_set<NodeId> outputs_;
    Replacements returned_;  ///< what only the output still uses
    std::set<std::pair<NodeId, std::string>> refused_;
};

class CanonicalizeViews final : public Pass {
public:
    std::string_view name() const override { return "canonicalize-views"; }
    std::string_view help() const override { return "Removes redundant views and permutes"; }
    std::vector<PassOption> options() const override {
        return {modeOption("extended: merges views and permutes, whoever else uses them, and keeps outputs apart"),
                fpOption("no rewrite of this pass changes a float"),
                {PassOption::Type::Enum,
                 "hoist-conversions",
                 {"off", "on"},
                 "off",
                 "on (extended mode, in front of auto-chunk): conversions move before views, so that the views around them merge"}};
    }
    bool stopsEarly() const override { return true; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        return onFunctionalGraphs(g, ctx, name(), [](Graph& body, PassContext& inner) {
            if (isExtended(inner))
                ViewNormalizer(body, inner).run();
            else
                runReference(body, inner);
        });
    }
};

}  // namespace

bool definitelyEqual(const Graph& g, const std::vector<SymInt>& shape, const Value& size, bool* undecided) {
    if (!size.isSequence() || size.items().size() != shape.size()) return false;
    int inferred = 0;
    for (std::size_t i = 0; i < shape.size(); ++i) {
        const auto entry = asSymInt(g, size.items()[i]);
        if (!entry) return false;
        if (shape[i] == *entry) continue;
        if (!shape[i].isConst() || !entry->isConst()) {
            const auto a = shape[i].evaluate(g.symbols), b = entry->evaluate(g.symbols);
            if (a && b && *a == *b) continue;
            if ((!a || !b) && undecided) *undecided = true;
        }
        if (entry->constant() != -1 || ++inferred > 1) return false;
    }
    return true;
}

std::optional<std::vector<std::size_t>> permutation(const Value& dims, std::size_t rank) {
    if (!dims.isSequence() || dims.items().size() != rank) return std::nullopt;
    std::vector<std::size_t> out;
    std::vector<bool> seen(rank);
    for (const Value& item : dims.items()) {
        const auto d = item.asInt();
        const auto signedRank = static_cast<std::int64_t>(rank);
        if (!d || *d < -signedRank || *d >= signedRank) return std::nullopt;
        const auto at = static_cast<std::size_t>(*d < 0 ? *d + signedRank : *d);
        if (seen[at]) return std::nullopt;
        seen[at] = true;
        out.push_back(at);
    }
    return out;
}

std::unique_ptr<Pass> makeCanonicalizeViews() { return std::make_unique<CanonicalizeViews>(); }

}  // namespace aliascope
