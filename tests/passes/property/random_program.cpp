#include "tests/passes/property/random_program.h"

#include <algorithm>
#include <numeric>

#include "core/analysis/alias.h"
#include "core/analysis/footprint.h"
#include "core/ops/infer.h"
#include "tests/passes/property/random_graph.h"

namespace aliascope::testing {
namespace {

class Generator : RandomGraph {
public:
    Generator(const OpRegistry& ops, std::uint64_t seed, const ProgramOptions& options) : RandomGraph(ops, seed, "cpu"_n), options_(options) {}

    Graph run() {
        if (options_.dynamicSizes && chance(20)) addSymbol();
        const int inputs = 1 + below(3);
        for (int i = 0; i < inputs; ++i) addInput(i);
        for (int i = 0; i < options_.calls; ++i) addCall();
        return finish(33);
    }

private:
    NodeId pick() { return anyOf(pool_); }
    bool isFloat(NodeId id) const { return type(id).dtype == DType::F32; }
    bool isDynamic(NodeId id, std::size_t d) const { return !type(id).sizes[d].isConst(); }
    bool isDynamic(NodeId id) const {
        const auto& sizes = type(id).sizes;
        return std::any_of(sizes.begin(), sizes.end(), [](const SymInt& s) { return !s.isConst(); });
    }

    /// A symbolic size whose value is 1.
    bool hasDynamicOne(NodeId id) const {
        for (std::size_t d = 0; d < rank(id); ++d)
            if (isDynamic(id, d) && size(id, d) == 1) return true;
        return false;
    }

    /// An input `s0` that is the size of tensors.
    void addSymbol() {
        const Name name = "s0"_n;
        g_.symbols[name].hint = 2 + below(4);
        Node n;
        n.kind = NodeKind::Placeholder;
        n.name = n.target = name;
        n.type = Type::sym(SymInt::symbol(name));
        n.trust = Trust::Stated;
        symbol_ = g_.append(std::move(n));
    }

    void addInput(int i) {
        TensorType t;
        t.dtype = DType::F32;
        t.device = device_;
        const int dims = 1 + below(3);
        for (int d = 0; d < dims; ++d) t.sizes.push_back(symbol_ && chance(50) ? SymInt::symbol("s0"_n) : SymInt(1 + below(4)));
        t.strides = TensorType::contiguousStrides(t.sizes);
        if (chance(20) && dims > 1) {  // an input that is a transposed tensor
            std::swap(t.sizes.front(), t.sizes.back());
            std::swap(t.strides->front(), t.strides->back());
        } else if (chance(15)) {  // rows of a wider tensor
            for (std::size_t d = 0; d + 1 < t.strides->size(); ++d) (*t.strides)[d] = (*t.strides)[d] * SymInt(2);
        }
        RandomGraph::addInput(i, std::move(t));
    }

    /// True when every element of `id` has a place of its own.
    bool writable(NodeId id) const {
        const TensorType& t = type(id);
        if (!t.strides) return false;
        std::vector<std::int64_t> offsets{0};
        for (std::size_t d = 0; d < t.rank(); ++d) {
            std::vector<std::int64_t> next;
            for (std::int64_t o : offsets)
                for (std::int64_t i = 0; i < size(id, d); ++i) next.push_back(o + i * valueOf((*t.strides)[d]));
            offsets = std::move(next);
        }
        std::sort(offsets.begin(), offsets.end());
        return std::adjacent_find(offsets.begin(), offsets.end()) == offsets.end();
    }

    NodeId pickWritable() {
        for (int tries = 0; tries < 8; ++tries)
            if (const NodeId id = pick(); writable(id) && type(id).dtype == DType::F32) return id;
        return {};
    }

    NodeId pickLike(NodeId like) {
        std::vector<NodeId> same;
        for (NodeId id : pool_)
            if (type(id).sizes == type(like).sizes && type(id).dtype == type(like).dtype) same.push_back(id);
        return same.empty() ? like : same[static_cast<std::size_t>(below(static_cast<int>(same.size())))];
    }

