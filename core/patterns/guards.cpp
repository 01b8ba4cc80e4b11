#include "core/patterns/guards.h"

#include <algorithm>
#include <cmath>
#include <limits>
#include <unordered_map>

#include "core/patterns/mask_values.h"

namespace aliascope::patterns {
namespace {

/// A guard that cannot be evaluated as written.
struct Undecided {};

std::string textOf(const Graph& g, const Value& v) {
    if (v.isNode()) {
        const TensorType* t = g[v.asNode()].tensor();
        return g[v.asNode()].name.str() + (t ? " " + t->str(false) : "");
    }
    if (v.isNone()) return "None";
    if (v.kind() == Value::Kind::Sym) return v.asSym().str();
    if (const auto d = v.asNumber()) return v.isInt() ? std::to_string(*v.asInt()) : pythonFloat(*d);
    if (v.isSequence()) {
        std::string out;
        for (const Value& item : v.items()) out += (out.empty() ? "[" : ", ") + textOf(g, item);
        return out.empty() ? "[]" : out + "]";
    }
    return v.name().str();
}

bool onCuda(const TensorType& t) { return t.device.view().starts_with("cuda"); }
std::string nameOf(DType d) { return std::string(info(d).shortName); }
Tri both(Tri a, Tri b) { return a == Tri::No || b == Tri::No ? Tri::No : a == Tri::Unknown || b == Tri::Unknown ? Tri::Unknown : Tri::Yes; }
Tri known(bool b) { return b ? Tri::Yes : Tri::No; }

class GuardCheck {
public:
    GuardCheck(const Guard& guard, const GuardScope& scope) : guard_(guard), s_(scope), g_(scope.g) {}

    std::optional<Refusal> run() {
        try {
            const Tri holds = guard_.compare.empty() ? predicate(guard_.left) : comparison();
            if (holds == Tri::Yes) return std::nullopt;
            if (refusal_) return refusal_;
            if (holds == Tri::No)
                return refuse("CONST", {{"what", guard_.text}, {"node", g_[s_.root].name.str()}, {"want", "true"}, {"got", "false"}}, s_.root);
        } catch (const Undecided&) {
            if (refusal_) return refusal_;
        }
        return refuse("UNDECIDED", {{"guard", guard_.text}}, s_.root);
    }

    using Predicate = Tri (GuardCheck::*)(const Expr&);
    static const std::unordered_map<std::string, Predicate>& predicates() {
        static const std::unordered_map<std::string, Predicate> all = {{"contiguous", &GuardCheck::contiguous},
                                                                       {"uniform", &GuardCheck::uniform},
                                                                       {"broadcastable", &GuardCheck::broadcastable},
                                                                       {"perm", &GuardCheck::perm},
                                                                       {"is_last2_swap", &GuardCheck::lastTwoSwap},
                                                                       {"merges", &GuardCheck::merges},
                                                                       {"splits", &GuardCheck::splits},
                                                                       {"neginf_or_lowest", &GuardCheck::lowest},
                                                                       {"train", &GuardCheck::train},
                                                                       {"flag", &GuardCheck::flag},
                                                                       {"precision", &GuardCheck::precision},
                                                                       {"attention", &GuardCheck::attention},
                                                                       {"checked_attention", &GuardCheck::checkedAttention},
                                                                       {"mask", &GuardCheck::mask},
                                                                       {"checked_mask", &GuardCheck::checkedMask},
                                                                       {"plain_number", &GuardCheck::plainNumber},
                                                                       {"off_cuda", &GuardCheck::offCuda},
                                                                       {"sdpa_precision_ok", &GuardCheck::precisionOk},
                                                                       {"zero_or_one", &GuardCheck::zeroOrOne},
                                                                       {"rows_kept", &GuardCheck::rowsKept},
                                                                       {"lower_triangle", &GuardCheck::isLowerTriangle}};
        return all;
    }

private:
    std::optional<Refusal> refuse(const char* code, Params params, NodeId node, NodeId blocker = {}) {
        return refusal_ = Refusal{code, std::move(params), node, blocker, {}};
    }
    Tri no(const char* code, Params params, NodeId node, NodeId blocker = {}) {
        refuse(code, std::move(params), node, blocker);
        return Tri::No;
    }

