#include "tests/passes/property/random_functional.h"

#include <algorithm>
#include <numeric>

#include "core/ops/infer.h"
#include "tests/passes/property/random_graph.h"

namespace aliascope::testing {
namespace {

class Generator : RandomGraph {
public:
    Generator(const OpRegistry& ops, std::uint32_t seed, const FunctionalOptions& options)
        : RandomGraph(ops, seed, Name(options.gpu ? "cuda:0" : "cpu")), options_(options) {}

    Graph run() {
        for (int i = 0, n = 1 + below(3); i < n; ++i) addInput(i);
        for (int i = 0; i < options_.calls; ++i) addCall();
        return finish(25);
    }

private:
    /// Recent values are taken more often, so that chains form.
    NodeId pick() {
        const int n = static_cast<int>(pool_.size());
        return pool_[static_cast<std::size_t>(chance(60) ? n - 1 - below(std::min(n, 3)) : below(n))];
    }
    NodeId pickFloat() {
        for (int tries = 0; tries < 8; ++tries)
            if (const NodeId id = pick(); info(type(id).dtype).floating) return id;
        return pool_.front();
    }

    void addInput(int i) {
        TensorType t;
        t.dtype = DType::F32;
        t.device = device_;
        for (int d = 0, dims = 1 + below(3); d < dims; ++d) t.sizes.emplace_back(1 + below(4));
        t.strides = TensorType::contiguousStrides(t.sizes);
        if (chance(30) && t.sizes.size() > 1) {
            std::swap(t.sizes.front(), t.sizes.back());
            std::swap(t.strides->front(), t.strides->back());
        }
        RandomGraph::addInput(i, std::move(t));
    }

    void addCall() {
        const int kind = below(100);
        if (kind < 34) return addView();
        if (kind < 44) return addConstant();
        if (kind < 56) return addElementwise();
        if (kind < 62) return addConversion();
        if (kind < 67) return addNoop();
        if (kind < 73) return addSoftmax();
        if (kind < 82) return addProduct();
        if (kind < 87) return addScatter();
        if (kind < 92) return addPieces();
        if (kind < 95) return addCumsum();
        repeatCall();
    }

    /// Factors of the number of elements, ones in between.
    std::vector<std::int64_t> otherShape(NodeId id) {
        std::int64_t left = numel(id);
        std::vector<std::int64_t> out;
        while (left > 1 && out.size() < 4) {
            std::vector<std::int64_t> divisors;
            for (std::int64_t d = 1; d <= left; ++d)
                if (left % d == 0) divisors.push_back(d);
            const std::int64_t d = divisors[static_cast<std::size_t>(below(static_cast<int>(divisors.size())))];
            out.push_back(d);
            left /= d;
        }
        if (left > 1 || out.empty()) out.push_back(left);
        return out;
    }

    void addView() {
        const NodeId a = pick();
        switch (below(9)) {
            case 0:
            case 1:
            case 2:
                return view(a, chance(25) ? sizesOf(a) : otherShape(a));
            case 3: {  // there and back
                const std::vector<std::int64_t> shape = sizesOf(a);
                view(a, otherShape(a));
                return view(pool_.back(), shape);
            }
            case 4:
            case 5: {
                std::vector<std::int64_t> dims(rank(a));
                std::iota(dims.begin(), dims.end(), 0);
                std::shuffle(dims.begin(), dims.end(), random_);
                keep(call("aten::permute", {Value::node(a), ints(dims)}));
                if (!chance(40)) return;
                std::vector<std::int64_t> inverse(dims.size());
                for (std::size_t i = 0; i < dims.size(); ++i) inverse[static_cast<std::size_t>(dims[i])] = static_cast<std::int64_t>(i);
                keep(call("aten::permute", {Value::node(pool_.back()), ints(inverse)}));
                return;
            }
            case 6:
                if (rank(a) < 4) keep(call("aten::unsqueeze", {Value::node(a), Value::integer(below(static_cast<int>(rank(a)) + 1))}));
                return;
            case 7:
                if (rank(a) > 0) keep(call("aten::squeeze.dim", {Value::node(a), Value::integer(below(static_cast<int>(rank(a))))}));
                return;
            default:
                if (options_.dtypeViews && type(a).dtype == DType::F32) {
                    keep(call("aten::view.dtype", {Value::node(a), dtypeValue(DType::I32)}));
                    if (chance(50)) keep(call("aten::view.dtype", {Value::node(pool_.back()), dtypeValue(DType::F32)}));
                }
        }
    }

