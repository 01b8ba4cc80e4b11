// The registry: lookup, names, counterparts, traits, `.ops` files, reading from several threads.

#include <QTemporaryDir>
#include <QtTest>
#include <fstream>
#include <set>
#include <thread>

#include "core/ir/op_registry.h"
#include "core/ir/op_traits.h"

using namespace aliascope;

namespace {

const OpRegistry& ops() { return OpRegistry::builtin(); }

const OpDef& op(const char* name) {
    const OpDef* d = ops().find(Name(name));
    if (!d) qFatal("no operator %s", name);
    return *d;
}

QString text(Name n) { return QString::fromStdString(n.str()); }
QString nameOf(const OpDef* d) { return d ? text(d->canonical) : QString(); }

}  // namespace

class TestOpRegistry : public QObject {
    Q_OBJECT

private slots:
    void findsEveryOperator();
    void unknownIsNull();
    void overloadsOfPacket();
    void functionalCounterparts_data();
    void functionalCounterparts();
    void everyInPlaceHasSaneCounterpart();
    void inPlaceCounterparts_data();
    void inPlaceCounterparts();
    void traits_data();
    void traits();
    void traitTableIsClean();
    void factsOfTheTable();
    void outVariantsShareNothing();
    void canonicalNames_data();
    void canonicalNames();
    void spellings_data();
    void spellings();
    void spellingRoundTrip();
    void opsFileBlocks();
    void opsFileBareLines();
    void opsFileErrors();
    void duplicatesAndOverrides();
    void opsFileFacts();
    void addFileReportsMissing();
    void readsFromSeveralThreads();
};

void TestOpRegistry::findsEveryOperator() {
    QCOMPARE(ops().size(), std::size_t(4025));
    const auto all = ops().all();
    QCOMPARE(all.size(), std::size_t(4025));
    for (std::size_t i = 0; i < all.size(); ++i) {
        QCOMPARE(ops().find(all[i]->canonical), all[i]);
        if (i > 0) QVERIFY(all[i - 1]->canonical < all[i]->canonical);
    }
    QCOMPARE(QString::fromStdString(op("aten::relu").schema.str()), QString("aten::relu(Tensor self) -> Tensor"));
    QVERIFY(op("aten::relu").source == SchemaSource::Data);
}

void TestOpRegistry::unknownIsNull() {
    for (const char* n : {"", "aten::", "aten::no_such", "aten::add.NoSuch", "aten::ad", "zzz::f", "aten::add.Tensor(", "A"})
        QVERIFY(!ops().find(Name(n)));
    QVERIFY(!OpRegistry().find("aten::relu"_n));
}

void TestOpRegistry::overloadsOfPacket() {
    QStringList got;
    for (const OpDef* d : ops().overloads("aten::sum"_n)) got << text(d->canonical);
    QCOMPARE(got, QStringList({"aten::sum", "aten::sum.DimnameList_out", "aten::sum.IntList_out", "aten::sum.bool", "aten::sum.complex",
                               "aten::sum.dim_DimnameList", "aten::sum.dim_IntList", "aten::sum.float", "aten::sum.int", "aten::sum.out"}));
    QVERIFY(ops().overloads("aten::su"_n).empty());
    for (const OpDef* d : ops().overloads("aten::add"_n)) QVERIFY(packetOf(d->canonical) == "aten::add"_n);
}