    Value number() { return chance(50) ? Value::integer(1 + below(3)) : Value::real(0.5 * (1 + below(4))); }

    void addCall() {
        if (options_.neutral && chance(20)) return addNeutral();
        const int kind = below(100);
        if (kind < 38) return addView();
        if (kind < 52) return addPure();
        if (kind < 75 || !options_.customOps) return addInPlace();
        addCustom();
    }

    void addPure() {
        const NodeId a = pick();
        static constexpr const char* kUnary[] = {"aten::cos", "aten::sin", "aten::neg", "aten::clone"};
        static constexpr const char* kBinary[] = {"aten::add.Tensor", "aten::mul.Tensor", "aten::sub.Tensor"};
        switch (below(6)) {
            case 0:
                keep(call("aten::sum", {Value::node(a)}));
                break;
            case 1:
            case 2:
                keep(call(kUnary[below(4)], {Value::node(a)}));
                break;
            case 3:
                if (rank(a) == 2 && isFloat(a)) {
                    const NodeId t = call("aten::t", {Value::node(a)});
                    keep(t);
                    keep(call("aten::mm", {Value::node(a), Value::node(t)}));
                    break;
                }
                [[fallthrough]];
            default:
                keep(call(kBinary[below(3)], {Value::node(a), chance(50) ? number() : Value::node(pickLike(a))}));
        }
    }

    /// What clean-ups replace by its operand.
    void addNeutral() {
        const NodeId a = pick();
        if (!isFloat(a) || isDynamic(a)) return;
        const auto uniform = [&](int number) {
            return call("aten::full", {ints(sizesOf(a)), Value::integer(number)},
                        {{"dtype"_n, dtypeValue(DType::F32)}, {"device"_n, Value::device(device_)}});
        };
        switch (below(6)) {
            case 0:
                keep(call("aten::add.Tensor", {Value::node(a), Value::node(uniform(0))}));
                break;
            case 1:
                keep(call("aten::mul.Tensor", {Value::node(uniform(1)), Value::node(a)}));
                break;
            case 2:
                keep(call("aten::div.Tensor", {Value::node(a), Value::node(uniform(1))}));
                break;
            case 3:
                keep(call("aten::clone", {Value::node(call("aten::clone", {Value::node(a)}))}));
                break;
            case 4:
                keep(call("aten::sub.Tensor", {Value::node(a), Value::node(uniform(0))}));
                break;
            default:
                joinSplit(a);
        }
    }

    void joinSplit(NodeId a) {
        if (rank(a) == 0 || isDynamic(a, 0)) return;
        const std::int64_t n = size(a, 0), first = 1 + below(static_cast<int>(n));
        const NodeId split = call("aten::split_with_sizes", {Value::node(a), ints(first == n ? std::vector{n} : std::vector{first, n - first})});
        std::vector<Value> parts;
        for (int i = 0; i < (first == n ? 1 : 2); ++i)
            parts.push_back(Value::node(call("operator::getitem", {Value::node(split), Value::integer(i)})));
        keep(call("aten::cat", {Value::list(std::move(parts))}));
    }

