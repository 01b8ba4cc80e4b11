#include <QtTest>
#include <random>
#include <set>

#include "core/analysis/footprint.h"

using namespace aliascope;

namespace {

TensorType strided(std::vector<SymInt> sizes, std::vector<SymInt> strides, SymInt offset = 0, DType dtype = DType::F32) {
    TensorType t;
    t.dtype = dtype;
    t.sizes = std::move(sizes);
    t.strides = std::move(strides);
    t.offset = offset;
    return t;
}

SymInt sym(const char* text) { return *SymInt::parse(text); }

/// Every address of a static region, in units of `scale`.
std::set<std::int64_t> addresses(const TensorType& t, int scale = 1) {
    std::set<std::int64_t> out = {*t.offset->constant()};
    for (std::size_t i = 0; i < t.rank(); ++i) {
        std::set<std::int64_t> next;
        for (std::int64_t n = 0; n < *t.sizes[i].constant(); ++n)
            for (std::int64_t a : out) next.insert(a + n * *(*t.strides)[i].constant());
        out = std::move(next);
    }
    std::set<std::int64_t> scaled;
    for (std::int64_t a : out)
        for (int b = 0; b < scale; ++b) scaled.insert(a * scale + b);
    return scaled;
}

std::int64_t shared(const std::set<std::int64_t>& a, const std::set<std::int64_t>& b) {
    return std::count_if(a.begin(), a.end(), [&](std::int64_t x) { return b.count(x) > 0; });
}

class Random {
public:
    std::int64_t upTo(std::int64_t n) { return std::uniform_int_distribution<std::int64_t>(0, n)(engine_); }
    TensorType region(DType dtype = DType::F32) {
        std::vector<SymInt> sizes, strides;
        for (std::int64_t rank = upTo(3); rank > 0; --rank) {
            sizes.emplace_back(upTo(20) == 0 ? 0 : 1 + upTo(4));
            strides.emplace_back(upTo(12));
        }
        return strided(sizes, strides, upTo(30), dtype);
    }
    /// A block of rows and columns of a matrix that is `width` wide.
    TensorType block(std::int64_t height, std::int64_t width) {
        const std::int64_t top = upTo(height - 1), left = upTo(width - 1);
        return strided({1 + upTo(height - 1 - top), 1 + upTo(width - 1 - left)}, {width, 1}, top * width + left);
    }

private:
    std::mt19937_64 engine_{20240607};
};

}  // namespace

class TestFootprint : public QObject {
    Q_OBJECT

private slots:
    void exactAgainstEnumeration() {
        Random random;
        for (int i = 0; i < 100'000; ++i) {
            const TensorType a = random.region(), b = random.region();
            const std::int64_t both = shared(addresses(a), addresses(b));
            const Overlap expected = both > 0 ? Overlap::Overlaps : Overlap::Disjoint;
            if (exactOverlap(a, b, {}) != expected || overlapElements(a, b) != both)
                QFAIL(qPrintable(
                    QString("%1 at %2 against %3 at %4").arg(a.str().c_str(), a.offset->str().c_str(), b.str().c_str(), b.offset->str().c_str())));
        }
    }

    void differentItemSizesCompareBytes() {
        Random random;
        for (int i = 0; i < 5'000; ++i) {
            const TensorType a = random.region(DType::F32), b = random.region(DType::BF16);
            const bool meets = shared(addresses(a, 4), addresses(b, 2)) > 0;
            QCOMPARE(exactOverlap(a, b, {}), meets ? Overlap::Overlaps : Overlap::Disjoint);
        }
    }

    void negativeStridesAreWalkedFromTheOtherEnd() {
        QCOMPARE(exactOverlap(strided({4}, {-1}, 3), strided({1}, {1}, 0), {}), Overlap::Overlaps);
        QCOMPARE(exactOverlap(strided({4}, {-1}, 3), strided({1}, {1}, 4), {}), Overlap::Disjoint);
    }

    void unknownPartsMayOverlap() {
        TensorType noStrides = strided({4}, {1});
        noStrides.strides.reset();
        QCOMPARE(exactOverlap(noStrides, strided({4}, {1}, 100), {}), Overlap::May);
        TensorType noOffset = strided({4}, {1});
        noOffset.offset.reset();
        QCOMPARE(exactOverlap(noOffset, strided({4}, {1}), {}), Overlap::May);
        QCOMPARE(exactOverlap(noOffset, strided({0}, {1}), {}), Overlap::Disjoint);
        QVERIFY(!referenceDisjoint(noStrides, strided({4}, {1}, 100), {}));
    }

    void hugeNumbersEndTheSearch() {
        const std::int64_t big = std::numeric_limits<std::int64_t>::max();
        QCOMPARE(exactOverlap(strided({big, big}, {big, 1}), strided({2}, {1}), {}), Overlap::May);
        QVERIFY(!overlapElements(strided({2'000'000}, {2}), strided({2'000'000}, {3}, 6)));
        QVERIFY(!overlapElements(strided({2}, {1}, std::numeric_limits<std::int64_t>::min()), strided({2}, {2}, big - 8)).value_or(0));
    }