    // --- values
    Value value(const Expr& e) {
        switch (e.kind) {
            case Expr::Kind::Capture:
                return named("$" + e.name);
            case Expr::Kind::NodeRef:
                return named("%" + e.name);
            case Expr::Kind::Literal:
                return e.literal;
            case Expr::Kind::None:
                return {};
            case Expr::Kind::List: {
                std::vector<Value> items;
                for (const Argument& a : e.args) items.push_back(value(a.value));
                return Value::list(std::move(items));
            }
            case Expr::Kind::Binary:
                return arithmetic(e);
            case Expr::Kind::Call:
                return function(e);
            case Expr::Kind::Wildcard:
                throw Undecided();
        }
        throw Undecided();
    }
    Value named(const std::string& name) const {
        const auto it = s_.values.find(name);
        if (it == s_.values.end()) throw Undecided();
        return it->second;
    }
    Value argument(const Expr& e, std::size_t i) {
        if (i >= e.args.size()) throw Undecided();
        return value(e.args[i].value);
    }
    const TensorType& tensor(const Value& v) const {
        const TensorType* t = v.isNode() ? g_[v.asNode()].tensor() : nullptr;
        if (!t) throw Undecided();
        return *t;
    }
    std::size_t index(const Value& v, std::size_t rank) const {
        const auto i = v.asInt();
        const auto r = static_cast<std::int64_t>(rank);
        if (!i || *i < -r || *i >= r) throw Undecided();
        return static_cast<std::size_t>(*i < 0 ? *i + r : *i);
    }
    static Value sizes(const std::vector<SymInt>& all) {
        std::vector<Value> items;
        for (const SymInt& s : all) items.push_back(Value::sym(s));
        return Value::list(std::move(items));
    }

    Value function(const Expr& e) {
        const std::string& f = e.ops.front();
        const Value x = argument(e, 0);
        if (f == "sqrt") {
            const auto n = x.asNumber();
            if (!n) throw Undecided();
            return Value::real(std::sqrt(*n));
        }
        const TensorType& t = tensor(x);
        if (f == "shape") return sizes(t.sizes);
        if (f == "rank") return Value::integer(static_cast<std::int64_t>(t.rank()));
        if (f == "dim") return Value::sym(t.sizes[index(argument(e, 1), t.rank())]);
        if (f == "axis") return Value::integer(static_cast<std::int64_t>(index(argument(e, 1), t.rank())));
        if (f == "stride" && t.strides) return Value::sym((*t.strides)[index(argument(e, 1), t.rank())]);
        if (f == "dtype" && t.dtype != DType::Unknown) return Value::constant(Name("torch." + std::string(info(t.dtype).torchName)));
        if (f == "device" && t.device) return Value::device(t.device);
        throw Undecided();
    }

    Value arithmetic(const Expr& e) {
        const Value a = argument(e, 0), b = argument(e, 1);
        const auto sizeLike = [](const Value& v) { return v.isInt() || v.kind() == Value::Kind::Sym; };
        if (e.name != "/" && sizeLike(a) && sizeLike(b)) {
            const SymInt x = symOf(a), y = symOf(b);
            return Value::sym(e.name == "*" ? x * y : e.name == "+" ? x + y : x - y);
        }
        const auto x = a.asNumber(), y = b.asNumber();
        if (!x || !y) throw Undecided();
        return Value::real(e.name == "*" ? *x * *y : e.name == "/" ? *x / *y : e.name == "+" ? *x + *y : *x - *y);
    }
    static SymInt symOf(const Value& v) { return v.kind() == Value::Kind::Sym ? v.asSym() : SymInt(*v.asInt()); }