    void addView() {
        const NodeId a = pick();
        const Value base = Value::node(a);
        const auto dims = static_cast<int>(rank(a));
        const int d = dims ? below(dims) : 0;
        switch (below(13)) {
            case 0:
            case 1:
                if (dims)
                    keep(call("aten::select.int",
                              {base, Value::integer(d), Value::integer(below(static_cast<int>(size(a, static_cast<std::size_t>(d)))))}));
                break;
            case 2:
                if (dims) takeHalves(a, d);
                break;
            case 3:
                if (dims) takeSlice(a, d);
                break;
            case 4:
                if (dims > 1) {
                    std::vector<std::int64_t> order(static_cast<std::size_t>(dims));
                    std::iota(order.begin(), order.end(), 0);
                    std::shuffle(order.begin(), order.end(), random_);
                    std::vector<Value> values;
                    for (std::int64_t o : order) values.push_back(Value::integer(o));
                    keep(call("aten::permute", {base, Value::list(std::move(values))}));
                }
                break;
            case 5:
                if (dims == 2)
                    keep(call("aten::t", {base}));
                else if (dims > 2)
                    keep(call("aten::transpose.int", {base, Value::integer(0), Value::integer(-1)}));
                break;
            case 6: {
                const std::vector<SymInt> flat{type(a).numel()};
                if (reshapeStrides(type(a), flat)) keep(call("aten::view", {base, Value::list({Value::integer(-1)})}));
                break;
            }
            case 7:
                keep(call("aten::unsqueeze", {base, Value::integer(below(dims + 1))}));
                break;
            case 8:
                // PyTorch would guard that the size is 1, so that no symbol were left.
                if (dims && !hasDynamicOne(a))
                    keep(chance(50) ? call("aten::squeeze", {base}) : call("aten::squeeze.dim", {base, Value::integer(d)}));
                break;
            case 9:
                if (dims) takeList(a, d);
                break;
            case 10:
                if (options_.asStrided) addAsStrided(a);
                break;
            case 11:
                if (dims == 2 && !isDynamic(a) && below(2))
                    keep(call("aten::diagonal", {base}));
                else if (chance(30))
                    keep(call(chance(50) ? "aten::alias" : "aten::detach", {base}));
                else
                    addExpand(a);
                break;
            default:
                if (options_.dtypeViews && isFloat(a) && chance(40)) keep(call("aten::view.dtype", {base, Value::constant("torch.int32"_n)}));
        }
    }

    void takeSlice(NodeId a, int d) {
        const Value base = Value::node(a), dim = Value::integer(d);
        if (isDynamic(a, static_cast<std::size_t>(d)) && chance(60)) {
            const Value half = Value::node(call("operator::floordiv", {Value::node(symbol_), Value::integer(2)}));
            keep(chance(50) ? call("aten::slice.Tensor", {base, dim, Value::integer(0), half})
                            : call("aten::slice.Tensor", {base, dim, half, Value::integer(INT64_MAX)}));
            return;
        }
        const auto n = static_cast<int>(size(a, static_cast<std::size_t>(d)));
        const int start = below(n), end = start + 1 + below(n - start);
        std::vector<Value> args{base, dim, Value::integer(start), Value::integer(end == n && chance(50) ? INT64_MAX : end)};
        if (chance(20)) args.push_back(Value::integer(2));
        keep(call("aten::slice.Tensor", std::move(args)));
    }

    /// Two slices that meet, or overlap by one.
    void takeHalves(NodeId a, int d) {
        const Value base = Value::node(a), dim = Value::integer(d);
        const auto n = static_cast<int>(size(a, static_cast<std::size_t>(d)));
        if (n < 2) return;
        const int middle = 1 + below(n - 1);
        keep(call("aten::slice.Tensor", {base, dim, Value::integer(0), Value::integer(middle)}));
        keep(call("aten::slice.Tensor", {base, dim, Value::integer(chance(70) ? middle : middle - 1), Value::integer(INT64_MAX)}));
    }

    void takeList(NodeId a, int d) {
        if (isDynamic(a, static_cast<std::size_t>(d))) return;
        const auto n = size(a, static_cast<std::size_t>(d));
        NodeId list;
        std::int64_t parts = n;
        if (chance(40)) {
            list = call("aten::unbind.int", {Value::node(a), Value::integer(d)});
        } else {
            const std::int64_t length = 1 + below(static_cast<int>(n));
            parts = (n + length - 1) / length;
            list = call("aten::split.Tensor", {Value::node(a), Value::integer(length), Value::integer(d)});
        }
        for (int i = 0; i < 2; ++i) keep(call("operator::getitem", {Value::node(list), Value::integer(below(static_cast<int>(parts)))}));
    }

    void addExpand(NodeId a) {
        std::vector<Value> sizes{Value::integer(1 + below(2))};
        for (std::size_t d = 0; d < rank(a); ++d)
            sizes.push_back(size(a, d) == 1 && !isDynamic(a, d) && chance(50) ? Value::integer(2) : Value::integer(-1));
        if (rank(a) < 4) keep(call("aten::expand", {Value::node(a), Value::list(std::move(sizes))}));
    }