    void largeRegionsAreCountedBySpan() {
        QCOMPARE(overlapElements(strided({2'000'000}, {1}), strided({2'000'000}, {1}, 5)), std::optional<std::int64_t>(1'999'995));
        QCOMPARE(overlapElements(strided({4096, 4096}, {4096, 1}), strided({2000, 4096}, {8192, 1}, 4096)), std::optional<std::int64_t>(2000 * 4096));
    }

    void symbolicRowsFollowEachOther() {
        // x[:n] and x[n:] of a matrix [s77, s27] with n = s77 // 2
        const SymInt n = sym("(s77//2)"), rows = sym("s77 - ((s77//2))"), width = sym("s27");
        const TensorType top = strided({n, width}, {width, 1}), bottom = strided({rows, width}, {width, 1}, sym("s27*((s77//2))"));
        QCOMPARE(exactOverlap(top, bottom, {}), Overlap::Disjoint);
        QCOMPARE(exactOverlap(bottom, top, {}), Overlap::Disjoint);
        QVERIFY(referenceDisjoint(top, bottom, {}));
        QVERIFY(referenceDisjoint(bottom, top, {}));
    }

    void symbolicComparisonsUseHintsInTheReference() {
        const TensorType a = strided({sym("s0")}, {1}), b = strided({4}, {1}, 8);
        QVERIFY(!referenceDisjoint(a, b, {}));
        SymbolTable symbols;
        symbols[Name("s0")].hint = 8;
        QVERIFY(referenceDisjoint(a, b, symbols));
        QCOMPARE(exactOverlap(a, b, symbols), Overlap::May);  // a hint proves nothing
        symbols[Name("s0")].max = 8;
        QCOMPARE(exactOverlap(a, b, symbols), Overlap::Disjoint);
    }

    // --- PyTorch's predicate, row by row (reinplace.md 4.3) ----------------------------------------------------------------------------------------

    void referenceRows_data() {
        QTest::addColumn<TensorType>("a");
        QTest::addColumn<TensorType>("b");
        QTest::addColumn<bool>("disjoint");
        QTest::newRow("2: no elements") << strided({0, 4}, {4, 1}) << strided({4, 4}, {4, 1}) << true;
        QTest::newRow("3: contiguous, one after the other") << strided({4}, {1}) << strided({4}, {1}, 4) << true;
        QTest::newRow("3: contiguous, overlapping") << strided({5}, {1}) << strided({4}, {1}, 4) << false;
        QTest::newRow("4: last element before the other's first") << strided({2, 2}, {8, 1}) << strided({2, 2}, {8, 1}, 10) << true;
        QTest::newRow("5: first rows overlap") << strided({4, 4}, {8, 1}) << strided({4, 4}, {8, 1}, 3) << false;
        QTest::newRow("7: left and right half") << strided({4, 4}, {8, 1}) << strided({4, 4}, {8, 1}, 4) << true;
        QTest::newRow("7: sizes that do not fit the row") << strided({4, 4}, {8, 1}) << strided({4, 6}, {8, 1}, 4) << false;
        QTest::newRow("8: every other element") << strided({4}, {2}) << strided({4}, {2}, 1) << false;
        QTest::newRow("8: columns of a matrix") << strided({3, 4, 4}, {64, 8, 1}) << strided({3, 4, 4}, {64, 8, 1}, 4) << false;
    }
    void referenceRows() {
        QFETCH(TensorType, a);
        QFETCH(TensorType, b);
        QFETCH(bool, disjoint);
        QCOMPARE(referenceDisjoint(a, b, {}), disjoint);
        QCOMPARE(referenceDisjoint(b, a, {}), disjoint);
    }

    void row7CallsAMatrixDisjointFromItsOwnBlock() {
        // The rows and columns 2 to 5 of an 8 x 8 matrix, against its columns 0 to 6.
        const TensorType whole = strided({8, 7}, {8, 1}), block = strided({4, 4}, {8, 1}, 18);
        QVERIFY(referenceDisjoint(whole, block, {}));
        QCOMPARE(exactOverlap(whole, block, {}), Overlap::Overlaps);
        QCOMPARE(overlapElements(whole, block), std::optional<std::int64_t>(16));
    }

    void row7IsTheOnlyWayToBeWrong() {
        Random random;
        int wrong = 0;
        for (int i = 0; i < 40'000; ++i) {
            const TensorType a = random.block(8, 8), b = random.block(8, 8);
            if (!referenceDisjoint(a, b, {}) || exactOverlap(a, b, {}) == Overlap::Disjoint) continue;
            ++wrong;
            const TensorType &x = *a.offset->constant() <= *b.offset->constant() ? a : b, &y = &x == &a ? b : a;
            const std::int64_t delta = *y.offset->constant() - *x.offset->constant();
            QVERIFY(delta % 8 < *x.sizes[1].constant());  // what row 7 does not look at
        }
        QVERIFY2(wrong > 2'000, qPrintable(QString::number(wrong)));
    }
};

QTEST_APPLESS_MAIN(TestFootprint)
#include "tst_footprint.moc"
