#include "core/passes/decompose_functionalized.h"

#include <algorithm>
#include <unordered_map>
#include <utility>

#include "core/ops/infer.h"
#include "core/passes/clone_nodes.h"
#include "core/passes/functional_wrappers.h"
#include "core/passes/replacements.h"
#include "core/passes/self_copies.h"
#include "core/passes/spare_clones.h"
#include "core/passes/sub_graphs.h"

namespace aliascope {
namespace {

class Decomposer {
public:
    Decomposer(Graph& g, PassContext& ctx, bool extended) : g_(g), ctx_(ctx), extended_(extended), alias_(g, ctx.ops()) {}

    void run() {
        std::vector<NodeId> launches, calls;
        for (NodeId id = g_.last(); id; id = g_[id].prev) {
            const WrapperKind kind = wrapperKind(g_[id]);
            if (kind == WrapperKind::Launch)
                launches.push_back(id);
            else if (kind != WrapperKind::None)
                calls.push_back(id);
        }
        for (const auto* list : {&launches, &calls})
            for (NodeId id : *list) {
                if (ctx_.cancelled()) return;
                if (!ctx_.mayRewrite()) break;
                decompose(id);
            }
        // All getitems at once: thousands of them may end at one base.
        replacements_.apply(g_);
        for (NodeId item : dropped_) g_.erase(item);
    }

private:
    /// A value that stands for a written argument after the call: the argument itself or its clone.
    using NewValues = std::vector<Value>;

    void decompose(NodeId id) {
        const auto call = readWrapper(ctx_.ops(), g_, id);
        if (!call) {
            Diagnostic d = warning("WRAPPER_LEFT", {{"node", g_[id].name.str()}});
            d.node = g_[id].name;
            return ctx_.say(std::move(d));
        }
        id_ = id;
        call_ = &*call;
        rewrite_ = {call->kind == WrapperKind::V1   ? "decompose-v1"
                    : call->kind == WrapperKind::V2 ? "decompose-v2"
                                                    : "decompose-triton",
                    {ref(g_, id)},
                    {}};
        readCloneSet();
        CloneNodes clones(g_, ctx_.ops(), alias_, id, tensorOperands(), extended_ && !placeMatters() ? CloneExtent::Tight : CloneExtent::Prefix);
        clones_ = &clones;
        switch (call->kind) {
            case WrapperKind::V1:
                decomposeV1();
                break;
            case WrapperKind::V2:
                decomposeV2();
                break;
            default:
                decomposeLaunch();
                break;
        }
        auto& meta = g_.edit(id).meta;
        std::erase_if(meta, [](const Keyword& k) { return k.first == "clone_only"; });
        rewrite_.after.push_back(ref(g_, id));
        ctx_.rewrite(std::move(rewrite_));
    }

    std::vector<NodeId> tensorOperands() const {
        std::vector<NodeId> out;
        const auto add = [&](const Value& v) { v.forEachNode([&](NodeId n) { out.push_back(n); }); };
        for (const Value& v : g_[id_].args) add(v);
        for (const auto& [key, v] : g_[id_].kwargs) add(v);
        return out;
    }

    /// An encoded view may begin in front of its base when a clean-up has put the base into another storage; what lies there is then read as it is.
    bool reachesBeforeBase(const ViewEncoding& view) const {
        if (view.kind != ViewEncoding::Kind::AsStrided || view.base >= call_->bases.size()) return false;
        const NodeId base = call_->bases[view.base].asNode();
        const TensorType* t = base ? alias_.geometry(base) : nullptr;
        const auto from = t && t->offset ? t->offset->constant() : std::nullopt;
        const auto offset = view.offset.asInt();
        return from && *from > 0 && (!offset || *offset < *from);
    }

    /// Whether something addresses a value by its place in the storage, so that a clone must keep it: as_strided of a result, or another wrapper's
    /// clone.
    bool placeMatters() const {
        for (const WrappedArgument& argument : call_->arguments)
            for (const ViewEncoding& view : argument.views)
                if (reachesBeforeBase(view)) return true;
        static const Name strided("aten::as_strided"), scatter("aten::as_strided_scatter");
        const auto addressed = [&](NodeId item) {
            const StorageId storage = alias_.storageOf(item);
            if (!storage) return false;
            for (NodeId member : alias_.storage(storage).members)
                for (const Node::User& user : g_[member].users)
                    if (g_[user.id].is(strided) || g_[user.id].is(scatter) || wrapperKind(g_[user.id]) != WrapperKind::None) return true;
            return false;
        };
        for (NodeId item : getitems(id_)) {
            if (addressed(item)) return true;
            for (NodeId element : getitems(item))
                if (addressed(element)) return true;
        }
        return false;
    }

