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

/// Sizes come from files: what would not fit 62 bits, or lies before the storage, has no place.
bool isPlausible(const Region& region) {
    constexpr std::int64_t most = std::int64_t(1) << 62;
    std::int64_t last = region.offset, elements = 1;
    if (region.offset < 0) return false;
    for (std::size_t i = 0; i < region.sizes.size(); ++i) {
        std::int64_t span = 0;
        if (region.sizes[i] < 0 || region.strides[i] < 0 || __builtin_mul_overflow(elements, region.sizes[i], &elements)) return false;
        if (__builtin_mul_overflow(std::max<std::int64_t>(0, region.sizes[i] - 1), region.strides[i], &span)) return false;
        if (__builtin_add_overflow(last, span, &last)) return false;
    }
    return last < most / region.itemBytes && elements < most / region.itemBytes;
}

constexpr const char* kRegionColumns =
    "SELECT n.uid, t.sizes, t.strides, t.offset_el, t.numel, t.bytes FROM node n JOIN type t ON t.id = n.type WHERE n.lane = ";

/// Of a row of kRegionColumns; nothing where sizes are symbolic.
std::optional<Region> regionOfRow(const std::vector<std::optional<std::string>>& row) {
    const auto sizes = integers(row[1]);
    const auto numel = integer(row[4]), bytes = integer(row[5]);
    if (!sizes || !numel || !bytes || *numel <= 0) return std::nullopt;
    Region region;
    region.sizes = *sizes;
    region.strides = integers(row[2]).value_or(contiguousStrides(*sizes));
    if (region.strides.size() != region.sizes.size()) return std::nullopt;
    region.offset = integer(row[3]).value_or(0);
    region.itemBytes = std::max<std::int64_t>(1, *bytes / *numel);
    return isPlausible(region) ? std::optional(region) : std::nullopt;
}

std::string livingAt(int stage) {
    const std::string at = std::to_string(stage);
    return " AND n.first_stage <= " + at + " AND n.last_stage >= " + at;
}

std::map<Uid, Region> readRegions(const Recording& recording, const StageView& view, int storage) {
    std::map<Uid, Region> out;
    const Result<QueryResult> rows =
        recording.query(kRegionColumns + std::to_string(view.lane) + " AND n.storage = " + std::to_string(storage) + livingAt(view.stage));
    if (!rows) return out;
    for (const auto& row : rows->rows)
        if (auto region = regionOfRow(row)) out.emplace(Uid(integer(row[0]).value_or(0)), std::move(*region));
    return out;
}

struct Run {
    std::int64_t begin, end;
};

/// The bytes of a region as sorted runs that neither meet nor touch; nothing when there are more than kMostRuns.
std::optional<std::vector<Run>> runsOf(const Region& region) {
    std::vector<Run> runs;
    if (region.elements() == 0) return runs;
    struct Dim {
        std::int64_t size, stride;
    };
    std::vector<Dim> dims;
    for (std::size_t i = 0; i < region.sizes.size(); ++i)
        if (region.sizes[i] > 1 && region.strides[i] != 0) dims.push_back({region.sizes[i], region.strides[i] * region.itemBytes});
    std::sort(dims.begin(), dims.end(), [](const Dim& a, const Dim& b) { return a.stride < b.stride; });
    runs.push_back({region.begin(), region.begin() + region.itemBytes});
    for (const Dim& dim : dims) {
        // What is there so far, repeated; runs that touch become one.
        if (runs.size() == 1 && runs.front().end - runs.front().begin >= dim.stride) {
            runs.front().end += (dim.size - 1) * dim.stride;
            continue;
        }
        if (std::int64_t(runs.size()) > std::int64_t(kMostRuns) / dim.size) return std::nullopt;
        const std::size_t count = runs.size();
        for (std::int64_t i = 1; i < dim.size; ++i)
            for (std::size_t r = 0; r < count; ++r) runs.push_back({runs[r].begin + i * dim.stride, runs[r].end + i * dim.stride});
        std::sort(runs.begin(), runs.end(), [](const Run& a, const Run& b) { return a.begin < b.begin; });
        std::size_t last = 0;
        for (std::size_t r = 1; r < runs.size(); ++r) {
            if (runs[r].begin <= runs[last].end)
                runs[last].end = std::max(runs[last].end, runs[r].end);
            else
                runs[++last] = runs[r];
        }
        runs.resize(last + 1);
    }
    return runs;
}

std::int64_t totalOf(const std::vector<Run>& runs) {
    std::int64_t bytes = 0;
    for (const Run& run : runs) bytes += run.end - run.begin;
    return bytes;
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

std::optional<Region> regionOfNode(const Recording& recording, std::int64_t lane, int stage, Uid uid) {
    const Result<QueryResult> rows =
        recording.query(kRegionColumns + std::to_string(lane) + " AND n.uid = " + std::to_string(std::int64_t(uid)) + livingAt(stage));
    return rows && !rows->rows.empty() ? regionOfRow(rows->rows.front()) : std::nullopt;
}

std::optional<std::int64_t> overlapBytes(const Region& a, const Region& b) {
    if (commonSpan(a, b) == 0) return 0;
    const auto left = runsOf(a), right = runsOf(b);
    if (!left || !right) return std::nullopt;
    std::int64_t bytes = 0;
    for (std::size_t i = 0, k = 0; i < left->size() && k < right->size();) {
        const Run &x = (*left)[i], &y = (*right)[k];
        bytes += std::max<std::int64_t>(0, std::min(x.end, y.end) - std::max(x.begin, y.begin));
        x.end < y.end ? ++i : ++k;
    }
    return bytes;
}

std::int64_t gapBytes(const Region& a, const Region& b) {
    return std::max<std::int64_t>(0, std::max(a.begin(), b.begin()) - std::min(a.end(), b.end()));
}

std::optional<bool> contains(const Region& outer, const Region& inner) {
    const auto runs = runsOf(inner);
    const auto common = overlapBytes(outer, inner);
    if (!runs || !common) return std::nullopt;
    return *common == totalOf(*runs);
}

bool overlapsItself(const Region& region) {
    for (std::size_t i = 0; i < region.sizes.size(); ++i)
        if (region.sizes[i] > 1 && region.strides[i] == 0) return true;
    return false;
}

std::optional<std::vector<std::int64_t>> indexAt(const Region& region, std::int64_t byte) {
    if (region.elements() == 0 || byte < region.begin() || byte >= region.end()) return std::nullopt;
    std::int64_t rest = (byte - region.begin()) / region.itemBytes;
    std::vector<std::size_t> order;
    for (std::size_t i = 0; i < region.sizes.size(); ++i) order.push_back(i);
    std::stable_sort(order.begin(), order.end(), [&](std::size_t a, std::size_t b) { return region.strides[a] > region.strides[b]; });
    std::vector<std::int64_t> index(region.sizes.size(), 0);
    for (const std::size_t dim : order) {
        if (region.strides[dim] <= 0) continue;
        index[dim] = std::min(rest / region.strides[dim], region.sizes[dim] - 1);
        rest -= index[dim] * region.strides[dim];
    }
    return rest == 0 ? std::optional(index) : std::nullopt;
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