    void addAsStrided(NodeId a) {
        // The whole storage is known from where the root lies.
        if (isDynamic(a)) return;
        const AliasInfo alias(g_, ops_);
        const StorageId storage = alias.storageOf(a);
        if (!storage) return;
        const TensorType* root = alias.geometry(alias.storage(storage).base);
        if (!root || !root->extent() || !root->extent()->constant() || root->dtype != type(a).dtype || !(*root->extent() == root->numel()))
            return;  // what lies in the gaps of an input is not the program's
        const auto extent = static_cast<int>(*root->extent()->constant());
        const int offset = below(extent), rows = 1 + below(2), columns = 1 + below(3), columnStride = 1 + below(2);
        const int rowStride = columns * columnStride + below(2);
        if (offset + (rows - 1) * rowStride + (columns - 1) * columnStride >= extent) return;
        keep(call("aten::as_strided", {Value::node(a), Value::list({Value::integer(rows), Value::integer(columns)}),
                                       Value::list({Value::integer(rowStride), Value::integer(columnStride)}), Value::integer(offset)}));
    }

    void addInPlace() {
        const NodeId a = pickWritable();
        if (!a) return;
        const Value self = Value::node(a);
        switch (below(14)) {
            case 0:
                keep(call("aten::add_.Tensor", {self, number()}));
                break;
            case 1:
                keep(call("aten::mul_.Tensor", {self, Value::node(pickLike(a))}));
                break;
            case 2:
                keep(call("aten::neg_", {self}));
                break;
            case 3:
                keep(call("aten::cos_", {self}));
                break;
            case 4:
                call("aten::zero_", {self});
                break;
            case 5:
                call("aten::fill_.Scalar", {self, number()});
                break;
            case 6:
                call("aten::copy_", {self, Value::node(pickLike(a))});
                break;
            case 7:
                addForeach(a);
                break;
            case 8:
                call("aten::add.out", {Value::node(pickLike(a)), Value::node(pickLike(a))}, {{"out"_n, self}});
                break;
            case 9: {
                // Broadcast from what has fewer dimensions.
                const NodeId b = pick();
                const auto extra = static_cast<std::ptrdiff_t>(rank(a)) - static_cast<std::ptrdiff_t>(rank(b));
                if (extra > 0 && isFloat(b) && std::equal(type(b).sizes.begin(), type(b).sizes.end(), type(a).sizes.begin() + extra))
                    call("aten::copy_", {self, Value::node(b)});
                break;
            }
            case 10:
                if (g_[a].kind != NodeKind::Placeholder && !inputsShare(a)) changeHandle(a);
                break;
            case 11:
                keep(call("operator::iadd", {self, Value::node(pickLike(a))}));
                break;
            default:
                if (rank(a) >= 1) putRows(a);
        }
    }

    void addForeach(NodeId a) {
        const NodeId b = pickWritable();
        if (!b) return;
        const Value list = Value::list({Value::node(a), Value::node(b)});
        if (chance(50))
            call("aten::_foreach_mul_.Scalar", {list, Value::real(2.0)});
        else
            call("aten::_foreach_add_.List", {list, Value::list({Value::node(pickLike(a)), Value::node(pickLike(b))})});
    }

    /// True when the tensor is an input by another name: its shape belongs to the caller.
    bool inputsShare(NodeId a) const {
        const AliasInfo alias(g_, ops_);
        const StorageId storage = alias.storageOf(a);
        return !storage || alias.storage(storage).role == StorageRole::Input;
    }

    bool returnsOperand(NodeId id) const {
        const std::string_view op = g_[id].op.view();
        return op.find("_.") != std::string_view::npos || op.ends_with("_") || op == "operator::iadd" || op == "aten::add.out";
    }

