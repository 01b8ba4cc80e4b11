// Damaged files (formats.md 19): whatever stands in them, they open or are refused with a message; nothing crashes, and what was read can be printed.

#include <QTest>
#include <random>

#include "core/text/print.h"
#include "text_fixture.h"

using namespace aliascope;

namespace {

/// Uses of a graph stay exact and printing works, however damaged the text was.
void use(const std::string& text) {
    const auto doc = fixture::read(text, true);
    if (!doc) {
        QVERIFY(!doc.error().format().empty());
        return;
    }
    for (const Unit& unit : doc->units) {
        QVERIFY(!printGraphText(unit.graph).empty());
        QVERIFY(!printReadable(unit.graph).empty());
        for (const Diagnostic& d : unit.diagnostics) QVERIFY(!d.format().empty());
        for (const NodeId id : inOrder(unit.graph))
            for (const NodeId operand : unit.graph.operands(id)) QVERIFY(unit.graph.contains(operand));
    }
}

}  // namespace

class tst_mutations : public QObject {
    Q_OBJECT

    static void addFiles() {
        QTest::addColumn<QString>("name");
        for (const QString& name : fixture::files("*")) QTest::newRow(qPrintable(name)) << name;
    }

private slots:
    void bytes_data() { addFiles(); }
    void bytes() {
        QFETCH(QString, name);
        const std::string text = fixture::file(name);
        std::mt19937 random(7);
        static constexpr std::string_view kHard = "()[]{}%:;,='\"#\\\n\t .<>-*\xff\x1b";
        for (int round = 0; round < 150; ++round) {
            std::string bad = text;
            for (int i = 0; i <= round % 5; ++i) {
                const std::size_t at = random() % bad.size();
                switch (random() % 4) {
                    case 0:
                        bad[at] = static_cast<char>(bad[at] ^ (1 << (random() % 8)));
                        break;
                    case 1:
                        bad[at] = kHard[random() % kHard.size()];
                        break;
                    case 2:
                        bad.insert(at, 1, kHard[random() % kHard.size()]);
                        break;
                    default:
                        bad.erase(at, 1 + random() % 8);
                        break;
                }
            }
            use(bad);
        }
    }

    void lines_data() { addFiles(); }
    void lines() {
        QFETCH(QString, name);
        const QStringList lines = QString::fromStdString(fixture::file(name)).split('\n');
        std::mt19937 random(11);
        for (int round = 0; round < 60; ++round) {
            QStringList bad = lines;
            for (int i = 0; i <= round % 3; ++i) {
                const int at = static_cast<int>(random() % static_cast<unsigned>(bad.size())),
                          other = static_cast<int>(random() % static_cast<unsigned>(bad.size()));
                switch (random() % 3) {
                    case 0:
                        bad.insert(at, bad[other]);
                        break;
                    case 1:
                        bad.removeAt(at);
                        break;
                    default:
                        bad.swapItemsAt(at, other);
                        break;
                }
                if (bad.isEmpty()) bad << QString();
            }
            use(bad.join('\n').toStdString());
        }
    }

    void cuts_data() { addFiles(); }
    void cuts() {
        QFETCH(QString, name);
        const std::string text = fixture::file(name);
        const std::size_t step = std::max<std::size_t>(1, text.size() / 150);
        for (std::size_t cut = 0; cut < text.size(); cut += step) {
            use(text.substr(0, cut));
            use(text.substr(cut));
        }
    }

    void hostileShapes() {
        const std::string many(20'000, '(');
        use("graph():\n    %x : [num_users=0] = call_function[target=f](args = " + many);
        use("class M(torch.nn.Module):\n    def forward(self" + many + "):\n        x = " + many + "\n");
        std::string calls;
        for (int i = 0; i < 20'000; ++i) calls += "        x = f.g(a,\n";
        use("class M(torch.nn.Module):\n    def forward(self):\n" + calls);
        std::string text = "graph():\n";
        for (int i = 0; i < 20'000; ++i)
            text +=
                "    %a" + std::to_string(i) + " : [num_users=1] = call_function[target=f](args = (%a" + std::to_string(i + 1) + ",), kwargs = {})\n";
        use(text);
        std::string chain = "x";
        for (int i = 0; i < 20'000; ++i) chain += " + s" + std::to_string(i % 7);
        use("class M(torch.nn.Module):\n    def forward(self, x):\n        y = " + chain + "\n        z = f.g(s0" + chain.substr(1) +
            ")\n        return y\n");
    }
};

QTEST_APPLESS_MAIN(tst_mutations)
#include "tst_mutations.moc"