    void readCloneSet() {
        cloneOnly_ = call_->kind == WrapperKind::Launch ? nullptr : g_[id_].metaValue("clone_only"_n);
        if (cloneOnly_ || call_->kind == WrapperKind::Launch) {
            cloneSet_ = cloneOnly_ ? std::optional(*cloneOnly_) : std::nullopt;
            return;
        }
        cloneSet_.reset();
        Diagnostic d = warning("NO_CLONE_SET", {{"node", g_[id_].name.str()}});
        d.node = g_[id_].name;
        ctx_.say(std::move(d));
    }

    bool isCloned(Name param) const {
        if (!cloneSet_) return true;
        const auto& items = cloneSet_->items();
        return std::any_of(items.begin(), items.end(), [&](const Value& v) { return v.name() == param; });
    }

    bool isCloned(std::size_t base) const {
        if (!cloneSet_) return true;
        const auto& items = cloneSet_->items();
        return std::any_of(items.begin(), items.end(), [&](const Value& v) { return v.asInt() == static_cast<std::int64_t>(base); });
    }

    /// Bytes outside a buffer of its own elements that the clone of the view would read there: PyTorch's code generator makes such a buffer of a view
    /// of an elementwise value that nothing has computed yet, and then counts from its start as the graph counts from the start of the storage.
    std::int64_t readOutside(NodeId tensor) const {
        const TensorType* t = alias_.geometry(tensor);
        const StorageId storage = alias_.storageOf(tensor);
        if (extended_ || !t || !storage || alias_.storage(storage).role != StorageRole::Intermediate) return 0;
        const NodeId base = alias_.storage(storage).base;
        const OpDef* made = base && base != tensor ? ctx_.ops().find(g_[base].op) : nullptr;
        const auto extent = t->extent() ? t->extent()->constant() : std::nullopt, count = t->numel().constant();
        if (!made || !made->is(Trait::Pointwise) || !extent || !count) return 0;
        return std::max<std::int64_t>(0, *extent - *count) * itemSize(t->dtype);
    }

    void sayReadOutside(NodeId tensor, NodeId reader) {
        const std::int64_t bytes = readOutside(tensor);
        if (bytes == 0 || std::exchange(saidOutside_, true)) return;
        Diagnostic d = warning("UNDEFINED_READ", {{"reader", g_[reader].name.str()},
                                                  {"n", std::to_string(bytes)},
                                                  {"operand", g_[tensor].name.str()},
                                                  {"what", "outside the buffer that PyTorch 2.11's code generator makes of this view alone"}});
        d.node = g_[reader].name;
        d.note = "The graph is right: run node by node it gives what the program gives (defect F3).";
        ctx_.say(std::move(d));
    }

    ClonedTensor cloneTensor(NodeId tensor, const std::string& argument) {
        ClonedTensor cloned = clones_->clone(tensor);
        for (NodeId n : cloned.made) rewrite_.after.push_back(ref(g_, n));
        if (call_->kind != WrapperKind::V2) sayReadOutside(tensor, cloned.clone);
        const TensorType* t = g_[tensor].tensor();
        std::optional<SymInt> bytes;
        if (t && itemSize(t->dtype)) bytes = cloned.elements * SymInt(itemSize(t->dtype));
        Decision d;
        d.node = ref(g_, id_);
        if (ctx_.originOf) d.origin = ctx_.originOf(id_);
        d.op = g_[id_].op;
        d.argument = argument;
        d.verdict = "applied";
        d.code = "CLONED";
        d.view = ref(g_, tensor);
        d.rule = "functionalize 8";
        if (bytes) {
            d.clonedBytes = bytes->evaluate(g_.symbols);
            if (!bytes->isConst()) d.bytesExpr = bytes->str();
        }
        d.reportedBytes = d.clonedBytes;
        d.params = {{"arg", argument},
                    {"op", (call_->inner ? call_->inner : d.op).str()},
                    {"clone", g_[cloned.clone].name.str()},
                    {"bytes", bytes ? bytes->str() : "an unknown number of"},
                    {"why", cloneSet_ || call_->kind == WrapperKind::Launch ? "re-inplacing left it to be cloned"
                                                                            : "nothing says that it may be written in place"}};
        ctx_.decide(std::move(d));
        return cloned;
    }