    // --- comparisons
    Tri equal(const Value& a, const Value& b) const {
        if (a.isSequence() && b.isSequence()) {
            if (a.items().size() != b.items().size()) return Tri::No;
            Tri out = Tri::Yes;
            for (std::size_t i = 0; i < a.items().size(); ++i) out = both(out, equal(a.items()[i], b.items()[i]));
            return out;
        }
        const bool symbolic = a.kind() == Value::Kind::Sym || b.kind() == Value::Kind::Sym;
        const auto sizeLike = [](const Value& v) { return v.isInt() || v.kind() == Value::Kind::Sym; };
        if (symbolic && sizeLike(a) && sizeLike(b)) return knownEqual(symOf(a), symOf(b));
        const auto x = a.asNumber(), y = b.asNumber();
        if (x && y) return known(*x == *y || std::abs(*x - *y) <= 1e-9 * std::max(std::abs(*x), std::abs(*y)));
        return known(a == b);
    }
    Tri less(const Value& a, const Value& b, bool orEqual) const {
        const auto x = a.asNumber(), y = b.asNumber();
        if (x && y) return known(orEqual ? *x <= *y : *x < *y);
        const auto sizeLike = [](const Value& v) { return v.isInt() || v.kind() == Value::Kind::Sym; };
        if (!sizeLike(a) || !sizeLike(b)) throw Undecided();
        return knownLessEqual(orEqual ? symOf(a) : symOf(a) + SymInt(1), symOf(b), g_.symbols);
    }
    Tri comparison() {
        const Value a = value(guard_.left), b = value(guard_.right);
        Tri out = Tri::No;
        if (guard_.compare == "==")
            out = equal(a, b);
        else if (guard_.compare == "!=") {
            const Tri same = equal(a, b);
            out = same == Tri::Unknown ? same : known(same == Tri::No);
        } else if (guard_.compare == "in") {
            for (const Value& item : b.items()) {
                const Tri same = equal(a, item);
                if (same == Tri::Yes) return same;
                if (same == Tri::Unknown) out = same;
            }
        } else {
            out = less(a, b, guard_.compare == "<=");
        }
        if (out == Tri::No)
            refuse("CONST", {{"what", guard_.text}, {"node", g_[s_.root].name.str()}, {"want", textOf(g_, b)}, {"got", textOf(g_, a)}}, s_.root);
        return out;
    }

    // --- predicates of the language
    Tri predicate(const Expr& e) {
        const auto it = predicates().find(e.ops.size() == 1 ? e.ops.front() : std::string());
        if (it == predicates().end()) throw Undecided();
        return (this->*it->second)(e);
    }
    Tri contiguous(const Expr& e) {
        const TensorType& t = tensor(argument(e, 0));
        if (!t.strides) return Tri::Unknown;
        return known(t.isContiguous());
    }
    Tri uniform(const Expr& e) {
        const Value x = argument(e, 0), want = argument(e, 1);
        const auto v = x.isNode() ? uniformValue(g_, x.asNode()) : x.asNumber();
        return !v ? Tri::Unknown : known(want.asNumber() == v);
    }
    Tri broadcastable(const Expr& e) {
        const TensorType &a = tensor(argument(e, 0)), &b = tensor(argument(e, 1));
        Tri out = Tri::Yes;
        for (std::size_t i = 0; i < std::min(a.rank(), b.rank()); ++i) {
            const SymInt &x = a.sizes[a.rank() - 1 - i], &y = b.sizes[b.rank() - 1 - i];
            if (x == SymInt(1) || y == SymInt(1)) continue;
            out = both(out, knownEqual(x, y));
        }
        return out;
    }
    std::optional<std::vector<std::size_t>> dimsOf(const Value& v) const {
        const Value& dims = v.isNode() ? g_[v.asNode()].arg(1) : v;
        if (!dims.isSequence()) return std::nullopt;
        std::vector<std::size_t> out;
        for (const Value& d : dims.items()) out.push_back(index(d, dims.items().size()));
        return out;
    }
    Tri perm(const Expr& e) {
        const auto dims = dimsOf(argument(e, 0));
        if (!dims) return Tri::Unknown;
        std::vector<std::size_t> sorted = *dims;
        std::sort(sorted.begin(), sorted.end());
        for (std::size_t i = 0; i < sorted.size(); ++i)
            if (sorted[i] != i) return Tri::No;
        return Tri::Yes;
    }
    Tri lastTwoSwap(const Expr& e) {
        const Value x = argument(e, 0);
        const auto dims = dimsOf(x);
        if (!dims || dims->size() < 2) return Tri::Unknown;
        for (std::size_t i = 0; i < dims->size(); ++i) {
            const std::size_t want = i + 2 < dims->size() ? i : 2 * dims->size() - 3 - i;
            if ((*dims)[i] != want)
                return no("PERMUTATION",
                          {{"node", x.isNode() ? g_[x.asNode()].name.str() : ""},
                           {"want", "the last two swapped"},
                           {"got", x.isNode() ? textOf(g_, g_[x.asNode()].arg(1)) : textOf(g_, x)}},
                          x.asNode());
        }
        return Tri::Yes;
    }
    /// Dims i to j of the operand of a view are one dim of its result, the others stay.
    Tri merges(const Expr& e) {
        const Value view = argument(e, 0);
        const TensorType &to = tensor(view), &from = tensor(g_[view.asNode()].arg(0));
        const std::size_t i = index(argument(e, 1), from.rank()), j = index(argument(e, 2), from.rank());
        if (j <= i || to.rank() + (j - i) != from.rank()) return Tri::No;
        SymInt product = 1;
        for (std::size_t d = i; d <= j; ++d) product = product * from.sizes[d];
        Tri out = knownEqual(to.sizes[i], product);
        for (std::size_t d = 0; d < to.rank(); ++d)
            if (d != i) out = both(out, knownEqual(to.sizes[d], from.sizes[d < i ? d : d + (j - i)]));
        return out;
    }
    /// Dim i of the operand of a view becomes two dims of its result, the others stay.
    Tri splits(const Expr& e) {
        const Value view = argument(e, 0);
        const TensorType &to = tensor(view), &from = tensor(g_[view.asNode()].arg(0));
        const std::size_t i = index(argument(e, 1), from.rank());
        if (to.rank() != from.rank() + 1) return Tri::No;
        Tri out = knownEqual(to.sizes[i] * to.sizes[i + 1], from.sizes[i]);
        for (std::size_t d = 0; d < from.rank(); ++d)
            if (d != i) out = both(out, knownEqual(from.sizes[d], to.sizes[d < i ? d : d + 1]));
        return out;
    }
    Tri lowest(const Expr& e) {
        const Value x = argument(e, 0);
        const auto v = x.isNode() ? uniformValue(g_, x.asNode()) : x.asNumber();
        if (!v) return Tri::Unknown;
        return known(*v == -std::numeric_limits<double>::infinity() || *v <= -65504.0);
    }
    Tri train(const Expr&) { return known(s_.flags.training); }
    Tri flag(const Expr& e) {
        const Name name = argument(e, 0).name();
        return name == "tf32" ? known(s_.flags.tf32) : name == "extended" ? known(s_.flags.extended) : Tri::Unknown;
    }
    /// Products on the device have the precision of their dtype.
    Tri precision(const Expr& e) {
        const Value x = argument(e, 0);
        const TensorType& t = tensor(x);
        return known(!(onCuda(t) && t.dtype == DType::F32 && s_.flags.tf32));
    }

