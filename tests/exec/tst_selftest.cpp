// Recorded operator calls: what passes, what fails and why, what counts as unsupported, and what is refused as a record.

#include <QFile>
#include <QTemporaryDir>

#include "core/exec/selftest.h"
#include "core/exec/tensor_files.h"
#include "tests/exec/exec_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;

namespace {

/// `passed/failed/unsupported`, then the failures and the unsupported operators.
QString outcome(const std::string& records) {
    const auto report = selftestText(records, OpRegistry::builtin(), cpu());
    if (!report) return QString::fromStdString("line " + std::to_string(report.error().line) + ": " + report.error().sentence());
    QString out = QString("%1/%2/%3").arg(report->passed).arg(report->failed).arg(report->unsupported);
    for (const SelftestFailure& f : report->failures)
        out += QString("; line %1 %2: %3").arg(f.line).arg(QString::fromStdString(f.op), QString::fromStdString(f.what));
    for (const auto& [op, calls] : report->unsupportedOps) out += QString("; no %1 x%2").arg(QString::fromStdString(op)).arg(calls);
    return out;
}

/// A vector of f32 in a record.
std::string vec(const std::string& name, const std::string& values, int size, const std::string& dtype = "float32") {
    return R"({"tensor": ")" + name + R"(", "dtype": ")" + dtype + R"(", "size": [)" + std::to_string(size) +
           R"(], "stride": [1], "offset": 0, "storage": [)" + values + "]}";
}

std::string call(const std::string& op, const std::string& args, const std::string& out, const std::string& after = "") {
    return R"({"op": "aten.)" + op + R"(", "args": [)" + args + R"(], "kwargs": {}, "out": )" + out + R"(, "mutated_after": {)" + after + "}}\n";
}

}  // namespace

class SelftestTest : public QObject {
    Q_OBJECT

private slots:
    void bundledCallsPass() {
        const auto report = selftestText(bundledSelftest(), OpRegistry::builtin(), cpu());
        QVERIFY(report);
        QVERIFY(report->passed >= 12);
        QCOMPARE(outcome(std::string(bundledSelftest())), QString("%1/0/0").arg(report->passed));
        const auto reference = selftestText(bundledSelftest(), OpRegistry::builtin(), *makeCpuBackend(Precision::Reference));
        QVERIFY(reference);
        QCOMPARE(reference->passed, report->passed);
    }

    void comparesValues() {
        QCOMPARE(outcome(call("neg.default", vec("a", "1, 2", 2), vec("b", "-1, -2", 2))), QString("1/0/0"));
        QCOMPARE(outcome(call("neg.default", vec("a", "1, 2", 2), vec("b", "-1, 2", 2))),
                 QString("0/1/0; line 1 aten.neg.default: result 0: element 1 is -2, expected 2 (within 0)"));
        QCOMPARE(outcome("\n" + call("neg.default", vec("a", "1", 1), vec("b", "-1", 1, "int64"))),
                 QString("0/1/0; line 2 aten.neg.default: result 0 has dtype float32, expected int64"));
        QCOMPARE(outcome(call("neg.default", vec("a", "1, 2", 2), vec("b", "-1", 1))),
                 QString("0/1/0; line 1 aten.neg.default: result 0 has shape [2], expected [1]"));
    }

    void comparesWrittenArguments() {
        const std::string three = vec("c", "3", 1), four = vec("d", "4", 1);
        QCOMPARE(outcome(call("add_.Tensor", vec("a", "1", 1) + ", 2", three, "\"0\": " + three)), QString("1/0/0"));
        QCOMPARE(outcome(call("add_.Tensor", vec("a", "1", 1) + ", 2", three, "\"0\": " + four)),
                 QString("0/1/0; line 1 aten.add_.Tensor: argument 0 after the call: element 0 is 3, expected 4 (within 4.8e-07)"));
    }

    /// Two views of one storage are two views of one storage when the call runs.
    void argumentsShareStorage() {
        const std::string low = R"({"tensor": "s", "dtype": "float32", "size": [2], "stride": [1], "offset": 0, "storage": [1, 2, 3, 4]})";
        const std::string high = R"({"tensor": "s", "dtype": "float32", "size": [2], "stride": [1], "offset": 2})";
        QCOMPARE(outcome(call("add.Tensor", low + ", " + high, vec("o", "4, 6", 2))), QString("1/0/0"));
    }

