// Files inside files (formats.md 10, 11.1, 17): archives of torch.export, tars, gzip streams, and what hostile ones try.

#include <zip.h>
#include <zlib.h>

#include <QTemporaryDir>
#include <QTest>
#include <random>

#include "core/text/member_source.h"
#include "core/text/natural_order.h"
#include "core/text/print.h"
#include "text_fixture.h"

using namespace aliascope;

namespace {

struct Entry {
    std::string name, content;
    int method = ZIP_CM_DEFLATE;
};

/// A zip archive as bytes.
std::string zipOf(const std::vector<Entry>& entries) {
    zip_error_t error;
    zip_error_init(&error);
    zip_source_t* buffer = zip_source_buffer_create(nullptr, 0, 1, &error);
    zip_t* zip = zip_open_from_source(buffer, ZIP_TRUNCATE, &error);
    zip_source_keep(buffer);
    for (const Entry& e : entries) {
        zip_source_t* content = zip_source_buffer(zip, e.content.data(), e.content.size(), 0);
        const zip_int64_t i = zip_file_add(zip, e.name.c_str(), content, ZIP_FL_ENC_UTF_8);
        zip_set_file_compression(zip, static_cast<zip_uint64_t>(i), e.method, 0);
    }
    zip_close(zip);
    zip_source_open(buffer);
    zip_source_seek(buffer, 0, SEEK_END);
    std::string bytes(static_cast<std::size_t>(zip_source_tell(buffer)), '\0');
    zip_source_seek(buffer, 0, SEEK_SET);
    zip_source_read(buffer, bytes.data(), bytes.size());
    zip_source_close(buffer);
    zip_source_free(buffer);
    zip_error_fini(&error);
    return bytes;
}

std::string gzipOf(const std::string& content) {
    z_stream stream{};
    deflateInit2(&stream, 9, Z_DEFLATED, 16 + MAX_WBITS, 8, Z_DEFAULT_STRATEGY);
    std::string out(content.size() + 1024, '\0');
    stream.next_in = reinterpret_cast<Bytef*>(const_cast<char*>(content.data()));
    stream.avail_in = static_cast<uInt>(content.size());
    stream.next_out = reinterpret_cast<Bytef*>(out.data());
    stream.avail_out = static_cast<uInt>(out.size());
    deflate(&stream, Z_FINISH);
    out.resize(stream.total_out);
    deflateEnd(&stream);
    return out;
}

std::string tarOf(const std::vector<Entry>& entries, char type = '0') {
    std::string out;
    for (const Entry& e : entries) {
        std::string header(512, '\0');
        header.replace(0, e.name.size(), e.name);
        const std::string size = QByteArray::number(qulonglong(e.content.size()), 8).rightJustified(11, '0').toStdString();
        header.replace(124, size.size(), size);
        header[156] = type;
        header.replace(257, 5, "ustar");
        out += header + e.content + std::string((512 - e.content.size() % 512) % 512, '\0');
    }
    return out + std::string(1024, '\0');
}

std::string program() { return fixture::file("cond.program.json"); }
std::vector<Entry> newLayout(const std::string& json) {
    return {{"net/archive_format", "pt2"}, {"net/models/first.json", json}, {"net/data/weights/weight_0", "not read"}, {"net/byteorder", "little"}};
}

QString sentences(const std::vector<Diagnostic>& list) {
    QStringList out;
    for (const Diagnostic& d : list) out << QString::fromStdString(d.code + " " + d.sentence());
    return out.join('\n');
}

}  // namespace

class tst_containers : public QObject {
    Q_OBJECT

private slots:
    void newArchive() {
        auto entries = newLayout(program());
        entries.push_back({"net/models/second.json", program()});
        const auto doc = fixture::read(zipOf(entries));
        QVERIFY(doc.has_value());
        QCOMPARE(QString::fromStdString(doc->container), QStringLiteral("archive"));
        QCOMPARE(doc->units.size(), std::size_t(2));
        QCOMPARE(QString::fromStdString(doc->units[1].label), QStringLiteral("second"));
        QCOMPARE(QString::fromStdString(doc->units[1].member), QStringLiteral("net/models/second.json"));
        // A node shows the JSON that it was read from, in both.
        for (const Unit& unit : doc->units) {
            const Node& full = unit.graph[unit.graph.find("full"_n)];
            QVERIFY(doc->text.substr(full.spanBegin, 40) == R"({"target": "torch.ops.aten.full.default")");
        }
    }

    void oldArchive() {
        for (const std::string root : {"", "net/"}) {
            const auto doc = fixture::read(zipOf({{root + "version", "8.8"},
                                                  {root + "serialized_exported_program.json", program()},
                                                  {root + "serialized_state_dict.pt", "a pickle"}}));
            QVERIFY(doc.has_value());
            QCOMPARE(doc->units.size(), std::size_t(1));
            QCOMPARE(doc->units[0].statedNodes, 17u);
        }
    }

