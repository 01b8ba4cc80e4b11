// Constants of a graph whose values stand in another stage of the same folder.

#include <QFile>
#include <QTemporaryDir>
#include <QTest>

#include <cstring>

#include "core/exec/literal_constants.h"
#include "core/text/document.h"

using namespace aliascope;
using namespace aliascope::exec;

namespace {

const char* const kAten = R"(class f(torch.nn.Module):
    def forward(self, x_1: "f32[6, 8][8, 1]cuda:0"):
        _tensor_constant0: "i64[2][1]cuda:0" = self._tensor_constant0
        lift_fresh_copy: "i64[2][1]cuda:0" = torch.ops.aten.lift_fresh_copy.default(_tensor_constant0);  _tensor_constant0 = None
        index_fill: "f32[6, 8][8, 1]cuda:0" = torch.ops.aten.index_fill.int_Scalar(x_1, 1, lift_fresh_copy, 0.0)
        return index_fill
)";

QByteArray dynamo(const char* literal) {
    return QByteArray("class GraphModule(torch.nn.Module):\n    def forward(self, L_x_: \"f32[6, 8][8, 1]cuda:0\"):\n        l_x_ = L_x_\n        tensor: ") + literal +
           "\n        return (tensor,)\n";
}

}  // namespace

class LiteralConstants : public QObject {
    Q_OBJECT

private slots:
    void takenFromTheDynamoStage() {
        const auto found = constantsBeside(dynamo(R"("i64[2][1]cuda:0" = torch.tensor([1, 3], device = 'cuda'))"));
        QCOMPARE(found.size(), std::size_t(1));
        QCOMPARE(found[0].value.name, std::string("_tensor_constant0"));
        QCOMPARE(found[0].source, std::string("v2.dynamo.readable.py"));
        QCOMPARE(found[0].value.data.size(), std::size_t(16));
        std::int64_t second = 0;
        std::memcpy(&second, found[0].value.data.data() + 8, 8);
        QCOMPARE(second, std::int64_t(3));
    }

    void anotherTypeOrCountIsAnotherTensor() {
        QVERIFY(constantsBeside(dynamo(R"("i64[3][1]cuda:0" = torch.tensor([1, 3, 5], device = 'cuda'))")).empty());
        QVERIFY(constantsBeside(dynamo(R"("f32[2][1]cuda:0" = torch.tensor([1.0, 3.0], device = 'cuda'))")).empty());
        QVERIFY(constantsBeside(dynamo(R"("i64[2][1]cuda:0" = torch.tensor([1, 3, 5], device = 'cuda'))")).empty());
        QVERIFY(constantsBeside("nothing of a graph: torch.tensor([1, 3])").empty());
    }

private:
    static std::vector<LiteralConstant> constantsBeside(const QByteArray& stage) {
        const QTemporaryDir folder;
        const auto write = [&](const char* name, const QByteArray& text) {
            QFile file(folder.filePath(QLatin1String(name)));
            if (file.open(QIODevice::WriteOnly)) file.write(text);
            return file.fileName().toStdString();
        };
        write("v2.dynamo.readable.py", stage);
        const std::string path = write("aten.mutable.readable.py", kAten);
        auto document = readText(kAten, "aten.mutable.readable.py", OpRegistry::builtin());
        return literalConstants(path, document->units.front().graph, OpRegistry::builtin());
    }
};

QTEST_APPLESS_MAIN(LiteralConstants)
#include "tst_literal_constants.moc"
