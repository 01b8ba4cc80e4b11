#include "tests/passes/property/random_program.h"

#include <algorithm>
#include <numeric>
#include <random>

#include "core/analysis/alias.h"
#include "core/analysis/footprint.h"
#include "core/ops/infer.h"

namespace aliascope::testing {
namespace {

class Generator {
public:
    Generator(const OpRegistry& ops, std::uint32_t seed, const ProgramOptions& options) : ops_(ops), options_(options), random_(seed) {}

    Graph run() {
        const int inputs = 1 + below(3);
        for (int i = 0; i < inputs; ++i) addInput(i);
        for (int i = 0; i < options_.calls; ++i) addCall();
        Node output;
        output.kind = NodeKind::Output;
        output.name = output.target = "output"_n;
        std::vector<Value> returned;
        for (NodeId id : pool_)
            if (below(3) == 0) returned.push_back(Value::node(id));
        if (returned.empty()) returned.push_back(Value::node(pool_.back()));
        output.args = {Value::tuple(std::move(returned))};
        g_.append(std::move(output));
        return std::move(g_);
    }

private:
    struct Place {
        std::int64_t root;
        TensorType type;  ///< with the absolute offset
    };

    int below(int n) { return static_cast<int>(random_() % static_cast<std::uint32_t>(n)); }
    bool chance(int percent) { return below(100) < percent; }
    NodeId pick() { return pool_[static_cast<std::size_t>(below(static_cast<int>(pool_.size())))]; }
    const TensorType& typeOf(NodeId id) const { return *g_[id].tensor(); }
    std::int64_t size(NodeId id, std::size_t d) const { return *typeOf(id).sizes[d].constant(); }
    std::size_t rank(NodeId id) const { return typeOf(id).rank(); }
    std::int64_t numel(NodeId id) const { return *typeOf(id).numel().constant(); }
    bool isFloat(NodeId id) const { return typeOf(id).dtype == DType::F32; }

    NodeId call(std::string_view op, std::vector<Value> args, std::vector<Keyword> kwargs = {}) {
        Node n;
        n.op = Name(op);
        n.target = spellOp(n.op);
        std::string_view name = op;
        name.remove_prefix(name.rfind(':') + 1);
        n.name = Name(name.substr(0, name.find('.')));
        n.args = std::move(args);
        n.kwargs = std::move(kwargs);
        const NodeId id = g_.append(std::move(n));
        setInferredType(ops_, g_, id);
        return id;
    }

    void addInput(int i) {
        Node n;
        n.kind = NodeKind::Placeholder;
        n.name = n.target = Name("x" + std::to_string(i));
        TensorType t;
        t.dtype = DType::F32;
        t.device = "cpu"_n;
        const int dims = 1 + below(3);
        for (int d = 0; d < dims; ++d) t.sizes.emplace_back(1 + below(4));
        t.strides = TensorType::contiguousStrides(t.sizes);
        if (chance(20) && dims > 1) {  // an input that is a transposed tensor
            std::swap(t.sizes.front(), t.sizes.back());
            std::swap(t.strides->front(), t.strides->back());
        } else if (chance(15)) {  // rows of a wider tensor
            for (std::size_t d = 0; d + 1 < t.strides->size(); ++d) (*t.strides)[d] = (*t.strides)[d] * SymInt(2);
        }
        n.type = Type::tensor(std::move(t));
        n.trust = Trust::Stated;
        pool_.push_back(g_.append(std::move(n)));
    }

    /// True when every element of `id` has a place of its own.
    bool writable(NodeId id) const {
        const TensorType& t = typeOf(id);
        if (!t.strides) return false;
        std::vector<std::int64_t> offsets{0};
        for (std::size_t d = 0; d < t.rank(); ++d) {
            std::vector<std::int64_t> next;
            for (std::int64_t o : offsets)
                for (std::int64_t i = 0; i < *t.sizes[d].constant(); ++i) next.push_back(o + i * *(*t.strides)[d].constant());
            offsets = std::move(next);
        }
        std::sort(offsets.begin(), offsets.end());
        return std::adjacent_find(offsets.begin(), offsets.end()) == offsets.end();
    }

    NodeId pickWritable() {
        for (int tries = 0; tries < 8; ++tries)
            if (const NodeId id = pick(); writable(id) && typeOf(id).dtype == DType::F32) return id;
        return {};
    }

    NodeId pickLike(NodeId like) {
        std::vector<NodeId> same;
        for (NodeId id : pool_)
            if (typeOf(id).sizes == typeOf(like).sizes && typeOf(id).dtype == typeOf(like).dtype) same.push_back(id);
        return same.empty() ? like : same[static_cast<std::size_t>(below(static_cast<int>(same.size())))];
    }

    void keep(NodeId id) {
        if (g_[id].tensor()) pool_.push_back(id);
    }

