// Arithmetic identities (canonicalize.md 5.3), on the zeros and ones that folding found.

#include <memory>
#include <optional>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "core/analysis/view_scatter.h"
#include "core/ops/infer.h"
#include "core/passes/clean_up.h"
#include "core/passes/copy_guard.h"
#include "core/passes/fold_constants.h"
#include "core/passes/layouts.h"
#include "core/passes/new_nodes.h"

namespace aliascope {
namespace {

class Identities {
public:
    Identities(Graph& g, PassContext& ctx, const UniformNodes& uniform) : g_(g), ctx_(ctx), uniform_(uniform) {}

    void run() {
        if (!uniform_.zeros.empty() || !uniform_.ones.empty())
            for (const char* op : {"aten::add.Tensor", "aten::sub.Tensor", "aten::mul.Tensor", "aten::div.Tensor"}) visitAll(Name(op));
        replaceMetaOutputs();
    }

private:
    void visitAll(Name op) {
        static const Name add("aten::add.Tensor"), sub("aten::sub.Tensor"), mul("aten::mul.Tensor");
        for (NodeId id : g_.order()) {
            const Node& n = g_[id];
            if (!n.is(op) || n.args.size() != 2 || !n.args[0].isNode() || !n.args[1].isNode()) continue;
            const NodeId a = n.args[0].asNode(), b = n.args[1].asNode();
            if (op == add || op == sub) {
                const Value* alpha = n.kwarg("alpha"_n);
                if (alpha && alpha->asNumber() != 1) continue;
                const bool first = op == add && uniform_.zeros.contains(a);
                if (!first && !uniform_.zeros.contains(b)) continue;
                const NodeId zero = first ? a : b, operand = first ? b : a;
                const bool changes = changesZeros(operand, zero, op == sub);
                if (changes && !isFpFast(ctx_))
                    refuse(g_, ctx_, id, "canonicalize 5.3", "FP_STRICT", {{"what", "the sign of -0.0"}}, zero);
                else
                    keep(id, operand, op == add ? "add-zero" : "sub-zero", changes ? signReader(id) : NodeId());
            } else if (op == mul) {
                const bool first = uniform_.ones.contains(a);
                if (first || uniform_.ones.contains(b)) keep(id, first ? b : a, "mul-one");
            } else if (uniform_.ones.contains(b)) {
                keep(id, a, "div-one");
            }
        }
    }

    /// x + 0 turns -0.0 into 0.0, and so does x - (-0.0); x + (-0.0) and x - 0 change nothing, and an integer has no -0.0. A real -0.0 is added to
    /// the imaginary part as 0.0.
    bool changesZeros(NodeId operand, NodeId zero, bool subtracts) const {
        const TensorType* t = g_[operand].tensor();
        if (!t || !hasSignedZeros(*t)) return false;
        return uniform_.negativeZeros.contains(zero) == subtracts || (info(t->dtype).complex && !subtracts);
    }

    static bool hasSignedZeros(const TensorType& t) { return info(t.dtype).floating || info(t.dtype).complex; }

    /// A call that reads the sign of a zero itself; not whether a quotient by zero is an infinity of one sign or the other.
    bool readsSign(const Node& n) const {
        static const std::unordered_set<Name> reading = {"aten::signbit"_n,  "aten::atan2"_n,  "aten::angle"_n,
                                                         "prims::signbit"_n, "prims::atan2"_n, "prims::view_of_dtype"_n};
        // Of complex numbers, those with a branch cut along an axis.
        static const std::unordered_set<Name> cut = {"aten::log"_n,   "aten::log2"_n,  "aten::log10"_n, "aten::sqrt"_n,
                                                     "aten::rsqrt"_n, "aten::pow"_n,   "aten::acos"_n,  "aten::asin"_n,
                                                     "aten::atan"_n,  "aten::acosh"_n, "aten::asinh"_n, "aten::atanh"_n};
        const Name packet = packetOf(n.op);
        if (n.is("aten::view.dtype"_n) || reading.contains(packet)) return true;
        const TensorType* t = cut.contains(packet) && n.arg(0).isNode() ? g_[n.arg(0).asNode()].tensor() : nullptr;
        return t && info(t->dtype).complex;
    }

    /// Some call reads the sign of zeros of `value`, or of what is computed from it.
    NodeId signReader(NodeId value) {
        if (!signReaders_) {
            signReaders_.emplace();
            std::vector<NodeId> work;
            const auto add = [&](NodeId operand, NodeId reader) {
                const TypePtr& type = g_[operand].type;
                const bool carries = !type || type->asTuple() || (type->asTensor() && hasSignedZeros(*type->asTensor()));
                if (carries && signReaders_->emplace(operand, reader).second) work.push_back(operand);
            };
            for (NodeId id : inOrder(g_)) {
                const Node& n = g_[id];
                if (packetOf(n.op) == "aten::copysign")  // of the first operand only the size counts
                    n.arg(1).forEachNode([&](NodeId operand) { add(operand, id); });
                else if (readsSign(n))
                    for (NodeId operand : g_.operands(id)) add(operand, id);
            }
            for (std::size_t at = 0; at < work.size(); ++at)
                for (NodeId operand : g_.operands(work[at])) add(operand, signReaders_->at(work[at]));
        }
        const auto found = signReaders_->find(value);
        return found == signReaders_->end() || !g_.contains(found->second) ? NodeId() : found->second;
    }