    // --- predicates of attention (patterns.md 8)
    Tri attention(const Expr& e) {
        const Value q = argument(e, 0), k = argument(e, 1), v = argument(e, 2);
        const TensorType &a = tensor(q), &b = tensor(k), &c = tensor(v);
        if (a.dtype != b.dtype || b.dtype != c.dtype)
            return no("DTYPE_QKV", {{"what", "dtypes"}, {"q", nameOf(a.dtype)}, {"k", nameOf(b.dtype)}, {"v", nameOf(c.dtype)}}, q.asNode());
        if (!(a.device == b.device) || !(b.device == c.device))
            return no("DEVICE_QKV", {{"what", "devices"}, {"q", a.device.str()}, {"k", b.device.str()}, {"v", c.device.str()}}, q.asNode());
        if (!info(a.dtype).floating)
            return no("DTYPE_QKV", {{"what", "dtypes"}, {"q", nameOf(a.dtype)}, {"k", nameOf(b.dtype)}, {"v", nameOf(c.dtype)}}, q.asNode());
        if (!s_.flags.extended && onCuda(a) && a.dtype == DType::F32 && !s_.flags.tf32) return no("TF32_OFF", {}, q.asNode());
        return Tri::Yes;
    }
    Tri precisionOk(const Expr& e) {
        const TensorType& t = tensor(argument(e, 0));
        if (!s_.flags.extended && onCuda(t) && t.dtype == DType::F32 && !s_.flags.tf32) return no("TF32_OFF", {}, argument(e, 0).asNode());
        return Tri::Yes;
    }
    Tri checkedAttention(const Expr& e) { return s_.flags.extended ? attention(e) : Tri::Yes; }

