#include "views/session/alias_rows.h"

#include <QJsonArray>
#include <QJsonDocument>
#include <algorithm>
#include <map>

namespace aliascope {
namespace {

std::optional<std::vector<std::int64_t>> integers(const std::optional<std::string>& json) {
    if (!json) return std::nullopt;
    const QJsonDocument document = QJsonDocument::fromJson(QByteArray::fromStdString(*json));
    if (!document.isArray()) return std::nullopt;
    std::vector<std::int64_t> out;
    for (const QJsonValue& value : document.array()) {
        if (!value.isDouble()) return std::nullopt;  // symbolic
        out.push_back(value.toInteger());
    }
    return out;
}

std::optional<std::int64_t> integer(const std::optional<std::string>& text) {
    if (!text || text->empty()) return std::nullopt;
    bool ok = false;
    const qlonglong value = QString::fromStdString(*text).toLongLong(&ok);
    return ok ? std::optional<std::int64_t>(value) : std::nullopt;
}

std::vector<std::int64_t> contiguousStrides(const std::vector<std::int64_t>& sizes) {
    std::vector<std::int64_t> strides(sizes.size(), 1);
    for (std::size_t i = sizes.size(); i-- > 1;) strides[i - 1] = strides[i] * std::max<std::int64_t>(sizes[i], 1);
    return strides;
}

std::map<Uid, Region> readRegions(const Recording& recording, const StageView& view, int storage) {
    std::map<Uid, Region> out;
    const std::string at = std::to_string(view.stage);
    const Result<QueryResult> rows = recording.query(
        "SELECT n.uid, t.sizes, t.strides, t.offset_el, t.numel, t.bytes FROM node n JOIN type t ON t.id = n.type WHERE n.lane = " +
        std::to_string(view.lane) + " AND n.storage = " + std::to_string(storage) + " AND n.first_stage <= " + at + " AND n.last_stage >= " + at);
    if (!rows) return out;
    for (const auto& row : rows->rows) {
        const auto sizes = integers(row[1]);
        const auto numel = integer(row[4]), bytes = integer(row[5]), uid = integer(row[0]);
        if (!uid || !sizes || !numel || !bytes || *numel <= 0) continue;
        Region region;
        region.sizes = *sizes;
        region.strides = integers(row[2]).value_or(contiguousStrides(*sizes));
        if (region.strides.size() != region.sizes.size()) continue;
        region.offset = integer(row[3]).value_or(0);
        region.itemBytes = std::max<std::int64_t>(1, *bytes / *numel);
        out.emplace(Uid(*uid), std::move(region));
    }
    return out;
}

/// Adds the bytes of a region to buckets; a block that fits one bucket is added at once.
class Rasteriser {
public:
    Rasteriser(std::int64_t from, std::int64_t to, int buckets)
        : from_(from), width_(double(to - from) / buckets), bytes_(std::size_t(buckets), 0.0) {}

    struct Dim {
        std::int64_t size, stride;  // stride in bytes
    };

    void add(std::vector<Dim> dims, std::int64_t begin, std::int64_t itemBytes) {
        std::erase_if(dims, [](const Dim& d) { return d.size == 1 || d.stride == 0; });
        std::sort(dims.begin(), dims.end(), [](const Dim& a, const Dim& b) { return a.stride > b.stride; });
        std::int64_t run = itemBytes;
        while (!dims.empty() && dims.back().stride == run) {
            run *= dims.back().size;
            dims.pop_back();
        }
        walk(dims, 0, begin, run);
    }

    std::vector<float> shares() const {
        std::vector<float> out;
        out.reserve(bytes_.size());
        for (double b : bytes_) out.push_back(float(std::min(1.0, b / width_)));
        return out;
    }

private:
    void walk(const std::vector<Dim>& dims, std::size_t level, std::int64_t begin, std::int64_t run) {
        std::int64_t span = run, bytes = run;
        for (std::size_t i = level; i < dims.size(); ++i) {
            span += (dims[i].size - 1) * dims[i].stride;
            bytes *= dims[i].size;
        }
        if (begin + span <= from_ || begin >= from_ + std::int64_t(width_ * double(bytes_.size()) + 0.5)) return;
        if (level == dims.size() || double(span) <= width_) {
            spread(begin, span, double(bytes) / double(span));
            return;
        }
        for (std::int64_t i = 0; i < dims[level].size; ++i) walk(dims, level + 1, begin + i * dims[level].stride, run);
    }

