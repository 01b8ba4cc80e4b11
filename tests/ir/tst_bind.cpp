// Calls against schemas: binding, overloads, what a call writes, whether it may be removed, what it views.

#include <QtTest>

#include "core/ir/op_registry.h"

using namespace aliascope;

namespace {

QString text(Name n) { return QString::fromStdString(n.str()); }

/// A graph under construction: `x`, `y`, … are float tensors, `n` is a symbolic size.
struct Build {
    Graph g;
    OpRegistry ops = OpRegistry::withBuiltin();

    NodeId input(const char* name, TypePtr type = tensor()) {
        Node n;
        n.kind = NodeKind::Placeholder;
        n.name = Name(name);
        n.target = Name(name);
        n.type = std::move(type);
        return g.append(std::move(n));
    }
    static TypePtr tensor() {
        TensorType t;
        t.dtype = DType::F32;
        t.sizes = {SymInt(4), SymInt(4)};
        return Type::tensor(std::move(t));
    }
    static TypePtr size() { return Type::sym(SymInt::symbol("s0"_n)); }

    NodeId call(const char* op, std::vector<Value> args, std::vector<Keyword> kwargs = {}, const char* target = nullptr) {
        Node n;
        n.name = Name("call");
        n.op = Name(op);
        n.target = target ? Name(target) : spellOp(n.op);
        n.args = std::move(args);
        n.kwargs = std::move(kwargs);
        return g.append(std::move(n));
    }
    NodeId getAttr(const char* attribute) {
        Node n;
        n.kind = NodeKind::GetAttr;
        n.name = Name(attribute);
        n.target = Name(attribute);
        return g.append(std::move(n));
    }
    NodeId output(std::vector<Value> values) {
        Node n;
        n.kind = NodeKind::Output;
        n.name = "output"_n;
        n.target = "output"_n;
        n.args = {Value::tuple(std::move(values))};
        return g.append(std::move(n));
    }
    /// `param[element]=node` for every written operand.
    QString written(NodeId id) const {
        QStringList out;
        for (const WrittenOperand& w : writtenOperands(ops, g, id))
            out << text(w.param) + (w.element >= 0 ? QString("[%1]").arg(w.element) : QString()) + "=" + text(g[w.value].name);
        return out.join(" ");
    }
    bool pure(NodeId id) const { return isPure(ops, g, id); }
};

Value node(NodeId id) { return Value::node(id); }
Value none() { return Value::none(); }
Value integer(std::int64_t i) { return Value::integer(i); }
Value boolean(bool b) { return Value::boolean(b); }

}  // namespace

class TestBind : public QObject {
    Q_OBJECT

private slots:
    void positionalKeywordDefault();
    void misfits();
    void noSchema();
    void variadic();
    void overloadStated();
    void overloadChosen_data();
    void overloadChosen();
    void overloadOfUnknownTypes();
    void writesBySchema();
    void writesOfLists();
    void silentWrites();
    void writesOfOperators();
    void writesWithoutSchema();
    void writesOfMisfits();
    void functionalWrappersWriteNothing();
    void tritonWrites();
    void wrappedOperators();
    void bodies();
    void bodiesWithoutWritesOrMissing();
    void nestedBodies();
    void purity();
    void views();
};

void TestBind::positionalKeywordDefault() {
    Build b;
    const NodeId x = b.input("x"), y = b.input("y");
    const NodeId add = b.call("aten::add.Tensor", {node(x)}, {{"other"_n, node(y)}});
    const auto bound = bindCall(b.ops, b.g[add]);
    QVERIFY(bound.has_value());
    QCOMPARE(bound->values.size(), std::size_t(3));
    QVERIFY((*bound)[0] == node(x) && (*bound)[1] == node(y) && (*bound)[2] == integer(1));
    QCOMPARE(bound->given, (std::vector<bool>{true, true, false}));
    QVERIFY(*bound->find("alpha"_n) == integer(1));
    QVERIFY(!bound->find("beta"_n));
    const auto clone = bindCall(b.ops, b.g[b.call("aten::clone", {node(x)}, {{"memory_format"_n, Value::constant("torch.channels_last"_n)}})]);
    QVERIFY(clone.has_value() && (*clone)[1] == Value::constant("torch.channels_last"_n));
    const auto contiguous = bindCall(b.ops, b.g[b.call("aten::contiguous", {node(x)})]);
    QVERIFY(contiguous.has_value() && (*contiguous)[1] == Value::constant("torch.contiguous_format"_n));
}