    void aliasedWeights() {
        auto entries = newLayout(program());
        entries.push_back({"net/data/weights/first_weights_config.json",
                           R"({"config": {"a.w": {"path_name": "weight_0"}, "b.w": {"path_name": "weight_0"}, "c": {"path_name": "weight_1"}}})"});
        const auto doc = fixture::read(zipOf(entries));
        QVERIFY(doc.has_value());
        QVERIFY(std::find(doc->units[0].notes.begin(), doc->units[0].notes.end(), "one storage: a.w, b.w (weight_0)") != doc->units[0].notes.end());
    }

    void refusedArchives_data() {
        QTest::addColumn<QByteArray>("bytes");
        QTest::addColumn<QString>("code");
        const auto row = [](const char* name, const std::string& bytes, const char* code) {
            QTest::newRow(name) << QByteArray::fromStdString(bytes) << code;
        };
        row("torch.save", zipOf({{"m/data.pkl", "x"}, {"m/version", "3"}}), "R042");
        row("TorchScript", zipOf({{"m/code/__torch__.py", "def forward(self): pass"}, {"m/constants.pkl", "x"}}), "R042");
        row("compiled code", zipOf({{"m/archive_format", "pt2"}, {"m/data/aotinductor/model/a.so", "x"}}), "R043");
        row("something else", zipOf({{"readme.txt", "graph():"}}), "R003");
        row("no program in the model", zipOf({{"m/archive_format", "pt2"}, {"m/models/a.json", "{\"a\": 1}"}}), "R003");
        row("empty", std::string("PK\x05\x06", 4) + std::string(18, '\0'), "R003");
        row("cut", zipOf(newLayout(program())).substr(0, 300), "R004");
        row("a name only", "PK\x03\x04rest", "R004");
    }
    void refusedArchives() {
        QFETCH(QByteArray, bytes);
        QFETCH(QString, code);
        const auto doc = fixture::read(bytes.toStdString());
        QVERIFY(!doc.has_value());
        QCOMPARE(QString::fromStdString(doc.error().code), code);
    }

