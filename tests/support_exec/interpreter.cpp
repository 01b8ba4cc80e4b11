#include "tests/support_exec/interpreter.h"

#include <stdexcept>

#include "core/ops/higher_order.h"

namespace aliascope::testing {
namespace {

std::int64_t floorDivide(std::int64_t a, std::int64_t b) {
    if (b == 0) throw std::runtime_error("integer division by 0");
    const std::int64_t q = a / b;
    return q - ((a % b != 0) && ((a < 0) != (b < 0)) ? 1 : 0);
}

const RuntimeTable& operators() {
    static const RuntimeTable table = [] {
        RuntimeTable t;
        addTensorOps(t);
        addViewOps(t);
        addWrapperOps(t);
        return t;
    }();
    return table;
}

class Run {
public:
    Run(const Graph& g, const OpRegistry& ops) : g_(g), ops_(ops), values_(g.idBound()) {}

    RuntimeValue run(const std::vector<RuntimeValue>& inputs) {
        std::size_t next = 0;
        for (NodeId id : inOrder(g_)) {
            const Node& n = g_[id];
            at_ = id;
            switch (n.kind) {
                case NodeKind::Placeholder:
                    values_[id.value] = inputs.at(next++);
                    break;
                case NodeKind::GetAttr:
                    if (!g_.subGraph(n.target)) throw std::runtime_error("a constant has no value");
                    break;
                case NodeKind::CallFunction:
                    values_[id.value] = call(n);
                    break;
                case NodeKind::Output:
                    return of(n.arg(0));
                default:
                    throw std::runtime_error("calls of methods and modules are not run");
            }
        }
        return {};
    }
    NodeId at() const { return at_; }

private:
    RuntimeValue of(const Value& v) const {
        switch (v.kind()) {
            case Value::Kind::None:
                return {};
            case Value::Kind::Bool:
            case Value::Kind::Int:
                return *v.asInt();
            case Value::Kind::Float:
                return *v.asNumber();
            case Value::Kind::Node:
                return values_[v.asNode().value];
            case Value::Kind::Sym:
                if (const auto s = v.asSym().evaluate(g_.symbols)) return *s;
                throw std::runtime_error("a symbol has no value");
            case Value::Kind::List:
            case Value::Kind::Tuple: {
                RuntimeList list;
                for (const Value& item : v.items()) list.push_back(of(item));
                return list;
            }
            case Value::Kind::Dict: {
                std::map<std::string, RuntimeValue> dict;
                for (std::size_t i = 0; i < v.items().size(); ++i) dict[v.keys()[i].str()] = of(v.items()[i]);
                RuntimeValue out;
                out.data = std::move(dict);
                return out;
            }
            default: {
                RuntimeValue out;
                out.data = v.name().str();
                return out;
            }
        }
    }

    RuntimeValue call(const Node& n) {
        const std::string& op = n.op.str();
        if (op == "operator::iadd") return runOperator(ops_, g_, n, "aten::add_.Tensor"_n, {of(n.arg(0)), of(n.arg(1)), std::int64_t{1}});
        if (op == "operator::getitem") return item(of(n.arg(0)), of(n.arg(1)));
        if (op.starts_with("operator::") && n.args.size() == 2) return arithmetic(op.substr(10), of(n.arg(0)).integer(), of(n.arg(1)).integer());
        if (returnsBodyResults(n.op))
            if (const auto body = bodyOf(g_, n)) {
                std::vector<RuntimeValue> operands;
                for (const Value& v : body->operands) operands.push_back(of(v));
                return Run(*body->body, ops_).run(operands);
            }
        if (op.starts_with("hop::")) {
            RuntimeCall c{g_, ops_, n, nullptr, {}, {}};
            for (const Value& v : n.args) c.values.push_back(of(v));
            for (const auto& [key, v] : n.kwargs) c.keywords[key.str()] = of(v);
            const auto found = operators().find(op);
            if (found == operators().end()) throw std::runtime_error(op + " is not run");
            return found->second(c);
        }
        auto bound = bindCall(ops_, n);
        if (!bound) throw std::runtime_error(bound.error().sentence());
        std::vector<RuntimeValue> values;
        for (const Value& v : bound->values) values.push_back(of(v));
        return runOperator(ops_, g_, n, bound->op->canonical, values);
    }

    static RuntimeValue item(const RuntimeValue& v, const RuntimeValue& key) {
        if (const auto* dict = std::get_if<std::map<std::string, RuntimeValue>>(&v.data)) return dict->at(key.text());
        return v.list().at(static_cast<std::size_t>(key.integer()));
    }

    static RuntimeValue arithmetic(const std::string& op, std::int64_t a, std::int64_t b) {
        if (op == "add") return a + b;
        if (op == "sub") return a - b;
        if (op == "mul") return a * b;
        if (op == "floordiv") return floorDivide(a, b);
        if (op == "mod") return a - floorDivide(a, b) * b;
        throw std::runtime_error("operator " + op + " is not run");
    }