    void spread(std::int64_t begin, std::int64_t length, double density) {
        const double first = double(begin - from_) / width_, last = double(begin + length - from_) / width_;
        const auto lo = std::max<std::int64_t>(0, std::int64_t(first)),
                   hi = std::min<std::int64_t>(std::int64_t(bytes_.size()), std::int64_t(last) + 1);
        for (std::int64_t b = lo; b < hi; ++b) {
            const double share = std::min(last, double(b + 1)) - std::max(first, double(b));
            if (share > 0) bytes_[std::size_t(b)] += share * width_ * density;
        }
    }

    std::int64_t from_;
    double width_;
    std::vector<double> bytes_;
};

void addWrites(const StageView& view, std::uint32_t at, std::vector<AliasMember>& out, const std::map<Uid, Region>& regions) {
    const NodeRow& written = *view.snapshot->nodes[at];
    for (std::uint32_t e : view.outputs(written.uid)) {
        const EdgeRow& edge = view.snapshot->edges[e];
        if (edge.mode != EdgeRow::Mode::Write && edge.mode != EdgeRow::Mode::ReadWrite) continue;
        const NodeRow* writer = view.node(edge.to);
        if (!writer) continue;
        AliasMember write;
        write.kind = AliasMember::Kind::Write;
        write.uid = writer->uid;
        write.name = writer->name;
        write.op = shortOp(*writer);
        write.target = written.name;
        write.argument = edge.arg;
        write.bytes = written.bytes;
        if (const auto region = regions.find(written.uid); region != regions.end()) write.region = region->second;
        out.push_back(std::move(write));
    }
}

}  // namespace

std::int64_t Region::elements() const {
    std::int64_t n = 1;
    for (std::int64_t size : sizes) n *= size;
    return n;
}

std::int64_t Region::end() const {
    if (elements() == 0) return begin();
    std::int64_t last = offset;
    for (std::size_t i = 0; i < sizes.size(); ++i) last += std::max<std::int64_t>(0, (sizes[i] - 1) * strides[i]);
    return (last + 1) * itemBytes;
}

bool Region::contiguous() const { return end() - begin() == elements() * itemBytes; }

std::int64_t commonSpan(const Region& a, const Region& b) {
    return std::max<std::int64_t>(0, std::min(a.end(), b.end()) - std::max(a.begin(), b.begin()));
}

std::vector<float> coverage(const Region& region, std::int64_t from, std::int64_t to, int buckets) {
    if (buckets <= 0 || to <= from) return {};
    Rasteriser raster(from, to, buckets);
    if (region.elements() > 0) {
        std::vector<Rasteriser::Dim> dims;
        for (std::size_t i = 0; i < region.sizes.size(); ++i) dims.push_back({region.sizes[i], region.strides[i] * region.itemBytes});
        raster.add(std::move(dims), region.begin(), region.itemBytes);
    }
    return raster.shares();
}

AliasRowsPtr loadAliasRows(const Recording& recording, const StageView& view, int storage) {
    const std::vector<std::uint32_t>& members = view.members(storage);
    if (members.empty()) return nullptr;
    auto out = std::make_shared<AliasRows>();
    out->storage = storage;
    const StorageRow* row = view.storage(storage);
    if (row) {
        out->base = row->baseName;
        out->role = row->role;
        out->bytes = row->bytes;
        out->opaque = row->opaque;
    }
    const std::map<Uid, Region> regions = readRegions(recording, view, storage);
    for (std::uint32_t at : members) {
        const NodeRow& node = *view.snapshot->nodes[at];
        AliasMember member;
        member.kind = row && row->base == node.uid ? AliasMember::Kind::Base : AliasMember::Kind::View;
        member.uid = node.uid;
        member.name = node.name;
        member.op = shortOp(node);
        member.type = node.type;
        member.bytes = node.bytes;
        if (const auto region = regions.find(node.uid); region != regions.end()) member.region = region->second;
        out->members.push_back(std::move(member));
        addWrites(view, at, out->members, regions);
    }
    std::stable_sort(out->members.begin(), out->members.end(),
                     [&](const AliasMember& a, const AliasMember& b) { return view.indexOf(a.uid).value_or(0) < view.indexOf(b.uid).value_or(0); });
    return out;
}

}  // namespace aliascope
