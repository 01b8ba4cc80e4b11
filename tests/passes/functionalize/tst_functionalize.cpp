// Text in, text out. With ALIASCOPE_SHARED set to the folder of the reference corpus, its cases are compared with what PyTorch made of them.

#include <QDir>
#include <QTest>

#include "core/pipeline/pipeline.h"
#include "core/text/document.h"
#include "core/text/print.h"

using namespace aliascope;

namespace {

constexpr std::string_view kSchemas =
    "mylib::foo(Tensor(a!) x) -> ()\n"
    "mylib::foo_ret(Tensor(a!) x, Tensor y) -> Tensor\n"
    "mylib::two(Tensor(a!) x, Tensor(b!) y) -> ()\n"
    "mylib::lst(Tensor(a!)[] xs, float s) -> ()\n"
    "mylib::opt(Tensor(a!) x, Tensor(b!)? y) -> ()\n"
    "mylib::defaults(Tensor(a!) a, int k=3, Tensor(b!)? z=None, *, float w=0.5) -> ()\n"
    "mylib::two_ret(Tensor(a!) x, float s, Tensor(b!) y) -> (Tensor, Tensor)\n"
    "mylib::returns_int(Tensor(a!) x) -> int\n"
    "mylib::writes_int(int(a!) x) -> ()\n"
    "mylib::my_view(Tensor(a) x) -> Tensor(a)\n";

struct Outcome_ {
    std::string text;
    std::vector<Diagnostic> diagnostics;
    std::vector<Decision> decisions;
    std::optional<Diagnostic> error;
    bool changed = false;
    std::vector<std::string> said() const {
        std::vector<std::string> codes;
        for (const Diagnostic& d : diagnostics) codes.push_back(d.code);
        return codes;
    }
};

}  // namespace

class FunctionalizeTest : public QObject {
    Q_OBJECT

private:
    OpRegistry ops_ = OpRegistry::withBuiltin();

    Graph read(const std::string& text) {
        auto document = readText(text, "test", ops_);
        if (!document || document->units.empty()) qFatal("the test's own graph cannot be read");
        return std::move(document->units[0].graph);
    }

    Outcome_ run(const std::string& text, const std::string& steps) {
        Graph g = read(text);
        const std::uint64_t before = g.hash();
        auto pipeline = parsePipeline(steps);
        if (!pipeline) qFatal("%s", pipeline.error().format().c_str());
        RunResult result = runPipeline(g, *pipeline, ops_, {});
        Outcome_ out;
        out.text = printGraphText(g);
        out.diagnostics = result.diagnostics;
        for (auto& [stage, decisions] : result.decisions) out.decisions.insert(out.decisions.end(), decisions.begin(), decisions.end());
        out.error = result.error;
        out.changed = g.hash() != before;
        return out;
    }

    /// A graph of one function body in readable form.
    static std::string program(std::string_view signature, std::string_view body) {
        std::string out = "class program(torch.nn.Module):\n    def forward(self, " + std::string(signature) + "):\n";
        std::size_t at = 0;
        while (at < body.size()) {
            const std::size_t end = std::min(body.find('\n', at), body.size());
            out += "        " + std::string(body.substr(at, end - at)) + "\n";
            at = end + 1;
        }
        return out;
    }

    void check(const std::string& text, const std::string& steps, const std::vector<std::string>& want) {
        const Outcome_ got = run(text, steps);
        if (got.error) QFAIL(got.error->format().c_str());
        std::vector<std::string> lines;
        std::size_t at = got.text.find('\n') + 1;
        while (at < got.text.size()) {
            const std::size_t end = std::min(got.text.find('\n', at), got.text.size());
            std::string line = got.text.substr(at, end - at);
            line.erase(0, line.find_first_not_of(' ') == std::string::npos ? line.size() : line.find_first_not_of(' '));
            if (!line.empty() && line.find("placeholder[") == std::string::npos) lines.push_back(line);
            at = end + 1;
        }
        for (std::size_t i = 0; i < std::max(lines.size(), want.size()); ++i) {
            const std::string a = i < lines.size() ? lines[i] : "(nothing)", b = i < want.size() ? want[i] : "(nothing)";
            if (a.find(b) == std::string::npos) QFAIL(("line " + std::to_string(i + 1) + ": got " + a + "\n   want " + b + "\n" + got.text).c_str());
        }
    }