    /// `t_`, `unsqueeze_`: the tensor is another view of its memory from now on. Nodes that name it by other names would change too, so only
    /// a tensor that has one name is taken.
    void changeHandle(NodeId a) {
        for (NodeId other : pool_)
            if (other != a && !g_[other].args.empty() && g_[other].args[0] == Value::node(a) && returnsOperand(other)) return;
        if (returnsOperand(a) || g_[a].op == "operator::getitem"_n) return;
        const NodeId changed = rank(a) == 2 ? call("aten::t_", {Value::node(a)}) : call("aten::unsqueeze_", {Value::node(a), Value::integer(0)});
        std::replace(pool_.begin(), pool_.end(), a, changed);
    }

    NodeId rowNumber(NodeId a) {
        return call("aten::full", {ints({1}), Value::integer(below(static_cast<int>(size(a, 0))))},
                    {{"dtype"_n, dtypeValue(DType::I64)}, {"device"_n, Value::device(device_)}});
    }

    void putRows(NodeId a) {
        const Value self = Value::node(a), rows = Value::node(rowNumber(a)), first = Value::integer(0);
        switch (below(4)) {
            case 0: {
                const NodeId row = call("aten::slice.Tensor", {self, first, first, Value::integer(1)});
                call("aten::index_copy_", {self, first, rows, Value::node(row)});
                break;
            }
            case 1: {
                const NodeId mask = call("aten::gt.Scalar", {Value::node(pickLike(a)), number()});
                keep(call("aten::masked_fill_.Scalar", {self, Value::node(mask), number()}));
                break;
            }
            default: {
                const NodeId row = call("aten::select.int", {self, first, first});
                call("aten::index_put_", {self, Value::list({rows}), Value::node(row), Value::boolean(chance(50))});
            }
        }
    }

    bool shareMemory(NodeId a, NodeId b) const {
        const AliasInfo alias(g_, ops_);
        if (!alias.sameStorage(a, b)) return false;
        return !alias.geometry(a) || !alias.geometry(b) || exactOverlap(*alias.geometry(a), *alias.geometry(b), g_.symbols) != Overlap::Disjoint;
    }

    void addCustom() {
        const NodeId a = pickWritable(), b = pickWritable();
        if (!a || !b) return;
        const bool apart = options_.aliasedOperands || !shareMemory(a, b);
        switch (below(9)) {
            case 0:
                call("mylib::foo", {Value::node(a)});
                break;
            case 1:
            case 6: {
                const NodeId other = pickLike(a);
                if (!options_.aliasedOperands && shareMemory(a, other)) break;
                if (chance(50)) {
                    keep(call("mylib::foo_ret", {Value::node(a), Value::node(other)}));
                    break;
                }
                const NodeId pair = call("mylib::pair", {Value::node(a), Value::node(other)});
                for (int i = 0; i < 2; ++i) keep(call("operator::getitem", {Value::node(pair), Value::integer(i)}));
                break;
            }
            case 2:
                if (apart) call("mylib::two", {Value::node(a), Value::node(b)});
                break;
            case 3:
                if (apart) call("mylib::lst", {Value::list({Value::node(a), Value::node(b)}), Value::real(2.0)});
                break;
            case 4:
                call("mylib::opt", {Value::node(a), apart && chance(50) ? Value::node(b) : Value::none()});
                break;
            case 5: {
                const NodeId other = pickLike(a);
                if (options_.aliasedOperands || !shareMemory(a, other))
                    keep(call("mylib::opt_read", {Value::node(a), chance(50) ? Value::node(other) : Value::none()}));
                break;
            }
            case 7: {
                const NodeId x = pickLike(a), y = pickLike(b);
                if (options_.aliasedOperands ||
                    (!shareMemory(a, b) && !shareMemory(a, x) && !shareMemory(a, y) && !shareMemory(b, x) && !shareMemory(b, y)))
                    call("mylib::lst_read", {Value::list({Value::node(a), Value::node(b)}), Value::list({Value::node(x), Value::node(y)})});
                break;
            }
            default:
                if (rank(a) >= 1) storeRows(a, pickLike(a));
        }
    }

