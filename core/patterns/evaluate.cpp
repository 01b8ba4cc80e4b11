#include "core/patterns/evaluate.h"

#include <algorithm>
#include <cmath>
#include <unordered_map>

namespace aliascope::patterns {
namespace {

double lowestOf(DType dtype) {
    switch (dtype) {
        case DType::F64:
            return -1.7976931348623157e308;
        case DType::F32:
            return -3.4028234663852886e38;
        case DType::BF16:
            return -3.3895313892515355e38;
        case DType::F16:
            return -65504.0;
        default:
            throw TraceError{"lowest of a dtype without it"};
    }
}

class Evaluation {
public:
    Evaluation(Environment& environment, Program& p) : env_(environment), p_(p) {}

    Value run(const Expr& e) {
        switch (e.kind) {
            case Expr::Kind::Capture:
                return lookUp("$", e.name);
            case Expr::Kind::NodeRef:
                return lookUp("%", e.name);
            case Expr::Kind::Literal:
                return e.literal;
            case Expr::Kind::None:
                return {};
            case Expr::Kind::Wildcard:
                throw TraceError{"_ stands for no value here"};
            case Expr::Kind::List:
                return list(e);
            case Expr::Kind::Binary:
                return binary(e);
            case Expr::Kind::Call:
                break;
        }
        const Value out = call(e);
        if (!e.name.empty()) env_["%" + e.name] = out;
        return out;
    }

private:
    using Handler = Value (Evaluation::*)(const Expr&);

    Value lookUp(const std::string& mark, const std::string& name) const {
        const auto it = env_.find(mark + name);
        if (it == env_.end()) throw TraceError{mark + name + " stands for nothing"};
        return it->second;
    }

    Value list(const Expr& e) {
        std::vector<Value> items;
        for (const Argument& a : e.args) items.push_back(run(a.value));
        return Value::list(std::move(items));
    }

    double number(const Value& v) const {
        const auto n = v.asNumber();
        if (!n) throw TraceError{"a number is wanted"};
        return *n;
    }

    Value binary(const Expr& e) {
        const Value left = run(e.args[0].value), right = run(e.args[1].value);
        const auto a = left.asInt(), b = right.asInt();
        if (e.name != "/" && sizeLike(left) && sizeLike(right)) {
            const SymInt x = size(left), y = size(right);
            return Value::sym(e.name == "*" ? x * y : e.name == "+" ? x + y : x - y);
        }
        const double x = a ? static_cast<double>(*a) : number(left), y = b ? static_cast<double>(*b) : number(right);
        return Value::real(e.name == "*" ? x * y : e.name == "/" ? x / y : e.name == "+" ? x + y : x - y);
    }

    static bool sizeLike(const Value& v) { return v.isInt() || v.kind() == Value::Kind::Sym; }
    SymInt size(const Value& v) const {
        if (v.kind() == Value::Kind::Sym) return v.asSym();
        if (const auto i = v.asInt()) return *i;
        throw TraceError{"a size is wanted"};
    }

    // --- arguments
    const Expr* find(const Expr& e, const char* key, std::size_t position) const {
        std::size_t at = 0;
        for (const Argument& a : e.args) {
            if (a.key == key) return &a.value;
            if (a.key.empty() && at++ == position) return &a.value;
        }
        return nullptr;
    }
    Value arg(const Expr& e, const char* key, std::size_t position) {
        const Expr* value = find(e, key, position);
        if (!value) throw TraceError{e.ops.front() + " without " + key};
        return run(*value);
    }
    Value argOr(const Expr& e, const char* key, std::size_t position, Value otherwise) {
        const Expr* value = find(e, key, position);
        return value ? run(*value) : otherwise;
    }
    std::int64_t integer(const Expr& e, const char* key, std::size_t position) {
        const auto i = arg(e, key, position).asInt();
        if (!i) throw TraceError{std::string(key) + " of " + e.ops.front() + " is no integer"};
        return *i;
    }
    std::vector<SymInt> sizes(const Expr& e, const char* key, std::size_t position) {
        std::vector<SymInt> out;
        const Value list = arg(e, key, position);  // a temporary would go before its items are read
        for (const Value& v : list.items()) out.push_back(size(v));
        return out;
    }