    Value cloneValue(const Value& v, const std::string& argument) {
        if (v.isNode()) return Value::node(cloneTensor(v.asNode(), argument).result);
        if (!v.isSequence()) return v;
        std::vector<Value> items;
        for (const Value& item : v.items()) items.push_back(cloneValue(item, argument));
        return Value::container(v.kind(), std::move(items));
    }

    // --- the three forms -----------------------------------------------------------------------------------------------------------------------

    void decomposeV1() {
        std::unordered_map<Name, Value> replaced;
        NewValues values;
        for (const WrappedArgument& argument : call_->arguments) {
            const Value v = isCloned(argument.param) ? cloneValue(argument.value, argument.param.str()) : argument.value;
            replaced[argument.param] = v;
            values.push_back(v);
        }
        std::vector<Keyword> kwargs = g_[id_].kwargs;
        for (auto& [key, value] : kwargs)
            if (const auto it = replaced.find(key); it != replaced.end()) value = it->second;
        becomeCall(kwargs, values);
    }

    void decomposeV2() {
        NewValues bases;
        std::vector<SymInt> removed(call_->bases.size(), SymInt(0));
        for (std::size_t i = 0; i < call_->bases.size(); ++i) {
            Value base = call_->bases[i];
            if (base.isNode() && isCloned(i)) {
                const ClonedTensor cloned = cloneTensor(base.asNode(), std::to_string(i));
                base = Value::node(cloned.result);
                removed[i] = cloned.removedOffset;
            }
            bases.push_back(base);
        }
        std::vector<Keyword> kwargs;
        for (const auto& [key, value] : g_[id_].kwargs)
            if (!isEncodingKey(key)) kwargs.emplace_back(key, foldConstants(value));
        for (const WrappedArgument& argument : call_->arguments) {
            std::vector<Value> tensors;
            for (const ViewEncoding& view : argument.views) tensors.push_back(rebuild(view, bases, removed));
            const bool absentList = argument.list && g_[id_].kwarg(Name("_" + argument.param.str() + "_length"))->isNone();
            kwargs.emplace_back(argument.param, absentList ? Value::none() : argument.list ? Value::list(std::move(tensors)) : tensors.front());
        }
        becomeCall(kwargs, bases);
    }

    void decomposeLaunch() {
        std::vector<Keyword> kwargs;
        std::vector<std::pair<Name, Value>> taken;
        for (const auto& [key, value] : g_[id_].kwargs) {
            if (key == "tensors_to_clone") continue;
            if (!(key == "kwargs")) {
                kwargs.emplace_back(key, value);
                continue;
            }
            std::vector<Value> items = value.items();
            for (std::size_t i = 0; i < items.size() && i < value.keys().size(); ++i) {
                const Name name = value.keys()[i];
                const bool clone =
                    std::any_of(call_->arguments.begin(), call_->arguments.end(), [&](const WrappedArgument& a) { return a.param == name; });
                if (clone) items[i] = cloneValue(items[i], name.str());
                taken.emplace_back(name, items[i]);
            }
            kwargs.emplace_back(key, Value::dict(value.keys(), std::move(items)));
        }
        for (NodeId item : getitems(id_))
            for (const auto& [name, value] : taken)
                if (g_[item].arg(1).name() == name && !g_[item].arg(1).isInt()) substitute(item, value);
        static const Name mutation("hop::triton_kernel_wrapper_mutation");
        g_.setKwargs(id_, std::move(kwargs));
        g_.setCall(id_, spellOp(mutation), mutation);
        g_.setType(id_, nullptr, Trust::Unknown);
        g_.rename(id_, freshCallName(mutation));
    }

    // --- pieces ----------------------------------------------------------------------------------------------------------------------------------

