// Writes through every view operator of the schema table: functionalized, re-inplaced and decomposed, the program leaves the same in its inputs.
// The list is complete: a view operator that is neither here nor among those that are left out, with their reason, fails the test.

#include <QTest>
#include <algorithm>
#include <map>
#include <set>

#include "core/text/document.h"
#include "tests/passes/property/program_check.h"

using namespace aliascope;
using namespace aliascope::testing;

namespace {

struct Write {
    const char* op;    ///< canonical
    const char* call;  ///< behind `torch.ops.`; `x` is f32[4, 6], `z` f32[4, 1, 6], `c` complex [4, 3], `like` f32[6, 4]
    const char* item = "";
};

const std::vector<Write>& writes() {
    static const std::vector<Write> all = {
        {"aten::_conj", "aten._conj.default(c)"},
        {"aten::_neg_view", "aten._neg_view.default(x)"},
        {"aten::_reshape_alias", "aten._reshape_alias.default(x, [24], [1])"},
        {"aten::adjoint", "aten.adjoint.default(x)"},
        {"aten::alias", "aten.alias.default(x)"},
        {"aten::as_strided", "aten.as_strided.default(x, [2, 3], [6, 2], 1)"},
        {"aten::broadcast_to", "aten.broadcast_to.default(x, [1, 4, 6])"},
        {"aten::chunk", "aten.chunk.default(x, 2, 1)", "[1]"},
        {"aten::conj", "aten.conj.default(x)"},
        {"aten::contiguous", "aten.contiguous.default(x)"},
        {"aten::detach", "aten.detach.default(x)"},
        {"aten::diagonal", "aten.diagonal.default(x, 1)"},
        {"aten::dsplit.int", "aten.dsplit.int(z, 2)", "[1]"},
        {"aten::dsplit.array", "aten.dsplit.array(z, [2])", "[1]"},
        {"aten::expand", "aten.expand.default(x, [1, 4, 6])"},
        {"aten::expand_as", "aten.expand_as.default(x, x)"},
        {"aten::flatten.using_ints", "aten.flatten.using_ints(z, 0, 1)"},
        {"aten::hsplit.int", "aten.hsplit.int(x, 2)", "[0]"},
        {"aten::hsplit.array", "aten.hsplit.array(x, [1, 4])", "[1]"},
        {"aten::imag", "aten.imag.default(c)"},
        {"aten::lift_fresh", "aten.lift_fresh.default(x)"},
        {"aten::linalg_diagonal", "aten.linalg_diagonal.default(x)"},
        {"aten::mH", "aten.mH.default(x)"},
        {"aten::mT", "aten.mT.default(x)"},
        {"aten::matrix_H", "aten.matrix_H.default(x)"},
        {"aten::moveaxis.int", "aten.moveaxis.int(z, 0, 2)"},
        {"aten::moveaxis.intlist", "aten.moveaxis.intlist(z, [0, 1], [2, 0])"},
        {"aten::movedim.int", "aten.movedim.int(z, 0, 2)"},
        {"aten::movedim.intlist", "aten.movedim.intlist(z, [0, 1], [2, 0])"},
        {"aten::narrow", "aten.narrow.default(x, 1, 2, 3)"},
        {"aten::numpy_T", "aten.numpy_T.default(z)"},
        {"aten::permute", "aten.permute.default(z, [2, 0, 1])"},
        {"aten::positive", "aten.positive.default(x)"},
        {"aten::ravel", "aten.ravel.default(x)"},
        {"aten::real", "aten.real.default(c)"},
        {"aten::reshape", "aten.reshape.default(x, [3, 8])"},
        {"aten::reshape_as", "aten.reshape_as.default(x, like)"},
        {"aten::resolve_conj", "aten.resolve_conj.default(x)"},
        {"aten::resolve_neg", "aten.resolve_neg.default(x)"},
        {"aten::select.int", "aten.select.int(x, 1, 2)"},
        {"aten::slice.Tensor", "aten.slice.Tensor(x, 1, 1, 6, 2)"},
        {"aten::split.Tensor", "aten.split.Tensor(x, 4, 1)", "[1]"},
        {"aten::split", "aten.split.default(x, [1, 3], 0)", "[1]"},
        {"aten::split.sizes", "aten.split.sizes(x, [1, 3], 0)", "[1]"},
        {"aten::split_with_sizes", "aten.split_with_sizes.default(x, [1, 5], 1)", "[1]"},
        {"aten::squeeze", "aten.squeeze.default(z)"},
        {"aten::squeeze.dim", "aten.squeeze.dim(z, 1)"},
        {"aten::squeeze.dims", "aten.squeeze.dims(z, [1])"},
        {"aten::swapaxes", "aten.swapaxes.default(x, 0, 1)"},
        {"aten::swapdims", "aten.swapdims.default(x, 0, 1)"},
        {"aten::t", "aten.t.default(x)"},
        {"aten::tensor_split.indices", "aten.tensor_split.indices(x, [1, 3], 1)", "[1]"},
        {"aten::tensor_split.sections", "aten.tensor_split.sections(x, 4, 1)", "[1]"},
        {"aten::to.dtype", "aten.to.dtype(x, torch.float32)"},
        {"aten::transpose.int", "aten.transpose.int(z, 0, -1)"},
        {"aten::unbind.int", "aten.unbind.int(x, 1)", "[2]"},
        {"aten::unflatten.int", "aten.unflatten.int(x, 1, [2, 3])"},
        {"aten::unfold", "aten.unfold.default(x, 1, 2, 3)"},
        {"aten::_unsafe_view", "aten._unsafe_view.default(x, [3, 8])"},
        {"aten::mH.a", "aten.mH.a(x)"},
        {"aten::mT.a", "aten.mT.a(x)"},
        {"aten::matrix_H.a", "aten.matrix_H.a(x)"},
        {"aten::numpy_T.a", "aten.numpy_T.a(z)"},
        {"aten::unsafe_split.Tensor", "aten.unsafe_split.Tensor(x, 4, 1)", "[1]"},
        {"aten::unsafe_split_with_sizes", "aten.unsafe_split_with_sizes.default(x, [1, 5], 1)", "[1]"},
        {"prims::as_strided", "prims.as_strided.default(x, [2, 3], [6, 2], 1)"},
        {"prims::conj", "prims.conj.default(c)"},
        {"prims::imag", "prims.imag.default(c)"},
        {"prims::real", "prims.real.default(c)"},
        {"prims::view_of_dtype", "prims.view_of_dtype.default(x, torch.int32)"},
        {"aten::unsafe_chunk", "aten.unsafe_chunk.default(x, 2, 1)", "[1]"},
        {"aten::unsqueeze", "aten.unsqueeze.default(x, 1)"},
        {"aten::view", "aten.view.default(x, [8, 3])"},
        {"aten::view.dtype", "aten.view.dtype(x, torch.int32)"},
        {"aten::view_as", "aten.view_as.default(x, like)"},
        {"aten::view_as_complex", "aten.view_as_complex.default(pairs)"},
        {"aten::view_as_real", "aten.view_as_real.default(c)"},
        {"aten::vsplit.int", "aten.vsplit.int(x, 2)", "[1]"},
        {"aten::vsplit.array", "aten.vsplit.array(x, [1, 3])", "[1]"},
        {"prims::broadcast_in_dim", "prims.broadcast_in_dim.default(x, [1, 4, 6], [1, 2])"},
        {"prims::collapse_view", "prims.collapse_view.default(z, 0, 1)"},
        {"prims::split_dim", "prims.split_dim.default(x, 1, 2)"},
        {"prims::squeeze", "prims.squeeze.default(z, [1])"},
        {"prims::transpose", "prims.transpose.default(z, [2, 0, 1])"},
        {"prims::view_of", "prims.view_of.default(x)"},
    };
    return all;
}

std::string programOf(const Write& w) {
    std::string text =
        "class program(torch.nn.Module):\n    def forward(self, x: \"f32[4, 6][6, 1]cpu\", z: \"f32[4, 1, 6][6, 6, 1]cpu\", like: \"f32[6, 4][4, "
        "1]cpu\", "
        "pairs: \"f32[4, 3, 2][6, 2, 1]cpu\"):\n";
    if (std::string(w.call).find("(c") != std::string::npos) text += "        c = torch.ops.aten.view_as_complex.default(pairs)\n";
    text += std::string("        part = torch.ops.") + w.call + "\n";
    if (*w.item) text += std::string("        element = part") + w.item + "\n";
    const std::string name = *w.item ? "element" : "part";
    text += "        mul_ = torch.ops.aten.mul_.Tensor(" + name + ", 3)\n        sum_1 = torch.ops.aten.sum.default(" + name + ")\n";
    return text + "        return (sum_1,)\n";
}

}  // namespace