void TestBind::misfits() {
    Build b;
    const NodeId x = b.input("x");
    const auto why = [&](const char* op, std::vector<Value> args, std::vector<Keyword> kwargs = {}) {
        const auto r = bindCall(b.ops, b.g[b.call(op, std::move(args), std::move(kwargs))]);
        if (r) return QString("bound");
        if (r.error().code != "R023" || r.error().node.empty()) return QString("wrong diagnostic");
        return QString::fromStdString(r.error().sentence());
    };
    QVERIFY(why("aten::add.Tensor", {node(x)}).contains("other is missing"));
    QVERIFY(why("aten::relu", {node(x), integer(1)}).contains("2 positional values for 1"));
    QVERIFY(why("aten::relu", {node(x)}, {{"beta"_n, integer(1)}}).contains("no parameter beta"));
    QVERIFY(why("aten::relu", {node(x)}, {{"self"_n, node(x)}}).contains("self is given twice"));
    QVERIFY(why("aten::add.Tensor", {node(x), node(x), integer(2)}).contains("3 positional values for 2"));  // alpha is keyword-only
    QCOMPARE(why("aten::relu", {node(x)}), QString("bound"));
}

void TestBind::noSchema() {
    Build b;
    const NodeId x = b.input("x");
    const auto r = bindCall(b.ops, b.g[b.call("zzz::f", {node(x)})]);
    QVERIFY(!r);
    QCOMPARE(QString::fromStdString(r.error().code), QString("R022"));
    QVERIFY(QString::fromStdString(r.error().sentence()).contains("zzz::f"));
}

void TestBind::variadic() {
    Build b;
    const NodeId x = b.input("x");
    QVERIFY(bindCall(b.ops, b.g[b.call("aten::einsum.sublist", {node(x), integer(1), integer(2)})]).has_value());
}

void TestBind::overloadStated() {
    Build b;
    const NodeId x = b.input("x");
    const NodeId stated = b.call("aten::sum", {node(x), integer(1)}, {}, "torch.ops.aten.sum.default");
    QCOMPARE(text(resolveOverload(b.ops, b.g, b.g[stated])->canonical), QString("aten::sum"));
    const NodeId unknown = b.call("aten::sum.nothing", {node(x)});
    QVERIFY(!resolveOverload(b.ops, b.g, b.g[unknown]));
}

void TestBind::overloadChosen_data() {
    QTest::addColumn<QString>("packet");
    QTest::addColumn<QString>("args");
    QTest::addColumn<QString>("chosen");
    const auto row = [](const char* p, const char* a, const char* c) { QTest::addRow("%s(%s)", p, a) << QString(p) << QString(a) << QString(c); };
    // x y z: tensors, n: symbolic size, 1 2: ints, f: float, T: dtype, D: device, l: list of ints, L: list of tensors
    row("aten::add", "x y", "aten::add.Tensor");
    row("aten::add", "x 1", "aten::add.Scalar");
    row("aten::add", "x n", "aten::add.Scalar");
    row("aten::sum", "x", "aten::sum");
    row("aten::sum", "x l", "aten::sum.dim_IntList");
    row("aten::mean", "x", "aten::mean");
    row("aten::mean", "x l", "aten::mean.dim");
    row("aten::max", "x", "aten::max");
    row("aten::max", "x 1", "aten::max.dim");
    row("aten::max", "x y", "aten::max.other");
    row("aten::pow", "x 2", "aten::pow.Tensor_Scalar");
    row("aten::pow", "x y", "aten::pow.Tensor_Tensor");
    row("aten::pow", "2 x", "aten::pow.Scalar");
    row("aten::to", "x T", "aten::to.dtype");
    row("aten::to", "x y", "aten::to.other");
    row("aten::to", "x D T", "aten::to.device");
    row("aten::where", "x", "aten::where");
    row("aten::where", "x y z", "aten::where.self");
    row("aten::where", "x y 1", "aten::where.ScalarOther");
    row("aten::where", "x 1 y", "aten::where.ScalarSelf");
    row("aten::where", "x 1 f", "aten::where.Scalar");
    row("aten::fill_", "x 1", "aten::fill_.Scalar");
    row("aten::fill_", "x y", "aten::fill_.Tensor");
    row("aten::cat", "L", "aten::cat");
    row("aten::cat", "L 1", "aten::cat");
    row("aten::relu", "x", "aten::relu");
    row("aten::split", "x 2", "aten::split.Tensor");
    row("aten::_foreach_add_", "L L", "aten::_foreach_add_.List");
    row("aten::_foreach_add_", "L 1", "aten::_foreach_add_.Scalar");
}