    void storeRows(NodeId keys, NodeId values) {
        if (!writable(values) || (!options_.aliasedOperands && shareMemory(keys, values))) return;
        const NodeId slot = rowNumber(keys);
        const NodeId row = call("aten::slice.Tensor", {Value::node(keys), Value::integer(0), Value::integer(0), Value::integer(1)});
        const NodeId fresh = call("aten::mul.Tensor", {Value::node(row), Value::integer(2)});
        call("mylib::cache", {Value::node(fresh), options_.aliasedOperands && chance(30) ? Value::node(row) : Value::node(fresh), Value::node(keys),
                              Value::node(values), Value::node(slot)});
    }

    ProgramOptions options_;
    NodeId symbol_;  ///< input that is the size of dynamic tensors; invalid = none
};

}  // namespace

std::string_view customOperators() {
    return R"(op mylib::foo(Tensor(a!) x) -> ()
    def forward(self, x):
        add_ = torch.ops.aten.add_.Tensor(x, 1)
        return ()
op mylib::foo_ret(Tensor(a!) x, Tensor y) -> Tensor
    def forward(self, x, y):
        add_ = torch.ops.aten.add_.Tensor(x, y)
        mul = torch.ops.aten.mul.Tensor(x, 2)
        return (mul,)
op mylib::two(Tensor(a!) x, Tensor(b!) y) -> ()
    def forward(self, x, y):
        add_ = torch.ops.aten.add_.Tensor(x, 1)
        add__1 = torch.ops.aten.add_.Tensor(y, 2)
        return ()
op mylib::lst(Tensor(a!)[] xs, float s) -> ()
    def forward(self, xs, s):
        mul_ = torch.ops.aten._foreach_mul_.Scalar(xs, s)
        return ()
op mylib::opt(Tensor(a!) x, Tensor(b!)? y) -> ()
    when y is None
    def forward(self, x, y):
        add_ = torch.ops.aten.add_.Tensor(x, 1)
        return ()
    otherwise
    def forward(self, x, y):
        add_ = torch.ops.aten.add_.Tensor(x, 1)
        add__1 = torch.ops.aten.add_.Tensor(y, 1)
        return ()
op mylib::pair(Tensor(a!) x, Tensor y) -> (Tensor, Tensor)
    def forward(self, x, y):
        mul = torch.ops.aten.mul.Tensor(x, 3)
        add_ = torch.ops.aten.add_.Tensor(x, y)
        neg = torch.ops.aten.neg.default(x)
        return (mul, neg)
op mylib::opt_read(Tensor(a!) x, Tensor? y) -> Tensor
    when y is None
    def forward(self, x, y):
        mul_ = torch.ops.aten.mul_.Tensor(x, 2)
        cos = torch.ops.aten.cos.default(x)
        return (cos,)
    otherwise
    def forward(self, x, y):
        add_ = torch.ops.aten.add_.Tensor(x, y)
        sub = torch.ops.aten.sub.Tensor(x, y)
        return (sub,)
op mylib::lst_read(Tensor(a!)[] xs, Tensor[] ys) -> ()
    def forward(self, xs, ys):
        add_ = torch.ops.aten._foreach_add_.List(xs, ys)
        return ()
op mylib::cache(Tensor key, Tensor value, Tensor(a!) key_cache, Tensor(b!) value_cache, Tensor slot) -> ()
    def forward(self, key, value, key_cache, value_cache, slot):
        put_k = torch.ops.aten.index_put_.default(key_cache, [slot], key)
        put_v = torch.ops.aten.index_put_.default(value_cache, [slot], value)
        return ()
)";
}

Graph randomProgram(const OpRegistry& ops, std::uint64_t seed, const ProgramOptions& options) { return Generator(ops, seed, options).run(); }

Graph sizedProgram(const OpRegistry& ops, std::uint64_t seed, bool neutral) {
    ProgramOptions options;
    options.neutral = neutral;
    options.calls = static_cast<int>(3 + seed % 14);
    options.aliasedOperands = seed % 3 == 0;
    return randomProgram(ops, seed, options);
}

}  // namespace aliascope::testing
