#include "core/passes/lower_torch_call.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/passes/new_nodes.h"

namespace aliascope::torch_lowering {
namespace {

const Value kNone;

bool cut(std::string_view& s, std::string_view prefix) {
    if (!s.starts_with(prefix)) return false;
    s.remove_prefix(prefix.size());
    return true;
}

/// `torch.nn.functional.relu` -> `relu`, `torch.linalg.norm` -> `linalg_norm`, `torch._C._fft.fft_fft` -> `fft_fft`.
std::string functionName(std::string_view path) {
    for (std::string_view home :
         {"nn.functional.", "functional.", "_C._nn.", "_C._VariableFunctions.", "_VF.", "_C._special.", "_C._linalg.", "_C._fft."})
        if (cut(path, home)) return std::string(path);
    for (std::string_view home : {"special.", "linalg.", "fft."})
        if (path.starts_with(home)) {
            std::string name(path);
            name[home.size() - 1] = '_';
            return name;
        }
    return std::string(path);
}

/// Special methods stand for Python's operators: `x.__iadd__(1)` is `operator.iadd(x, 1)`.
Callee methodCallee(std::string_view name) {
    if (name.size() <= 4 || !name.starts_with("__") || !name.ends_with("__")) return {CallForm::Function, std::string(name), true};
    std::string plain(name.substr(2, name.size() - 4));
    if (plain == "and" || plain == "or") plain += '_';
    return {CallForm::Operator, std::move(plain), true};
}

/// Python's name of a parameter under which NumPy users pass it.
std::string_view plainName(std::string_view keyword) {
    static constexpr std::array<std::pair<std::string_view, std::string_view>, 9> names = {{{"axis", "dim"},
                                                                                            {"axes", "dims"},
                                                                                            {"keepdims", "keepdim"},
                                                                                            {"self", "input"},
                                                                                            {"x", "input"},
                                                                                            {"a", "input"},
                                                                                            {"x1", "input"},
                                                                                            {"x2", "other"},
                                                                                            {"shape", "size"}}};
    for (const auto& [numpy, torch] : names)
        if (keyword == numpy) return torch;
    return keyword;
}

Value literal(std::string_view text) {
    if (text == "None") return {};
    if (text == "True" || text == "False") return Value::boolean(text == "True");
    if (text.find('.') == std::string_view::npos && text.find('e') == std::string_view::npos) {
        std::int64_t i = 0;
        const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), i);
        if (error == std::errc() && end == text.data() + text.size()) return Value::integer(i);
    }
    double d = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), d);
    if (error == std::errc() && end == text.data() + text.size()) return Value::real(d);
    return Value::string(Name(text));
}

/// A value as the tracer hands it to an operator: a number where a list of fixed length is asked for is that many, a tuple is a list, the name of a
/// device is a device.
Value shaped(const Value& v, const SchemaType& type) {
    const SchemaType& t = type.isOptional() ? type.parts[0] : type;
    if (t.kind == SchemaType::Kind::List) {
        if (v.kind() == Value::Kind::Tuple) return Value::list(v.items());
        const bool number = v.kind() == Value::Kind::Int || v.kind() == Value::Kind::Sym;
        if (number && t.fixedSize) return Value::list(std::vector<Value>(static_cast<std::size_t>(std::clamp<std::int64_t>(*t.fixedSize, 1, 8)), v));
        return v;
    }
    if (v.kind() == Value::Kind::String && t.innermost() == "Device") return Value::device(v.name());
    return v;
}

}  // namespace