class ViewOpsTest : public QObject {
    Q_OBJECT

private slots:
    void writesThrough_data() {
        QTest::addColumn<int>("index");
        for (std::size_t i = 0; i < writes().size(); ++i) QTest::newRow(writes()[i].op) << static_cast<int>(i);
    }
    void writesThrough() {
        QFETCH(int, index);
        const OpRegistry& ops = OpRegistry::builtin();
        auto document = readText(programOf(writes()[static_cast<std::size_t>(index)]), "view.py", ops);
        QVERIFY(document && document->units.size() == 1);
        ProgramChecker checker(ops);
        checker.pipelines = {*namedPipeline("best")};
        const ProgramOutcome outcome = checker.check(document->units[0].graph);
        if (!outcome.refused.empty()) {  // the executor does not compute with complex elements: no write may be left at least
            Graph g = document->units[0].graph.clone();
            const RunResult run = runPipeline(g, *parsePipeline("functionalize"), ops, {});
            QVERIFY2(!run.failed, run.error ? run.error->format().c_str() : "");
            for (NodeId id : inOrder(g)) QVERIFY(g[id].op != "aten::mul_.Tensor"_n);
            return;
        }
        QVERIFY2(outcome.failure.empty(), outcome.failure.c_str());
    }

    void theListIsComplete() {
        // Part of the canonical name, and why no ordinary program writes through it.
        static const std::map<std::string, const char*> leftOut = {
            {"imname", "named dimensions"},
            {"names", "named dimensions"},
            {"align_to", "named dimensions"},
            {"rename", "named dimensions"},
            {"named_out_dim", "named dimensions"},
            {"sparse", "sparse layout"},
            {"indices", "sparse layout"},
            {"values", "sparse or nested layout"},
            {"coalesce", "sparse layout"},
            {"nested", "nested layout"},
            {"_dual", "forward derivatives"},
            {"_fw_primal", "forward derivatives"},
            {"_autocast", "changes the type"},
            {"_grad_sum_to_size", "sums"},
            {"_ncf_", "other operator family"},
            {"_test_", "tests of PyTorch"},
            {"slice_inverse", "an inverse itself"},
            {"pin_memory", "moves to other memory"},
            {"narrow.Tensor", "starts at a number in a tensor"},
            {"::to.", "a new value but for `to.dtype`, which is tried"},
            {"as_tensor", "as `to`"},
            {"aten::cpu", "as `to`"},
            {"aten::cuda", "as `to`"},
            {"aten::data", "front end only"},
            {"_unwrap_optional", "front end only"},
            {"aten::lift", "front end only"},
            {"_c10d_functional", "waits for another process"},
        };
        std::set<std::string> tried;
        for (const Write& w : writes()) tried.insert(w.op);
        QStringList missing;
        for (const OpDef* op : OpRegistry::builtin().all()) {
            const std::string& name = op->canonical.str();
            if (!op->isView() || op->schema.isMutable() || tried.contains(name)) continue;
            if (std::none_of(leftOut.begin(), leftOut.end(), [&](const auto& reason) { return name.find(reason.first) != std::string::npos; }))
                missing << QString::fromStdString(name);
        }
        QVERIFY2(missing.isEmpty(), qPrintable(missing.join(' ').left(900)));
    }
};

QTEST_APPLESS_MAIN(ViewOpsTest)
#include "tst_view_ops.moc"