    bool isEncodingKey(Name key) const {
        if (key == "_all_bases" || key == "_op_schema") return true;
        const std::string_view text = key.view();
        if (text.empty() || text.front() != '_') return false;
        return std::any_of(call_->arguments.begin(), call_->arguments.end(), [&](const WrappedArgument& a) {
            const std::string prefix = "_" + a.param.str() + "_";
            return text.starts_with(prefix) && !isParam(key);
        });
    }

    bool isParam(Name key) const { return call_->definition && call_->definition->schema.paramIndex(key) >= 0; }

    /// Size nodes whose value is a number become the number: the replacement is traced anew.
    Value foldConstants(const Value& v) const {
        return v.mapNodes([&](NodeId n) {
            const SymInt* s = g_[n].type ? g_[n].type->asSym() : nullptr;
            return s && s->isConst() ? Value::integer(*s->constant()) : Value::node(n);
        });
    }

    Value asList(const Value& v) const { return v.kind() == Value::Kind::Tuple ? Value::list(foldConstants(v).items()) : foldConstants(v); }

    Value rebuild(const ViewEncoding& view, const NewValues& bases, const std::vector<SymInt>& removed) {
        if (view.kind == ViewEncoding::Kind::Absent || view.base >= bases.size()) return Value::none();
        const Value& base = bases[view.base];
        NewNodes make(g_, ctx_.ops(), id_);
        NodeId id;
        switch (view.kind) {
            case ViewEncoding::Kind::Alias:
                id = make.call("aten::alias"_n, {base});
                break;
            case ViewEncoding::Kind::Slice:
                id = make.call("aten::slice.Tensor"_n, {base, foldConstants(view.dim), foldConstants(view.start), foldConstants(view.end)});
                break;
            case ViewEncoding::Kind::AsStrided:
                id = make.call("aten::as_strided"_n,
                               {base, asList(view.size), asList(view.stride), rebased(foldConstants(view.offset), removed[view.base])});
                break;
            default:
                return base;
        }
        rewrite_.after.push_back(ref(g_, id));
        return Value::node(id);
    }

    Value rebased(const Value& offset, const SymInt& removed) {
        if (removed == SymInt(0)) return offset;
        const auto known = asSymInt(g_, offset);
        if (known && known->isConst()) return Value::sym(*known - removed);
        NewNodes make(g_, ctx_.ops(), id_);
        const NodeId id = make.call("operator::sub"_n, {offset, Value::sym(removed)});
        if (known) g_.setType(id, Type::sym(*known - removed));
        rewrite_.after.push_back(ref(g_, id));
        return Value::node(id);
    }

    /// The wrapper's node becomes the call of the wrapped operator; `values` are the new values in the order of the wrapper's results.
    void becomeCall(const std::vector<Keyword>& kwargs, const NewValues& values) {
        std::vector<TypePtr> types(call_->results);
        for (NodeId item : getitems(id_)) {
            const auto k = g_[item].arg(1).asInt();
            if (!k || *k < 0) continue;
            const auto index = static_cast<std::size_t>(*k);
            if (index < call_->results)
                types[index] = g_[item].type;
            else if (index - call_->results < values.size())
                substitute(item, values[index - call_->results]);
        }
        placeArguments(kwargs);
        g_.setCall(id_, spellOp(call_->inner), call_->inner);
        g_.rename(id_, freshCallName(call_->inner));
        const bool returns = !call_->definition || !call_->definition->schema.returns.empty();
        if (call_->results > 1) {
            g_.setType(id_, Type::tuple(types), Trust::Inferred);
        } else {
            g_.setType(id_, types.front(), types.front() ? Trust::Inferred : Trust::Unknown);
            for (NodeId item : getitems(id_))
                if (g_[item].arg(1).asInt() == 0) substitute(item, returns ? Value::node(id_) : Value::none());
        }
        substituteWholeResult(values, returns);
    }

    /// A use of the wrapper that takes no result apart sees the tuple.
    void substituteWholeResult(const NewValues& values, bool returns) {
        const auto takes = getitems(id_);
        if (call_->results > 1 || wrapperUsers_.empty()) return;
        for (NodeId user : wrapperUsers_) {
            if (!g_.contains(user) || std::find(takes.begin(), takes.end(), user) != takes.end()) continue;
            std::vector<Value> all{returns ? Value::node(id_) : Value::none()};
            all.insert(all.end(), values.begin(), values.end());
            g_.replaceUsesIn(user, id_, Value::tuple(std::move(all)));
        }
    }