void TestOpRegistry::functionalCounterparts_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    const auto row = [](const char* from, const char* to) { QTest::newRow(from) << QString(from) << QString(to); };
    row("aten::add_.Tensor", "aten::add.Tensor");
    row("aten::add.out", "aten::add.Tensor");
    row("aten::relu_", "aten::relu");
    row("aten::copy_", "aten::copy");
    row("aten::fill_.Scalar", "aten::fill.Scalar");
    row("aten::zero_", "aten::zero");
    row("aten::_foreach_add_.List", "aten::_foreach_add.List");
    row("aten::__iand__.Tensor", "aten::__and__.Tensor");
    row("aten::__ilshift__.Scalar", "aten::__lshift__.Scalar");
    row("aten::index_put_", "aten::index_put");
    row("aten::scatter_.src", "aten::scatter.src");
    row("aten::uniform_", "aten::uniform");
    row("aten::bernoulli_.float", "aten::bernoulli.p");
    row("aten::sum.IntList_out", "aten::sum.dim_IntList");
    row("aten::max.dim_max", "aten::max.dim");
    row("aten::_fused_adam_", "aten::_fused_adam");
    row("aten::_native_batch_norm_legit", "aten::_native_batch_norm_legit_functional");
    row("aten::rrelu_with_noise", "aten::rrelu_with_noise_functional");
    row("aten::set_", "");
    row("aten::resize_", "");
    row("aten::requires_grad_", "");
    row("aten::_cummax_helper", "");
    row("aten::relu", "");
    row("aten::view", "");
}

void TestOpRegistry::functionalCounterparts() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QCOMPARE(nameOf(ops().functionalOf(op(from.toUtf8()))), to);
}

void TestOpRegistry::everyInPlaceHasSaneCounterpart() {
    int found = 0, inPlace = 0;
    for (const OpDef* d : ops().all()) {
        if (!d->schema.isInPlace()) continue;
        ++inPlace;
        const OpDef* f = ops().functionalOf(*d);
        if (!f) continue;
        ++found;
        QVERIFY2(!f->schema.isMutable(), f->canonical.c_str());
        QCOMPARE(f->schema.params.size(), d->schema.params.size());
        if (f->schema.isView() || d->is(Trait::HandleOnly)) continue;
        QCOMPARE(nameOf(ops().inPlaceOf(*f)), text(d->canonical));
    }
    QVERIFY(inPlace > 300);
    QVERIFY(found > 300);
}

void TestOpRegistry::inPlaceCounterparts_data() {
    QTest::addColumn<QString>("from");
    QTest::addColumn<QString>("to");
    const auto row = [](const char* from, const char* to) { QTest::newRow(from) << QString(from) << QString(to); };
    row("aten::add.Tensor", "aten::add_.Tensor");
    row("aten::relu", "aten::relu_");
    row("aten::index_put", "aten::index_put_");
    row("aten::__and__.Tensor", "aten::__iand__.Tensor");
    row("aten::_foreach_mul.Scalar", "aten::_foreach_mul_.Scalar");
    row("aten::mm", "");
    row("aten::t", "");
    row("aten::view", "");
    row("aten::add_.Tensor", "");
    row("aten::detach", "");
}

void TestOpRegistry::inPlaceCounterparts() {
    QFETCH(QString, from);
    QFETCH(QString, to);
    QCOMPARE(nameOf(ops().inPlaceOf(op(from.toUtf8()))), to);
}