void TestBind::overloadChosen() {
    QFETCH(QString, packet);
    QFETCH(QString, args);
    QFETCH(QString, chosen);
    Build b;
    std::map<QString, Value> values;
    for (const char* name : {"x", "y", "z"}) values[name] = node(b.input(name));
    values["n"] = node(b.input("n", Build::size()));
    values["1"] = integer(1);
    values["2"] = integer(2);
    values["f"] = Value::real(0.5);
    values["T"] = Value::constant("torch.float16"_n);
    values["D"] = Value::device("cuda:0"_n);
    values["l"] = Value::list({integer(0), integer(-1)});
    values["L"] = Value::list({values["x"], values["y"]});
    std::vector<Value> list;
    for (const QString& a : args.split(' ')) list.push_back(values.at(a));
    const NodeId id = b.call(packet.toUtf8(), std::move(list), {}, "torch.ops.some.packet");
    const OpDef* op = resolveOverload(b.ops, b.g, b.g[id]);
    QCOMPARE(op ? text(op->canonical) : QString("unresolved"), chosen);
}

void TestBind::overloadOfUnknownTypes() {
    Build b;
    const NodeId x = b.input("x", nullptr), y = b.input("y", nullptr);
    const NodeId add = b.call("aten::add", {node(x), node(y)}, {}, "torch.ops.aten.add");
    QCOMPARE(text(resolveOverload(b.ops, b.g, b.g[add])->canonical), QString("aten::add.Tensor"));
}

void TestBind::writesBySchema() {
    Build b;
    const NodeId x = b.input("x"), y = b.input("y"), z = b.input("z");
    QCOMPARE(b.written(b.call("aten::add.Tensor", {node(x), node(y)})), QString());
    QCOMPARE(b.written(b.call("aten::add_.Tensor", {node(x), node(y)})), QString("self=x"));
    QCOMPARE(b.written(b.call("aten::add.out", {node(x), node(y)}, {{"out"_n, node(z)}})), QString("out=z"));
    QCOMPARE(b.written(b.call("aten::max.dim_max", {node(x), integer(0)}, {{"max"_n, node(y)}, {"max_values"_n, node(z)}})),
             QString("max=y max_values=z"));
    QCOMPARE(b.written(b.call("aten::_cummax_helper", {node(x), node(y), node(z), integer(0)})), QString("values=y indices=z"));
    b.ops.addText("m::opt(Tensor(a!) x, Tensor(b!)? y) -> ()", "m");
    QCOMPARE(b.written(b.call("m::opt", {node(x), none()})), QString("x=x"));
    QCOMPARE(b.written(b.call("m::opt", {node(x), node(y)})), QString("x=x y=y"));
    QCOMPARE(b.written(b.call("prims::as_strided", {node(x), none(), none(), integer(0)})), QString());
    QCOMPARE(b.written(x), QString());
}

void TestBind::writesOfLists() {
    Build b;
    const NodeId x = b.input("x"), y = b.input("y");
    const NodeId list = b.input("tensors", Type::tuple({Build::tensor(), Build::tensor()}));
    QCOMPARE(b.written(b.call("aten::_foreach_zero_", {Value::list({node(x), node(y)})})), QString("self[0]=x self[1]=y"));
    QCOMPARE(b.written(b.call("aten::_foreach_zero_", {Value::tuple({node(y)})})), QString("self[0]=y"));
    QCOMPARE(b.written(b.call("aten::_foreach_zero_", {node(list)})), QString("self=tensors"));
    b.ops.addText("m::l(Tensor?(a!)[] xs) -> ()\nm::c(Tensor[](a!) xs) -> ()", "m");
    QCOMPARE(b.written(b.call("m::l", {Value::list({none(), node(x)})})), QString("xs[1]=x"));
    QCOMPARE(b.written(b.call("m::c", {Value::list({node(x)})})), QString("xs[0]=x"));
}

