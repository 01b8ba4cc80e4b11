// Files of tensors: what is written reads back, what is not well-formed is refused with a reason, whatever its bytes.

#include <zip.h>

#include <QFile>
#include <QTemporaryDir>
#include <QTest>
#include <cstring>

#include "core/exec/tensor_files.h"

using namespace aliascope;
using namespace aliascope::exec;

namespace {

template <class T>
TensorBytes bytes(const std::string& name, DType dtype, const Shape& sizes, const std::vector<T>& values) {
    TensorBytes t{name, dtype, sizes, std::vector<std::byte>(values.size() * sizeof(T))};
    if (!values.empty()) std::memcpy(t.data.data(), values.data(), t.data.size());
    return t;
}

const std::vector<TensorBytes> some = {bytes<float>("out/0", DType::F32, {2, 3}, {1, 2, 3, 4, 5, 6}),
                                       bytes<std::int64_t>("out/1", DType::I64, {}, {7}),
                                       bytes<std::uint16_t>("after/0", DType::BF16, {2}, {0x3F80, 0x4000}),
                                       bytes<std::uint8_t>("mask", DType::B8, {3}, {1, 0, 1}), bytes<float>("empty", DType::F32, {0, 4}, {})};

QByteArray safetensors(const QByteArray& header, int dataBytes) {
    QByteArray out(8, '\0');
    for (int i = 0; i < 8; ++i) out[i] = static_cast<char>(quint64(header.size()) >> (8 * i));
    return out + header + QByteArray(dataBytes, 'x');
}

QByteArray npy(const QByteArray& dict, const QByteArray& data) {
    QByteArray out("\x93NUMPY\x01\x00", 8);
    const QByteArray text = dict + "\n";
    out += static_cast<char>(text.size() & 0xFF);
    out += static_cast<char>(text.size() >> 8);
    return out + text + data;
}

}  // namespace

class TensorFilesTest : public QObject {
    Q_OBJECT

    QTemporaryDir folder_;

    std::string path(const char* name) const { return folder_.filePath(name).toStdString(); }
    std::string put(const char* name, const QByteArray& content) const {
        QFile file(folder_.filePath(name));
        file.open(QIODevice::WriteOnly);
        file.write(content);
        return file.fileName().toStdString();
    }
    static void sameTensors(const TensorFile& file, const std::vector<TensorBytes>& want, bool bf16AsU16 = false) {
        QCOMPARE(file.tensors().size(), want.size());
        for (const TensorBytes& w : want) {
            const auto at = file.find(w.name);
            QVERIFY2(at, w.name.c_str());
            const StoredTensor& got = file.tensors()[*at];
            QCOMPARE(got.dtype, bf16AsU16 && w.dtype == DType::BF16 ? DType::U16 : w.dtype);
            QCOMPARE(got.sizes, w.sizes);
            const auto data = file.read(*at);
            QVERIFY(data);
            QVERIFY(*data == w.data);
        }
        QVERIFY(!file.find("out/2"));
    }

private slots:
    void safetensorsReadBack() {
        QVERIFY(writeTensorFile(path("a.safetensors"), some));
        const auto file = TensorFile::open(path("a.safetensors"));
        QVERIFY2(file, file ? "" : file.error().format().c_str());
        sameTensors(*file, some);
    }

    void npzReadBack() {
        QVERIFY(writeTensorFile(path("a.npz"), some));
        const auto file = TensorFile::open(path("a.npz"));
        QVERIFY2(file, file ? "" : file.error().format().c_str());
        sameTensors(*file, some, true);
    }

    void foldersOfNpyReadBack() {
        QVERIFY(QDir(folder_.path()).mkpath("npys"));
        QVERIFY(writeTensorFile(path("npys/x.npy"), {bytes<float>("x", DType::F32, {2}, {1, 2})}));
        QVERIFY(writeTensorFile(path("npys/b.npy"), {bytes<float>("b", DType::F32, {1}, {3})}));
        const auto file = TensorFile::open(path("npys"));
        QVERIFY(file);
        QCOMPARE(file->tensors().size(), std::size_t(2));
        QCOMPARE(file->tensors()[0].name, std::string("b"));
        QCOMPARE(file->tensors()[1].name, std::string("x"));
        const auto one = TensorFile::open(path("npys/x.npy"));
        QVERIFY(one && one->tensors()[0].name == "x");
    }