void TestOpRegistry::traits_data() {
    QTest::addColumn<QString>("name");
    QTest::addColumn<quint32>("trait");
    QTest::addColumn<bool>("has");
    const auto row = [](const char* name, Trait t, bool has = true) {
        QTest::addRow("%s %x", name, unsigned(t)) << QString(name) << quint32(t) << has;
    };
    row("aten::copy_", Trait::WriteOnly);
    row("aten::fill_.Tensor", Trait::WriteOnly);
    row("aten::uniform_", Trait::WriteOnly);
    row("aten::add_.Tensor", Trait::WriteOnly, false);
    row("aten::t_", Trait::HandleOnly);
    row("aten::add_.Tensor", Trait::HandleOnly, false);
    row("aten::resize_", Trait::Resizes);
    row("aten::set_.source_Tensor", Trait::Resizes);
    row("aten::index_put_", Trait::PartialWrite);
    row("aten::copy_", Trait::PartialWrite, false);
    row("aten::rand", Trait::Random);
    row("aten::randint.low", Trait::Random);
    row("aten::bernoulli.p", Trait::Random);
    row("aten::native_dropout", Trait::Random);
    row("aten::native_dropout_backward", Trait::Random, false);
    row("aten::_scaled_dot_product_flash_attention", Trait::Random);
    row("prims::inductor_seed", Trait::Random);
    row("prims::inductor_random", Trait::Random, false);
    row("aten::relu", Trait::Random, false);
    row("aten::_assert_async.msg", Trait::Effect);
    row("aten::sym_constrain_range_for_size", Trait::Effect);
    row("aten::item", Trait::HostRead);
    row("aten::nonzero", Trait::HostRead);
    row("aten::repeat_interleave.Tensor", Trait::HostRead);
    row("aten::repeat_interleave.self_int", Trait::HostRead, false);
    row("aten::sym_size.int", Trait::ShapeOnly);
    row("aten::zeros_like", Trait::ShapeOnly);
    row("aten::view_copy", Trait::FreshCopy);
    row("aten::_foreach_copy", Trait::FreshCopy);
    row("aten::copy", Trait::FreshCopy, false);
    row("aten::lift_fresh", Trait::FreshCopy);
    row("aten::slice_scatter", Trait::Scatter);
    row("aten::scatter.src", Trait::Scatter, false);
    row("aten::reshape", Trait::AliasIfLayout);
    row("aten::to.dtype", Trait::AliasIfLayout);
    row("aten::view", Trait::AliasIfLayout, false);
    row("prims::inductor_force_stride_order", Trait::AliasIfLayout);
    row("aten::_unsafe_view", Trait::SilentAlias);
    row("aten::unsafe_split.Tensor", Trait::SilentAlias);
    row("aten::detach", Trait::IdentityView);
    row("_c10d_functional::wait_tensor", Trait::IdentityView);
    row("aten::add.Tensor", Trait::Pointwise);
    row("aten::mm", Trait::Pointwise, false);
}

void TestOpRegistry::traits() {
    QFETCH(QString, name);
    QFETCH(quint32, trait);
    QFETCH(bool, has);
    QCOMPARE(op(name.toUtf8()).is(Trait(trait)), has);
}

void TestOpRegistry::traitTableIsClean() {
    std::ifstream in(std::string(ALIASCOPE_SOURCE_DIR) + "/resources/op_traits.txt");
    const std::string table((std::istreambuf_iterator<char>(in)), {});
    std::vector<Diagnostic> problems;
    OpTraits::parse(table, problems);
    for (const Diagnostic& d : problems) qWarning("%s", d.format().c_str());
    QVERIFY(problems.empty());
    OpTraits::parse("aten::x  traits=random,nonsense  speed=fast\naten::y alias=sideways", problems);
    QCOMPARE(problems.size(), std::size_t(3));
    QCOMPARE(problems[2].line, 2u);

    // A pattern of a namespace that the data covers names an operator, and `writes` and `when` name its parameters.
    std::istringstream lines(table);
    for (std::string line; std::getline(lines, line);) {
        line = line.substr(0, line.find('#'));
        std::istringstream words(line);
        std::string pattern, word;
        if (!(words >> pattern)) continue;
        if (!pattern.starts_with("aten::") && !pattern.starts_with("prims::") && !pattern.starts_with("_c10d_functional::")) continue;
        std::vector<const OpDef*> matches;
        for (const OpDef* d : ops().all()) {
            const std::string& n = d->canonical.str();
            if (n == pattern || packetOf(d->canonical).str() == pattern ||
                (pattern.ends_with('*') && n.starts_with(pattern.substr(0, pattern.size() - 1))))
                matches.push_back(d);
        }
        QVERIFY2(!matches.empty(), pattern.c_str());
        while (words >> word) {
            if (!word.starts_with("writes=") && !word.starts_with("when=")) continue;
            std::istringstream params(word.substr(word.find('=') + 1));
            for (std::string p; std::getline(params, p, ',');) {
                if (p == "none") continue;
                const bool known = std::any_of(matches.begin(), matches.end(), [&](const OpDef* d) { return d->schema.paramIndex(Name(p)) >= 0; });
                QVERIFY2(known, (pattern + " " + p).c_str());
            }
        }
    }
}