    // --- functions
    Value matmul(const Expr& e) {
        const Value a = arg(e, "a", 0);
        return p_.matmul(a, arg(e, "b", 1));
    }
    Value bmm(const Expr& e) {
        const Value a = arg(e, "a", 0);
        return p_.bmm(a, arg(e, "b", 1));
    }
    Value transpose(const Expr& e) {
        const Value x = arg(e, "x", 0);
        return p_.transpose(x, integer(e, "i", 1), integer(e, "j", 2));
    }
    Value permute(const Expr& e) {
        const Value x = arg(e, "x", 0);
        std::vector<std::int64_t> dims;
        for (const SymInt& s : sizes(e, "dims", 1)) {
            if (!s.isConst()) throw TraceError{"a symbolic dimension"};
            dims.push_back(*s.constant());
        }
        return p_.permute(x, std::move(dims));
    }
    Value view(const Expr& e) {
        const Value x = arg(e, "x", 0);
        return p_.reshape(x, sizes(e, "sizes", 1));
    }
    Value expand(const Expr& e) {
        const Value x = arg(e, "x", 0);
        return p_.expand(x, sizes(e, "sizes", 1));
    }
    Value expandAs(const Expr& e) {
        const Value x = arg(e, "x", 0);
        return p_.expand(x, p_.tensor(arg(e, "like", 1)).sizes);
    }
    Value add(const Expr& e) {
        const Value a = arg(e, "a", 0);
        return p_.add(a, arg(e, "b", 1));
    }
    Value mul(const Expr& e) {
        const Value a = arg(e, "a", 0);
        return p_.mul(a, arg(e, "b", 1));
    }
    Value div(const Expr& e) {
        const Value a = arg(e, "a", 0);
        return p_.div(a, arg(e, "b", 1));
    }
    Value softmax(const Expr& e) {
        const Value x = arg(e, "x", 0);
        return p_.softmax(x, integer(e, "dim", 1));
    }
    Value dropout(const Expr& e) {
        const Value x = arg(e, "x", 0);
        return p_.dropout(x, arg(e, "p", 1));
    }
    Value cast(const Expr& e) {
        const Value x = arg(e, "x", 0), dtype = arg(e, "dtype", 1);
        const auto d = dtypeFromTorchName(dtype.name().view());
        if (!d) throw TraceError{"cast to no dtype"};
        return p_.convert(x, *d);
    }
    Value where(const Expr& e) {
        const Value condition = arg(e, "condition", 0), x = arg(e, "x", 1);
        return p_.where(condition, x, arg(e, "y", 2));
    }
    Value maskedFill(const Expr& e) {
        const Value x = arg(e, "x", 0), mask = arg(e, "mask", 1);
        return p_.where(mask, arg(e, "value", 2), x);
    }
    Value full(const Expr& e) {
        const Value value = arg(e, "value", 0), like = arg(e, "like", 1);
        return p_.full(value, like, find(e, "sizes", 2) ? sizes(e, "sizes", 2) : std::vector<SymInt>());
    }
    Value eq(const Expr& e) { return p_.call("aten::eq.Scalar"_n, {arg(e, "x", 0), arg(e, "value", 1)}); }
    Value unsqueeze(const Expr& e) { return p_.unsqueeze(arg(e, "x", 0), integer(e, "dim", 1)); }
    Value squeeze(const Expr& e) { return p_.squeeze(arg(e, "x", 0), integer(e, "dim", 1)); }
    Value sdpa(const Expr& e) {
        Program::Attention a;
        a.query = arg(e, "query", 0);
        a.key = arg(e, "key", 1);
        a.value = arg(e, "value", 2);
        a.mask = argOr(e, "mask", 3, {});
        a.dropout = argOr(e, "p", 4, Value::real(0.0));
        if (a.dropout.isNone()) a.dropout = Value::real(0.0);  // an optional dropout that is not there
        if (a.dropout.isInt()) a.dropout = Value::real(number(a.dropout));
        if (!p_.training()) a.dropout = Value::real(0.0);
        a.scale = argOr(e, "scale", 5, {});
        if (!a.scale.isNone()) a.scale = Value::real(number(a.scale));
        a.causal = argOr(e, "causal", 6, Value::boolean(false)).asBool().value_or(false);
        return p_.attention(a);
    }
    /// The factor that a division by `c`, or a multiplication with it, puts on scores.
    Value scaleOf(const Expr& e) {
        if (e.args.size() != 2 || e.args[0].value.kind != Expr::Kind::NodeRef) throw TraceError{"scale_of wants %node, number"};
        const Name packet = packetOf(lookUp("op of %", e.args[0].value.name).name());
        const double c = number(run(e.args[1].value));
        if (packet != "aten::div" && packet != "aten::mul") throw TraceError{"scale_of an operator that is neither div nor mul"};
        return Value::real(packet == "aten::div" ? 1 / c : c);
    }
    Value same(const Expr& e) { return arg(e, "x", 0); }
    Value shape(const Expr& e) { return sizesValue(p_.tensor(arg(e, "x", 0)).sizes); }
    Value sqrt(const Expr& e) { return Value::real(std::sqrt(number(arg(e, "x", 0)))); }
    Value dim(const Expr& e) {
        const TensorType& t = p_.tensor(arg(e, "x", 0));
        const std::int64_t i = integer(e, "i", 1), rank = static_cast<std::int64_t>(t.rank());
        if (i < -rank || i >= rank) throw TraceError{"dimension " + std::to_string(i) + " of a tensor of rank " + std::to_string(rank)};
        return Value::sym(t.sizes[static_cast<std::size_t>(i < 0 ? i + rank : i)]);
    }
    Value dtype(const Expr& e) { return dtypeValue(p_.tensor(arg(e, "x", 0)).dtype); }
    Value lowest(const Expr& e) { return Value::real(lowestOf(p_.tensor(arg(e, "x", 0)).dtype)); }