    Value number() { return chance(50) ? Value::integer(1 + below(3)) : Value::real(0.5 * (1 + below(4))); }

    void addCall() {
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
            case 3:
                if (dims) {
                    const auto n = static_cast<int>(size(a, static_cast<std::size_t>(d)));
                    const int start = below(n), end = start + 1 + below(n - start);
                    std::vector<Value> args{base, Value::integer(d), Value::integer(start), Value::integer(end == n && chance(50) ? INT64_MAX : end)};
                    if (chance(20)) args.push_back(Value::integer(2));
                    keep(call("aten::slice.Tensor", std::move(args)));
                }
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
                const std::vector<SymInt> flat{SymInt(numel(a))};
                if (reshapeStrides(typeOf(a), flat)) keep(call("aten::view", {base, Value::list({Value::integer(-1)})}));
                break;
            }
            case 7:
                keep(call("aten::unsqueeze", {base, Value::integer(below(dims + 1))}));
                break;
            case 8:
                if (dims) keep(chance(50) ? call("aten::squeeze", {base}) : call("aten::squeeze.dim", {base, Value::integer(d)}));
                break;
            case 9:
                if (dims) takeList(a, d);
                break;
            case 10:
                if (options_.asStrided) addAsStrided(a);
                break;
            case 11:
                if (dims == 2 && below(2))
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

    void takeList(NodeId a, int d) {
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
        for (std::size_t d = 0; d < rank(a); ++d) sizes.push_back(size(a, d) == 1 && chance(50) ? Value::integer(2) : Value::integer(-1));
        if (rank(a) < 4) keep(call("aten::expand", {Value::node(a), Value::list(std::move(sizes))}));
    }

    void addAsStrided(NodeId a) {
        // The whole storage is known from where the root lies.
        const AliasInfo alias(g_, ops_);
        const StorageId storage = alias.storageOf(a);
        if (!storage) return;
        const TensorType* root = alias.geometry(alias.storage(storage).base);
        if (!root || !root->extent() || !root->extent()->constant() || root->dtype != typeOf(a).dtype || !(*root->extent() == root->numel()))
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
                if (extra > 0 && isFloat(b) && std::equal(typeOf(b).sizes.begin(), typeOf(b).sizes.end(), typeOf(a).sizes.begin() + extra))
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

    void putRows(NodeId a) {
        const NodeId rows = call("aten::full", {Value::list({Value::integer(1)}), Value::integer(below(static_cast<int>(size(a, 0))))},
                                 {{"dtype"_n, Value::constant("torch.int64"_n)}, {"device"_n, Value::device("cpu"_n)}});
        const NodeId row = call("aten::select.int", {Value::node(a), Value::integer(0), Value::integer(0)});
        call("aten::index_put_", {Value::node(a), Value::list({Value::node(rows)}), Value::node(row), Value::boolean(chance(50))});
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
        switch (below(6)) {
            case 0:
                call("mylib::foo", {Value::node(a)});
                break;
            case 1: {
                const NodeId other = pickLike(a);
                if (options_.aliasedOperands || !shareMemory(a, other)) keep(call("mylib::foo_ret", {Value::node(a), Value::node(other)}));
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
            default:
                if (rank(a) >= 1) storeRows(a, pickLike(a));
        }
    }

    void storeRows(NodeId keys, NodeId values) {
        if (!writable(values) || (!options_.aliasedOperands && shareMemory(keys, values))) return;
        const NodeId slot = call("aten::full", {Value::list({Value::integer(1)}), Value::integer(below(static_cast<int>(size(keys, 0))))},
                                 {{"dtype"_n, Value::constant("torch.int64"_n)}, {"device"_n, Value::device("cpu"_n)}});
        const NodeId row = call("aten::slice.Tensor", {Value::node(keys), Value::integer(0), Value::integer(0), Value::integer(1)});
        const NodeId fresh = call("aten::mul.Tensor", {Value::node(row), Value::integer(2)});
        call("mylib::cache", {Value::node(fresh), options_.aliasedOperands && chance(30) ? Value::node(row) : Value::node(fresh), Value::node(keys),
                              Value::node(values), Value::node(slot)});
    }

    const OpRegistry& ops_;
    ProgramOptions options_;
    std::mt19937 random_;
    Graph g_;
    std::vector<NodeId> pool_;
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
op mylib::cache(Tensor key, Tensor value, Tensor(a!) key_cache, Tensor(b!) value_cache, Tensor slot) -> ()
    def forward(self, key, value, key_cache, value_cache, slot):
        put_k = torch.ops.aten.index_put_.default(key_cache, [slot], key)
        put_v = torch.ops.aten.index_put_.default(value_cache, [slot], value)
        return ()
)";
}

Graph randomProgram(const OpRegistry& ops, std::uint32_t seed, const ProgramOptions& options) { return Generator(ops, seed, options).run(); }

}  // namespace aliascope::testing