    void positionsOfEqualElementsAreOpen() {
        const std::string values = vec("v", "5, 5", 2), other = vec("i", "1, 0", 2, "int64"), wrong = vec("i", "2, 0", 2, "int64");
        QCOMPARE(outcome(call("topk.default", vec("a", "5, 5, 1", 3) + ", 2", "[" + values + ", " + other + "]")), QString("1/0/0"));
        QVERIFY(outcome(call("topk.default", vec("a", "5, 5, 1", 3) + ", 2", "[" + values + ", " + wrong + "]")).startsWith("0/1/0"));
    }

    void countsWhatItCannotRun() {
        QCOMPARE(outcome(call("nothing_of_the_kind.default", vec("a", "1", 1), vec("b", "1", 1))),
                 QString("0/0/1; no aten.nothing_of_the_kind.default x1"));
        const std::string odd = R"({"tensor": "a", "dtype": "quint4x2", "size": [1], "stride": [1], "offset": 0})";
        QCOMPARE(outcome(call("neg.default", odd, odd)), QString("0/0/1; no aten.neg.default x1"));
    }

    void refusesBadRecords_data() {
        QTest::addColumn<QString>("line");
        QTest::addColumn<QString>("why");
        QTest::newRow("no JSON") << "{"
                                 << "line 1: the recorded call cannot be read: no JSON";
        QTest::newRow("no object") << "[1]"
                                   << "line 1: the recorded call cannot be read: no JSON object";
        QTest::newRow("no operator") << "{}"
                                     << "line 1: the recorded call cannot be read: no \"op\"";
        QTest::newRow("no result") << R"({"op": "aten.neg.default"})"
                                   << "line 1: the recorded call cannot be read: no \"out\"";
        QTest::newRow("negative size")
            << R"({"op": "aten.neg.default", "out": {"tensor": "a", "dtype": "float32", "size": [-1], "stride": [1], "offset": 0}})"
            << "line 1: the recorded call cannot be read: \"size\" holds what is no count";
        QTest::newRow("deep") << QString(R"({"op": "aten.neg.default", "args": )") + QString("[").repeated(100) + QString("]").repeated(100) +
                                     R"(, "out": null})"
                              << "line 1: the recorded call cannot be read: lists nest too deep";
    }
    void refusesBadRecords() {
        QFETCH(QString, line);
        QFETCH(QString, why);
        QCOMPARE(outcome(line.toStdString()), why);
    }

    /// A view that its storage does not hold is a failure, however large its numbers are.
    void viewsAreChecked() {
        const std::string far =
            R"({"tensor": "a", "dtype": "float32", "size": [2], "stride": [4611686018427387904], "offset": 0, "storage": [1, 2]})";
        QCOMPARE(outcome(call("neg.default", far, far)), QString("0/1/0; line 1 aten.neg.default: storage a is too short for its view"));
    }

    void readsFiles() {
        QTemporaryDir folder;
        const std::string base = folder.filePath("calls").toStdString();
        QFile records(folder.filePath("calls.jsonl"));
        QVERIFY(records.open(QIODevice::WriteOnly));
        const std::string in = R"({"tensor": "a", "dtype": "float32", "size": [], "stride": [], "offset": 1})",
                          out = R"({"tensor": "b", "dtype": "float32", "size": [], "stride": [], "offset": 0})";
        records.write(QByteArray::fromStdString(call("neg.default", in, out)));
        records.close();
        const auto bytes = [](std::vector<float> values) {
            std::vector<std::byte> data(values.size() * sizeof(float));
            std::memcpy(data.data(), values.data(), data.size());
            return data;
        };
        QVERIFY(!selftestFile(base + ".jsonl", OpRegistry::builtin(), cpu()));  // no storages yet
        QVERIFY(writeTensorFile(base + ".safetensors", {{"a", DType::F32, {2}, bytes({7, 3})}, {"b", DType::F32, {1}, bytes({-3})}}));
        const auto report = selftestFile(base + ".jsonl", OpRegistry::builtin(), cpu());
        QVERIFY(report);
        QCOMPARE(report->passed, 1);
        QVERIFY(!selftestFile(base + ".nothing", OpRegistry::builtin(), cpu()));
    }
};

QTEST_APPLESS_MAIN(SelftestTest)
#include "tst_selftest.moc"