void TestOpRegistry::factsOfTheTable() {
    const OpDef& norm = op("aten::native_batch_norm");
    QCOMPARE(norm.silentWrites, (std::vector<Name>{"running_mean"_n, "running_var"_n}));
    QCOMPARE(text(norm.silentWhen), QString("training"));
    QVERIFY(!norm.schema.isMutable() && !norm.isPure());
    QVERIFY(op("aten::instance_norm").silentWhen == "use_input_stats"_n);
    QCOMPARE(op("aten::_no_grad_embedding_renorm_").silentWrites, std::vector<Name>{"weight"_n});
    QVERIFY(!op("prims::as_strided").schema.isMutable());
    QVERIFY(op("prims::as_strided").isView());
    QVERIFY(!op("aten::lift_fresh").isView());
    QVERIFY(op("aten::_unsafe_view").isView());
    QVERIFY(op("_c10d_functional::wait_tensor").isView());
    QVERIFY(op("aten::data").isView());
    QVERIFY(op("aten::relu").isPure());
    QVERIFY(!op("aten::rand").isPure());
    QVERIFY(op("aten::native_dropout").randomWhen.empty());
    QVERIFY(op("aten::_scaled_dot_product_flash_attention").randomWhen == "dropout_p"_n);
}

void TestOpRegistry::outVariantsShareNothing() {
    for (const OpDef* d : ops().all())
        if (d->schema.isOut()) QVERIFY2(!d->isView() && !d->is(Trait::AliasIfLayout), d->canonical.c_str());
}

void TestOpRegistry::canonicalNames_data() {
    QTest::addColumn<QString>("spelled");
    QTest::addColumn<QString>("canonical");
    const auto row = [](const char* s, const char* c) { QTest::newRow(s) << QString(s) << QString(c); };
    row("torch.ops.aten.add.Tensor", "aten::add.Tensor");
    row("aten.add.Tensor", "aten::add.Tensor");
    row("aten::add.Tensor", "aten::add.Tensor");
    row("<OpOverload(op='aten.add', overload='Tensor')>", "aten::add.Tensor");
    row("<OpOverload(op='aten.relu', overload='default')>", "aten::relu");
    row("<OpOverloadPacket(op='aten.add')>", "aten::add");
    row("executorch.exir.dialects.edge._ops.aten.add.Tensor", "aten::add.Tensor");
    row("torch.ops.aten.add", "aten::add");
    row("aten.add", "aten::add");
    row("aten::add", "aten::add");
    row("aten::relu.default", "aten::relu");
    row("torch.ops.aten.relu.default", "aten::relu");
    row("torch.ops.aten.__and__.Tensor", "aten::__and__.Tensor");
    row("torch.ops.demo.blend.default", "demo::blend");
    row("demo.blend.default", "demo::blend");
    row("demo::blend", "demo::blend");
    row("torch.ops._c10d_functional.wait_tensor.default", "_c10d_functional::wait_tensor");
    row("torch.ops.prims.convert_element_type.default", "prims::convert_element_type");
    row("torch.ops.higher_order.cond", "hop::cond");
    row("torch.ops.higher_order.auto_functionalized_v2", "hop::auto_functionalized_v2");
    row("torch._higher_order_ops.triton_kernel_wrap.triton_kernel_wrapper_mutation", "hop::triton_kernel_wrapper_mutation");
    row("torch.ops.cond", "hop::cond");
    row("invoke_subgraph", "hop::invoke_subgraph");
    row("operator.getitem", "operator::getitem");
    row("_operator.getitem", "operator::getitem");
    row("<built-in function getitem>", "operator::getitem");
    row("<built-in function floordiv>", "operator::floordiv");
    row("<built-in function getattr>", "builtin::getattr");
    row("builtins.getattr", "builtin::getattr");
    row("len", "builtin::len");
    row("math.sqrt", "math::sqrt");
    row("torch.sym_max", "torch::sym_max");
    row("torch.add", "torch::add");
    row("torch.nn.functional.relu", "torch::nn.functional.relu");
    row("torch._C._nn.linear", "torch::_C._nn.linear");
    row("torch.Tensor.view", "torch::Tensor.view");
    row("<built-in method cat of type object at 0x7fd61f13e180>", "torch::cat");
    row("<function pad at 0x7fd5e87f5a80>", "torch::pad");
    row("self.layer.0", "module::layer.0");
    row("#torch.ops.aten:add", "ext::torch.ops.aten.add");
    row("<lambda>", "python::<lambda>");
    row("f.<locals>.g", "python::f.<locals>.g");
    row("numpy.linalg.norm", "python::numpy.linalg.norm");
    row("mystery", "python::mystery");
    row("", "");
    row("  aten.add.Tensor ", "aten::add.Tensor");
    row("<", "python::<");
    row("#", "ext::");
}