    void view(NodeId a, std::vector<std::int64_t> shape) {
        std::vector<SymInt> sizes(shape.begin(), shape.end());
        const bool legal = reshapeStrides(type(a), sizes).has_value();
        if (!shape.empty() && chance(15)) shape[static_cast<std::size_t>(below(static_cast<int>(shape.size())))] = -1;
        keep(call(legal ? "aten::view" : "aten::reshape", {Value::node(a), ints(shape)}));
    }

    NodeId constant(std::vector<std::int64_t> shape, DType dtype, Value number) {
        if (shape.empty() && chance(50))
            return call("aten::scalar_tensor", {number},
                        {{"dtype"_n, dtypeValue(dtype)}, {"layout"_n, Value::constant("torch.strided"_n)}, {"device"_n, Value::device(device_)}});
        return call("aten::full", {ints(shape), number},
                    {{"dtype"_n, dtypeValue(dtype)}, {"device"_n, Value::device(device_)}, {"pin_memory"_n, Value::boolean(false)}});
    }

    Value number() {
        static constexpr double kNumbers[] = {0, 1, -0.0, 0.5, -2, 3};
        const double d = kNumbers[below(6)];
        return chance(50) && d == static_cast<double>(static_cast<std::int64_t>(d)) ? Value::integer(static_cast<std::int64_t>(d)) : Value::real(d);
    }

    void addConstant() {
        const NodeId like = pickFloat();
        const NodeId c =
            keep(constant(chance(70) ? sizesOf(like) : std::vector<std::int64_t>{}, chance(85) ? type(like).dtype : DType::F32, number()));
        static constexpr const char* kOps[] = {"aten::add.Tensor", "aten::sub.Tensor", "aten::mul.Tensor", "aten::div.Tensor"};
        static constexpr const char* kUnary[] = {"aten::neg", "aten::exp", "aten::abs", "aten::clone"};
        if (chance(40)) keep(call(kUnary[below(4)], {Value::node(c)}));
        const Value a = Value::node(like), b = Value::node(pool_.back());
        const int op = below(4);
        keep(op != 3 && chance(40) ? call(kOps[op], {b, a}) : call(kOps[op], {a, b}));
    }

    void addElementwise() {
        const NodeId a = pickFloat();
        static constexpr const char* kUnary[] = {"aten::cos", "aten::sin", "aten::neg", "aten::abs"};
        switch (below(3)) {
            case 0:
                keep(call(kUnary[below(4)], {Value::node(a)}));
                return;
            case 1:
                keep(call("aten::mul.Tensor", {Value::node(a), chance(30) ? Value::integer(0) : number()}));
                return;
            default:
                keep(call("aten::add.Tensor", {Value::node(a), Value::node(a)}));
        }
    }

    void addConversion() {
        static constexpr DType kWide[] = {DType::F32, DType::F64}, kAll[] = {DType::F32, DType::F64, DType::F16, DType::BF16};
        NodeId a = pickFloat();
        for (int i = 0, n = 1 + below(3); i < n; ++i)
            a = keep(call("prims::convert_element_type", {Value::node(a), dtypeValue(options_.lowPrecision ? kAll[below(4)] : kWide[below(2)])}));
    }

    void addNoop() {
        const NodeId a = pick();
        const Value v = Value::node(a);
        switch (below(4)) {
            case 0:
                keep(call("aten::clone", {v}));
                return;
            case 1:
                keep(call("aten::alias", {v}));
                return;
            case 2:
                if (rank(a) > 0) keep(call("aten::slice.Tensor", {v, Value::integer(0), Value::integer(0), Value::integer(INT64_MAX)}));
                return;
            default:
                if (rank(a) > 0) keep(call("aten::cat", {Value::list({v})}));
        }
    }

    void addSoftmax() {
        NodeId x = pickFloat();
        if (rank(x) == 0) return;
        const Value dims = ints({chance(50) ? -1 : below(static_cast<int>(rank(x)))});
        if (chance(75)) {
            Value scale = chance(20) ? Value::integer(2) : Value::real(chance(50) ? 0.25 : -1.5);
            if (chance(20)) scale = Value::node(constant({}, type(x).dtype, Value::real(chance(50) ? 0.5 : -0.75)));
            if (chance(25)) {
                x = call("aten::div.Tensor", {Value::node(x), scale});
            } else {
                const bool first = scale.isNode() && chance(50);
                x = first ? call("aten::mul.Tensor", {scale, Value::node(x)}) : call("aten::mul.Tensor", {Value::node(x), scale});
            }
            if (chance(30)) x = call("prims::convert_element_type", {Value::node(x), dtypeValue(DType::F32)});
        }
        const NodeId most = call("aten::amax", {Value::node(x), dims, Value::boolean(true)});
        const NodeId distance = keep(call("aten::sub.Tensor", {Value::node(x), Value::node(most)}));
        const NodeId exponential = call("aten::exp", {Value::node(distance)});
        const NodeId sum = call("aten::sum.dim_IntList", {Value::node(exponential), dims, Value::boolean(true)});
        keep(call("aten::div.Tensor", {Value::node(exponential), Value::node(sum)}));
    }