    void deflatedMembersAreRead() {
        const std::string name = path("deflated.npz");
        const QByteArray member = npy("{'descr': '<f4', 'fortran_order': False, 'shape': (1000,), }", QByteArray(4000, '\0'));
        int error = 0;
        zip_t* zip = zip_open(name.c_str(), ZIP_CREATE | ZIP_TRUNCATE, &error);
        QVERIFY(zip);
        zip_int64_t at = zip_file_add(zip, "w.npy", zip_source_buffer(zip, member.constData(), static_cast<zip_uint64_t>(member.size()), 0), 0);
        QCOMPARE(zip_set_file_compression(zip, static_cast<zip_uint64_t>(at), ZIP_CM_DEFLATE, 9), 0);
        QCOMPARE(zip_close(zip), 0);
        QVERIFY(QFile(QString::fromStdString(name)).size() < 1000);
        const auto file = TensorFile::open(name);
        QVERIFY2(file, file ? "" : file.error().format().c_str());
        const auto data = file->read(0);
        QVERIFY(data && data->size() == 4000);
    }

    void columnMajorBecomesRowMajor() {
        const std::int32_t columns[] = {1, 4, 2, 5, 3, 6};
        const std::string name =
            put("f.npy", npy("{'descr': '<i4', 'fortran_order': True, 'shape': (2, 3), }", QByteArray(reinterpret_cast<const char*>(columns), 24)));
        const auto file = TensorFile::open(name);
        QVERIFY(file);
        const auto data = file->read(0);
        QVERIFY(data);
        std::int32_t got[6];
        std::memcpy(got, data->data(), 24);
        for (int i = 0; i < 6; ++i) QCOMPARE(got[i], i + 1);
    }