std::optional<Callee> calleeOf(const Node& n) {
    if (n.kind == NodeKind::CallMethod) return methodCallee(n.target.view());
    if (n.kind != NodeKind::CallFunction) return std::nullopt;
    std::string_view op = n.op.view();
    if (op == "builtin::getattr") {
        const Value& attribute = n.arg(1);
        if (attribute.kind() != Value::Kind::String) return std::nullopt;
        return Callee{CallForm::Attribute, attribute.name().str()};
    }
    if (cut(op, "operator::")) return Callee{CallForm::Operator, std::string(op)};
    if (!cut(op, "torch::") || op.starts_with("sym_")) return std::nullopt;
    if (cut(op, "Tensor.")) return methodCallee(op);
    return Callee{CallForm::Function, functionName(op)};
}

// --- signatures -------------------------------------------------------------------------------------------------------------------------------

const Value& PyArgs::operator[](std::string_view name) const {
    const auto it = std::find_if(entries_.begin(), entries_.end(), [name](const Entry& e) { return e.name == name; });
    return it == entries_.end() ? kNone : it->value;
}

bool PyArgs::given(std::string_view name) const {
    return std::any_of(entries_.begin(), entries_.end(), [name](const Entry& e) { return e.name == name && e.given; });
}

std::vector<std::pair<std::string_view, Value>> PyArgs::values() const {
    std::vector<std::pair<std::string_view, Value>> out;
    for (const Entry& e : entries_) out.emplace_back(e.name, e.value);
    return out;
}

Signature::Signature(std::string_view text) {
    while (!text.empty()) {
        const auto blank = text.find(' ');
        std::string_view word = text.substr(0, blank);
        text.remove_prefix(blank == std::string_view::npos ? text.size() : blank + 1);
        if (word == "**") {
            moreKeywords_ = true;
            continue;
        }
        Parameter p;
        p.variadic = cut(word, "*");
        const auto equals = word.find('=');
        p.name = word.substr(0, equals);
        if (equals != std::string_view::npos) p.fallback = literal(word.substr(equals + 1));
        parameters_.push_back(std::move(p));
    }
}

std::optional<PyArgs> Signature::bind(const Node& call, std::string_view callee) const {
    PyArgs out;
    out.callee_ = callee;
    for (const Parameter& p : parameters_) out.entries_.push_back({p.name, p.fallback.value_or(Value()), false});
    std::size_t at = 0;
    for (std::size_t p = 0; p < parameters_.size() && at < call.args.size(); ++p) {
        PyArgs::Entry& entry = out.entries_[p];
        entry.given = true;
        if (!parameters_[p].variadic || (at + 1 == call.args.size() && call.args[at].isSequence())) {
            entry.value = call.args[at++];
        } else {
            entry.value = Value::list({call.args.begin() + static_cast<std::ptrdiff_t>(at), call.args.end()});
            at = call.args.size();
        }
    }
    if (at < call.args.size()) return std::nullopt;
    for (const auto& [key, value] : call.kwargs) {
        const auto named = [&out](std::string_view name) {
            return std::find_if(out.entries_.begin(), out.entries_.end(), [name](const PyArgs::Entry& e) { return e.name == name; });
        };
        auto it = named(key.view());
        if (it == out.entries_.end()) it = named(plainName(key.view()));
        if (it == out.entries_.end()) {
            if (!moreKeywords_) return std::nullopt;
            out.others_.emplace_back(key, value);
            continue;
        }
        if (it->given) return std::nullopt;
        it->value = value;
        it->given = true;
    }
    for (std::size_t p = 0; p < parameters_.size(); ++p)
        if (!out.entries_[p].given && !parameters_[p].fallback && !parameters_[p].variadic) return std::nullopt;
    return out;
}

/// In a graph of torch functions and methods without types, inputs are tensors: symbols are marked as such there. In ATen graphs nothing is assumed.
Lowering::Lowering(Graph& g, PassContext& ctx) : g_(g), ctx_(ctx) {
    bool torch = false, aten = false;
    for (NodeId id : inOrder(g)) {
        const Node& n = g[id];
        torch = torch || n.kind == NodeKind::CallMethod || n.kind == NodeKind::CallModule || n.op.view().starts_with("torch::");
        aten = aten || n.op.view().starts_with("aten::");
        if (n.kind == NodeKind::GetAttr) constants_.emplace(n.target.str(), id);
    }
    untypedAreTensors_ = torch && !aten;
}

