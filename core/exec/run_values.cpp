#include "core/exec/run_values.h"

#include <functional>

#include "core/exec/cpu/strided.h"
#include "core/exec/graph_ends.h"
#include "core/exec/written_values.h"

namespace aliascope::exec {
namespace {

/// A value of which only the place is remembered.
struct Seen {
    std::weak_ptr<Storage> storage;
    Tensor geometry;
};

struct GraphWatch {
    std::unordered_map<NodeId, std::vector<NodeId>> written;  ///< by mutating call
    std::unordered_set<NodeId> operands;                      ///< of those
};

bool hasNonFinite(const Digest& d) { return d.nan > 0 || d.posInf > 0 || d.negInf > 0; }

Shape coordinates(std::int64_t index, const Shape& sizes) {
    Shape at(sizes.size(), 0);
    for (std::size_t d = sizes.size(); d-- > 0;) {
        at[d] = index % sizes[d];
        index /= sizes[d];
    }
    return at;
}

/// Logical index of the first element that is no finite number; -1 on devices whose memory is not ours to read.
std::int64_t firstNonFinite(const Tensor& t, Backend& backend) {
    std::vector<std::byte> data(static_cast<std::size_t>(t.bytes()));
    backend.download(data.data(), t);
    Storage storage(backend, data.data(), 0);
    Tensor host = t;
    host.storage = StoragePtr(StoragePtr(), &storage);
    host.strides = contiguousStrides(t.sizes);
    host.offset = 0;
    std::int64_t found = -1;
    for (std::int64_t i = 0; i < t.numel() && found < 0; ++i)
        if (!std::isfinite(readDouble(host, i))) found = i;
    storage.data = nullptr;
    return found;
}

}  // namespace

/// A digest and whose it is. The storage is only compared with, never looked into.
struct Recent {
    const Storage* storage = nullptr;
    Tensor geometry;
    Digest digest;
};

struct RunCollector::Watched {
    std::vector<Recent> recent;  ///< taken since a kernel ran last
    std::unordered_map<const Graph*, GraphWatch> graphs;
    std::unordered_map<const Graph*, std::unordered_map<NodeId, Seen>> values;  ///< of the frame that runs now
    std::unordered_map<const Graph*, std::unordered_map<NodeId, std::int64_t>> integers;
    std::unordered_map<const Graph*, std::unordered_set<NodeId>> nonFinite;
};

std::size_t ValueKeyHash::operator()(const ValueKey& k) const {
    const std::uint64_t a = std::uint64_t(k.site.body) << 32 | k.site.node.value,
                        b = std::uint64_t(k.site.callPath) << 32 | static_cast<std::uint32_t>(k.out);
    return std::hash<std::uint64_t>()(a * 0x9E3779B97F4A7C15 ^ b);
}

RunCollector::RunCollector(const Graph& g, const OpRegistry& ops, Backend& backend, DigestMode digests)
    : main_(g), ops_(ops), backend_(backend), digests_(digests), watched_(std::make_unique<Watched>()) {
    const std::function<void(const Graph&)> watch = [&](const Graph& graph) {
        GraphWatch& w = watched_->graphs[&graph];
        for (NodeId id : inOrder(graph)) {
            if (!graph[id].isCall()) continue;
            auto written = writtenNodes(ops_, graph, id);
            if (written.empty()) continue;
            w.operands.insert(written.begin(), written.end());
            w.written.emplace(id, std::move(written));
        }
        for (const Graph::SubGraph& sub : graph.subGraphs())
            if (sub.graph) watch(*sub.graph);
    };
    watch(g);
}

RunCollector::~RunCollector() = default;

void RunCollector::keep(ValueKeys keys, std::int64_t bytes) {
    wanted_ = std::move(keys);
    room_ = bytes;
}

void RunCollector::keepAll(std::int64_t bytes) {
    all_ = true;
    room_ = bytes;
}

void RunCollector::keepWhere(std::function<bool(const Node&, const Tensor&)> wanted, std::int64_t bytes) {
    where_ = std::move(wanted);
    room_ = bytes;
}

void RunCollector::warned(const memory::Site& site, std::string_view code) {
    if (code == "CAST_RANGE") values.beyondRange.push_back(site);
}

bool RunCollector::add(const memory::Site& site, int out, const Tensor& t, const Node* node) {
    if (!t.storage) return false;
    const bool asked = all_ || (node && where_ && where_(*node, t));
    if (const ValueKey key{site, out}; (asked || wanted_.contains(key)) && t.bytes() <= room_) {
        KeptValue& value = kept[key];
        value.dtype = t.dtype;
        value.sizes = t.sizes;
        value.data.resize(static_cast<std::size_t>(t.bytes()));
        backend_.download(value.data.data(), t);
        room_ -= t.bytes();
    }
    const bool digested = digests_ == DigestMode::All || !node || (digests_ == DigestMode::Nodes && digested_.contains(node->name));
    if (digests_ != DigestMode::None && digested) values.rows.push_back({site, out, digestOnce(t)});
    return true;
}

Digest RunCollector::digestOnce(const Tensor& t) {
    constexpr std::size_t most = 64;
    for (const Recent& r : watched_->recent)
        if (r.storage == t.storage.get() && r.geometry.dtype == t.dtype && r.geometry.offset == t.offset && r.geometry.sizes == t.sizes &&
            r.geometry.strides == t.strides)
            return r.digest;
    Recent now{t.storage.get(), t, backend_.digest(t)};
    now.geometry.storage.reset();
    if (watched_->recent.size() < most) watched_->recent.push_back(now);
    return now.digest;
}

void RunCollector::nodeFinished(const memory::Site& site, const Graph& g, const Node& n, const RuntimeValue& value, std::int64_t wallNs) {
    const auto graph = watched_->graphs.find(&g);
    // Inside the body of an operator everything belongs to the call, which speaks for itself when it is done.
    if (graph == watched_->graphs.end()) return;
    if (n.isCall()) times.push_back({site, wallNs});
    if (const auto i = value.integer()) watched_->integers[&g][n.id] = *i;
    if (const Tensor* t = value.tensor(); t && graph->second.operands.contains(n.id)) {
        Seen& seen = watched_->values[&g][n.id];
        seen.storage = t->storage;
        seen.geometry = *t;
        seen.geometry.storage.reset();
    }
    if (n.op != "operator::getitem"_n) watched_->recent.clear();
    const bool idle = wanted_.empty() && !where_ && (digests_ == DigestMode::None || digests_ == DigestMode::Outputs);
    const bool results = endsGraph(n);
    if ((idle && !results) || !backend_.computes()) return;
    const std::size_t firstRow = values.rows.size();
    int out = 0;
    value.forEachTensor([&](const Tensor& t) { add(site, out++, t, results ? nullptr : &n); });
    if (n.isCall()) addWritten(site, g, n, value);
    if (digests_ != DigestMode::All) return;
    noteNaN(site, g, n, value, firstRow);
}

void RunCollector::addWritten(const memory::Site& site, const Graph& g, const Node& n, const RuntimeValue& value) {
    int k = 0;
    const auto& writes = watched_->graphs[&g].written;
    if (const auto found = writes.find(n.id); found != writes.end()) {
        for (NodeId operand : found->second) {
            const auto seen = watched_->values[&g].find(operand);
            if (seen != watched_->values[&g].end()) {
                Tensor t = seen->second.geometry;
                t.storage = seen->second.storage.lock();
                // What the call returns is digested as its result already.
                const Tensor* returned = value.tensor();
                if (t.storage && !(returned && sameGeometry(*returned, t))) add(site, writtenOut(k), t, &n);
            }
            ++k;
        }
        return;
    }
    const auto integer = [&](const Value& v) -> std::optional<std::int64_t> {
        if (v.isNode()) {
            const auto& known = watched_->integers[&g];
            const auto at = known.find(v.asNode());
            return at == known.end() ? std::nullopt : std::optional(at->second);
        }
        return v.kind() == Value::Kind::Sym ? v.asSym().evaluate(g.symbols) : v.asInt();
    };
    for (const Tensor& t : writtenByWrapper(ops_, n, value, integer)) add(site, writtenOut(k++), t, &n);
}

void RunCollector::noteNaN(const memory::Site& site, const Graph& g, const Node& n, const RuntimeValue& value, std::size_t firstRow) {
    bool bad = false;
    for (std::size_t i = firstRow; i < values.rows.size(); ++i) bad = bad || hasNonFinite(values.rows[i].digest);
    if (!bad) return;
    auto& known = watched_->nonFinite[&g];
    known.insert(n.id);
    const std::string_view op = packetOf(n.op).view();
    const bool undefined = op.starts_with("aten::empty") || op.starts_with("aten::new_empty");  // poison, not a result
    bool fresh = !firstNaN && n.isCall() && !undefined;
    for (NodeId operand : g.operands(n.id)) fresh = fresh && !known.contains(operand);
    if (!fresh) return;
    firstNaN = FirstNaN{site, n.name, {}};
    value.forEachTensor([&](const Tensor& t) {
        if (!firstNaN->at.empty() || !t.storage || !hasNonFinite(digestOf(t))) return;
        const std::int64_t index = firstNonFinite(t, backend_);
        if (index >= 0) firstNaN->at = coordinates(index, t.sizes);
    });
}

void RunCollector::finish(const ExecResult& result) {
    watched_->recent.clear();
    values.callPaths = result.memory.callPaths;
    values.synthetic = result.synthetic;
    if (!backend_.computes() || (digests_ == DigestMode::None && wanted_.empty())) return;
    if (result.complete && main_.output()) {
        int k = 0;
        for (const RuntimeValue& v : result.outputs)
            if (const Tensor* t = v.tensor()) add({0, main_.output(), 0}, k++, *t);
    }
    if (!result.complete) return;
    const auto placeholders = main_.placeholders();
    for (std::size_t i = 0; i < placeholders.size() && i < result.inputs.size(); ++i)
        if (const Tensor* t = result.inputs[i].tensor()) add({0, placeholders[i], 0}, kAfter, *t);
}

}  // namespace aliascope::exec
