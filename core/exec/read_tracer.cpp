#include "core/exec/read_tracer.h"

#include <algorithm>
#include <cstring>

namespace aliascope::exec {
namespace {

constexpr std::size_t kCanary = 64;
constexpr std::byte kCanaryByte{0xC5};

/// How an operator moves elements: run on origins in place of the elements it gives the origins of its results.
struct Movement {
    std::vector<std::size_t> elements;  ///< arguments whose elements are moved; everything else (indices, sizes) stays as it is
    std::optional<std::size_t> fill;    ///< what is written where the indices say, a number or a tensor: the node's own
    std::optional<std::size_t> unless;  ///< flag that makes it a computation (`accumulate`)
};

const Movement* movementOf(Name op) {
    static const std::unordered_map<Name, Movement> all = [] {
        std::unordered_map<Name, Movement> m;
        for (const char* op : {"aten::clone", "aten::cat", "aten::stack", "aten::lift_fresh_copy", "aten::flip", "aten::roll"})
            m[Name(op)] = {{0}, {}, {}};
        for (const char* op :
             {"aten::copy", "aten::copy_", "aten::select_scatter", "aten::slice_scatter", "aten::diagonal_scatter", "aten::as_strided_scatter"})
            m[Name(op)] = {{0, 1}, {}, {}};
        for (const char* op : {"aten::index_put", "aten::index_put_"}) m[Name(op)] = {{0}, 2, 3};
        for (const char* op : {"aten::index_copy", "aten::index_copy_", "aten::scatter.src", "aten::scatter_.src", "aten::index_fill.int_Scalar",
                               "aten::index_fill_.int_Scalar", "aten::scatter.value", "aten::scatter_.value"})
            m[Name(op)] = {{0}, 3, {}};
        for (const char* op : {"aten::masked_fill.Scalar", "aten::masked_fill_.Scalar"}) m[Name(op)] = {{0}, 2, {}};
        return m;
    }();
    const auto at = all.find(op);
    return at == all.end() ? nullptr : &at->second;
}

/// `empty`, `new_empty_strided` …: what they return holds nothing yet.
bool leavesUndefined(Name op) {
    const std::string_view name = op.view().substr(std::min(op.view().find("::") + 2, op.view().size()));
    return name.starts_with("empty") || name.starts_with("new_empty");
}

/// Calls `f(first, count, stride)` for every innermost run of `t`, in elements from the start of its storage.
template <class F>
void forEachRun(const Tensor& t, F&& f) {
    if (t.numel() == 0) return;
    if (t.rank() == 0) return f(t.offset, std::int64_t(1), std::int64_t(1));
    const std::size_t inner = t.rank() - 1;
    Shape index(inner, 0);
    for (;;) {
        std::int64_t first = t.offset;
        for (std::size_t d = 0; d < inner; ++d) first += index[d] * t.strides[d];
        f(first, t.sizes[inner], t.strides[inner]);
        std::size_t d = inner;
        while (d > 0 && ++index[d - 1] == t.sizes[d - 1]) index[--d] = 0;
        if (d == 0) return;
    }
}

/// Every byte of the storage belongs to an element of `t`.
bool coversStorage(const Tensor& t) {
    return t.offset * t.itemSize() == t.storage->start && static_cast<std::size_t>(t.bytes()) == t.storage->bytes && t.extent() == t.numel();
}

Name parameterOf(const OpCall& call, std::size_t i) { return call.op && i < call.op->schema.params.size() ? call.op->schema.params[i].name : Name(); }

bool isWrittenOnly(const OpCall& call, std::size_t param) {
    if (!call.op || param >= call.op->schema.params.size() || !call.op->schema.params[param].written()) return false;
    return call.op->is(Trait::WriteOnly) || call.op->is(Trait::PartialWrite);
}

}  // namespace

ReadTracer::ReadTracer(Backend& inner, ExecObserver* next, bool full)
    : inner_(inner), next_(next), full_(full), host_(makeCpuBackend(Precision::Reference)) {}

ReadTracer::~ReadTracer() = default;

// --- memory --------------------------------------------------------------------------------------------------------------------------------

std::byte* ReadTracer::allocate(std::size_t bytes) {
    if (!full_) {
        std::byte* data = inner_.allocate(bytes);
        if (data) shadows_[data] = Shadow();
        return data;
    }
    std::byte* block = bytes + 2 * kCanary < bytes ? nullptr : inner_.allocate(bytes + 2 * kCanary);
    if (!block) return nullptr;
    std::memset(block, static_cast<int>(kCanaryByte), kCanary);
    std::memset(block + kCanary + bytes, static_cast<int>(kCanaryByte), kCanary);
    std::byte* data = block + kCanary;
    shadows_[data] = Shadow();
    madeAt_[data] = node_;
    return data;
}

void ReadTracer::free(std::byte* data, std::size_t bytes) noexcept {
    shadows_.erase(data);
    if (!full_) return inner_.free(data, bytes);
    std::byte* block = data - kCanary;
    const auto whole = [](const std::byte* at) { return std::all_of(at, at + kCanary, [](std::byte b) { return b == kCanaryByte; }); };
    const auto made = madeAt_.find(data);
    if (!whole(block) || !whole(data + bytes)) {
        if (log_.canariesBroken++ == 0 && made != madeAt_.end()) log_.firstBroken = made->second;
    }
    if (made != madeAt_.end()) madeAt_.erase(made);
    inner_.free(block, bytes + 2 * kCanary);
}

// --- origins -------------------------------------------------------------------------------------------------------------------------------

OriginId ReadTracer::here() {
    const auto [at, fresh] = originOfNode_.try_emplace({site_.body, site_.node.value}, static_cast<OriginId>(log_.origins.size()));
    if (fresh) log_.origins.push_back({site_, node_});
    return at->second;
}

ReadTracer::Shadow& ReadTracer::shadowOf(const Tensor& t) { return shadows_[t.storage->data]; }

Tensor ReadTracer::makeCells(std::int64_t count, OriginId value) {
    TensorType type;
    type.dtype = DType::I32;
    type.sizes = {SymInt(count)};
    Tensor cells = makeTensor(*host_, type);
    if (count > 0) std::fill_n(cells.as<OriginId>(), count, value);
    return cells;
}

/// The origins of the elements of `t` as a tensor of the same geometry; nothing when another element size has written the storage.
std::optional<Tensor> ReadTracer::cells(const Tensor& t) {
    Shadow& s = shadowOf(t);
    if (s.unit == 0) {
        const std::int64_t count = (t.storage->start + static_cast<std::int64_t>(t.storage->bytes)) / t.itemSize();
        s.cells = makeCells(count, s.whole).storage;
        s.unit = t.itemSize();
    }
    if (s.unit != t.itemSize()) return {};
    Tensor out = t;
    out.dtype = DType::I32;
    out.storage = s.cells;
    return out;
}

std::vector<OriginId> ReadTracer::originsOf(const Tensor& t) {
    const Shadow& s = shadowOf(t);
    if (s.unit == 0) return {s.whole};
    const auto view = cells(t);
    std::vector<OriginId> out;
    const auto add = [&](OriginId id) {
        if (out.empty() || out.back() != id) out.push_back(id);
        constexpr std::size_t many = 4096;
        if (out.size() < many) return;
        std::sort(out.begin(), out.end());
        out.erase(std::unique(out.begin(), out.end()), out.end());
    };
    const auto* all = reinterpret_cast<const OriginId*>(s.cells->data);
    if (view) {
        forEachRun(*view, [&](std::int64_t first, std::int64_t count, std::int64_t stride) {
            for (std::int64_t i = 0; i < count; ++i) add(all[first + i * stride]);
        });
    } else {  // elements of another size: everything between the first byte and the last
        const std::int64_t begin = t.offset * t.itemSize() / s.unit, end = ((t.offset + t.extent()) * t.itemSize() + s.unit - 1) / s.unit;
        for (std::int64_t i = begin; i < std::min<std::int64_t>(end, static_cast<std::int64_t>(s.cells->bytes / sizeof(OriginId))); ++i) add(all[i]);
    }
    std::sort(out.begin(), out.end());
    out.erase(std::unique(out.begin(), out.end()), out.end());
    return out;
}

void ReadTracer::stamp(const Tensor& t) {
    if (!t.storage || t.numel() == 0) return;
    Shadow& s = shadowOf(t);
    if (coversStorage(t)) {
        s = Shadow{here(), 0, nullptr};
        return;
    }
    const OriginId id = here();
    const auto view = cells(t);
    auto* all = reinterpret_cast<OriginId*>(s.cells->data);
    if (view) {
        forEachRun(*view, [&](std::int64_t first, std::int64_t count, std::int64_t stride) {
            for (std::int64_t i = 0; i < count; ++i) all[first + i * stride] = id;
        });
        return;
    }
    const std::int64_t begin = t.offset * t.itemSize() / s.unit, end = ((t.offset + t.extent()) * t.itemSize() + s.unit - 1) / s.unit;
    std::fill(all + begin, all + std::min<std::int64_t>(end, static_cast<std::int64_t>(s.cells->bytes / sizeof(OriginId))), id);
}

// --- launches ------------------------------------------------------------------------------------------------------------------------------

void ReadTracer::noteRead(const Tensor& t, Name operand, std::uint32_t element) {
    if (!t.storage || t.numel() == 0) return;
    log_.reads.push_back({site_, node_, launches_[{site_.body, site_.node.value}], operand, element, t.bytes(), originsOf(t)});
}

void ReadTracer::noteReads(const OpCall& call) {
    if (call.op && call.op->is(Trait::ShapeOnly)) return;
    for (std::size_t i = 0; i < call.args.size(); ++i) {
        if (isWrittenOnly(call, i)) continue;
        const Name operand = parameterOf(call, i);
        std::uint32_t element = 0;
        call.args[i].forEachTensor([&](const Tensor& t) { noteRead(t, operand, element++); });
    }
}

void ReadTracer::noteResults(const Graph& g, const ExecResult& result) {
    static const Name out("out"), after("after");
    if (!result.complete || !g.output()) return;
    site_ = {0, g.output(), 0};
    node_ = g[g.output()].name;
    std::uint32_t element = 0;
    for (const RuntimeValue& v : result.outputs) v.forEachTensor([&](const Tensor& t) { noteRead(t, out, element++); });
    element = 0;
    for (const RuntimeValue& v : result.inputs) v.forEachTensor([&](const Tensor& t) { noteRead(t, after, element++); });
}

/// The same kernel on origins. False when the elements cannot be told apart.
bool ReadTracer::move(const Kernel& k, const OpCall& call) {
    OpCall shadow = call;
    shadow.workspace = {};
    bool whole = true;
    const auto toCells = [&](const auto& self, RuntimeValue& v) -> void {
        if (Tensor* t = v.tensor()) {
            if (!t->storage || t->numel() == 0) return;
            if (auto c = cells(*t))
                *t = std::move(*c);
            else
                whole = false;
        } else if (auto* list = std::get_if<RuntimeList>(&v.data)) {
            for (RuntimeValue& item : *list) self(self, item);
        }
    };
    const Movement& movement = *movementOf(call.name);
    if (movement.unless && *movement.unless < call.args.size() && call.args[*movement.unless].boolean().value_or(true)) return false;
    for (const std::size_t i : movement.elements)
        if (i < shadow.args.size()) toCells(toCells, shadow.args[i]);
    if (movement.fill && *movement.fill < shadow.args.size()) {
        RuntimeValue& written = shadow.args[*movement.fill];
        if (Tensor* t = written.tensor()) {
            const Shape sizes = t->sizes;
            *t = makeCells(t->numel(), here());
            t->sizes = sizes;
            t->strides = contiguousStrides(sizes);
        } else {
            written = static_cast<std::int64_t>(here());
        }
    }
    for (Tensor& t : shadow.outputs) {
        if (!t.storage || t.numel() == 0) continue;
        if (auto c = cells(t))
            t = std::move(*c);
        else
            whole = false;
    }
    if (!whole) return false;
    try {
        shadow.precision = Precision::Reference;
        k.run(shadow);
    } catch (const ExecError&) {
        return false;
    }
    return true;
}

void ReadTracer::launch(const Kernel& k, OpCall& call) {
    const bool moved = movementOf(call.name) && move(k, call);
    const Movement* movement = movementOf(call.name);
    if (!moved)
        noteReads(call);
    else if (movement->fill && *movement->fill < call.args.size())
        call.args[*movement->fill].forEachTensor([&](const Tensor& t) { noteRead(t, parameterOf(call, *movement->fill), 0); });
    inner_.launch(k, call);
    if (moved && !movement->fill) return;
    ++launches_[{site_.body, site_.node.value}];
    if (moved || leavesUndefined(call.name)) return;
    for (const Tensor& t : call.outputs) stamp(t);
    for (std::size_t i = 0; call.op && i < call.args.size() && i < call.op->schema.params.size(); ++i)
        if (call.op->schema.params[i].written()) call.args[i].forEachTensor([&](const Tensor& t) { stamp(t); });
}

void ReadTracer::copy(const Tensor& dst, const Tensor& src) {
    inner_.copy(dst, src);
    if (!dst.storage || !src.storage || dst.numel() == 0) return;
    const Shadow from = shadowOf(src);
    if (from.unit == 0 && coversStorage(dst)) {
        shadowOf(dst) = from;
        return;
    }
    const auto to = cells(dst), source = cells(src);
    if (to && source)
        host_->copy(*to, *source);
    else
        stamp(dst);
}

void ReadTracer::upload(const Tensor& dst, const std::byte* hostContiguous) {
    inner_.upload(dst, hostContiguous);
    stamp(dst);
}

// --- what the run tells --------------------------------------------------------------------------------------------------------------------

void ReadTracer::runStarted(const Graph& g) {
    if (next_) next_->runStarted(g);
}

void ReadTracer::nodeStarted(const memory::Site& site, const Graph& g, const Node& n) {
    // Nodes of an operator's body carry the site of the node that owns them: the owner keeps its name.
    const bool owned = depth_ > 0 && site.body == site_.body && site.node == site_.node;
    ++depth_;
    site_ = site;
    if (!owned) node_ = n.name;
    log_.ran.insert({site.body, site.node.value});
    if (next_) next_->nodeStarted(site, g, n);
}

void ReadTracer::nodeFinished(const memory::Site& site, const Graph& g, const Node& n, const RuntimeValue& value, std::int64_t wallNs) {
    --depth_;
    const bool owned = depth_ > 0 && site.body == site_.body && site.node == site_.node;
    site_ = site;
    if (!owned) node_ = n.name;
    if (n.kind == NodeKind::Placeholder || n.kind == NodeKind::GetAttr) {
        value.forEachTensor([&](const Tensor& t) {
            if (t.storage && t.storage->data && !shadows_.contains(t.storage->data)) shadows_[t.storage->data].whole = here();
        });
    }
    if (next_) next_->nodeFinished(site, g, n, value, wallNs);
}

void ReadTracer::digest(const memory::Site& site, int out, const Digest& d) {
    if (next_) next_->digest(site, out, d);
}

void ReadTracer::warned(const memory::Site& site, std::string_view code) {
    if (next_) next_->warned(site, code);
}

void ReadTracer::finding(const Finding& f) {
    if (next_) next_->finding(f);
}

void ReadTracer::runFinished(bool complete) {
    if (next_) next_->runFinished(complete);
}

}  // namespace aliascope::exec
