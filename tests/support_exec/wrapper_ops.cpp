// The custom operators of the reference programs, and the wrappers by their definitions (functionalize.md 5, 6.4, 7).

#include <stdexcept>

#include "tests/support_exec/interpreter.h"

namespace aliascope::testing {
namespace {

void addTo(const StridedTensor& t, double value) {
    for (std::int64_t o : t.offsets()) t.store(o, t.load(o) + value);
}

RuntimeValue foo(const RuntimeCall& c) {
    addTo(c[0].tensor(), 1);
    return RuntimeList{};
}

RuntimeValue fooRet(const RuntimeCall& c) {
    const StridedTensor& x = c[0].tensor();
    const StridedTensor y = broadcast(c[1].tensor(), x.sizes);
    const auto added = y.values();
    const auto at = x.offsets();
    std::vector<double> total;
    for (std::size_t i = 0; i < at.size(); ++i) total.push_back(x.load(at[i]) + added[i]);
    for (std::size_t i = 0; i < at.size(); ++i) x.store(at[i], total[i]);
    const StridedTensor twice = emptyLike(x, x.dtype);
    const auto to = twice.offsets();
    for (std::size_t i = 0; i < at.size(); ++i) twice.store(to[i], 2 * x.load(at[i]));
    return twice;
}

RuntimeValue two(const RuntimeCall& c) {
    addTo(c[0].tensor(), 1);
    addTo(c[1].tensor(), 2);
    return RuntimeList{};
}

RuntimeValue lst(const RuntimeCall& c) {
    for (const RuntimeValue& v : c[0].list())
        for (std::int64_t o : v.tensor().offsets()) v.tensor().store(o, v.tensor().load(o) * c[1].number());
    return RuntimeList{};
}

RuntimeValue opt(const RuntimeCall& c) {
    addTo(c[0].tensor(), 1);
    if (c[1].isTensor()) addTo(c[1].tensor(), 1);
    return RuntimeList{};
}

RuntimeValue cache(const RuntimeCall& c) {
    for (std::size_t i : {std::size_t{0}, std::size_t{1}})
        runOperator(c.ops, c.graph, c.node, "aten::index_put_"_n, {c[i + 2], RuntimeList{c[4]}, c[i], std::int64_t{0}});
    return RuntimeList{};
}

RuntimeValue cloned(const RuntimeValue& v) {
    if (v.isTensor()) return cloneWithLayout(v.tensor());
    if (!v.isList()) return v;
    RuntimeList out;
    for (const RuntimeValue& item : v.list()) out.push_back(cloned(item));
    return out;
}

/// What re-inplacing left to be cloned: names of arguments (v1), indices of bases (v2). Nothing = it did not run, and everything is.
bool mustClone(const RuntimeCall& c, const Value& key) {
    const Value* set = c.node.metaValue("clone_only"_n);
    if (!set) return true;
    for (const Value& item : set->items())
        if (item == key) return true;
    return false;
}

const OpDef& innerOperator(const RuntimeCall& c) {
    const OpDef* op = c.ops.find(Name(c.values.at(0).text()));
    if (!op) throw std::runtime_error("no schema of the wrapped operator");
    return *op;
}

/// Results of the operator, one None when there are none, then `newValues`.
RuntimeValue results(const OpDef& op, RuntimeValue returned, RuntimeList newValues) {
    RuntimeList out;
    if (op.schema.returns.empty())
        out.emplace_back();
    else if (op.schema.returns.size() == 1)
        out.push_back(std::move(returned));
    else
        out = returned.list();
    out.insert(out.end(), newValues.begin(), newValues.end());
    return out;
}

RuntimeValue autoFunctionalized(const RuntimeCall& c) {
    const OpDef& op = innerOperator(c);
    std::vector<RuntimeValue> values;
    RuntimeList written;
    for (const SchemaParam& p : op.schema.params) {
        const RuntimeValue& value = c.named(p.name.view());
        values.push_back(p.written() && mustClone(c, Value::string(p.name)) ? cloned(value) : value);
        if (p.written()) written.push_back(values.back());
    }
    RuntimeValue returned = runOperator(c.ops, c.graph, c.node, op.canonical, values);
    return results(op, std::move(returned), std::move(written));
}

RuntimeValue rebuild(const RuntimeCall& c, const std::string& prefix, const RuntimeList& bases) {
    const RuntimeValue& index = c.named(prefix + "_base_index");
    if (index.isNone()) return {};
    const RuntimeValue base = bases.at(static_cast<std::size_t>(index.integer()));
    if (c.has(prefix + "_slice_dim"))
        return runOperator(c.ops, c.graph, c.node, "aten::slice.Tensor"_n,
                           {base, c.named(prefix + "_slice_dim"), c.named(prefix + "_slice_start"), c.named(prefix + "_slice_end"), std::int64_t{1}});
    if (c.has(prefix + "_size"))
        return runOperator(c.ops, c.graph, c.node, "aten::as_strided"_n,
                           {base, c.named(prefix + "_size"), c.named(prefix + "_stride"), c.named(prefix + "_storage_offset")});
    return base;
}

RuntimeValue autoFunctionalizedV2(const RuntimeCall& c) {
    const OpDef& op = innerOperator(c);
    RuntimeList bases = c.named("_all_bases").list();
    for (std::size_t i = 0; i < bases.size(); ++i)
        if (mustClone(c, Value::integer(static_cast<std::int64_t>(i)))) bases[i] = cloned(bases[i]);
    std::vector<RuntimeValue> values;
    for (const SchemaParam& p : op.schema.params) {
        const std::string prefix = "_" + p.name.str();
        if (c.has(prefix + "_length")) {
            RuntimeList list;
            const RuntimeValue& length = c.named(prefix + "_length");
            for (std::int64_t i = 0; !length.isNone() && i < length.integer(); ++i)
                list.push_back(rebuild(c, prefix + "_" + std::to_string(i), bases));
            values.push_back(length.isNone() ? RuntimeValue() : RuntimeValue(std::move(list)));
        } else if (c.has(prefix + "_base_index")) {
            values.push_back(rebuild(c, prefix, bases));
        } else {
            values.push_back(c.named(p.name.view()));
        }
    }
    RuntimeValue returned = runOperator(c.ops, c.graph, c.node, op.canonical, values);
    return results(op, std::move(returned), bases);
}

/// Kernel 0 of the reference programs: `out[i] = x[i] + 1` in memory order.
void runKernel(const std::map<std::string, RuntimeValue>& arguments) {
    const StridedTensor &x = arguments.at("x_ptr").tensor(), &out = arguments.at("out_ptr").tensor();
    for (std::int64_t i = 0; i < x.numel(); ++i) out.store(out.offset + i, x.load(x.offset + i) + 1);
}

const std::map<std::string, RuntimeValue>& kernelArguments(const RuntimeCall& c) {
    if (const auto* dict = std::get_if<std::map<std::string, RuntimeValue>>(&c.named("kwargs").data)) return *dict;
    throw std::runtime_error("a launch without arguments");
}

RuntimeValue launch(const RuntimeCall& c) {
    runKernel(kernelArguments(c));
    return {};
}

RuntimeValue functionalLaunch(const RuntimeCall& c) {
    std::map<std::string, RuntimeValue> arguments = kernelArguments(c), out;
    for (const RuntimeValue& name : c.named("tensors_to_clone").list()) {
        arguments[name.text()] = cloned(arguments.at(name.text()));
        out[name.text()] = arguments[name.text()];
    }
    runKernel(arguments);
    RuntimeValue result;
    result.data = std::move(out);
    return result;
}

}  // namespace

void addWrapperOps(RuntimeTable& t) {
    t["mylib::foo"] = foo;
    t["mylib::foo_ret"] = fooRet;
    t["mylib::two"] = two;
    t["mylib::lst"] = lst;
    t["mylib::opt"] = opt;
    t["mylib::cache"] = cache;
    t["hop::auto_functionalized"] = autoFunctionalized;
    t["hop::auto_functionalized_v2"] = autoFunctionalizedV2;
    t["hop::triton_kernel_wrapper_mutation"] = launch;
    t["hop::triton_kernel_wrapper_functional"] = functionalLaunch;
}

}  // namespace aliascope::testing