    /// Positional in schema order, keyword-only by keyword; defaults at the end and keyword-only defaults are left out, as PyTorch's dispatcher does.
    void placeArguments(const std::vector<Keyword>& given) {
        wrapperUsers_.clear();
        for (const Node::User& user : g_[id_].users)
            if (g_[user.id].op != "operator::getitem") wrapperUsers_.push_back(user.id);
        std::vector<Value> args;
        std::vector<Keyword> kwargs;
        const auto find = [&](Name name) -> const Value* {
            for (const auto& [key, value] : given)
                if (key == name) return &value;
            return nullptr;
        };
        if (!call_->definition) {
            g_.setArgs(id_, {});
            return g_.setKwargs(id_, given);
        }
        std::size_t meaningful = 0;
        bool gap = false;
        for (const SchemaParam& param : call_->definition->schema.params) {
            const Value* value = find(param.name);
            const bool isDefault = param.defaultValue && (!value || *value == *param.defaultValue);
            if (!value && !param.defaultValue) gap = true;
            if (param.keywordOnly || gap) {
                if (value && !isDefault) kwargs.emplace_back(param.name, *value);
                continue;
            }
            args.push_back(value ? *value : *param.defaultValue);
            if (!isDefault) meaningful = args.size();
        }
        args.resize(meaningful);
        g_.setArgs(id_, std::move(args));
        g_.setKwargs(id_, std::move(kwargs));
    }

    std::vector<NodeId> getitems(NodeId id) const {
        std::vector<NodeId> out;
        for (const Node::User& user : g_[id].users)
            if (g_[user.id].op == "operator::getitem" && g_[user.id].arg(0).asNode() == id) out.push_back(user.id);
        return out;
    }

    /// Replaces a getitem by what it now is; a list is taken apart. Nodes are put in place and getitems erased at the end.
    void substitute(NodeId item, const Value& value) {
        rewrite_.before.push_back(ref(g_, item));
        if (value.isNode()) return replacements_.add(item, value.asNode());
        if (value.isSequence())
            for (NodeId element : getitems(item)) {
                const auto i = g_[element].arg(1).asInt();
                if (i && *i >= 0 && static_cast<std::size_t>(*i) < value.items().size())
                    substitute(element, value.items()[static_cast<std::size_t>(*i)]);
            }
        for (NodeId user : g_.users(item))
            if (!replacements_.contains(user)) g_.replaceUsesIn(user, item, value);
        dropped_.push_back(item);
    }

    Graph& g_;
    PassContext& ctx_;
    bool extended_;
    AliasInfo alias_;
    // Of the wrapper at hand.
    NodeId id_;
    const WrapperCall* call_ = nullptr;
    const Value* cloneOnly_ = nullptr;
    std::optional<Value> cloneSet_;  ///< names or base indices; nothing = all
    CloneNodes* clones_ = nullptr;
    std::vector<NodeId> wrapperUsers_;
    Rewrite rewrite_;
    // Of the whole graph.
    bool saidOutside_ = false;
    Replacements replacements_;
    std::vector<NodeId> dropped_;
};

class DecomposeFunctionalized final : public Pass {
public:
    std::string_view name() const override { return "decompose-functionalized"; }
    std::string_view help() const override { return "Turns functional wrappers into clones and the operator that writes"; }
    std::vector<PassOption> options() const override {
        return {{PassOption::Type::Enum,
                 "mode",
                 {"reference", "extended"},
                 "reference",
                 "extended: tight clones, none that separates nothing, no copies of a value onto itself"}};
    }
    bool stopsEarly() const override { return true; }
    Result<Outcome> run(Graph& g, PassContext& ctx) const override {
        const bool extended = ctx.options().is("mode", "extended");
        inEveryGraph(g, ctx, [&](Graph& body, PassContext& context) {
            const std::vector<NodeId> own = extended ? cloneCalls(body) : std::vector<NodeId>();
            Decomposer(body, context, extended).run();
            spareClones(body, context, own);
            treatSelfCopies(body, context, extended);
        });
        return Outcome::Done;
    }
};

}  // namespace

std::unique_ptr<Pass> makeDecomposeFunctionalized() { return std::make_unique<DecomposeFunctionalized>(); }

}  // namespace aliascope
