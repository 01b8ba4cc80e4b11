#include <QtTest>

#include "core/ops/promote.h"

using namespace aliascope;

namespace {

TensorType tensor(DType dtype, std::size_t rank) {
    TensorType t;
    t.dtype = dtype;
    t.sizes.assign(rank, SymInt(4));
    return t;
}

}  // namespace

/// Type promotion as measured on PyTorch (executor.md 2.2).
class TestPromote : public QObject {
    Q_OBJECT

private slots:
    void tensorsOfOneRank_data() {
        QTest::addColumn<DType>("a");
        QTest::addColumn<DType>("b");
        QTest::addColumn<DType>("result");
        QTest::newRow("f16 + bf16") << DType::F16 << DType::BF16 << DType::F32;
        QTest::newRow("i64 + bf16") << DType::I64 << DType::BF16 << DType::BF16;
        QTest::newRow("u8 + i8") << DType::U8 << DType::I8 << DType::I16;
        QTest::newRow("u8 + i32") << DType::U8 << DType::I32 << DType::I32;
        QTest::newRow("bool + bool") << DType::B8 << DType::B8 << DType::B8;
        QTest::newRow("bool + u8") << DType::B8 << DType::U8 << DType::U8;
        QTest::newRow("f32 + f64") << DType::F32 << DType::F64 << DType::F64;
        QTest::newRow("c64 + f64") << DType::C64 << DType::F64 << DType::C128;
        QTest::newRow("c64 + i64") << DType::C64 << DType::I64 << DType::C64;
    }
    void tensorsOfOneRank() {
        QFETCH(DType, a);
        QFETCH(DType, b);
        QFETCH(DType, result);
        for (bool swapped : {false, true}) {
            Promotion p;
            p.add(tensor(swapped ? b : a, 2));
            p.add(tensor(swapped ? a : b, 2));
            QCOMPARE(p.result(), result);
        }
    }

    void zeroDimensionalTensorsCountOnlyByCategory() {
        Promotion sameCategory, higher;
        sameCategory.add(tensor(DType::F64, 0));
        sameCategory.add(tensor(DType::BF16, 1));
        QCOMPARE(sameCategory.result(), DType::BF16);
        higher.add(tensor(DType::F32, 0));
        higher.add(tensor(DType::I64, 1));
        QCOMPARE(higher.result(), DType::F32);
    }

    void numbersCountOnlyByCategory() {
        auto with = [](DType d, Value number) {
            Promotion p;
            p.add(tensor(d, 1));
            p.addNumber(number);
            return p.result();
        };
        QCOMPARE(with(DType::I64, Value::real(0.5)), DType::F32);
        QCOMPARE(with(DType::I32, Value::boolean(true)), DType::I32);
        QCOMPARE(with(DType::B8, Value::integer(1)), DType::I64);
        QCOMPARE(with(DType::U8, Value::integer(300)), DType::U8);
        QCOMPARE(with(DType::BF16, Value::real(0.1)), DType::BF16);
    }
};

QTEST_APPLESS_MAIN(TestPromote)
#include "tst_promote.moc"