// --- values -----------------------------------------------------------------------------------------------------------------------------------

std::vector<Value> listOf(const Value& v) { return v.isSequence() ? v.items() : std::vector<Value>{v}; }

std::optional<DType> dtypeOf(const Value& v) { return v.kind() == Value::Kind::Const ? dtypeFromTorchName(v.name().view()) : std::nullopt; }

bool Lowering::isTensor(const Value& v) const {
    if (!v.isNode()) return false;
    const Node& n = g_[v.asNode()];
    if (n.tensor()) return true;
    if (n.type) return n.type->kind() == Type::Kind::Other && n.type->str().find("Tensor") != std::string::npos;
    switch (n.kind) {
        case NodeKind::Placeholder:
        case NodeKind::GetAttr:
            return untypedAreTensors_;
        case NodeKind::CallFunction: {
            const OpDef* op = ops().find(n.op);
            return op && op->schema.returns.size() == 1 && op->schema.returns[0].type.isTensorLike() && !op->schema.returns[0].type.isList();
        }
        default:
            return false;
    }
}

std::optional<SymInt> Lowering::symInt(const Value& v) const {
    if (v.kind() == Value::Kind::Int) return SymInt(*v.asInt());
    if (v.kind() == Value::Kind::Sym) return v.asSym();
    if (v.isNode() && g_[v.asNode()].type)
        if (const SymInt* s = g_[v.asNode()].type->asSym()) return *s;
    return std::nullopt;
}

std::optional<std::size_t> Lowering::rank(const Value& v) const {
    const TensorType* t = tensor(v);
    return t ? std::optional(t->rank()) : std::nullopt;
}

std::optional<std::size_t> Lowering::dim(const Value& tensor, const Value& d) const {
    const auto r = rank(tensor);
    const auto i = d.asInt();
    if (!r || !i) return std::nullopt;
    const auto n = std::max<std::int64_t>(static_cast<std::int64_t>(*r), 1);
    if (*i < -n || *i >= n) return std::nullopt;
    return static_cast<std::size_t>(*i < 0 ? *i + n : *i);
}

// --- making calls --------------------------------------------------------------------------------------------------------------------------

Lowered Lowering::append(const OpDef& op, const BoundCall& call) {
    const std::vector<SchemaParam>& params = op.schema.params;
    std::vector<Value> values(params.size());
    std::size_t positional = 0;
    std::vector<Keyword> kwargs;
    for (std::size_t i = 0; i < params.size(); ++i) {
        values[i] = shaped(call.values[i], params[i].type);
        if (call.given[i] && !params[i].defaultValue) {
            if (params[i].keywordOnly)
                kwargs.emplace_back(params[i].name, values[i]);
            else
                positional = i + 1;
        } else if (call.given[i] && !(values[i] == shaped(*params[i].defaultValue, params[i].type))) {
            if (params[i].keywordOnly)
                kwargs.emplace_back(params[i].name, values[i]);
            else
                positional = i + 1;
        }
    }
    values.resize(positional);
    const NodeId id = NewNodes(g_, ops(), at_).call(op.canonical, std::move(values), std::move(kwargs));
    made_.push_back(id);
    return Value::node(id);
}

Lowered Lowering::emit(std::string_view op, std::vector<Value> args, std::vector<Keyword> kwargs) {
    const OpDef* def = ops().find(Name(op));
    if (!def) return std::nullopt;
    const auto call = bindCall(*def, args, kwargs);
    return call ? append(*def, *call) : std::nullopt;
}