void TestBind::silentWrites() {
    Build b;
    const NodeId x = b.input("x"), m = b.input("m"), v = b.input("v"), t = b.input("t", Build::size());
    const auto norm = [&](Value mean, Value var, Value training) {
        return b.call("aten::native_batch_norm", {node(x), none(), none(), mean, var, training, Value::real(0.1), Value::real(1e-5)});
    };
    const NodeId trains = norm(node(m), node(v), boolean(true));
    QCOMPARE(b.written(trains), QString("running_mean=m running_var=v"));
    QVERIFY(!b.pure(trains));
    const NodeId evals = norm(node(m), node(v), boolean(false));
    QCOMPARE(b.written(evals), QString());
    QVERIFY(b.pure(evals));
    const NodeId perhaps = norm(node(m), node(v), node(t));
    QCOMPARE(b.written(perhaps), QString("running_mean=m running_var=v"));
    const NodeId without = norm(none(), none(), boolean(true));
    QCOMPARE(b.written(without), QString());
    QVERIFY(b.pure(without));
}

void TestBind::writesOfOperators() {
    Build b;
    const NodeId x = b.input("x"), y = b.input("y"), n = b.input("n", Build::size());
    QCOMPARE(b.written(b.call("operator::iadd", {node(x), node(y)})), QString("self=x"));
    QCOMPARE(b.written(b.call("operator::setitem", {node(x), integer(0), node(y)})), QString("self=x"));
    QCOMPARE(b.written(b.call("operator::add", {node(x), node(y)})), QString());
    QCOMPARE(b.written(b.call("operator::getitem", {node(x), integer(0)})), QString());
    const NodeId symbolic = b.call("operator::iadd", {node(n), integer(1)});
    QCOMPARE(b.written(symbolic), QString());
    QVERIFY(b.pure(symbolic));
    QCOMPARE(b.written(b.call("torch::sym_max", {node(n), integer(1)})), QString());
    QCOMPARE(b.written(b.call("math::sqrt", {node(n)})), QString());
    QCOMPARE(b.written(b.call("builtin::getattr", {node(x), Value::string("shape"_n)})), QString());
}

void TestBind::writesWithoutSchema() {
    Build b;
    const NodeId x = b.input("x"), y = b.input("y"), n = b.input("n", Build::size()), u = b.input("u", nullptr);
    const NodeId id = b.call("zzz::f", {node(x), node(n), Value::list({node(y), none()})}, {{"k"_n, node(u)}, {"s"_n, integer(3)}});
    QCOMPARE(b.written(id), QString("=x [0]=y k=u"));
    QVERIFY(!b.pure(id));
    b.g.edit(id).kind = NodeKind::CallModule;
    QCOMPARE(b.written(id), QString("=x [0]=y k=u"));
}

void TestBind::writesOfMisfits() {
    Build b;
    const NodeId x = b.input("x"), y = b.input("y"), z = b.input("z");
    QCOMPARE(b.written(b.call("aten::add_.Tensor", {node(x), node(y)}, {{"extra"_n, node(z)}})), QString("self=x =z"));
    QCOMPARE(b.written(b.call("aten::relu_", {})), QString());
}

void TestBind::functionalWrappersWriteNothing() {
    Build b;
    const NodeId x = b.input("x");
    const std::vector<Keyword> kwargs = {{"x"_n, node(x)}};
    for (const char* op : {"hop::auto_functionalized", "hop::auto_functionalized_v2", "hop::triton_kernel_wrapper_functional"}) {
        const NodeId id = b.call(op, {Value::op("mylib::foo"_n)}, kwargs);
        QCOMPARE(b.written(id), QString());
        QVERIFY(b.pure(id));
    }
    QVERIFY(b.ops.addText("op m::log_(Tensor(a!) x) -> ()\n    pure: no\n", "m.ops").empty());
    QVERIFY(!b.pure(b.call("hop::auto_functionalized_v2", {Value::op("m::log_"_n)}, kwargs)));
}