    /// Kinds and operators of the wrappers of a graph text, in order.
    static std::vector<std::string> wrapped(const std::string& graphText) {
        std::vector<std::string> out;
        static const std::string marker = "torch.ops.higher_order.auto_functionalized";
        for (std::size_t at = graphText.find(marker); at != std::string::npos; at = graphText.find(marker, at + 1)) {
            const std::size_t end = graphText.find(",)", at);
            out.push_back(graphText.substr(at, end - at));
        }
        return out;
    }

    void checkUnchanged(const std::string& text) {
        for (const char* form : {"v1", "v2", "auto"}) {
            const Outcome_ got = run(text, std::string("functionalize{custom-ops=") + form + "}");
            if (got.error) QFAIL(got.error->format().c_str());
            QVERIFY2(!got.changed, got.text.c_str());
        }
    }

    void checkError(const std::string& text, const char* code, const char* node, const std::string& form = "auto") {
        const Outcome_ got = run(text, "functionalize{custom-ops=" + form + "}");
        QVERIFY2(got.error.has_value(), got.text.c_str());
        QCOMPARE(got.error->code.c_str(), code);
        QVERIFY2(got.error->node == std::string_view(node) || got.error->sentence().find(node) != std::string::npos, got.error->format().c_str());
    }

private slots:
    void initTestCase() { QVERIFY(ops_.addText(kSchemas, "test.ops").empty()); }

    // --- graphs in which nothing may change

    void functionalGraphStays() {
        checkUnchanged(
            program("x: \"f32[4, 3][3, 1]cpu\"", "cos = torch.ops.aten.cos.default(x)\nt = torch.ops.aten.t.default(cos)\nreturn (t, cos)"));
    }
    void functionalEpilogueStays() {
        checkUnchanged(program("x: \"f32[4][1]cpu\"",
                               "add = torch.ops.aten.add.Tensor(x, 1)\ncopy_ = torch.ops.aten.copy_.default(x, add)\nview = "
                               "torch.ops.aten.view.default(add, [2, 2])\nreturn (copy_, view)"));
    }
    void wrappersStay() {
        checkUnchanged(program("x: \"f32[4][1]cpu\"",
                               "a = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.foo.default, _x_base_index = 0, _all_bases = [x])\n"
                               "getitem: \"f32[4][1]cpu\" = a[1]\ncopy_ = torch.ops.aten.copy_.default(x, getitem)\nreturn (copy_,)"));
    }
    void operatorWithoutSchemaStays() {
        const std::string text =
            program("x: \"f32[4][1]cpu\"", "a = torch.ops.vendor.bump.default(x)\nb = torch.ops.vendor.bump.default(x)\nreturn (x,)");
        checkUnchanged(text);
        QCOMPARE(run(text, "functionalize").said(), std::vector<std::string>{"NO_SCHEMA"});
    }

    // --- in-place operators and views