    void headersThatLieAreRefused_data() {
        QTest::addColumn<QByteArray>("header");
        QTest::addColumn<QString>("words");
        const auto row = [](const char* name, const char* header, const char* words) { QTest::newRow(name) << QByteArray(header) << QString(words); };
        row("past the end", R"({"a":{"dtype":"F32","shape":[3],"data_offsets":[0,12]}})", "within 0..8");
        row("backwards", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[8,4]}})", "within 0..8");
        row("wrong length", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,8]}})", "expected 4 bytes of tensor a, found 0..8");
        row("overflow", R"({"a":{"dtype":"F32","shape":[4611686018427387904,4],"data_offsets":[0,8]}})", "fewer than 2^63");
        row("negative", R"({"a":{"dtype":"F32","shape":[-1],"data_offsets":[0,8]}})", "non-negative integers");
        row("size too large", R"({"a":{"dtype":"F32","shape":[18446744073709551615],"data_offsets":[0,8]}})", "a size below 2^63");
        row("overlap", R"({"a":{"dtype":"F32","shape":[1],"data_offsets":[0,4]},"b":{"dtype":"U8","shape":[2],"data_offsets":[3,5]}})",
            "do not overlap");
        row("twice", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1]},"a":{"dtype":"U8","shape":[1],"data_offsets":[1,2]}})", "\"a\" twice");
        row("key twice", R"({"a":{"dtype":"U8","dtype":"I8","shape":[1],"data_offsets":[0,1]}})", "\"dtype\" twice");
        row("dtype", R"({"a":{"dtype":"Q7","shape":[1],"data_offsets":[0,1]}})", "found \"Q7\"");
        row("no shape", R"({"a":{"dtype":"U8","data_offsets":[0,1]}})", "dtype, shape and data_offsets of tensor a");
        row("three offsets", R"({"a":{"dtype":"U8","shape":[1],"data_offsets":[0,1,2]}})", "two data_offsets");
        row("list", R"([1,2])", "an object of tensors");
        row("text", R"({"a":"b"})", "an object with dtype");
        row("no JSON", R"({"a":)", "JSON");
        row("nested", R"({"a":{"b":{"c":1}}})", "dtype, shape and data_offsets");
    }
    void headersThatLieAreRefused() {
        QFETCH(QByteArray, header);
        QFETCH(QString, words);
        const auto file = TensorFile::open(put("bad.safetensors", safetensors(header, 8)));
        QVERIFY(!file);
        QVERIFY2(QString::fromStdString(file.error().format()).contains(words), file.error().format().c_str());
    }

    void unsortedRangesAndMetadataAreFine() {
        const auto file = TensorFile::open(
            put("ok.safetensors", safetensors(R"({"__metadata__":{"format":"pt"},"b":{"dtype":"U8","shape":[3],"data_offsets":[5,8]},)"
                                              R"("a":{"dtype":"U8","shape":[5],"data_offsets":[0,5]}})",
                                              8)));
        QVERIFY2(file, file ? "" : file.error().format().c_str());
        QCOMPARE(file->tensors().size(), std::size_t(2));
    }

    void claimedHeaderLengthIsBounded() {
        QByteArray huge(8, '\xFF');
        const auto file = TensorFile::open(put("huge.safetensors", huge + "{}"));
        QVERIFY(!file);
        QVERIFY(QString::fromStdString(file.error().format()).contains("a header of at most"));
    }

    void npyHeadersThatLieAreRefused_data() {
        QTest::addColumn<QByteArray>("dict");
        QTest::addColumn<QString>("words");
        QTest::newRow("objects") << QByteArray("{'descr': '|O', 'fortran_order': False, 'shape': (1,), }") << "instead of '|O'";
        QTest::newRow("big-endian") << QByteArray("{'descr': '>f4', 'fortran_order': False, 'shape': (1,), }") << "little-endian";
        QTest::newRow("records") << QByteArray("{'descr': [('a', '<f4')], 'fortran_order': False, 'shape': (1,), }") << "a plain dtype";
        QTest::newRow("too much") << QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (9,), }") << "36 bytes of elements";
        QTest::newRow("overflow") << QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (9223372036854775807, 3), }") << "fewer than 2^63";
        QTest::newRow("negative") << QByteArray("{'descr': '<f4', 'fortran_order': False, 'shape': (-1,), }") << "a size";
        QTest::newRow("code") << QByteArray("__import__('os').system('true')") << "'{'";
        QTest::newRow("no shape") << QByteArray("{'descr': '<f4', 'fortran_order': False, }") << "descr, fortran_order and shape";
    }
    void npyHeadersThatLieAreRefused() {
        QFETCH(QByteArray, dict);
        QFETCH(QString, words);
        const auto file = TensorFile::open(put("bad.npy", npy(dict, QByteArray(4, 'x'))));
        QVERIFY(!file);
        QVERIFY2(QString::fromStdString(file.error().format()).contains(words), file.error().format().c_str());
    }

    void everyCutFileIsRefusedOrReadsWhatItHas() {
        for (const char* name : {"cut.safetensors", "cut.npz", "cut.npy"}) {
            const bool one = QString(name).endsWith("npy");
            QVERIFY(writeTensorFile(path(name), one ? std::vector<TensorBytes>{some[0]} : some));
            QFile whole(folder_.filePath(name));
            QVERIFY(whole.open(QIODevice::ReadOnly));
            const QByteArray content = whole.readAll();
            whole.close();
            for (qsizetype n = 0; n < content.size(); n += 1 + n / 40) {
                const auto file = TensorFile::open(put(name, content.left(n)));
                if (!file) continue;
                for (std::size_t i = 0; i < file->tensors().size(); ++i) (void)file->read(i);
            }
        }
    }

    void whatCannotBeOpenedSaysWhy() {
        QVERIFY(QString::fromStdString(TensorFile::open(path("nowhere.npz")).error().format()).contains("No such file"));
        QVERIFY(
            QString::fromStdString(TensorFile::open(put("text.txt", "hello, this is text")).error().format()).contains("safetensors, npy or npz"));
        QVERIFY(!writeTensorFile("/nowhere/at/all.safetensors", some));
        QCOMPARE(writeTensorFile(path("two.npy"), some).error().code, std::string("R014"));
        QCOMPARE(writeTensorFile(path("twice.safetensors"), {some[0], some[0]}).error().code, std::string("R011"));
        QVERIFY(!QFile::exists(folder_.filePath("twice.safetensors")));
    }
};

QTEST_APPLESS_MAIN(TensorFilesTest)
#include "tst_tensor_files.moc"
