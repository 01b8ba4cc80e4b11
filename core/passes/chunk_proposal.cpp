#include "core/passes/chunk_proposal.h"

#include <algorithm>
#include <array>
#include <charconv>

#include "core/passes/fused_memory.h"

namespace aliascope {
namespace {

constexpr std::array<std::int64_t, 6> kNumbers = {2, 4, 8, 16, 32, 64};
constexpr std::int64_t kReferenceNumber = 8;
constexpr std::int64_t kFewestRows = 512;  // products of fewer rows lose throughput
constexpr std::int64_t kRowMultiple = 128;
constexpr std::int64_t kFewestChunks = 4;        // two chunks save nothing of a fused chain
constexpr std::int64_t kLeastSaving = 64 << 20;  // bytes; and a twentieth of the peak

class ChunkProposer {
public:
    ChunkProposer(const Graph& g, const OpRegistry& ops, const ChunkRequest& request) : g_(g), ops_(ops), request_(request) {}

    ChunkProposal run() {
        out_.plan = planChunks(g_, ops_, request_.limits);
        if (!out_.plan.chunkable()) {
            out_.refusal = out_.plan.refusal;
            return std::move(out_);
        }
        if (request_.limits.extended && !request_.form.wideSums && computesHalfGradients()) refuse("F16_UNSCALED", {});
        estimate(1, {out_.plan.items, out_.plan.items});
        if (!out_.refusal) choose();
        if (request_.everyEstimate) estimateAll();
        std::stable_sort(out_.estimates.begin(), out_.estimates.end(),
                         [](const ChunkEstimate& a, const ChunkEstimate& b) { return a.asked < b.asked; });
        return std::move(out_);
    }

private:
    void refuse(std::string code, Params params) {
        if (!out_.refusal) out_.refusal = ChunkRefusal{std::move(code), std::move(params), out_.plan.amplifier->node};
    }
    bool computesHalfGradients() const {
        for (const std::vector<NodeId>* part : {&out_.plan.body, &out_.plan.outputs})
            for (NodeId id : *part)
                if (out_.plan.metas.find(id)->scale && g_[id].tensor()->dtype == DType::F16) return true;
        return false;
    }
    void tooFewRows(std::int64_t n) { refuse("TOO_FEW_ROWS", {{"rows", std::to_string(out_.plan.items)}, {"n", std::to_string(n)}}); }

    void choose() {
        if (request_.budget) return chooseByBudget();
        if (request_.chunks || !request_.limits.extended) return take(request_.chunks.value_or(kReferenceNumber));
        chooseByFormula();
    }
    void take(std::int64_t n) {
        const ChunkCut cut = cutInto(out_.plan, n);
        const bool missing = !request_.limits.extended && cut.chunks() < n;  // PyTorch takes pieces that are not there
        if (n < 2 || cut.chunks() < 2 || missing) return tooFewRows(n);
        if (const ChunkEstimate* e = estimate(n, cut)) out_.chosen = *e;
    }
    void chooseByBudget() {
        estimateAll();
        const ChunkEstimate* best = nullptr;
        for (const ChunkEstimate& e : out_.estimates) {
            if (!best || e.peak < best->peak) best = &e;
            if (e.peak > *request_.budget) continue;
            if (e.asked == 1) return refuse("WITHIN_BUDGET", {{"peak", std::to_string(e.peak)}, {"budget", std::to_string(*request_.budget)}});
            out_.chosen = e;
            return;
        }
        refuse("OVER_BUDGET",
               {{"n", std::to_string(best->cut.chunks())}, {"peak", std::to_string(best->peak)}, {"budget", std::to_string(*request_.budget)}});
    }
    /// The least number whose saving is within a tenth of what the largest one saves, whose chunks are no more than what is live elsewhere, and whose
    /// chunks have rows enough (chunker.md 9).
    void chooseByFormula() {
        estimateAll();
        const std::int64_t whole = out_.estimates.front().peak;
        const ChunkEstimate& most = out_.estimates.back();
        const std::int64_t limit = std::max(kLeastSaving, whole / 20);
        std::optional<ChunkEstimate> best;
        for (const ChunkEstimate& e : out_.estimates) {
            if (e.asked < kFewestChunks || e.rows(out_.plan) < kFewestRows) continue;
            best = e;
            const bool near = (whole - e.peak) * 10 >= (whole - most.peak) * 9;
            if (near && e.inBody <= e.peak - e.inBody) break;
        }
        if (!best && out_.plan.rows < 2 * kFewestRows) return tooFewRows(kFewestChunks);
        const ChunkEstimate& taken = best ? *best : most;
        const std::int64_t saving = whole - taken.peak;
        if (!best || saving < limit)
            return refuse("NO_GAIN",
                          {{"saving", std::to_string(saving)}, {"n", std::to_string(taken.cut.chunks())}, {"limit", std::to_string(limit)}});
        out_.chosen = taken;
    }

    void estimateAll() {
        const bool rounded = request_.limits.extended && !request_.chunks;
        for (std::int64_t n : kNumbers)
            if (const ChunkCut cut = cutInto(out_.plan, n, rounded ? kRowMultiple : 1); cut.chunks() >= 2) estimate(n, cut);
    }
    /// Null when the cut graph cannot be made; the refusal then says why. Pointers live until the next estimate.
    const ChunkEstimate* estimate(std::int64_t n, const ChunkCut& cut) {
        for (const ChunkEstimate& e : out_.estimates)
            if (e.asked == n || (n > 1 && e.asked > 1 && e.cut.perChunk == cut.perChunk)) return &e;
        FusedPeak peak;
        if (n == 1) {
            peak = fusedPeak(g_, ops_);
        } else {
            Graph copy = g_.clone();
            if (auto made = applyChunks(copy, ops_, out_.plan, cut, request_.form); !made) {
                refuse(made.error().code, made.error().params);
                return nullptr;
            }
            peak = fusedPeak(copy, ops_);
        }
        out_.estimates.push_back({n, cut, peak.bytes, peak.inBody});
        return &out_.estimates.back();
    }

    const Graph& g_;
    const OpRegistry& ops_;
    const ChunkRequest& request_;
    ChunkProposal out_;
};

std::optional<std::int64_t> wholeNumber(const std::string& text) {
    std::int64_t n = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), n);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(n) : std::nullopt;
}

std::optional<double> realNumber(const std::string& text) {
    double x = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), x);
    return error == std::errc() && end == text.data() + text.size() ? std::optional(x) : std::nullopt;
}

}  // namespace

ChunkRequest chunkRequest(const PassOptions& options) {
    ChunkRequest r;
    r.limits.extended = options.is("mode", "extended");
    r.limits.minBytes = wholeNumber(options.get("min-bytes")).value_or(r.limits.minBytes);
    r.limits.minRatio = realNumber(options.get("min-ratio"));
    if (!r.limits.minRatio && !r.limits.extended) r.limits.minRatio = 8;
    r.form.extended = r.limits.extended;
    r.form.wideSums = options.is("accum", "f32") || (options.is("accum", "auto") && r.limits.extended);
    r.chunks = wholeNumber(options.get("num-chunks"));
    r.budget = wholeNumber(options.get("budget"));
    return r;
}

ChunkProposal proposeChunks(const Graph& g, const OpRegistry& ops, const ChunkRequest& request) { return ChunkProposer(g, ops, request).run(); }

}  // namespace aliascope