    void inPlaceOnBase() {
        check(program("x: \"f32[4, 3][3, 1]cpu\"",
                      "cos = torch.ops.aten.cos.default(x)\nadd_ = torch.ops.aten.add_.Tensor(cos, 1)\nreturn (cos, add_)"),
              "functionalize",
              {"%cos : [num_users=1]", "%add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%cos, 1), kwargs = {})",
               "return (add, add)"});
    }
    void inPlaceThroughViews() {
        check(program(
                  "x: \"f32[4, 6][6, 1]cpu\"",
                  "cos = torch.ops.aten.cos.default(x)\npermute: \"f32[6, 4][1, 6]cpu\" = torch.ops.aten.permute.default(cos, [1, 0])\n"
                  "select: \"f32[4][6]cpu\" = torch.ops.aten.select.int(permute, 0, 2)\nmul_ = torch.ops.aten.mul_.Tensor(select, 2)\nreturn (cos,)"),
              "functionalize,dce",
              {"%cos", "%permute : [num_users=2]", "%select : [num_users=1]", "%mul : [num_users=1]",
               "torch.ops.aten.select_scatter.default](args = (%permute, %mul, 0, 2)",
               "torch.ops.aten.permute.default](args = (%select_scatter, [1, 0])", "return (permute_1,)"});
    }
    /// The new value of `x` has strides of its own in its dimensions of one element, so that what is computed behind two views of it lies otherwise
    /// and can no longer be viewed flat: said, or laid out as `x` was.
    void stridesOfOneElement() {
        const auto text = [](const std::string& written, const std::string& last, bool writtenLate = false) {
            const std::string write = "add_: \"f32[1, 1, 4][1, 1, 1]cpu\" = torch.ops.aten.add_.Tensor(x, 1)\n";
            const std::string views = "t: \"f32[4, 1, 1][1, 1, 1]cpu\" = torch.ops.aten.transpose.int(" + written +
                                      ", 0, -1)\n"
                                      "e: \"f32[2, 4, 2, 1][0, 1, 0, 1]cpu\" = torch.ops.aten.expand.default(t, [2, -1, 2, -1])\n";
            return program("x: \"f32[1, 1, 4][1, 1, 1]cpu\"", (writtenLate ? views + write : write + views) +
                                                                  "s: \"f32[2, 4, 2, 1][8, 2, 1, 1]cpu\" = torch.ops.aten.sub.Tensor(e, e)\n" + last +
                                                                  "\nreturn (v,)");
        };
        const std::string flat = "v: \"f32[16][1]cpu\" = torch.ops.aten.view.default(s, [-1])";
        for (const char* written : {"x", "add_"}) {
            check(text(written, flat), "functionalize",
                  {"aten.add.Tensor", "aten.slice_scatter.default", "aten.transpose.int", "aten.expand.default", "aten.sub.Tensor",
                   "aten.view.default", "aten.copy_.default", "return"});
            QCOMPARE(run(text(written, flat), "functionalize{custom-ops=v2}").said(), std::vector<std::string>{"LAYOUT_STALE"});
            // Through several results, too.
            QCOMPARE(run(text(written,
                              "p = torch.ops.aten.split.Tensor(s, 1, 3)\n"
                              "g: \"f32[2, 4, 2, 1][8, 2, 1, 1]cpu\" = p[0]\n"
                              "y: \"f32[2, 4, 2, 1][8, 2, 1, 1]cpu\" = torch.ops.aten.sin.default(g)\n"
                              "v: \"f32[16][1]cpu\" = torch.ops.aten.view.default(y, [-1])"),
                         "functionalize{custom-ops=v2}")
                         .said(),
                     std::vector<std::string>{"LAYOUT_STALE"});
            // Views from before the write are taken again, so that what reads them is known to lie otherwise.
            for (const char* form : {"functionalize", "functionalize{custom-ops=v2}"}) {
                const Outcome_ late = run(text("x", flat, true), form);
                QVERIFY2(late.text.find("%v : [num_users=1] = call_function[target=torch.ops.aten.reshape.default]") != std::string::npos,
                         late.text.c_str());
                QCOMPARE(late.said(), std::vector<std::string>{});
            }
            // Nothing depends on how it lies: PyTorch's graph, and no word.
            const std::string cos = text(written, "v: \"f32[2, 4, 2, 1][8, 2, 1, 1]cpu\" = torch.ops.aten.cos.default(s)");
            check(cos, "functionalize",
                  {"aten.add.Tensor", "aten.transpose.int", "aten.expand.default", "aten.sub.Tensor", "aten.cos.default", "aten.copy_.default",
                   "return"});
            QCOMPARE(run(cos, "functionalize{custom-ops=v2}").said(), std::vector<std::string>{});
        }
    }