    void saySign(NodeId by, NodeId reader) {
        Diagnostic d = warning("FP_STRICT", {{"what", "the sign of -0.0"}});
        d.node = g_[by].name;
        d.note = "%" + g_[reader].name.str() + " tells -0.0 from 0.0.";
        ctx_.say(std::move(d));
    }

    /// Only the strides of dimensions of one element differ, which address nothing, and no call of the graph asks for them.
    bool differsUnseen(const TensorType& own, const TensorType& from) {
        const bool named = std::any_of(own.sizes.begin(), own.sizes.end(), [](const SymInt& size) { return !size.isConst(); });
        return !named && sameStrides(own, from) && !asksForStrides();
    }

    /// Some call reads strides as numbers, or is allowed or refused by them.
    bool asksForStrides() {
        static const std::unordered_set<Name> asking = {"aten::sym_stride"_n,      "aten::as_strided"_n,     "aten::as_strided_scatter"_n,
                                                        "aten::view_as_complex"_n, "aten::_reshape_alias"_n, "prims::view_of_dtype"_n};
        if (!asksForStrides_) {
            asksForStrides_ = false;
            for (NodeId id : inOrder(g_))
                if (g_[id].op == "aten::view.dtype" || asking.contains(packetOf(g_[id].op))) asksForStrides_ = true;
        }
        return *asksForStrides_;
    }

    /// The value, or what views of any layout show of it, is only copied to places that have strides of their own: nobody can tell how it lies. What
    /// is returned, or enters a computation whose result is, could.
    bool isOnlyCopied(NodeId id) const {
        constexpr std::size_t kMostLookedAt = 64;
        static const std::unordered_set<Name> anyLayout = {"aten::select"_n,    "aten::slice"_n,   "aten::permute"_n,   "aten::t"_n,
                                                           "aten::transpose"_n, "aten::squeeze"_n, "aten::unsqueeze"_n, "aten::expand"_n,
                                                           "aten::diagonal"_n,  "aten::alias"_n,   "aten::detach"_n};
        std::vector<NodeId> work{id};
        for (std::size_t at = 0; at < work.size(); ++at)
            for (const Node::User& user : g_[work[at]].users) {
                const Node& n = g_[user.id];
                const bool source = (n.is("aten::copy_"_n) || n.is("aten::copy"_n) || isViewScatter(n.op)) && n.arg(0).asNode() != work[at];
                if (source) continue;
                if (work.size() > kMostLookedAt || !anyLayout.contains(packetOf(n.op)) || n.arg(0).asNode() != work[at]) return false;
                work.push_back(user.id);
            }
        return !addressedByPlace(ctx_.ops(), g_, {id});
    }

    void keep(NodeId id, NodeId operand, const char* rule, NodeId signReader = {}) {
        static const Name convert("prims::convert_element_type");
        const TensorType *own = g_[id].tensor(), *from = g_[operand].tensor();
        if (!own || !from || !(own->sizes == from->sizes) || own->device != from->device) return;
        const bool laidOut = own->strides == from->strides;
        if (isExtended(ctx_) && !laidOut && !differsUnseen(*own, *from) && !isOnlyCopied(id)) return;
        const bool shares = own->dtype == from->dtype && own->strides && from->strides;
        if (isExtended(ctx_) && shares && wouldAlias(id, operand)) return;
        // Extended mode keeps a kernel too where a clone would have to take its place.
        CopyGuard* guard = shares ? &memory().guard : nullptr;
        const NodeId write = !guard ? NodeId() : isExtended(ctx_) ? guard->conflict(id, operand) : guard->exposes(id, operand);
        const LayoutChange layout(ctx_.ops(), g_, id, operand, shares && !samePlace(id, operand));
        if (const NodeId blocker = write ? write : layout.misplaced(); blocker && isExtended(ctx_)) {
            refuse(g_, ctx_, id, "canonicalize 5.3", "CLONE_GUARD", {{"clone", g_[id].name.str()}, {"node", g_[blocker].name.str()}}, blocker);
            return;
        }
        if (const auto* kept = shares ? shownByRun(g_, ctx_, &WriteForms::kept, id) : nullptr) {
            Params params = {{"kernel", g_[id].name.str()}, {"operand", g_[operand].name.str()}};
            return decideByRun(g_, ctx_, id, false, "KERNEL_BY_RUN", std::move(params), *kept);
        }
        if (!ctx_.mayRewrite()) return;
        if (write) ctx_.say(readsOverwritten(g_, id, operand, write));
        if (signReader) saySign(operand, signReader);
        if (guard) {
            guard->merge(id, operand);
            mergeWrittenBack(memory().writtenBack, memory().alias, id, operand);
        }
        Rewrite rewrite{rule, {ref(g_, id)}, {}};
        NodeId by = operand;
        if (own->dtype != from->dtype) {
            Node call = newCall(convert, {Value::node(operand), Value::constant(Name("torch." + std::string(info(own->dtype).torchName)))});
            call.provenance = g_[id].provenance;
            by = g_.insertAfter(id, std::move(call));
            g_.setType(by, g_[id].type, g_[id].trust);
        }
        rewrite.after.push_back(ref(g_, by));
        const std::vector<NodeId> operands = g_.operands(id);
        g_.replaceAllUses(id, by);
        g_.erase(id);
        if (isExtended(ctx_))
            for (NodeId old : operands) eraseDeadChain(ctx_.ops(), g_, old);
        ctx_.rewrite(std::move(rewrite));
        if (shares && !isExtended(ctx_)) layout.settle(g_, ctx_, by);
        if (!laidOut && isExtended(ctx_)) refreshLayouts(ctx_.ops(), g_, by);
    }

