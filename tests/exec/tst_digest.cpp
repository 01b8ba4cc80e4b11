// Digests of values: what they depend on, and what they do not.

#include <bit>
#include <cmath>
#include <limits>

#include "core/exec/digest.h"
#include "tests/exec/exec_fixture.h"

using namespace aliascope;
using namespace aliascope::exec;
using namespace aliascope::exec::testing;

namespace {

constexpr float kNaN = std::numeric_limits<float>::quiet_NaN(), kInf = std::numeric_limits<float>::infinity();

/// The definition, element by element.
std::uint64_t hashOf(const std::vector<std::uint64_t>& bits) {
    std::uint64_t sum = 0;
    for (std::size_t i = 0; i < bits.size(); ++i) {
        std::uint64_t z = bits[i] + i * 0x9E3779B97F4A7C15;
        z = (z ^ (z >> 30)) * 0xBF58476D1CE4E5B9;
        z = (z ^ (z >> 27)) * 0x94D049BB133111EB;
        sum += z ^ (z >> 31);
    }
    return sum;
}

template <class T>
Tensor of(DType dtype, const std::vector<std::int64_t>& sizes, const std::vector<T>& values) {
    TensorType type;
    type.dtype = dtype;
    type.sizes.assign(sizes.begin(), sizes.end());
    Tensor t = makeTensor(cpu(), type);
    cpu().upload(t, reinterpret_cast<const std::byte*>(values.data()));
    return t;
}

}  // namespace

class DigestTest : public QObject {
    Q_OBJECT

private slots:
    void followsItsDefinition() {
        QCOMPARE(digestOf(tensor({3}, {1, 2, -2})).hash, hashOf({0x3F800000, 0x40000000, 0xC0000000}));
        QCOMPARE(digestOf(of<std::uint16_t>(DType::BF16, {2}, {0x3F80, 0xBF80})).hash, hashOf({0x3F80, 0xBF80}));
        QCOMPARE(digestOf(of<std::int64_t>(DType::I64, {2}, {-1, 7})).hash, hashOf({~0ull, 7}));
        QCOMPARE(digestOf(of<std::int8_t>(DType::I8, {1}, {-1})).hash, hashOf({0xFF}));
        QCOMPARE(digestOf(of<std::uint8_t>(DType::B8, {2}, {1, 0})).hash, hashOf({1, 0}));
    }

    void sumsPartsOfComplexNumbers() {
        const Digest d = digestOf(of<float>(DType::C64, {2}, {3, 4, 0, 1}));
        QCOMPARE(d.numel, 2);
        QCOMPARE(d.l2, std::sqrt(26.0));
        QCOMPARE(d.argmaxAbs, 0);
    }

    void knowsPositions() { QVERIFY(digestOf(tensor({2}, {1, 2})).hash != digestOf(tensor({2}, {2, 1})).hash); }

    void dependsOnNoLayout() {
        // More than a block of elements in rows that end inside blocks.
        Tensor x = range({37, 61});
        Tensor t = x;
        std::swap(t.sizes[0], t.sizes[1]);
        std::swap(t.strides[0], t.strides[1]);
        Tensor copy = tensor({61, 37}, std::vector<float>(61 * 37));
        cpu().copy(copy, t);
        const Digest view = digestOf(t), contiguous = digestOf(copy);
        QCOMPARE(view.hash, contiguous.hash);
        QVERIFY(view.hash != digestOf(x).hash);
        QCOMPARE(std::bit_cast<std::uint64_t>(view.mean), std::bit_cast<std::uint64_t>(contiguous.mean));
        QCOMPARE(std::bit_cast<std::uint64_t>(view.l2), std::bit_cast<std::uint64_t>(contiguous.l2));
        QCOMPARE(view.argmaxAbs, 61 * 37 - 1);
    }

    void repeatsExpandedElements() {
        Tensor x = tensor({1}, {5});
        x.sizes = {4};
        x.strides = {0};
        QCOMPARE(digestOf(x).hash, digestOf(tensor({4}, {5, 5, 5, 5})).hash);
    }

    void tellsNaNAndMinusZeroApartInOneHashOnly() {
        const Digest a = digestOf(tensor({3}, {std::bit_cast<float>(0x7FC00001u), -0.0F, 1})), b = digestOf(tensor({3}, {kNaN, 0.0F, 1}));
        QVERIFY(a.hash != b.hash);
        QCOMPARE(a.hashV, b.hashV);
        QVERIFY(digestOf(tensor({1}, {0})).hashV != digestOf(tensor({1}, {1})).hashV);
    }

    void countsWhatIsNotFinite() {
        const Digest d = digestOf(tensor({6}, {kNaN, kInf, -kInf, 0, -3, 4}));
        QCOMPARE(d.nan, 1);
        QCOMPARE(d.posInf, 1);
        QCOMPARE(d.negInf, 1);
        QCOMPARE(d.zero, 1);
        QCOMPARE(d.min, -std::numeric_limits<double>::infinity());
        QCOMPARE(d.max, std::numeric_limits<double>::infinity());
        QCOMPARE(d.mean, 1.0 / 3);
        QCOMPARE(d.l2, 5.0);
        QCOMPARE(d.argmaxAbs, 1);
    }

    void hasNoStatisticsOfNothing() {
        const Digest empty = digestOf(tensor({0, 3}, {}));
        QCOMPARE(empty.numel, 0);
        QCOMPARE(empty.hash, 0ull);
        QVERIFY(std::isnan(empty.min) && std::isnan(empty.mean));
        QCOMPARE(empty.argmaxAbs, -1);
        const Digest nans = digestOf(tensor({2}, {kNaN, kNaN}));
        QVERIFY(std::isnan(nans.min) && std::isnan(nans.max) && std::isnan(nans.mean));
        QCOMPARE(nans.nan, 2);
    }
};

QTEST_APPLESS_MAIN(DigestTest)
#include "tst_digest.moc"