    void zeroBecomesFull() {
        check(
            program("x: \"f32[4, 3][3, 1]cpu\"",
                    "clone = torch.ops.aten.clone.default(x)\nselect = torch.ops.aten.select.int(clone, 0, 1)\nzero_ = "
                    "torch.ops.aten.zero_.default(select)\nreturn clone"),
            "functionalize,dce",
            {"%clone",
             "torch.ops.aten.full.default](args = ([3], 0), kwargs = {dtype: torch.float32, layout: torch.strided, device: cpu, pin_memory: False})",
             "torch.ops.aten.select_scatter.default](args = (%clone, %full, 0, 1)", "return select_scatter"});
    }
    void splitIsPutBackBySlices() {
        check(program("x: \"f32[5, 2][2, 1]cpu\"",
                      "cos = torch.ops.aten.cos.default(x)\nsplit = torch.ops.aten.split.Tensor(cos, 2)\ngetitem = split[2]\nadd_ = "
                      "torch.ops.aten.add_.Tensor(getitem, 1)\nreturn cos"),
              "functionalize,dce",
              {"%cos", "%split", "%getitem", "%add", "slice_scatter.default](args = (%cos, %add, 0, 4, 5)", "return slice_scatter"});
    }
    void itemsCountFromTheEndToo() {
        const std::string head = "cos = torch.ops.aten.cos.default(x)\nsplit = torch.ops.aten.split.Tensor(cos, 2)\n";
        const std::string tail = "add_ = torch.ops.aten.add_.Tensor(getitem, 1)\nreturn cos";
        check(program("x: \"f32[5, 2][2, 1]cpu\"", head + "getitem = split[-1]\n" + tail), "functionalize,dce",
              {"%cos", "%split", "%getitem", "%add", "slice_scatter.default](args = (%cos, %add, 0, 4, 5)", "return slice_scatter"});
        checkError(program("x: \"f32[5, 2][2, 1]cpu\"", head + "getitem = split[3]\n" + tail), "R023", "getitem");
        checkError(program("x: \"f32[5, 2][2, 1]cpu\"", head + "getitem = split[-4]\n" + tail), "R023", "getitem");
    }
    void expandedBySymbolIsNotWritten() {
        checkError(program("n: \"Sym(s0)\", x: \"f32[1][1]cpu\"",
                           "expand: \"f32[s0][0]cpu\" = torch.ops.aten.expand.default(x, [n])\n"
                           "add_ = torch.ops.aten.add_.Tensor(expand, 1)\nreturn (x,)"),
                   "WRITE_TO_EXPANDED", "expand");
    }
    void asStridedAddressesStorage() {
        // functionalize.md 2.6: what lies between the storage and as_strided does not matter.
        check(program("x: \"f32[4, 4][4, 1]cpu\"",
                      "cos = torch.ops.aten.cos.default(x)\ndiagonal = torch.ops.aten.diagonal.default(cos)\nas_strided = "
                      "torch.ops.aten.as_strided.default(diagonal, [2], [3], 1)\n"
                      "add_ = torch.ops.aten.add_.Tensor(as_strided, 1)\nreturn cos"),
              "functionalize{custom-ops=v2},dce",
              {"%cos", "%diagonal", "%as_strided", "%add", "as_strided_scatter.default](args = (%cos, %add, [2], [3], 1)",
               "return as_strided_scatter"});
    }
    void writeThroughRowOfExpanded() {
        check(program("x: \"f32[3][1]cpu\"",
                      "cos = torch.ops.aten.cos.default(x)\nexpand = torch.ops.aten.expand.default(cos, [2, 3])\nselect = "
                      "torch.ops.aten.select.int(expand, 0, 1)\n"
                      "add_ = torch.ops.aten.add_.Tensor(select, 1)\nreturn cos"),
              "functionalize,dce",
              {"%cos", "%expand", "%select", "%add", "as_strided_scatter.default](args = (%cos, %add, [3], [1], 0)", "return as_strided_scatter"});
    }
    void dtypeViewIsViewedBack() {
        check(program("x: \"f32[4][1]cpu\"",
                      "cos = torch.ops.aten.cos.default(x)\nview = torch.ops.aten.view.dtype(cos, torch.int32)\nadd_ = "
                      "torch.ops.aten.add_.Tensor(view, 1)\nreturn cos"),
              "functionalize,dce", {"%cos", "%view", "%add", "aten.view.dtype](args = (%add, torch.float32)", "return view_1"});
    }
    void metadataInPlace() {
        check(
            program(
                "x: \"f32[4, 3][3, 1]cpu\"",
                "cos = torch.ops.aten.cos.default(x)\nt_ = torch.ops.aten.t_.default(cos)\nmul_ = torch.ops.aten.mul_.Tensor(cos, 2)\nreturn (cos,)"),
            "functionalize,dce",
            {"%cos", "aten.t.default](args = (%cos,)", "%mul", "permute.default](args = (%mul, [1, 0])", "permute.default](args = (%permute, [1, 0])",
             "return (permute_1,)"});
    }
    void outVariant() {
        check(program("x: \"f32[4][1]cpu\", y: \"f32[4][1]cpu\"",
                      "cos = torch.ops.aten.cos.default(x)\nadd = torch.ops.aten.add.out(x, y, alpha = 2, out = cos)\nreturn (cos,)"),
              "functionalize,dce", {"torch.ops.aten.add.Tensor](args = (%x, %y), kwargs = {alpha: 2})", "return (add"});
    }
    void randomFill() {
        check(program("x: \"f32[4][1]cpu\"",
                      "clone = torch.ops.aten.clone.default(x)\na = torch.ops.aten.bernoulli_.float(clone)\nb = "
                      "torch.ops.aten.normal_.default(clone, 1.0)\nreturn clone"),
              "functionalize,dce",
              {"%clone", "torch.ops.aten.bernoulli.p](args = (%clone,), kwargs = {p: 0.5})",
               "torch.ops.aten.normal_functional.default](args = (%bernoulli, 1.0)", "return normal_functional"});
    }
    void runningStatistics() {
        check(
            program("x: \"f32[2, 3, 4][12, 4, 1]cpu\", m: \"f32[3][1]cpu\", v: \"f32[3][1]cpu\"",
                    "b = torch.ops.aten._native_batch_norm_legit.default(x, None, None, m, v, True, 0.1, 1e-05)\ngetitem = b[0]\nreturn (getitem,)"),
            "functionalize,dce",
            {"_native_batch_norm_legit_functional.default](args = (%x, None, None, %m, %v, True, 0.1, 1e-05)", "functional, 3)", "functional, 4)",
             "functional, 0)", "copy_.default](args = (%m, ", "copy_.default](args = (%v, ", "return (getitem"});
    }
    void foreachList() {
        check(program("x: \"f32[4][1]cpu\", y: \"f32[4][1]cpu\"", "a = torch.ops.aten._foreach_add_.Scalar([x, y], 1)\nreturn (x, y)"),
              "functionalize,dce",
              {"torch.ops.aten._foreach_add.Scalar](args = ([%x, %y], 1)", "%getitem", "%getitem_1", "copy_.default](args = (%x, %getitem)",
               "copy_.default](args = (%y, %getitem_1)", "return (copy_, copy__1)"});
    }
    void foreachOfOneTensorTwice() {
        check(
            program("x: \"f32[4][1]cpu\"", "cos = torch.ops.aten.cos.default(x)\na = torch.ops.aten._foreach_mul_.Scalar([cos, cos], 2)\nreturn cos"),
            "functionalize,dce",
            {"%cos", "_foreach_mul.Scalar](args = ([%cos], 2)", "%getitem", "_foreach_mul.Scalar](args = ([%getitem], 2)", "%getitem_1",
             "return getitem_1"});
    }