    Value call(const Expr& e) {
        static const std::unordered_map<std::string, Handler> functions = {{"matmul", &Evaluation::matmul},
                                                                           {"bmm", &Evaluation::bmm},
                                                                           {"transpose", &Evaluation::transpose},
                                                                           {"permute", &Evaluation::permute},
                                                                           {"view", &Evaluation::view},
                                                                           {"expand", &Evaluation::expand},
                                                                           {"expand_as", &Evaluation::expandAs},
                                                                           {"add", &Evaluation::add},
                                                                           {"mul", &Evaluation::mul},
                                                                           {"div", &Evaluation::div},
                                                                           {"softmax", &Evaluation::softmax},
                                                                           {"dropout", &Evaluation::dropout},
                                                                           {"cast", &Evaluation::cast},
                                                                           {"where", &Evaluation::where},
                                                                           {"masked_fill", &Evaluation::maskedFill},
                                                                           {"full", &Evaluation::full},
                                                                           {"eq", &Evaluation::eq},
                                                                           {"unsqueeze", &Evaluation::unsqueeze},
                                                                           {"squeeze", &Evaluation::squeeze},
                                                                           {"sdpa", &Evaluation::sdpa},
                                                                           {"sqrt", &Evaluation::sqrt},
                                                                           {"dim", &Evaluation::dim},
                                                                           {"dtype", &Evaluation::dtype},
                                                                           {"lowest", &Evaluation::lowest},
                                                                           {"scale_of", &Evaluation::scaleOf},
                                                                           {"same", &Evaluation::same},
                                                                           {"shape", &Evaluation::shape}};
        if (e.ops.size() != 1) throw TraceError{"one operator is wanted, not a choice of " + std::to_string(e.ops.size())};
        if (const auto it = functions.find(e.ops.front()); it != functions.end()) return (this->*it->second)(e);
        return operatorCall(e);
    }

    Value operatorCall(const Expr& e) {
        Node n;
        n.kind = NodeKind::CallFunction;
        n.op = operatorOf(e.ops.front());
        for (const Argument& a : e.args) {
            if (a.key.empty())
                n.args.push_back(run(a.value));
            else
                n.kwargs.emplace_back(Name(a.key), run(a.value));
        }
        if (n.op != "operator::getitem" && !p_.ops().find(n.op)) {
            const OpDef* def = resolveOverload(p_.ops(), p_.graph(), n);
            if (!def) throw TraceError{"no operator " + e.ops.front() + " for these arguments"};
            n.op = def->canonical;
        }
        return p_.call(n.op, std::move(n.args), std::move(n.kwargs));
    }

    Environment& env_;
    Program& p_;
};

}  // namespace

Name operatorOf(const std::string& dotted) {
    const auto dot = dotted.find('.');
    if (dot == std::string::npos) return Name("aten::" + dotted);
    std::string rest = dotted.substr(dot + 1);
    if (rest.ends_with(".default")) rest.resize(rest.size() - 8);
    return Name(dotted.substr(0, dot) + "::" + rest);
}

Value evaluate(const Expr& e, Environment& environment, Program& program) { return Evaluation(environment, program).run(e); }

}  // namespace aliascope::patterns