    const Graph& g_;
    const OpRegistry& ops_;
    std::vector<RuntimeValue> values_;
    NodeId at_;
};

void flatten(const RuntimeValue& v, std::vector<StridedTensor>& out) {
    if (v.isTensor()) out.push_back(v.tensor());
    if (v.isList())
        for (const RuntimeValue& item : v.list()) flatten(item, out);
}

/// Runs `functional` and stores what it returns into the written arguments.
RuntimeValue storeInPlace(const OpRegistry& ops, const Graph& graph, const Node& node, const OpDef& op, const OpDef& functional,
                          const std::vector<RuntimeValue>& values) {
    const std::vector<std::size_t> written = op.schema.writtenParams();
    std::vector<RuntimeValue> inputs;
    for (const SchemaParam& p : functional.schema.params) inputs.push_back(values.at(static_cast<std::size_t>(op.schema.paramIndex(p.name))));
    const RuntimeValue result = runOperator(ops, graph, node, functional.canonical, inputs);
    for (std::size_t w = 0; w < written.size(); ++w) {
        const RuntimeValue& target = values[written[w]];
        const RuntimeValue& value =
            functional.schema.returns.size() == 1 ? result : result.list().at(functional.schema.returns.size() - written.size() + w);
        if (target.isTensor()) assign(target.tensor(), value.tensor());
    }
    return op.schema.returns.empty() || op.schema.returns.size() > 1 ? RuntimeValue() : values[written[0]];
}

/// `_foreach_add_` and its kin: element by element, in list order.
RuntimeValue runForeach(const OpRegistry& ops, const Graph& graph, const Node& node, const OpDef& functional,
                        const std::vector<RuntimeValue>& values) {
    const std::size_t length = values[0].list().size();
    for (std::size_t i = 0; i < length; ++i) {
        std::vector<RuntimeValue> element = values;
        for (RuntimeValue& v : element)
            if (v.isList() && v.list().size() == length) v = RuntimeList{v.list()[i]};
        const RuntimeValue result = runOperator(ops, graph, node, functional.canonical, element);
        assign(values[0].list()[i].tensor(), result.list().at(0).tensor());
    }
    return values[0];  // re-inplacing leaves the getitems of the functional form in place
}

}  // namespace

const StridedTensor& RuntimeValue::tensor() const {
    if (const auto* t = std::get_if<StridedTensor>(&data)) return *t;
    throw std::runtime_error("a tensor is expected");
}

std::int64_t RuntimeValue::integer() const {
    if (const auto* i = std::get_if<std::int64_t>(&data)) return *i;
    throw std::runtime_error("an integer is expected");
}

double RuntimeValue::number() const {
    if (const auto* i = std::get_if<std::int64_t>(&data)) return static_cast<double>(*i);
    if (const auto* d = std::get_if<double>(&data)) return *d;
    throw std::runtime_error("a number is expected");
}

const RuntimeList& RuntimeValue::list() const {
    if (const auto* l = std::get_if<RuntimeList>(&data)) return *l;
    throw std::runtime_error("a list is expected");
}

const std::string& RuntimeValue::text() const {
    if (const auto* s = std::get_if<std::string>(&data)) return *s;
    throw std::runtime_error("a name is expected");
}

Shape RuntimeValue::shape() const {
    Shape out;
    if (isInt()) return {integer()};
    for (const RuntimeValue& v : list()) out.push_back(v.integer());
    return out;
}

bool RuntimeCall::has(std::string_view name) const { return keywords.contains(std::string(name)) || (schema && schema->paramIndex(Name(name)) >= 0); }

const RuntimeValue& RuntimeCall::named(std::string_view name) const {
    if (const auto k = keywords.find(std::string(name)); k != keywords.end()) return k->second;
    const int index = schema ? schema->paramIndex(Name(name)) : -1;
    if (index < 0) throw std::runtime_error("no argument " + std::string(name));
    return values.at(static_cast<std::size_t>(index));
}

std::optional<DType> dtypeOf(const RuntimeValue& v) {
    if (const auto* s = std::get_if<std::string>(&v.data)) return dtypeFromTorchName(*s);
    return std::nullopt;
}

RuntimeValue runOperator(const OpRegistry& ops, const Graph& graph, const Node& node, Name op, const std::vector<RuntimeValue>& values) {
    const OpDef* def = ops.find(op);
    if (const auto found = operators().find(op.str()); found != operators().end())
        return found->second(RuntimeCall{graph, ops, node, def ? &def->schema : nullptr, values, {}});
    const OpDef* functional = def && def->schema.isMutable() ? ops.functionalOf(*def) : nullptr;
    if (!functional) throw std::runtime_error(op.str() + " is not run");
    if (op.view().starts_with("aten::_foreach")) return runForeach(ops, graph, node, *functional, values);
    return storeInPlace(ops, graph, node, *def, *functional, values);
}

Result<std::vector<StridedTensor>> interpret(const Graph& g, const OpRegistry& ops, const std::vector<RuntimeValue>& inputs) {
    Run run(g, ops);
    try {
        std::vector<StridedTensor> out;
        flatten(run.run(inputs), out);
        return out;
    } catch (const std::exception& e) {
        const std::string node = run.at() ? g[run.at()].name.str() : "";
        return fail(userError("UNSUPPORTED_OP", {{"op", run.at() ? g[run.at()].op.str() : ""}, {"node", node}, {"why", e.what()}}));
    }
}

}  // namespace aliascope::testing