    // --- inputs

    void inputIsCopiedBack() {
        check(program("x: \"f32[4, 3][3, 1]cpu\"",
                      "add_ = torch.ops.aten.add_.Tensor(x, 1)\nview = torch.ops.aten.view.default(add_, [-1])\nreturn (view, x)"),
              "functionalize,dce", {"%add", "aten.view.default](args = (%add, [-1])", "copy_.default](args = (%x, %add)", "return (view, copy_)"});
    }

    // --- custom operators

    void wrapperV1() {
        check(program("x: \"f32[4, 3][3, 1]cpu\", y: \"f32[3][1]cpu\"",
                      "cos = torch.ops.aten.cos.default(x)\nselect = torch.ops.aten.select.int(cos, 0, 0)\nr: \"f32[3][1]cpu\" = "
                      "torch.ops.mylib.foo_ret.default(select, y)\nreturn (r, cos)"),
              "functionalize{custom-ops=v1},dce",
              {"%cos", "%select", "auto_functionalized](args = (mylib.foo_ret.default,), kwargs = {x: %select, y: %y})",
               "args = (%auto_functionalized, 0)", "args = (%auto_functionalized, 1)", "select_scatter.default](args = (%cos, %getitem_1, 0, 0)",
               "return (getitem, select_scatter)"});
    }
    void wrapperV2() {
        check(program("x: \"f32[4, 3][3, 1]cpu\", y: \"f32[3][1]cpu\"",
                      "cos = torch.ops.aten.cos.default(x)\nselect = torch.ops.aten.select.int(cos, 0, 1)\nr: \"f32[3][1]cpu\" = "
                      "torch.ops.mylib.foo_ret.default(select, y)\nreturn (r, cos)"),
              "functionalize{custom-ops=v2},dce",
              {"%cos",
               "auto_functionalized_v2](args = (mylib.foo_ret.default,), kwargs = {y: %y, _x_base_index: 0, _x_size: (3,), _x_stride: (1,), "
               "_x_storage_offset: 3, _all_bases: [%cos]})",
               "args = (%auto_functionalized_v2, 0)", "args = (%auto_functionalized_v2, 1)", "return (getitem, getitem_1)"});
    }
    void defaultsAndAbsentArguments() {
        const std::string text =
            program("x: \"f32[4][1]cpu\"", "cos = torch.ops.aten.cos.default(x)\nd = torch.ops.mylib.defaults.default(cos)\nreturn cos");
        check(text, "functionalize{custom-ops=v1},dce", {"%cos", "kwargs = {a: %cos, k: 3, z: None, w: 0.5}", "%getitem", "return getitem"});
        check(text, "functionalize{custom-ops=v2},dce",
              {"%cos", "kwargs = {k: 3, w: 0.5, _a_base_index: 0, _z_base_index: None, _all_bases: [%cos]}", "%getitem", "return getitem"});
    }
    void symbolicSlices() {
        check(program("x: \"f32[s77, 8][8, 1]cpu\"",
                      "cos: \"f32[s77, 8][8, 1]cpu\" = torch.ops.aten.cos.default(x)\nsym_size_int: \"Sym(s77)\" = torch.ops.aten.sym_size.int(x, "
                      "0)\nfloordiv: \"Sym((s77//2))\" = sym_size_int // 2\n"
                      "a: \"f32[(s77//2), 8][8, 1]cpu\" = torch.ops.aten.slice.Tensor(cos, 0, 0, floordiv)\n"
                      "b: \"f32[s77 - ((s77//2)), 8][8, 1]cpu\" = torch.ops.aten.slice.Tensor(cos, 0, floordiv, 9223372036854775807)\nt = "
                      "torch.ops.mylib.two.default(a, b)\nreturn cos"),
              "functionalize,dce",
              {"%cos", "%sym_size_int", "%floordiv",
               "_x_slice_dim: 0, _x_slice_start: 0, _x_slice_end: %floordiv, _y_base_index: 0, _y_slice_dim: 0, _y_slice_start: %floordiv, "
               "_y_slice_end: %sym_size_int, _all_bases: [%cos]",
               "%getitem", "return getitem"});
    }
    void severalReturns() {
        check(program("x: \"f32[4][1]cpu\", z: \"f32[4][1]cpu\"",
                      "cos = torch.ops.aten.cos.default(x)\nsin = torch.ops.aten.sin.default(z)\nr = torch.ops.mylib.two_ret.default(cos, 1.0, "
                      "sin)\ngetitem: \"f32[4][1]cpu\" = r[1]\nreturn (getitem, cos, sin)"),
              "functionalize,dce",
              {"%cos", "%sin", "kwargs = {s: 1.0, _x_base_index: 0, _y_base_index: 1, _all_bases: [%cos, %sin]}",
               "args = (%auto_functionalized_v2, 2)", "args = (%auto_functionalized_v2, 3)",
               "%getitem : [num_users=1] = call_function[target=operator.getitem](args = (%auto_functionalized_v2, 1)",
               "return (getitem, getitem_1, getitem_2)"});
    }
    void readOfWrittenMemory() {
        // reinplace.md 4.6: cut out of the base in auto; PyTorch passes the old value.
        const std::string text = program("x: \"f32[4, 3][3, 1]cpu\"",
                                         "cos = torch.ops.aten.cos.default(x)\nselect = torch.ops.aten.select.int(cos, 0, 1)\nr: \"f32[3][1]cpu\" = "
                                         "torch.ops.mylib.foo_ret.default(select, select)\nreturn (r, cos)");
        check(text, "functionalize,dce",
              {"%cos",
               "kwargs = {_x_base_index: 0, _x_size: (3,), _x_stride: (1,), _x_storage_offset: 3, _y_base_index: 0, _y_size: (3,), _y_stride: (1,), "
               "_y_storage_offset: 3, _all_bases: [%cos]}",
               "%getitem", "%getitem_1", "return (getitem, getitem_1)"});
        QCOMPARE(run(text, "functionalize{custom-ops=v2}").said(), std::vector<std::string>{"ALIASED_READ"});
        QVERIFY(run(text, "functionalize").said().empty());
    }
    void overlappingWrites() {
        const std::string text = program(
            "x: \"f32[4, 3][3, 1]cpu\"",
            "cos = torch.ops.aten.cos.default(x)\na = torch.ops.aten.slice.Tensor(cos, 0, 0, 3)\nb = torch.ops.aten.slice.Tensor(cos, 0, 1, 4)\n"
            "t = torch.ops.mylib.two.default(a, b)\nreturn cos");
        const Outcome_ v1 = run(text, "functionalize{custom-ops=v1}");
        QCOMPARE(v1.said(), std::vector<std::string>{"OVERLAPPING_WRITES"});
        QVERIFY2(v1.diagnostics[0].sentence().find("24 B") != std::string::npos, v1.diagnostics[0].sentence().c_str());
        QVERIFY(run(text, "functionalize{custom-ops=v2}").said().empty());
        check(text, "functionalize,dce",
              {"%cos",
               "_x_slice_dim: 0, _x_slice_start: 0, _x_slice_end: 3, _y_base_index: 0, _y_slice_dim: 0, _y_slice_start: 1, _y_slice_end: 4, "
               "_all_bases: [%cos]",
               "%getitem", "return getitem"});
    }
    void decisionsAreReported() {
        const Outcome_ got = run(program("x: \"f32[4, 3][3, 1]cpu\"",
                                         "select = torch.ops.aten.select.int(x, 0, 1)\nadd_ = torch.ops.aten.add_.Tensor(select, 1)\nf = "
                                         "torch.ops.mylib.foo.default(x)\nreturn ()"),
                                 "functionalize");
        std::vector<std::string> codes;
        for (const Decision& d : got.decisions) codes.push_back(d.code + " " + d.verdict);
        QCOMPARE(codes, (std::vector<std::string>{"WRITE_BACK applied", "WRAPPED applied", "COPY_BACK applied"}));
    }