    void entriesThatLeadOut() {
        auto entries = newLayout(program());
        for (const char* name : {"../evil.json", "/etc/evil", "net/../../evil", "c:evil", "net\\evil", "net/models/a?.json"})
            entries.push_back({name, "{}"});
        const auto doc = fixture::read(QByteArray::fromStdString(zipOf(entries)).replace("a?.json", "a\x01.json").toStdString());
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(1));
        QCOMPARE(doc->diagnostics.size(), std::size_t(6));
        for (const Diagnostic& d : doc->diagnostics) QCOMPARE(QString::fromStdString(d.code), QStringLiteral("R040"));
        QVERIFY(sentences(doc->diagnostics).contains("leads out of the archive"));
    }

    void bombs() {
        // 64 MiB of blanks pack a thousand times as small.
        auto entries = newLayout(program());
        entries[1].content = std::string(64 << 20, ' ');
        const auto doc = fixture::read(zipOf(entries));
        QVERIFY(!doc.has_value());
        QCOMPARE(QString::fromStdString(doc.error().code), QStringLiteral("R050"));
        QVERIFY(QString::fromStdString(doc.error().sentence()).contains("packing ratio"));
        const auto stream = fixture::read(gzipOf(std::string(64 << 20, ' ')));
        QVERIFY(!stream.has_value());
        QCOMPARE(QString::fromStdString(stream.error().code), QStringLiteral("R050"));
    }

    void limits() {
        ReadOptions options;
        options.limits.archiveEntries = 3;
        const auto many = readText(zipOf(newLayout(program())), "a.pt2", OpRegistry::builtin(), options);
        QVERIFY(!many.has_value());
        QVERIFY(QString::fromStdString(many.error().sentence()).contains("4 entries"));
        options.limits.archiveEntries = 100;
        options.limits.recordBytes = 1000;
        const auto large = readText(zipOf(newLayout(program())), "a.pt2", OpRegistry::builtin(), options);
        QVERIFY(!large.has_value());
        QCOMPARE(QString::fromStdString(large.error().code), QStringLiteral("R050"));
    }

    void gzipOnce() {
        const std::string text = fixture::file("wrapper_v2.graph.txt");
        const auto doc = fixture::read(gzipOf(text));
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units[0].form, GraphForm::GraphText);
        const auto twice = fixture::read(gzipOf(gzipOf(text)));
        QVERIFY(!twice.has_value());
        QVERIFY(QString::fromStdString(twice.error().note).contains("inside a gzip stream"));
        const auto cut = fixture::read(gzipOf(text).substr(0, 12));
        QVERIFY(!cut.has_value());
        QVERIFY(QString::fromStdString(cut.error().sentence()).contains("ends too early"));
    }

    /// What was unpacked before the cut is shown, with a message.
    void cutGzip() {
        std::string text;
        for (int i = 0; i < 50; ++i)
            text += "graph():\n    %x" + std::to_string(i * 7919) + " : [num_users=0] = placeholder[target=x]\n    return (None,)\n";
        const std::string packed = gzipOf(text);
        const auto doc = fixture::read(packed.substr(0, packed.size() / 2));
        QVERIFY(doc.has_value());
        QVERIFY(doc->units.size() > 10);
        QVERIFY(sentences(doc->diagnostics).startsWith("R004 the gzip stream behind "));
        QVERIFY(sentences(doc->diagnostics).endsWith("ends too early"));
    }

    /// An archive that is none of PyTorch is a folder of dumps: what users attach to reports.
    void zippedDumps() {
        const std::string graph = fixture::file("wrapper_v2.graph.txt");
        const auto doc =
            fixture::read(zipOf({{"tl/0_0_0/aot_forward_graph_5.txt", graph}, {"tl/readme.md", "words"}, {"net.pt2", zipOf(newLayout(program()))}}));
        QVERIFY(doc.has_value());
        QCOMPARE(QString::fromStdString(doc->container), QStringLiteral("folder"));
        QCOMPARE(doc->units.size(), std::size_t(2));
        QCOMPARE(QString::fromStdString(doc->units[1].group.compileId), QStringLiteral("0/0"));
        QCOMPARE(doc->skipped.size(), std::size_t(1));
        std::string nested = zipOf({{"a.txt", graph}});
        for (int i = 0; i < 5; ++i) nested = zipOf({{"deeper.zip", nested}});
        const auto deep = fixture::read(nested);
        QVERIFY(!deep.has_value());
        QVERIFY(QString::fromStdString(deep.error().note).contains("an archive inside archives"));
        // Beside a graph it is left out, packed once more or not.
        const std::string inner = tarOf({{"b.txt", graph}});
        const auto beside = fixture::read(tarOf({{"a.tar", tarOf({{"a.txt", graph}, {"deep.tar", inner}, {"deep.tar.gz", gzipOf(inner)}})}}));
        QVERIFY(beside.has_value());
        QCOMPARE(beside->units.size(), std::size_t(1));
        QVERIFY(beside->diagnostics.empty());
    }

    /// Many bad entries hide no good one.
    void manyRefusedEntries() {
        std::vector<Entry> entries;
        for (int i = 0; i < 150; ++i) entries.push_back({"../x" + std::to_string(i), ""});
        for (const Entry& e : newLayout(program())) entries.push_back(e);
        const auto doc = fixture::read(zipOf(entries));
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(1));
        QCOMPARE(doc->diagnostics.size(), std::size_t(101));
        QCOMPARE(QString::fromStdString(doc->diagnostics.back().sentence()), QStringLiteral("50 further messages not shown"));
    }

    /// Names above 100 bytes, as GNU and POSIX tars write them.
    void longNamesInTars() {
        const std::string folder = "run_2026_01_07-pid_71/" + std::string(80, 'x') + "/model__0_forward_1.0",
                          graph = fixture::file("wrapper_v2.graph.txt");
        const std::string name = folder + "/fx_graph_transformed.py", cut = name.substr(0, 99), path = " path=" + name + "\n";
        const std::string record = std::to_string(path.size() + 3) + path;
        const auto bodies = [](const std::string& tar) { return tar.substr(0, tar.size() - 1024); };
        for (const std::string& before :
             {bodies(tarOf({{"././@LongLink", name + std::string(1, '\0')}}, 'L')), bodies(tarOf({{"PaxHeader", record}}, 'x'))}) {
            const auto doc = fixture::read(before + tarOf({{cut, graph}, {"short.txt", graph}}));
            QVERIFY(doc.has_value());
            QCOMPARE(doc->units.size(), std::size_t(2));
            QCOMPARE(QString::fromStdString(doc->units[0].member), QStringLiteral("short.txt"));
            QCOMPARE(QString::fromStdString(doc->units[1].member), QString::fromStdString(name));
            QVERIFY(doc->units[1].graph.phase == Phase::Forward);
        }
    }

    /// A record of a pax header that says it is shorter than what stands before its own text.
    void shortRecordsInTars() {
        const std::string graph = fixture::file("wrapper_v2.graph.txt");
        for (const char* record : {"00000004 path=a\n", "4 path=a\n", "1 \n", "2 x", "0 path=a\n", "18446744073709551615 path=a\n"}) {
            const std::string before = tarOf({{"PaxHeader", record}}, 'x');
            const auto doc = fixture::read(before.substr(0, before.size() - 1024) + tarOf({{"own.txt", graph}}));
            QVERIFY(doc.has_value());
            QCOMPARE(doc->units.size(), std::size_t(1));
        }
    }

    /// What is not read is named, so it counts.
    void manyLinks() {
        QTemporaryDir folder;
        std::vector<Entry> entries;
        for (int i = 0; i < 4; ++i) {
            entries.push_back({"link" + std::to_string(i), ""});
            QVERIFY(QFile::link("/etc", folder.filePath(QString::number(i))));
        }
        ReadLimits limits;
        for (const std::uint32_t most : {4u, 3u}) {
            limits.archiveEntries = most;
            const auto linked = openFolder(folder.path().toStdString(), limits);
            const auto tarred = openTar(tarOf(entries, '2'), "a.tar", limits);
            QCOMPARE(linked.has_value(), most == 4u);
            QCOMPARE(tarred.has_value(), most == 4u);
            if (!linked) QCOMPARE(QString::fromStdString(linked.error().code), QStringLiteral("R050"));
        }
    }

    void cutTar() {
        const std::string graph = fixture::file("wrapper_v2.graph.txt");
        const std::string whole = tarOf({{"a.txt", graph}, {"b.txt", graph}});
        const auto doc = fixture::read(whole.substr(0, whole.size() / 2 + graph.size() / 2));
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(2));
        QVERIFY(doc->units[1].statedNodes > 0 && doc->units[1].statedNodes < doc->units[0].statedNodes);
        QCOMPARE(sentences(doc->diagnostics), QStringLiteral("R004 the end of b.txt cannot be read: the archive ends inside it"));
    }

    void tar() {
        const auto doc = fixture::read(gzipOf(tarOf({{"d/002_after_dce.txt", fixture::file("wrapper_v2.graph.txt")},
                                                     {"d/010_after_noop.txt", fixture::file("wrapper_v1.graph.txt")},
                                                     {"d/notes.txt", "words"}})));
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(2));
        QCOMPARE(QString::fromStdString(doc->units[0].label), QStringLiteral("002_after_dce"));
        QCOMPARE(doc->skipped.size(), std::size_t(1));
        std::string nested = fixture::file("wrapper_v2.graph.txt");
        for (int i = 0; i < 100; ++i) nested = tarOf({{"deeper.tar", nested}});
        QVERIFY(!fixture::read(nested).has_value());
        const auto links = fixture::read(tarOf({{"link", ""}}, '2'));
        QVERIFY(!links.has_value());
        QCOMPARE(QString::fromStdString(links.error().code), QStringLiteral("R003"));
    }

    /// Bits flip, ends are missing: a message, or what can still be read.
    void damagedArchives() {
        const std::string good = zipOf(newLayout(program()));
        std::mt19937 random(11);
        int opened = 0;
        for (int round = 0; round < 600; ++round) {
            std::string bad = good;
            for (int i = 0; i <= round % 3; ++i) bad[random() % bad.size()] ^= static_cast<char>(1 << (random() % 8));
            if (round % 4 == 0) bad.resize(random() % bad.size());
            const auto doc = fixture::read(bad, true);
            opened += doc.has_value();
            if (!doc) QVERIFY(!doc.error().format().empty());
        }
        QVERIFY(opened > 0);
        const std::string tarred = tarOf({{"a.graph.txt", fixture::file("wrapper_v2.graph.txt")}});
        for (int round = 0; round < 300; ++round) {
            std::string bad = tarred;
            bad[random() % 600] ^= static_cast<char>(1 << (random() % 8));
            if (round % 4 == 0) bad.resize(random() % bad.size());
            const auto doc = fixture::read(bad, true);
            if (!doc) QVERIFY(!doc.error().format().empty());
        }
    }

    void names() {
        QVERIFY(badMemberName("a/b.json").empty());
        QVERIFY(badMemberName("a..b/..c").empty());
        for (const char* bad : {"", "/a", "..", "a/..", "a/../b", "C:x", "a\\b", "a\nb"}) QVERIFY(!badMemberName(bad).empty());
        QVERIFY(naturallyBefore("model_2", "model_10"));
        QVERIFY(!naturallyBefore("model_10", "model_2"));
        QVERIFY(naturallyBefore("a", "b"));
        QVERIFY(naturallyBefore("1", "01") != naturallyBefore("01", "1"));
        QVERIFY(!naturallyBefore("x1", "x1"));
    }
};

QTEST_APPLESS_MAIN(tst_containers)
#include "tst_containers.moc"
