// Tables (formats.md 14).

#include <QTest>

#include "core/text/print.h"
#include "text_fixture.h"

using namespace aliascope;

class tst_tables : public QObject {
    Q_OBJECT

private slots:
    void readsAsPrinted() {
        const auto doc = fixture::read(fixture::file("mixed.table.txt"));
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units.size(), std::size_t(1));
        QCOMPARE(doc->units[0].form, GraphForm::Table);
        QCOMPARE(fixture::comparable(printGraphText(doc->units[0].graph)), QStringLiteral(R"(graph():
    %x : [num_users=3] = placeholder[target=x]
    %scale : [num_users=0] = placeholder[target=scale](default=None)
    %bias : [num_users=1] = get_attr[target=block.bias]
    %add : [num_users=1] = call_function[target=torch.ops.aten.add.Tensor](args = (%x, %bias), kwargs = {alpha: 2})
    %cat : [num_users=1] = call_function[target=torch.cat](args = ([%add, %x],), kwargs = {dim: 0})
    %getitem : [num_users=1] = call_function[target=operator.getitem](args = (%cat, (slice(None, -1, None), None)), kwargs = {})
    %view : [num_users=2] = call_method[target=view](args = (%getitem, -1, 4), kwargs = {})
    %norm : [num_users=1] = call_module[target=layers.0.norm](args = (%view,), kwargs = {})
    %blend : [num_users=2] = call_function[target=torch.ops.demo.blend.default](args = (%norm, 0.5), kwargs = {mode: so  ft, device: cuda:0})
    %wrapped : [num_users=1] = call_function[target=torch.ops.higher_order.auto_functionalized_v2](args = (demo.put.out,), kwargs = {x: %blend, _all_bases: [%x]})
    return (blend, {'all': [view, wrapped]}))"));
    }

    void headerBehindOtherWords() {
        const auto doc = fixture::read(
            " __compiled_fn_0 <eval_with_key>.1 opcode       name    target           args  kwargs\n"
            "-----------  ------  ---------------  ----  --------\n"
            "placeholder  x       x                ()    {}\n"
            "output       output  output           (x,)  {}\n");
        QVERIFY(doc.has_value());
        QCOMPARE(QString::fromStdString(doc->units[0].label), QStringLiteral("__compiled_fn_0"));
        QCOMPARE(doc->units[0].statedNodes, 2u);
    }

    void withoutRule() {
        const auto doc = fixture::read(
            "some words\nplaceholder  x  x  ()  {}\ncall_function  add  aten.add.Tensor  (x, 1)  {'alpha': 2}\noutput  output  output  (add,)  "
            "{}\nmore words\n");
        QVERIFY(doc.has_value());
        QCOMPARE(doc->units[0].statedNodes, 3u);
        QCOMPARE(doc->units[0].firstLine, 2u);
    }

    void wideCharacters() {
        for (const char* pad : {"", "  "}) {  // as tabulate pads with and without wcwidth
            const std::string text = std::string("opcode         name  target  args              kwargs\n") +
                                     "-------------  ----  ------  ----------------  --------\n"
                                     "placeholder    x     x       ()                {}\n"
                                     "call_method    y     f       (x, '重み')       " +
                                     (*pad ? "" : "  ") + "{}\noutput         o     o       (y,)              {}\n";
            const auto doc = fixture::read(text);
            QVERIFY(doc.has_value());
            QCOMPARE(fixture::codes(doc->units[0]), QString());
            QCOMPARE(doc->units[0].statedNodes, 3u);
        }
    }

    void brokenRows() {
        const auto doc = fixture::read(
            "opcode         name  target           args     kwargs\n"
            "-------------  ----  ---------------  -------  --------\n"
            "placeholder    x     x                ()       {}\n"
            "call_function  a     aten.add.Tensor  (x, 1    {}\n"
            "call_sorcery   b     aten.add.Tensor  (x, 1)   {}\n"
            "call_function  c     aten.neg.defau   (a,)     {}\n"
            "call_function  d     aten.neg.defa\n");
        QVERIFY(doc.has_value());
        const QString codes = fixture::codes(doc->units[0]);
        QVERIFY2(codes.contains("R014") && codes.contains("R010") && codes.contains("R020"), qPrintable(codes));
        QVERIFY(doc->units[0].graph[doc->units[0].graph.find("a"_n)].flags & FlagUnparsed);
        QVERIFY(doc->units[0].graph.find("c"_n));
    }

    void proseIsNoTable() {
        for (const char* text : {"output  of the program  is  written  below\n", "----  ----  ----\n", "opcode  name\n", "placeholder x x () {}\n"})
            QVERIFY2(!fixture::read(text).has_value(), text);
    }
};

QTEST_APPLESS_MAIN(tst_tables)
#include "tst_tables.moc"