    void formIsChosenByBytes() {
        const std::string text = program("x: \"f32[8, 4][4, 1]cpu\"",
                                         "select = torch.ops.aten.select.int(x, 0, 1)\nrows = torch.ops.aten.slice.Tensor(x, 0, 4, 8)\n"
                                         "two = torch.ops.mylib.two.default(select, rows)\nf = torch.ops.mylib.foo.default(x)\nreturn ()");
        std::vector<std::string> chosen;
        for (const Decision& d : run(text, "functionalize").decisions)
            if (d.code == "FORM_BY_BYTES")
                for (const auto& [key, value] : d.params) chosen.push_back(key + "=" + value);
        QCOMPARE(chosen, (std::vector<std::string>{"op=mylib::two", "form=auto_functionalized_v2", "bytes=0", "other_form=auto_functionalized",
                                                   "other_bytes=80"}));
        for (const Decision& d : run(text, "functionalize{custom-ops=v2}").decisions) QVERIFY(d.code != "FORM_BY_BYTES");
    }

    // --- bodies

    void bodyThatWritesItsInput() {
        const std::string text =
            "class program(torch.nn.Module):\n"
            "    def forward(self, x: \"f32[4][1]cpu\"):\n"
            "        body = self.body\n"
            "        call = torch.ops.higher_order.invoke_subgraph(body, 'b', x);  body = None\n"
            "        getitem: \"f32[4][1]cpu\" = call[0];  call = None\n"
            "        return (getitem, x)\n"
            "    class body(torch.nn.Module):\n"
            "        def forward(self, a: \"f32[4][1]cpu\"):\n"
            "            add_: \"f32[4][1]cpu\" = torch.ops.aten.add_.Tensor(a, 1);  add_ = None\n"
            "            mul: \"f32[4][1]cpu\" = torch.ops.aten.mul.Tensor(a, 2);  a = None\n"
            "            return (mul,)\n";
        check(text, "functionalize,dce",
              {"%body", "invoke_subgraph](args = (%body, b, %x)", "args = (%call, 1)", "args = (%call, 0)", "copy_.default](args = (%x,",
               "return (getitem, copy_)"});
    }