Lowered Lowering::emitByName(std::string_view name, std::vector<Value> args, std::vector<Keyword> kwargs) {
    Node probe;
    probe.op = Name("aten::" + std::string(name));
    probe.target = probe.op;
    probe.args = std::move(args);
    probe.kwargs = std::move(kwargs);
    if (ops().overloads(probe.op).empty()) return std::nullopt;
    const OpDef* op = resolveOverload(ops(), g_, probe);
    if (!op) return std::nullopt;
    const auto call = bindCall(*op, probe.args, probe.kwargs);
    return call ? append(*op, *call) : std::nullopt;
}

Lowered Lowering::item(const Lowered& tuple, std::int64_t index) {
    if (!tuple) return std::nullopt;
    Node n = newCall("operator::getitem"_n, {*tuple, Value::integer(index)});
    n.provenance = g_[at_].provenance;
    const NodeId id = g_.insertBefore(at_, std::move(n));
    setInferredType(ops(), g_, id);
    made_.push_back(id);
    return Value::node(id);
}

std::optional<Value> Lowering::known(const SymInt& s) const {
    if (const auto constant = s.constant()) return Value::integer(*constant);
    const auto [begin, end] = symbols_.equal_range(s.hash());
    for (auto it = begin; it != end; ++it)
        if (g_.contains(it->second) && g_[it->second].type && g_[it->second].type->asSym() && *g_[it->second].type->asSym() == s)
            return Value::node(it->second);
    return std::nullopt;
}

Value Lowering::size(const Value& tensor, std::size_t d) {
    if (const TensorType* t = this->tensor(tensor); t && d < t->rank())
        if (const auto v = known(t->sizes[d])) return *v;
    const Lowered made = emit("aten::sym_size.int", {tensor, Value::integer(static_cast<std::int64_t>(d))});
    if (!made) return {};
    learnSymbol(made->asNode());
    return *made;
}

std::vector<Value> Lowering::sizes(const Value& tensor) {
    std::vector<Value> out;
    for (std::size_t d = 0; d < rank(tensor).value_or(0); ++d) out.push_back(size(tensor, d));
    return out;
}

Value Lowering::constant(const std::string& path, const std::vector<Value>& sizes, const Value& like) {
    if (const auto it = constants_.find(path); it != constants_.end() && g_.contains(it->second)) return Value::node(it->second);
    Node n;
    n.kind = NodeKind::GetAttr;
    n.target = Name(path);
    std::string name = path;
    std::replace(name.begin(), name.end(), '.', '_');
    n.name = Name(name);
    TensorType t;
    t.dtype = DType::F32;
    if (const TensorType* other = tensor(like)) t.device = other->device;
    for (const Value& size : sizes) t.sizes.push_back(symInt(size).value_or(SymInt::opaque("?")));
    t.strides = TensorType::contiguousStrides(t.sizes);
    n.type = Type::tensor(std::move(t));
    n.trust = Trust::Assumed;
    if (!lastInput_ || !g_.contains(lastInput_)) {
        lastInput_ = {};
        for (NodeId input = g_.first(); input != at_ && g_[input].kind == NodeKind::Placeholder; input = g_[input].next) lastInput_ = input;
    }
    const NodeId id = g_.insertAfter(lastInput_, std::move(n));
    lastInput_ = id;
    constants_[path] = id;
    made_.push_back(id);
    return Value::node(id);
}

Value Lowering::times(const Value& a, const Value& b) {
    const auto x = symInt(a), y = symInt(b);
    if (x && y)
        if (const auto v = known(*x * *y)) return *v;
    if (a.asInt() == std::optional<std::int64_t>(1)) return b;
    if (b.asInt() == std::optional<std::int64_t>(1)) return a;
    Node n = newCall("operator::mul"_n, {a, b});
    n.provenance = g_[at_].provenance;
    const NodeId id = g_.insertBefore(at_, std::move(n));
    setInferredType(ops(), g_, id);
    made_.push_back(id);
    learnSymbol(id);
    return Value::node(id);
}