    /// Storages as they were when folding was done, and what has been merged since.
    struct Memory {
        Memory(const Graph& g, const OpRegistry& ops) : alias(g, ops), guard(g, ops, alias), writtenBack(storagesWrittenBack(ops, g, alias)) {
            for (NodeId returned : flattenedOutputs(g)) guard.markReturned(returned);
        }
        AliasInfo alias;
        CopyGuard guard;
        std::unordered_map<StorageId, NodeId> writtenBack;
    };
    Memory& memory() {
        if (!memory_) memory_ = std::make_unique<Memory>(g_, ctx_.ops());
        return *memory_;
    }

    bool samePlace(NodeId a, NodeId b) {
        const TensorType *x = memory().alias.geometry(a), *y = memory().alias.geometry(b);
        return x && y && sameStrides(*x, *y) && x->offset == y->offset;
    }

    /// A result that was a buffer of its own, or lies in one, would lie in an input or in another result.
    bool wouldAlias(NodeId id, NodeId operand) {
        CopyGuard& guard = memory().guard;
        const StorageId storage = memory().alias.storageOf(operand);
        const bool outside = guard.seenOutside(operand) || memory().writtenBack.contains(storage) || viewedOperand(ctx_.ops(), g_, operand);
        if (!guard.isReturned(id) || !outside) return false;
        refuse(g_, ctx_, id, "canonicalize 5.3", "OUTPUT_ALIAS",
               {{"output", g_[id].name.str()}, {"what", g_[operand].name.str() + " itself"}, {"other", g_[operand].name.str()}}, operand);
        return true;
    }

    /// A returned meta tensor has no data: any tensor of its layout will do.
    void replaceMetaOutputs() {
        static const Name emptyStrided("aten::empty_strided");
        std::vector<NodeId> returned;
        if (g_.output()) returned = g_.operands(g_.output());
        for (NodeId id : returned) {
            const TensorType* t = g_[id].tensor();
            if (!t || t->device != "meta" || !t->strides || g_[id].is(emptyStrided)) continue;
            if (!ctx_.mayRewrite()) return;
            std::vector<Value> sizes, strides;
            for (const SymInt& s : t->sizes) sizes.push_back(Value::sym(s));
            for (const SymInt& s : *t->strides) strides.push_back(Value::sym(s));
            const TypePtr type = g_[id].type;
            Node call = newCall(
                emptyStrided, {Value::list(std::move(sizes)), Value::list(std::move(strides))},
                {{"dtype"_n, Value::constant(Name("torch." + std::string(info(t->dtype).torchName)))}, {"device"_n, Value::device(t->device)}});
            const NodeId made = g_.insertBefore(g_.output(), std::move(call));
            g_.setType(made, type);
            ctx_.rewrite({"meta-output", {ref(g_, id)}, {ref(g_, made)}});
            g_.replaceUsesIn(g_.output(), id, Value::node(made));
            eraseDeadChain(ctx_.ops(), g_, id);
        }
    }

    Graph& g_;
    PassContext& ctx_;
    const UniformNodes& uniform_;
    std::unique_ptr<Memory> memory_;
    std::optional<bool> asksForStrides_;
    std::optional<std::unordered_map<NodeId, NodeId>> signReaders_;  ///< value -> a call that sees the sign of its zeros
};

}  // namespace

void removeArithmeticIdentities(Graph& g, PassContext& ctx, const UniformNodes& uniform) { Identities(g, ctx, uniform).run(); }

}  // namespace aliascope