    void bodyIsReportedByPath() {
        const std::string text =
            "class program(torch.nn.Module):\n"
            "    def forward(self, x: \"f32[4][1]cpu\"):\n"
            "        body = self.body\n"
            "        call = torch.ops.higher_order.invoke_subgraph(body, 'b', x);  body = None\n"
            "        getitem: \"f32[4][1]cpu\" = call[0];  call = None\n"
            "        return (getitem,)\n"
            "    class body(torch.nn.Module):\n"
            "        def forward(self, a: \"f32[4][1]cpu\"):\n"
            "            cos: \"f32[4][1]cpu\" = torch.ops.aten.cos.default(a)\n"
            "            foo = torch.ops.mylib.foo.default(cos);  foo = None\n"
            "            return (cos,)\n";
        const Outcome_ got = run(text, "functionalize,dce");
        QVERIFY(!got.error);
        QCOMPARE(got.decisions.size(), std::size_t{1});
        QCOMPARE(got.decisions[0].node.name.str(), std::string("body.auto_functionalized_v2"));
        // The call itself has nothing to write back.
        QVERIFY2(got.text.find("copy_") == std::string::npos, got.text.c_str());
    }

    // --- the reference corpus

    void wrappersOfTheCorpus() {
        const QString shared = qEnvironmentVariable("ALIASCOPE_SHARED");
        if (shared.isEmpty()) QSKIP("ALIASCOPE_SHARED is not set");
        QVERIFY(ops_.addFile((shared + "/oracle/mylib.ops").toStdString()).has_value());
        int compared = 0;
        for (const QString& name : QDir(shared + "/oracle/cases").entryList(QDir::Dirs | QDir::NoDotAndDotDot))
            for (const char* form : {"v1", "v2"}) {
                const QString folder = shared + "/oracle/cases/" + name + "/", want = folder + form + ".before_joint.readable.py";
                if (!QFile::exists(folder + "aten.mutable.readable.py") || !QFile::exists(want)) continue;
                const auto contents = [](const QString& path) {
                    QFile file(path);
                    return file.open(QIODevice::ReadOnly) ? file.readAll().toStdString() : std::string();
                };
                const Outcome_ got = run(contents(folder + "aten.mutable.readable.py"), std::string("functionalize{custom-ops=") + form + "},dce");
                QVERIFY2(!got.error, qPrintable(name));
                QCOMPARE(wrapped(got.text), wrapped(printGraphText(read(contents(want)))));
                ++compared;
            }
        QVERIFY(compared > 0);
    }