void TestOpRegistry::canonicalNames() {
    QFETCH(QString, spelled);
    QFETCH(QString, canonical);
    QCOMPARE(text(canonicalOp(spelled.toStdString())), canonical);
}

void TestOpRegistry::spellings_data() {
    QTest::addColumn<QString>("canonical");
    QTest::addColumn<QString>("call");
    QTest::addColumn<QString>("argument");
    const auto row = [](const char* c, const char* call, const char* arg) { QTest::newRow(c) << QString(c) << QString(call) << QString(arg); };
    row("aten::add.Tensor", "torch.ops.aten.add.Tensor", "aten.add.Tensor");
    row("aten::relu", "torch.ops.aten.relu.default", "aten.relu.default");
    row("mylib::foo", "torch.ops.mylib.foo.default", "mylib.foo.default");
    row("hop::cond", "torch.ops.higher_order.cond", "cond");
    row("operator::getitem", "operator.getitem", "operator.getitem");
    row("torch::_C._nn.linear", "torch._C._nn.linear", "torch._C._nn.linear");
    row("math::sqrt", "math.sqrt", "math.sqrt");
    row("builtin::getattr", "getattr", "getattr");
    row("ext::ns.f", "#ns:f", "#ns:f");
}

void TestOpRegistry::spellings() {
    QFETCH(QString, canonical);
    QFETCH(QString, call);
    QFETCH(QString, argument);
    QCOMPARE(text(spellOp(Name(canonical.toStdString()))), call);
    QCOMPARE(QString::fromStdString(spellOpArgument(Name(canonical.toStdString()))), argument);
    QCOMPARE(text(canonicalOp(call.toStdString())), canonical);
}

void TestOpRegistry::spellingRoundTrip() {
    for (const OpDef* d : ops().all()) {
        QCOMPARE(text(canonicalOp(spellOp(d->canonical).view())), text(d->canonical));
        QCOMPARE(text(canonicalOp(spellOpArgument(d->canonical))), text(d->canonical));
    }
    QCOMPARE(text(packetOf("aten::add.Tensor"_n)), QString("aten::add"));
    QCOMPARE(text(packetOf("aten::relu"_n)), QString("aten::relu"));
    QCOMPARE(text(packetOf("torch::_C._nn.linear"_n)), QString("torch::_C._nn.linear"));
}

const char* const mylib = R"(# The custom operators of a program.
op mylib::foo(Tensor(a!) x) -> ()
    def forward(self, x):
        add_ = torch.ops.aten.add_.Tensor(x, 1)      # in place

        return ()

