// Constructors to the GPU (canonicalize.md 5.10).

#include <algorithm>
#include <numeric>
#include <unordered_map>

#include "core/passes/clean_up.h"
#include "core/passes/post_grad_patterns.h"

namespace aliascope {
namespace {

bool isCpu(const TensorType* t) { return t && t->device == "cpu"; }
bool isGpu(const TensorType* t) { return t && t->device.view().starts_with("cuda"); }

class ConstructorMover {
public:
    ConstructorMover(Graph& g, PassContext& ctx) : g_(g), ctx_(ctx) {}

    void run() {
        collect();
        if (constructors_.empty() || gpus_.size() != 1) return;
        countCpuOperands();
        propagate();
        for (std::size_t i = 0; i < constructors_.size(); ++i)
            if (!blocked_[find(i)] && mayMove(find(i))) move(constructors_[i]);
    }

private:
    static constexpr std::size_t kNone = static_cast<std::size_t>(-1);

    void collect() {
        for (NodeId id : inOrder(g_)) {
            const Node& n = g_[id];
            if (isGpu(n.tensor())) gpus_.insert(n.tensor()->device);
            const Value* device = n.kwarg("device"_n);
            if (n.kind == NodeKind::CallFunction && isCore(n) && device && device->kind() == Value::Kind::Device && device->name() == "cpu" &&
                makesTensor(n))
                constructors_.push_back(id);
        }
        parent_.resize(constructors_.size());
        std::iota(parent_.begin(), parent_.end(), std::size_t{0});
        blocked_.resize(constructors_.size());
    }

    static bool isCore(const Node& n) { return n.op.view().starts_with("aten::") || n.op.view().starts_with("prims::"); }
    bool makesTensor(const Node& n) const {
        const OpDef* def = ctx_.ops().find(n.op);
        if (!def || def->schema.returns.size() != 1 || !def->schema.returns[0].type.isTensorLike()) return false;
        return std::none_of(def->schema.params.begin(), def->schema.params.end(), [](const SchemaParam& p) { return p.type.isTensorLike(); });
    }

    /// Mentions of CPU tensors per node.
    void countCpuOperands() {
        for (NodeId id : inOrder(g_)) {
            std::size_t count = 0;
            const auto look = [&](NodeId operand) { count += isCpu(g_[operand].tensor()); };
            for (const Value& v : g_[id].args) v.forEachNode(look);
            for (const Keyword& k : g_[id].kwargs) k.second.forEachNode(look);
            if (count) cpuOperands_[id] = count;
        }
    }

    /// Follows values from the constructors to where they meet the GPU.
    void propagate() {
        std::vector<NodeId> queue;
        for (std::size_t i = 0; i < constructors_.size(); ++i) {
            set_[constructors_[i]] = i;
            queue.push_back(constructors_[i]);
        }
        while (!queue.empty()) {
            const NodeId id = queue.back();
            queue.pop_back();
            const std::size_t own = set_.at(id);
            for (NodeId user : g_.users(id)) {
                if (cannotMove(user)) {
                    blocked_[find(own)] = true;
                    break;
                }
                if (acceptsCpu(g_[user]) && isGpu(g_[user].tensor())) {
                    cpuOperands_.erase(user);
                } else if (const auto left = cpuOperands_.find(user); left != cpuOperands_.end() && --left->second == 0) {
                    cpuOperands_.erase(left);
                    queue.push_back(user);
                }
                const auto [at, fresh] = set_.try_emplace(user, own);
                if (!fresh) unite(at->second, own);
            }
        }
        // A CPU tensor that is no constructor's comes in: the node stays on the CPU.
        for (const auto& [id, count] : cpuOperands_)
            if (const auto at = set_.find(id); at != set_.end()) blocked_[find(at->second)] = true;
    }

    bool cannotMove(NodeId user) const {
        const Node& n = g_[user];
        return n.kind != NodeKind::CallFunction || !isCore(n) || putsCpuNumberByMask(n);
    }

    /// index_put with a boolean index and one number from the CPU fills without a copy; a number on the GPU would wait for it.
    bool putsCpuNumberByMask(const Node& n) const {
        static const Name put("aten::index_put"), putInPlace("aten::index_put_");
        if ((!n.is(put) && !n.is(putInPlace)) || !n.arg(2).isNode()) return false;
        bool mask = false;
        n.arg(1).forEachNode([&](NodeId index) {
            const TensorType* t = g_[index].tensor();
            mask = mask || (t && (t->dtype == DType::B8 || t->dtype == DType::I8));
        });
        const TensorType* value = g_[n.arg(2).asNode()].tensor();
        return mask && isCpu(value) && value->numel() == SymInt(1);
    }

    static bool acceptsCpu(const Node& n) {
        static const std::unordered_set<Name> ops = {"aten::index.Tensor"_n, "aten::index_put"_n, "aten::index_put_"_n,
                                                     "aten::copy"_n,         "aten::copy_"_n,     "aten::slice_scatter"_n};
        return ops.contains(n.op);
    }

    /// Constructors that meet move together, so they are one rewrite.
    bool mayMove(std::size_t set) {
        const auto [at, fresh] = allowed_.try_emplace(set, false);
        if (fresh) at->second = ctx_.mayRewrite();
        return at->second;
    }

    void move(NodeId id) {
        const Name device = *gpus_.begin();
        std::vector<Keyword> kwargs = g_[id].kwargs;
        for (Keyword& k : kwargs)
            if (k.first == "device"_n) k.second = Value::device(device);
        g_.setKwargs(id, std::move(kwargs));
        ctx_.rewrite({"constructor-to-gpu", {ref(g_, id)}, {ref(g_, id)}});
        refresh(id, device);
    }

    /// What is computed from it on the CPU is now computed on the GPU.
    void refresh(NodeId id, Name device) {
        std::vector<NodeId> work{id};
        while (!work.empty()) {
            const NodeId at = work.back();
            work.pop_back();
            const TensorType* t = g_[at].tensor();
            if (!isCpu(t)) continue;
            TensorType moved = *t;
            moved.device = device;
            g_.setType(at, Type::tensor(std::move(moved)), g_[at].trust);
            for (NodeId user : g_.users(at)) work.push_back(user);
        }
    }

    std::size_t find(std::size_t i) {
        while (parent_[i] != i) i = parent_[i] = parent_[parent_[i]];
        return i;
    }
    void unite(std::size_t a, std::size_t b) {
        a = find(a);
        b = find(b);
        if (a == b) return;
        parent_[a] = b;
        blocked_[b] = blocked_[b] || blocked_[a];
    }

    Graph& g_;
    PassContext& ctx_;
    std::vector<NodeId> constructors_;
    std::unordered_set<Name> gpus_;
    std::unordered_map<NodeId, std::size_t> cpuOperands_;
    std::unordered_map<NodeId, std::size_t> set_;    ///< a constructor on which the node depends
    std::vector<std::size_t> parent_;                ///< constructors that move together or not at all
    std::unordered_map<std::size_t, bool> allowed_;  ///< by representative
    std::vector<bool> blocked_;                      ///< by representative
};

}  // namespace

void moveConstructorsToGpu(Graph& g, PassContext& ctx) { ConstructorMover(g, ctx).run(); }

}  // namespace aliascope