    void addProduct() {
        const NodeId a = pickFloat();
        if (rank(a) == 2) {
            const NodeId t = call("aten::permute", {Value::node(a), ints({1, 0})});
            const NodeId product = keep(call("aten::mm", {Value::node(a), Value::node(t)}));
            const NodeId bias =
                constant(chance(50) ? std::vector<std::int64_t>{size(product, 1)} : sizesOf(product), type(product).dtype, Value::real(0.5));
            const NodeId shift = call("aten::cos", {Value::node(bias)});
            switch (below(3)) {
                case 0:
                    keep(call("aten::add.Tensor", {Value::node(product), Value::node(shift)}));
                    return;
                case 1:
                    keep(call("aten::add.Tensor", {Value::node(shift), Value::node(product)}));
                    return;
                default:
                    keep(call("aten::addmm", {Value::node(shift), Value::node(a), Value::node(t)}));
                    if (chance(60)) keep(call("aten::neg", {Value::node(pool_.back())}));
                    return;
            }
        }
        if (rank(a) == 3) {
            const NodeId t = call("aten::permute", {Value::node(a), ints({0, 2, 1})});
            keep(call("aten::bmm", {Value::node(a), Value::node(t)}));
        }
    }

    void addScatter() {
        const std::vector<std::int64_t> shape{1 + below(4), 1 + below(5)};
        const auto dim = static_cast<std::size_t>(below(2));
        const NodeId full = constant(shape, DType::F32, Value::integer(below(2)));
        const NodeId positions = call("prims::iota", {Value::integer(shape[1 - dim])},
                                      {{"start"_n, Value::integer(0)},
                                       {"step"_n, Value::integer(1)},
                                       {"dtype"_n, dtypeValue(DType::I64)},
                                       {"device"_n, Value::device(device_)},
                                       {"requires_grad"_n, Value::boolean(false)}});
        const NodeId bounded = call("aten::remainder.Scalar", {Value::node(positions), Value::integer(shape[dim])});
        const NodeId index = call("aten::unsqueeze", {Value::node(bounded), Value::integer(static_cast<std::int64_t>(dim))});
        keep(call("aten::scatter.value", {Value::node(full), Value::integer(static_cast<std::int64_t>(dim)), Value::node(index), Value::real(-1.5)}));
    }

    void addPieces() {
        const NodeId a = pick();
        if (rank(a) == 0 || size(a, 0) < 2) return;
        const std::int64_t first = 1 + below(static_cast<int>(size(a, 0)) - 1);
        const auto split = [&](NodeId of) {
            const NodeId parts = call("aten::split_with_sizes", {Value::node(of), ints({first, size(of, 0) - first}), Value::integer(0)});
            return std::pair(call("operator::getitem", {Value::node(parts), Value::integer(0)}),
                             call("operator::getitem", {Value::node(parts), Value::integer(1)}));
        };
        const auto [left, right] = split(a);
        const NodeId joined = call(
            "aten::cat", {chance(70) ? Value::list({Value::node(left), Value::node(right)}) : Value::list({Value::node(right), Value::node(left)})});
        if (chance(50)) {
            keep(joined);
            return;
        }
        const auto [again, rest] = split(joined);
        keep(again);
        keep(rest);
    }

    void addCumsum() {
        const NodeId full = constant({1 + below(3), 1 + below(4)}, chance(50) ? DType::I64 : DType::F32, Value::integer(1 + below(2)));
        keep(call("aten::cumsum", {Value::node(full), Value::integer(below(2) - 1)}));
    }

    void repeatCall() {
        const NodeId a = pick();
        const Node& n = g_[a];
        if (n.kind == NodeKind::CallFunction && n.op != "operator::getitem"_n) keep(call(n.op.view(), n.args, n.kwargs));
    }

    FunctionalOptions options_;
};

}  // namespace

Graph randomFunctional(const OpRegistry& ops, std::uint32_t seed, const FunctionalOptions& options) { return Generator(ops, seed, options).run(); }

}  // namespace aliascope::testing