void TestBind::tritonWrites() {
    Build b;
    const NodeId x = b.input("x"), y = b.input("y"), n = b.input("n", Build::size());
    const Value tensors = Value::dict({"x_ptr"_n, "out_ptr"_n, "n"_n}, {node(x), node(y), node(n)});
    const auto call = [&](std::int64_t index) {
        return b.call("hop::triton_kernel_wrapper_mutation", {},
                      {{"kernel_idx"_n, integer(index)}, {"grid"_n, Value::list({})}, {"kwargs"_n, tensors}});
    };
    QCOMPARE(b.written(call(0)), QString("x_ptr=x out_ptr=y"));
    const NodeId marked = call(0);
    b.g.setMeta(marked, "mutated"_n, Value::list({Value::string("x_ptr"_n)}));
    QCOMPARE(b.written(marked), QString("x_ptr=x"));
    QVERIFY(b.ops.addText("kernel 1(Tensor x_ptr, Tensor(a!) out_ptr, int n)\n", "k.ops").empty());
    QCOMPARE(b.written(call(1)), QString("out_ptr=y"));
    QVERIFY(!b.pure(call(1)));
}

void TestBind::wrappedOperators() {
    Build b;
    const NodeId token = b.input("token", nullptr), x = b.input("x"), y = b.input("y");
    const NodeId effects = b.call("hop::with_effects", {node(token), Value::op("aten::add_.Tensor"_n), node(x), node(y)});
    QCOMPARE(b.written(effects), QString("self=x"));
    QVERIFY(!b.pure(effects));
    const NodeId reads = b.call("hop::run_and_save_rng_state", {Value::op("aten::native_dropout"_n), node(x), Value::real(0.5), boolean(true)});
    QCOMPARE(b.written(reads), QString());
    QVERIFY(!b.pure(reads));
}

/// A body that writes a view of its second placeholder when `writes`.
static Graph body(bool writes) {
    Build b;
    const NodeId p = b.input("p"), q = b.input("q");
    const NodeId row = b.call("aten::select.int", {node(q), integer(0), integer(0)});
    NodeId result = p;
    if (writes) result = b.call("aten::add_.Tensor", {node(row), integer(1)});
    const NodeId mul = b.call("aten::mul.Tensor", {node(result), integer(2)});
    b.output({node(mul)});
    return std::move(b.g);
}

void TestBind::bodies() {
    Build b;
    const NodeId pred = b.input("pred"), x = b.input("x"), y = b.input("y");
    b.g.addSubGraph("true_graph_0"_n, body(true));
    b.g.addSubGraph("false_graph_0"_n, body(false));
    const NodeId t = b.getAttr("true_graph_0"), f = b.getAttr("false_graph_0");
    const NodeId both = b.call("hop::cond", {node(pred), node(t), node(f), Value::tuple({node(x), node(y)})});
    QCOMPARE(b.written(both), QString("=y"));
    QVERIFY(!b.pure(both));
    const NodeId quiet = b.call("hop::cond", {node(pred), node(f), node(f), Value::tuple({node(x), node(y)})});
    QCOMPARE(b.written(quiet), QString());
    QVERIFY(b.pure(quiet));
    const NodeId invoke = b.call("hop::invoke_subgraph", {node(t), Value::string("true_graph_0"_n), node(y), node(x)});
    QCOMPARE(b.written(invoke), QString("=x"));
    // Operands that do not meet the placeholders: any of them may be written.
    const NodeId odd = b.call("hop::invoke_subgraph", {node(t), Value::string("true_graph_0"_n), node(y)});
    QCOMPARE(b.written(odd), QString("=y"));
}

void TestBind::bodiesWithoutWritesOrMissing() {
    Build b;
    const NodeId x = b.input("x"), y = b.input("y");
    const NodeId missing = b.getAttr("nowhere");
    const NodeId id = b.call("hop::invoke_subgraph", {node(missing), Value::string("a"_n), node(x), node(y)});
    QVERIFY(b.written(id).contains("=x") && b.written(id).contains("=y"));
    QVERIFY(!b.pure(id));
}