    // --- errors name the node

    void expandedIsNotWritten() {
        checkError(program("x: \"f32[3][1]cpu\"",
                           "expand = torch.ops.aten.expand.default(x, [2, 3])\nadd_ = torch.ops.aten.add_.Tensor(expand, 1)\nreturn x"),
                   "WRITE_TO_EXPANDED", "add_");
    }
    void overlappingElementsAreNotWritten() {
        checkError(program("x: \"f32[6][1]cpu\"",
                           "a = torch.ops.aten.as_strided.default(x, [3, 2], [1, 1], 0)\nadd_ = torch.ops.aten.add_.Tensor(a, 1)\nreturn x"),
                   "WRITE_WITHOUT_WRITE_BACK", "add_");
    }
    void viewWithoutInverse() {
        checkError(program("x: \"f32[6][1]cpu\"", "a = torch.ops.mylib.my_view.default(x)\nadd_ = torch.ops.aten.add_.Tensor(a, 1)\nreturn x"),
                   "NO_INVERSE", "add_");
    }
    void viewsOfPythonAreNotKnown() {
        const std::string view = "view: \"f32[4][1]cpu\" = x.view(-1)\nadd_ = torch.ops.aten.add_.Tensor(x, 1)\n";
        checkError(program("x: \"f32[2, 2][2, 1]cpu\"", view + "return view"), "WRITE_WITHOUT_WRITE_BACK", "add_");
        // Nobody looks at the view after the write.
        const Outcome_ unused = run(program("x: \"f32[2, 2][2, 1]cpu\"", view + "return x"), "functionalize");
        QVERIFY(!unused.error);
        const Outcome_ pure =
            run(program("x: \"f32[2, 2][2, 1]cpu\"", "cos: \"f32[2, 2][2, 1]cpu\" = x.cos()\nadd_ = torch.ops.aten.add_.Tensor(x, 1)\nreturn cos"),
                "functionalize");
        QVERIFY(!pure.error);
    }
    void notEligible() {
        checkError(program("x: \"f32[6][1]cpu\"", "returns_int = torch.ops.mylib.returns_int.default(x)\nreturn x"), "NOT_ELIGIBLE_RETURN",
                   "returns_int");
    }
    void complexBase() {
        const std::string text = program("x: \"c64[3][1]cpu\"",
                                         "cos = torch.ops.aten.cos.default(x)\nr: \"f32[3, 2][2, 1]cpu\" = "
                                         "torch.ops.aten.view_as_real.default(cos)\nf = torch.ops.mylib.foo.default(r)\nreturn cos");
        checkError(text, "COMPLEX_BASE", "f", "v2");
        check(text, "functionalize,dce",
              {"%cos", "%r", "_all_bases: [%r]", "%getitem", "view_as_complex.default](args = (%getitem", "return view_as_complex"});
    }
    void shapeOfInputChanges() {
        checkError(program("x: \"f32[4, 3][3, 1]cpu\"", "t_ = torch.ops.aten.t_.default(x)\nreturn (x,)"), "WRITE_WITHOUT_WRITE_BACK", "t");
    }
};

QTEST_APPLESS_MAIN(FunctionalizeTest)
#include "tst_functionalize.moc"