Lowered Lowering::reshape(const Value& x, std::vector<Value> sizes) {
    const TensorType* t = tensor(x);
    std::vector<SymInt> wanted;
    std::optional<std::size_t> open;
    SymInt rest(1);
    for (std::size_t i = 0; i < sizes.size(); ++i) {
        const auto s = symInt(sizes[i]);
        if (!s)
            t = nullptr;
        else if (s->constant() == -1)
            open = i;
        else
            rest = rest * *s;
        wanted.push_back(s.value_or(SymInt()));
    }
    if (!t || !t->strides) return emit("aten::reshape", {x, Value::list(std::move(sizes))});
    if (open) {
        const auto total = t->numel().constant(), others = rest.constant();
        if (!total || !others || *others == 0 || *total % *others != 0) return emit("aten::reshape", {x, Value::list(std::move(sizes))});
        wanted[*open] = SymInt(*total / *others);
        sizes[*open] = Value::integer(*total / *others);
    }
    bool decided = true;
    const bool view = reshapeStrides(*t, wanted, &decided).has_value();
    if (view) return emit("aten::view", {x, Value::list(std::move(sizes))});
    if (!decided) return emit("aten::reshape", {x, Value::list(std::move(sizes))});
    const Lowered copy = emit("aten::clone", {x}, {{"memory_format"_n, Value::constant("torch.contiguous_format"_n)}});
    return copy ? emit("aten::_unsafe_view", {*copy, Value::list(std::move(sizes))}) : std::nullopt;
}

// --- driving -----------------------------------------------------------------------------------------------------------------------------------

void Lowering::start(NodeId id) {
    at_ = id;
    made_.clear();
}

void Lowering::learnSymbol(NodeId id) {
    if (const TypePtr& type = g_[id].type; type && type->asSym() && !type->asSym()->isConst()) symbols_.emplace(type->asSym()->hash(), id);
}

/// The call takes over what was made last: its name, type and users stay.
void Lowering::become(NodeId made) {
    const Node last = g_[made];
    g_.edit(at_).kind = NodeKind::CallFunction;
    g_.setCall(at_, last.target, last.op);
    g_.setArgs(at_, last.args);
    g_.setKwargs(at_, last.kwargs);
    if (!g_[at_].type && last.type) g_.setType(at_, last.type, last.trust);
    g_.edit(at_).flags &= static_cast<std::uint8_t>(~FlagNoSchema);
    g_.erase(made);
    made_.pop_back();
}

void Lowering::replaceBy(const Value& result) {
    if (result.isNode()) {
        const NodeId by = result.asNode();
        if (!g_[by].type && g_[at_].type && g_[by].isCall()) g_.setType(by, g_[at_].type, g_[at_].trust);
        g_.replaceAllUses(at_, result.asNode());
    } else {
        for (NodeId user : g_.users(at_)) g_.replaceUsesIn(user, at_, result);
    }
    g_.erase(at_);
}

bool Lowering::finish(const Lowered& result, std::string_view rule) {
    if (!result) {
        for (auto it = made_.rbegin(); it != made_.rend(); ++it) g_.erase(*it);
        made_.clear();
        return false;
    }
    Rewrite rewrite;
    rewrite.rule = rule;
    rewrite.before = {ref(g_, at_)};
    const NodeId last = result->asNode();
    if (last && !made_.empty() && made_.back() == last && !g_.hasUsers(last)) {
        become(last);
        for (NodeId id : made_) rewrite.after.push_back(ref(g_, id));
        rewrite.after.push_back(ref(g_, at_));
    } else {
        for (NodeId id : made_) rewrite.after.push_back(ref(g_, id));
        if (last && std::find(made_.begin(), made_.end(), last) == made_.end()) rewrite.after.push_back(ref(g_, last));
        replaceBy(*result);
    }
    ctx_.rewrite(std::move(rewrite));
    return true;
}

}  // namespace aliascope::torch_lowering