void TestBind::nestedBodies() {
    // Every level calls the level below twice: work must not double per level.
    Graph g = body(true);
    for (int level = 0; level < 40; ++level) {
        Build b;
        const NodeId p = b.input("p"), q = b.input("q");
        b.g.addSubGraph("inner"_n, std::move(g));
        const NodeId inner = b.getAttr("inner");
        const NodeId one = b.call("hop::invoke_subgraph", {node(inner), Value::string("i"_n), node(p), node(q)});
        const NodeId two = b.call("hop::invoke_subgraph", {node(inner), Value::string("i"_n), node(p), node(q)});
        b.output({node(one), node(two)});
        g = std::move(b.g);
    }
    Build b;
    const NodeId x = b.input("x"), y = b.input("y");
    b.g.addSubGraph("top"_n, std::move(g));
    const NodeId top = b.getAttr("top");
    QCOMPARE(b.written(b.call("hop::invoke_subgraph", {node(top), Value::string("i"_n), node(x), node(y)})), QString("=y"));
}

void TestBind::purity() {
    Build b;
    const NodeId x = b.input("x");
    const auto pure = [&](const char* op, std::vector<Value> args) { return b.pure(b.call(op, std::move(args))); };
    QVERIFY(pure("aten::relu", {node(x)}));
    QVERIFY(pure("aten::view", {node(x), Value::list({integer(16)})}));
    QVERIFY(!pure("aten::relu_", {node(x)}));
    QVERIFY(!pure("aten::rand", {Value::list({integer(4)})}));
    QVERIFY(!pure("aten::bernoulli.p", {node(x), Value::real(0.5)}));
    QVERIFY(!pure("aten::_assert_async", {node(x)}));
    QVERIFY(!pure("zzz::f", {node(x)}));
    QVERIFY(pure("operator::getitem", {node(x), integer(0)}));
    QVERIFY(!pure("operator::setitem", {node(x), integer(0), integer(0)}));
    QVERIFY(pure("torch::sym_min", {integer(0), integer(1)}));
    QVERIFY(!pure("builtin::setattr", {node(x)}));
    const auto attention = [&](Value p) { return pure("aten::_scaled_dot_product_flash_attention", {node(x), node(x), node(x), std::move(p)}); };
    QVERIFY(attention(Value::real(0.0)));
    QVERIFY(!attention(Value::real(0.1)));
    QVERIFY(pure("aten::_scaled_dot_product_flash_attention", {node(x), node(x), node(x)}));
    QVERIFY(!b.pure(x));
    QVERIFY(b.pure(b.getAttr("weight")));
    QVERIFY(!b.pure(b.output({node(x)})));
}

void TestBind::views() {
    Build b;
    const NodeId x = b.input("x"), n = b.input("n", Build::size());
    const auto viewed = [&](const char* op, std::vector<Value> args, std::vector<Keyword> kwargs = {}) {
        return viewedOperand(b.ops, b.g, b.call(op, std::move(args), std::move(kwargs)));
    };
    QCOMPARE(viewed("aten::view", {node(x), Value::list({node(n)})}), x);
    QCOMPARE(viewed("aten::view", {}, {{"self"_n, node(x)}, {"size"_n, Value::list({})}}), x);
    QCOMPARE(viewed("aten::_unsafe_view", {node(x), Value::list({})}), x);
    QCOMPARE(viewed("aten::detach", {node(x)}), x);
    QCOMPARE(viewed("aten::split.Tensor", {node(x), integer(2)}), x);
    QCOMPARE(viewed("_c10d_functional::wait_tensor", {node(x)}), x);
    QCOMPARE(viewed("aten::reshape", {node(x), Value::list({})}), NodeId());
    QCOMPARE(viewed("aten::relu", {node(x)}), NodeId());
    QCOMPARE(viewed("aten::add_.Tensor", {node(x), node(x)}), NodeId());
    QCOMPARE(viewed("aten::view_copy", {node(x), Value::list({})}), NodeId());
    QCOMPARE(viewed("zzz::f", {node(x)}), NodeId());
    QCOMPARE(viewedOperand(b.ops, b.g, x), NodeId());
}

QTEST_APPLESS_MAIN(TestBind)
#include "tst_bind.moc"