op mylib::opt(Tensor(a!) x, Tensor(b!)? y) -> ()   # two bodies
    when y is None
    def forward(self, x, y):
        return ()
    otherwise
    def forward(self, x, y):
        return ()
kernel 0(Tensor x_ptr, Tensor(a!) out_ptr, int n = numel(x_ptr))
    def forward(self, x_ptr, out_ptr, n):
        return ()
kernel scale(Tensor! p)
op local(Tensor x) -> Tensor
)";

void TestOpRegistry::opsFileBlocks() {
    OpRegistry r = OpRegistry::withBuiltin();
    QVERIFY(r.addText(mylib, "dir/mylib.ops").empty());
    QCOMPARE(r.size(), std::size_t(4025 + 5));
    const OpDef* foo = r.find("mylib::foo"_n);
    QVERIFY(foo && foo->source == SchemaSource::UserFile);
    QVERIFY(QString::fromStdString(foo->body).startsWith("    def forward(self, x):\n        add_ ="));
    QVERIFY(QString::fromStdString(foo->body).endsWith("return ()"));
    QVERIFY(QString::fromStdString(r.find("mylib::opt"_n)->body).contains("otherwise"));
    const OpDef* kernel = r.find("triton::kernel.0"_n);
    QVERIFY(kernel);
    QCOMPARE(kernel->schema.writtenParams(), std::vector<std::size_t>{1});
    QVERIFY(r.find("triton::kernel.scale"_n));
    QVERIFY(r.find("mylib::local"_n));
    QVERIFY(r.find("aten::relu"_n));
    QVERIFY(!ops().find("mylib::foo"_n));
    QCOMPARE(r.overloads("mylib::foo"_n).size(), std::size_t(1));
    QCOMPARE(r.overloads("triton::kernel"_n).size(), std::size_t(2));
}

void TestOpRegistry::opsFileBareLines() {
    OpRegistry r;
    QVERIFY(r.addText("a::f(Tensor x) -> Tensor\r\n\r\na::f.o(Tensor(a!) x) -> ()  # note\r\n", "x.txt").empty());
    QCOMPARE(r.size(), std::size_t(2));
    QVERIFY(r.find("a::f.o"_n)->schema.isMutable());
    QCOMPARE(r.overloads("a::f"_n).size(), std::size_t(2));
}

void TestOpRegistry::opsFileErrors() {
    OpRegistry r;
    const auto problems = r.addText(
        "op a::f(Tensor x -> ()\n    def forward(self, x):\n        return ()\nop a::g(Tensor x) -> ()\n\nkernel (Tensor x)\nnonsense\n", "bad.ops");
    QCOMPARE(problems.size(), std::size_t(3));
    QCOMPARE(problems[0].line, 1u);
    QCOMPARE(problems[0].column, 18u);
    QCOMPARE(QString::fromStdString(problems[0].code), QString("R060"));
    QVERIFY(QString::fromStdString(problems[0].excerpt).endsWith("\n                 ^"));
    QCOMPARE(problems[1].line, 6u);
    QCOMPARE(problems[2].line, 7u);
    QVERIFY(r.find("a::g"_n));
    QCOMPARE(r.addText("    orphan body\n", "x").size(), std::size_t(1));
    QVERIFY(r.addText("\xef\xbb\xbfmark::first(Tensor x) -> ()\n", "bom.ops").empty());
    QVERIFY(r.find("mark::first"_n));
    std::string many;
    for (int i = 0; i < 1000; ++i) many += "no schema\x1b\n";
    const auto first100 = r.addText(many, "many.ops");
    QCOMPARE(first100.size(), std::size_t(101));
    QCOMPARE(QString::fromStdString(first100.back().sentence()), QString("900 further messages not shown"));
    const std::string& excerpt = first100[0].excerpt;
    QVERIFY2(excerpt.find("\\x1b") != std::string::npos && excerpt.find('\x1b') == std::string::npos, excerpt.c_str());
}

