// Searches in sorted sequences, and counts of values.

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/strided.h"

namespace aliascope::exec {
namespace {

double numberOrElement(const RuntimeValue& v) {
    if (const Tensor* t = v.tensor()) return readDouble(*t);
    return v.number().value_or(0);
}

/// A sorted line: `count` elements from `offset` on, `stride` apart, perhaps visited through the line of a sorter.
struct SortedLine {
    const Tensor& t;
    std::int64_t offset, stride, count;
    const Tensor* sorter = nullptr;
    std::int64_t sorterOffset = 0, sorterStride = 0;

    double at(std::int64_t i) const { return readDouble(t, place(i)); }
    std::int64_t integerAt(std::int64_t i) const { return readInteger(t, place(i)); }

    std::int64_t place(std::int64_t i) const {
        if (!sorter) return offset + i * stride;
        const std::int64_t index = readInteger(*sorter, sorterOffset + i * sorterStride);
        if (index < 0 || index >= count)
            failExec("INDEX_OUT_OF_RANGE",
                     {{"value", std::to_string(index)}, {"pos", std::to_string(i)}, {"arg", "sorter"}, {"limit", std::to_string(count)}});
        return offset + index * stride;
    }

    /// First index whose element is not before `x`; with `right` the first that is after it. NaN is after everything.
    template <class C, class At>
    std::int64_t search(C x, bool right, At elementAt) const {
        auto less = [](C a, C b) { return a < b || (isNaN(b) && !isNaN(a)); };
        std::int64_t low = 0, high = count;
        while (low < high) {
            const std::int64_t middle = low + (high - low) / 2;
            const C m = elementAt(middle);
            if (right ? !less(x, m) : less(m, x))
                low = middle + 1;
            else
                high = middle;
        }
        return low;
    }
};

/// Position of element `offset` of `values` in the line; integers are compared as such.
std::int64_t positionOf(const SortedLine& line, const Tensor& values, std::int64_t offset, bool right) {
    if (info(values.dtype).floating || info(line.t.dtype).floating)
        return line.search(readDouble(values, offset), right, [&](std::int64_t i) { return line.at(i); });
    return line.search(readInteger(values, offset), right, [&](std::int64_t i) { return line.integerAt(i); });
}

bool searchesRight(const OpCall& call) { return call.arg("right").boolean().value_or(false) || call.arg("side").text() == "right"; }

/// bucketize(self, boundaries).
void bucketize(OpCall& call) {
    const Tensor &self = call.tensor(0), &boundaries = call.tensor(1), &out = call.out();
    if (boundaries.rank() != 1) failShape("boundaries", shapeText(boundaries.sizes), "one dimension");
    const SortedLine line{boundaries, 0, boundaries.strides[0], boundaries.sizes[0]};
    const bool right = searchesRight(call);
    StridedLoop<2>(out.sizes, {&out, &self}).forEach([&](const auto& at) { writeInteger(out, at[0], positionOf(line, self, at[1], right)); });
}

/// searchsorted(sorted_sequence, self): one sequence for all, or one for each line of values.
void searchSorted(OpCall& call) {
    const Tensor &sequence = call.tensor(0), &out = call.out();
    const Tensor* sorter = call.arg("sorter").tensor();
    const bool right = searchesRight(call);
    if (sequence.rank() == 0) failShape("sorted_sequence", "[]", "at least one dimension");
    if (sorter) requireSizes("sorter", *sorter, sequence.sizes);
    const Tensor& values = call.tensor(1);
    requireSizes("result", out, values.sizes);
    const std::size_t last = sequence.rank() - 1;
    SortedLine line{sequence, 0, sequence.strides[last], sequence.sizes[last], sorter, 0, sorter ? sorter->strides.at(last) : 0};
    if (sequence.rank() == 1) {
        StridedLoop<2>(out.sizes, {&out, &values}).forEach([&](const auto& at) { writeInteger(out, at[0], positionOf(line, values, at[1], right)); });
        return;
    }
    if (values.rank() != sequence.rank()) failShape("self", shapeText(values.sizes), "the dimensions of sorted_sequence but the last");
    const auto d = static_cast<std::int64_t>(last);
    const Shape outer = without(values.sizes, d);
    if (outer != without(sequence.sizes, d)) failShape("self", shapeText(values.sizes), "the dimensions of sorted_sequence but the last");
    const std::array<Shape, 4> strides{without(out.strides, d), without(values.strides, d), without(sequence.strides, d),
                                       sorter ? without(sorter->strides, d) : Shape(outer.size(), 0)};
    StridedLoop<4>(outer, strides).forEach([&](const auto& at) {
        line.offset = at[2];
        line.sorterOffset = at[3];
        for (std::int64_t i = 0; i < values.sizes[last]; ++i)
            writeInteger(out, at[0] + i * out.strides[last], positionOf(line, values, at[1] + i * values.strides[last], right));
    });
}

// --- counts ------------------------------------------------------------------------------------------------------------------------------------

/// histc(self, bins, min, max): closed on the right only at the end; what lies outside is not counted; min = max = range of the data.
void histogram(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    const std::int64_t bins = call.integer(1);
    if (bins < 1) failUnsupported("bins must be at least 1");
    double low = numberOrElement(call.args.at(2)), high = numberOrElement(call.args.at(3));
    const StridedLoop<1> loop(self.sizes, {&self}, LoopOrder::Logical);
    if (low == high && self.numel() > 0) {
        low = std::numeric_limits<double>::infinity();
        high = -low;
        loop.forEach([&](const auto& at) {
            low = std::min(low, readDouble(self, at[0]));
            high = std::max(high, readDouble(self, at[0]));
        });
    }
    if (low == high) {
        low -= 1;
        high += 1;
    }
    if (!std::isfinite(low) || !std::isfinite(high)) failUnsupported("the range of the values is not finite");
    if (low > high) failUnsupported("max must be larger than min");
    requireSizes("result", out, {bins});
    std::vector<std::int64_t> counts(static_cast<std::size_t>(bins), 0);
    loop.forEach([&](const auto& at) {
        const double x = readDouble(self, at[0]);
        if (!(x >= low && x <= high)) return;
        const auto bin = static_cast<std::int64_t>((x - low) / (high - low) * static_cast<double>(bins));
        ++counts[static_cast<std::size_t>(std::min(bin, bins - 1))];
    });
    for (std::int64_t b = 0; b < bins; ++b) writeInteger(out, b * out.strides.at(0), counts[static_cast<std::size_t>(b)]);
}

constexpr std::int64_t kMostBins = std::int64_t{1} << 31;

/// bincount(self, weights, minlength): sizes depend on the largest value.
std::vector<TensorType> binCountTypes(const OpCall& call) {
    const Tensor& self = call.tensor(0);
    const Tensor* weights = call.optionalTensor(1);
    std::int64_t bins = std::max<std::int64_t>(call.integer(2), 0);
    StridedLoop<1>(self.sizes, {&self}).forEach([&](const auto& at) {
        const std::int64_t v = readInteger(self, at[0]);
        if (v < 0 || v >= kMostBins)
            failExec("INDEX_OUT_OF_RANGE",
                     {{"value", std::to_string(v)}, {"pos", std::to_string(at[0])}, {"arg", "self"}, {"limit", std::to_string(kMostBins)}});
        bins = std::max(bins, v + 1);
    });
    TensorType t;
    t.dtype = !weights ? DType::I64 : weights->dtype == DType::F32 ? DType::F32 : DType::F64;
    t.device = self.device;
    t.sizes = {SymInt(bins)};
    t.strides = std::vector<SymInt>{SymInt(1)};
    return {t};
}

void binCount(OpCall& call) {
    const Tensor &self = call.tensor(0), &out = call.out();
    const Tensor* weights = call.optionalTensor(1);
    if (weights && weights->sizes != self.sizes) failShape("weights", shapeText(weights->sizes), shapeText(self.sizes));
    fillScalar(out, RuntimeValue(std::int64_t{0}));
    StridedLoop<2>(self.sizes, {&self, weights ? weights : &self}, LoopOrder::Logical).forEach([&](const auto& at) {
        const std::int64_t bin = readInteger(self, at[0]);  // below the size: binCountTypes made it
        writeDouble(out, bin, readDouble(out, bin) + (weights ? readDouble(*weights, at[1]) : 1));
    });
}

}  // namespace

void registerSearch(KernelTable& t) {
    t.add("aten::bucketize.Tensor", bucketize);
    t.add("aten::searchsorted.Tensor", searchSorted);
    t.add("aten::histc", histogram);
    Kernel& k = t.add("aten::bincount", binCount, ToleranceClass::Reduction);
    k.resultTypes = binCountTypes;
    k.dataDependent = true;
}

}  // namespace aliascope::exec
