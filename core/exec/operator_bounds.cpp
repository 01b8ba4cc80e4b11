#include "core/exec/operator_bounds.h"

#include <algorithm>
#include <cmath>

#include "core/analysis/alias.h"
#include "core/exec/compare_pairs.h"
#include "core/exec/written_values.h"

namespace aliascope::exec {

/// The bodies of a stage, and which memory their nodes write.
struct OperatorBounds::Side {
    struct Body {
        const Graph* graph = nullptr;
        std::unique_ptr<AliasInfo> alias;
        std::set<StorageId> written;
    };
    std::vector<Body> bodies;
    const OpRegistry& ops;

    Side(const Graph& g, const OpRegistry& registry) : ops(registry) {
        for (const Graph* body : bodiesOf(g)) bodies.push_back({body, nullptr, {}});
    }
    const Graph* graphOf(const memory::Site& site) const {
        const Graph* g = site.body < bodies.size() ? bodies[site.body].graph : nullptr;
        return g && g->contains(site.node) ? g : nullptr;
    }
    bool isWritten(std::uint32_t body, NodeId id) {
        Body& b = bodies[body];
        if (!b.alias) {
            b.alias = std::make_unique<AliasInfo>(*b.graph, ops);
            for (const NodeId n : inOrder(*b.graph))
                if ((*b.graph)[n].isCall())
                    for (const NodeId w : writtenNodes(ops, *b.graph, n))
                        if (const StorageId s = b.alias->storageOf(w)) b.written.insert(s);
        }
        const StorageId s = b.alias->storageOf(id);
        return s && b.written.contains(s);
    }
};

namespace {

double largestOf(const Digest& d) {
    const double most = std::max(std::fabs(d.min), std::fabs(d.max));
    return std::isfinite(most) ? most : 0;
}

/// At least the norm of any `terms` elements.
double normOf(const Digest& d, double terms) { return std::min(d.l2, std::sqrt(terms) * largestOf(d)); }

/// Terms that one element sums, from the shapes of operand and result.
double termsOf(const Digest& operand, const Digest& result) {
    if (operand.numel > result.numel && result.numel > 0) return static_cast<double>(operand.numel) / static_cast<double>(result.numel);
    const auto longest = std::max_element(operand.sizes.begin(), operand.sizes.end());  // along one dimension of a result of the same size
    return longest == operand.sizes.end() ? 1 : static_cast<double>(*longest);
}

std::optional<ElementBound> boundOf(const OpDef& op, const std::vector<const Digest*>& operands, const Digest& result) {
    const Kernel* kernel = KernelTable::cpu().find(op.canonical);
    if (!kernel && !op.isView() && !op.is(Trait::AliasIfLayout) && !op.is(Trait::FreshCopy)) return {};
    const ToleranceClass kind = kernel ? kernel->tolerance : ToleranceClass::Exact;
    OperatorScale scale;
    scale.result = result.dtype;
    for (const Digest* d : operands) scale.largest = std::max(scale.largest, largestOf(*d));
    if (kind == ToleranceClass::Reduction) {
        for (const Digest* d : operands) scale.terms = std::max(scale.terms, termsOf(*d, result));
    } else if (kind == ToleranceClass::Matmul) {
        const std::string_view name = op.canonical.view();
        if (operands.size() < 2 || name.find("backward") != std::string_view::npos) return {};
        const bool convolves = name.starts_with("aten::convolution");
        const Digest &a = convolves ? *operands[0] : *operands[operands.size() - 2], &b = convolves ? *operands[1] : *operands.back();
        if (a.sizes.empty() || b.sizes.empty() || b.sizes[0] == 0) return {};
        scale.terms = convolves ? static_cast<double>(b.numel / b.sizes[0]) : static_cast<double>(a.sizes.back());
        scale.norms = normOf(a, scale.terms) * normOf(b, scale.terms);
        if (operands.size() > 2) scale.norms = std::max(scale.norms, scale.largest);  // what is added counts too
    }
    return operatorBound(kind, scale);
}

}  // namespace

OperatorBounds::OperatorBounds(const ComparedStage& earlier, const ComparedStage& later, const std::vector<ComparedValue>& rows,
                               const OpRegistry& ops)
    : ops_(ops), earlier_(std::make_unique<Side>(*earlier.graph, ops)), later_(std::make_unique<Side>(*later.graph, ops)) {
    for (const ComparedValue& row : rows)
        if (row.b && row.outB >= 0) rows_[keyOf(*row.b)].push_back(&row);
    for (const RunValue& v : later.values->rows)
        if (v.out >= 0) digests_[{keyOf(v.site), v.out}] = &v.digest;
}

OperatorBounds::~OperatorBounds() = default;

std::optional<std::vector<const Digest*>> OperatorBounds::equalOperands(const memory::Site& a, const memory::Site& b) {
    const Graph &ga = *earlier_->graphOf(a), &gb = *later_->graphOf(b);
    const auto before = ga.operands(a.node), after = gb.operands(b.node);
    if (before.size() != after.size()) return {};
    std::vector<const Digest*> out;
    for (std::size_t i = 0; i < after.size(); ++i) {
        if (earlier_->isWritten(a.body, before[i]) || later_->isWritten(b.body, after[i])) return {};
        const Key key = keyOf({b.body, after[i], b.callPath});
        const auto rows = rows_.find(key);
        if (rows == rows_.end()) return {};
        for (const ComparedValue* row : rows->second) {
            if (row->verdict > Verdict::ValueSame || !row->a || row->a->node != before[i]) return {};
            out.push_back(digests_.at({key, row->outB}));
        }
    }
    return out;
}

double OperatorBounds::roundingOf(memory::Site site) const {
    const Graph* g = later_->graphOf(site);
    if (!g) return 0;
    const OpDef* op = ops_.find((*g)[site.node].op);
    constexpr int mostViews = 64;
    for (int i = 0; op && (op->isView() || op->is(Trait::AliasIfLayout)) && i < mostViews && !g->operands(site.node).empty(); ++i) {
        site.node = g->operands(site.node).front();
        op = ops_.find((*g)[site.node].op);
    }
    const Kernel* kernel = op ? KernelTable::cpu().find(op->canonical) : nullptr;
    const auto result = digests_.find({keyOf(site), 0});
    if (!kernel || result == digests_.end()) return 0;
    std::vector<const Digest*> operands;
    for (const NodeId operand : g->operands(site.node))
        if (const auto at = digests_.find({keyOf({site.body, operand, site.callPath}), 0}); at != digests_.end()) operands.push_back(at->second);
    if (kernel->tolerance == ToleranceClass::Reduction && !operands.empty())
        return summedRounding(kernel->tolerance, result->second->dtype, termsOf(*operands[0], *result->second), operands[0]->l2);
    if (kernel->tolerance == ToleranceClass::Matmul && operands.size() >= 2) {
        const Digest &a = *operands[operands.size() - 2], &b = *operands.back();
        if (op->canonical.view().starts_with("aten::convolution") || a.sizes.empty()) return 0;
        return summedRounding(kernel->tolerance, result->second->dtype, static_cast<double>(a.sizes.back()), a.l2 * b.l2);
    }
    return 0;
}

std::optional<ElementBound> OperatorBounds::of(const ComparedValue& row) {
    if (!row.a || !row.b || row.outB < 0) return {};
    const Graph *ga = earlier_->graphOf(*row.a), *gb = later_->graphOf(*row.b);
    if (!ga || !gb || !(*gb)[row.b->node].isCall() || (*ga)[row.a->node].op != (*gb)[row.b->node].op) return {};
    const OpDef* op = ops_.find((*gb)[row.b->node].op);
    if (!op || op->schema.isMutable()) return {};
    const auto operands = equalOperands(*row.a, *row.b);
    const auto own = digests_.find({keyOf(*row.b), row.outB});
    return operands && own != digests_.end() ? boundOf(*op, *operands, *own->second) : std::nullopt;
}

}  // namespace aliascope::exec