void TestOpRegistry::duplicatesAndOverrides() {
    OpRegistry r = OpRegistry::withBuiltin();
    QVERIFY(r.addText("a::f(Tensor x) -> ()\na::f(Tensor x) -> ()\n", "same.ops").empty());
    const auto differ = r.addText("a::g(Tensor x) -> ()\n\na::g(Tensor(a!) x) -> ()\n", "differ.ops");
    QCOMPARE(differ.size(), std::size_t(1));
    QVERIFY(differ[0].severity == Severity::Error);
    QCOMPARE(QString::fromStdString(differ[0].sentence()).contains("lines 1, 3"), true);
    const auto later = r.addText("a::g(Tensor x, int n) -> ()\n", "later.ops");
    QCOMPARE(later.size(), std::size_t(1));
    QVERIFY(later[0].severity == Severity::Warning);
    QCOMPARE(r.find("a::g"_n)->schema.params.size(), std::size_t(2));
    const auto own = r.addText("aten::relu(Tensor self, int n) -> Tensor\n", "relu.ops");
    QCOMPARE(own.size(), std::size_t(1));
    QCOMPARE(r.find("aten::relu"_n)->schema.params.size(), std::size_t(2));
    QCOMPARE(r.size(), std::size_t(4025 + 2));
    QCOMPARE(r.all().size(), r.size());
    QCOMPARE(ops().find("aten::relu"_n)->schema.params.size(), std::size_t(1));
}

void TestOpRegistry::opsFileFacts() {
    OpRegistry r;
    QVERIFY(r.addText("op a::f(Tensor x) -> Tensor\n    deterministic: no\nop a::g(Tensor x) -> Tensor\n    pure: false\nop a::h(Tensor x) -> "
                      "Tensor\n    pure: yes\n",
                      "f.ops")
                .empty());
    QVERIFY(r.find("a::f"_n)->is(Trait::Random));
    QVERIFY(r.find("a::g"_n)->is(Trait::Effect));
    QVERIFY(r.find("a::h"_n)->isPure());
    // The table of traits holds for operators that come in files too.
    QVERIFY(r.addText("inductor::accumulate_grad_(Tensor variable, Tensor new_grad) -> ()\n", "inductor.txt").empty());
    QVERIFY(r.find("inductor::accumulate_grad_"_n)->is(Trait::Effect));
}

void TestOpRegistry::addFileReportsMissing() {
    OpRegistry r;
    QTemporaryDir dir;
    const auto missing = r.addFile(dir.filePath("none.ops").toStdString());
    QVERIFY(!missing);
    QCOMPARE(QString::fromStdString(missing.error().code), QString("R004"));
    QVERIFY(QString::fromStdString(missing.error().format()).contains("No such file"));
    QCOMPARE(QString::fromStdString(r.addFile(dir.path().toStdString()).error().code), QString("R004"));
    const std::string path = dir.filePath("some.ops").toStdString();
    std::ofstream(path) << "x::f(Tensor x) -> ()\n";
    QVERIFY(r.addFile(path).has_value());
    QVERIFY(r.find("x::f"_n));
}

void TestOpRegistry::readsFromSeveralThreads() {
    const auto all = ops().all();
    const OpRegistry other = OpRegistry::withBuiltin();
    std::vector<std::thread> threads;
    std::atomic<int> wrong{0};
    for (std::size_t t = 0; t < 4; ++t)
        threads.emplace_back([&, t] {
            for (std::size_t i = t; i < all.size(); i += 3) {
                const OpDef* d = other.find(Name(all[i]->canonical.view()));
                if (d != all[i] || other.overloads(packetOf(d->canonical)).empty()) ++wrong;
            }
        });
    for (auto& t : threads) t.join();
    QCOMPARE(wrong.load(), 0);
}

QTEST_APPLESS_MAIN(TestOpRegistry)
#include "tst_op_registry.moc"