    Tri mask(const Expr& e) {
        const Value m = argument(e, 0), q = argument(e, 1);
        const auto wrong = [&](const char* code, std::string want, std::string got) {
            return no(code, {{"node", m.isNode() ? g_[m.asNode()].name.str() : textOf(g_, m)}, {"want", std::move(want)}, {"got", std::move(got)}},
                      m.asNode(), m.asNode());
        };
        if (!m.isNode()) return wrong("MASK_NOT_TENSOR", "a tensor", textOf(g_, m));
        if (!g_[m.asNode()].type) throw Undecided();
        if (!g_[m.asNode()].tensor()) return wrong("MASK_NOT_TENSOR", "a tensor", "no tensor");
        const TensorType &t = tensor(m), &query = tensor(q);
        if (!(t.device == query.device)) return wrong("MASK_DEVICE", query.device.str(), t.device.str());
        if (t.rank() < 1) return wrong("MASK_RANK0", "one dimension or more", "a number");
        const bool additive = t.dtype == query.dtype || t.dtype == DType::F32;
        if (!additive && t.dtype != DType::B8) return wrong("MASK_DTYPE", nameOf(query.dtype) + ", f32 or b8", nameOf(t.dtype));
        // A boolean that is added counts 1; the kernel would take it for what is kept.
        if (s_.flags.extended && !additive) return wrong("MASK_DTYPE", nameOf(query.dtype) + " or f32", nameOf(t.dtype));
        return Tri::Yes;
    }
    Tri checkedMask(const Expr& e) { return s_.flags.extended ? mask(e) : Tri::Yes; }

    Tri plainNumber(const Expr& e) {
        const Value c = argument(e, 0);
        if (c.kind() != Value::Kind::Bool && !c.isNode() && c.asNumber()) return Tri::Yes;
        return no("SCALE_NOT_NUMBER",
                  {{"node", c.isNode() ? g_[c.asNode()].name.str() : g_[s_.root].name.str()}, {"got", textOf(g_, c)}, {"want", "a plain number"}},
                  c.isNode() ? c.asNode() : s_.root);
    }
    Tri offCuda(const Expr& e) {
        const Value q = argument(e, 0);
        if (s_.flags.extended || !onCuda(tensor(q))) return Tri::Yes;
        return no("DEVICE_DISABLED", {{"device", tensor(q).device.str()}}, q.asNode());
    }
    Tri zeroOrOne(const Expr& e) {
        if (!s_.flags.extended) return Tri::Yes;
        const Value m = argument(e, 0);
        if (tensor(m).dtype == DType::B8) return Tri::Yes;
        const auto v = uniformValue(g_, m.asNode());
        if (v && (*v == 0 || *v == 1)) return Tri::Yes;
        return no("MASK_DTYPE",
                  {{"node", g_[m.asNode()].name.str()}, {"want", "only 0 and 1"}, {"got", nameOf(tensor(m).dtype) + " values that are not known"}},
                  m.asNode(), m.asNode());
    }
    Tri rowsKept(const Expr& e) {
        if (!s_.flags.extended) return Tri::Yes;
        const Value c = argument(e, 0);
        const auto triangle = c.isNode() ? lowerTriangle(g_, c.asNode()) : std::nullopt;
        const auto all = c.isNode() ? uniformValue(g_, c.asNode()) : std::nullopt;
        if ((triangle && triangle->shift >= 0) || (all && *all != 0)) return Tri::Yes;
        return no("UNDECIDED", {{"guard", "whether every row of " + textOf(g_, c) + " keeps a column"}}, c.asNode(), c.asNode());
    }
    Tri isLowerTriangle(const Expr& e) {
        const Value c = argument(e, 0);
        const auto triangle = c.isNode() ? lowerTriangle(g_, c.asNode()) : std::nullopt;
        return triangle ? known(triangle->shift == 0) : Tri::Unknown;
    }

    const Guard& guard_;
    const GuardScope& s_;
    const Graph& g_;
    std::optional<Refusal> refusal_;
};

}  // namespace

std::optional<Refusal> checkGuards(const std::vector<Guard>& guards, const GuardScope& scope) {
    for (const Guard& guard : guards)
        if (auto refusal = GuardCheck(guard, scope).run()) return refusal;
    return std::nullopt;
}

bool isPredicate(const std::string& name) { return GuardCheck::predicates().count(name) > 0; }

}  // namespace aliascope::patterns
