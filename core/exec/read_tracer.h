#pragma once
// The sanitizer of executor.md 3.2: who wrote the bytes that each operator reads. A backend around another one; every access of a run passes through it,
// so the node loop knows nothing of it. Copies forward the origin of what they copy; computing operators stamp their own. A functional graph with
// copies and the re-inplaced one without them therefore give the same origins for the same value, and a read of something that had been
// overwritten shows even where the numbers agree.
//
// Origins are nodes, not elements: a copy that moves elements within a value of one origin is not told from the value.
//
// Costs four bytes per element of every storage that is not of one origin as a whole.

#include <cstdint>
#include <map>
#include <memory>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/exec/compare.h"
#include "core/exec/executor.h"

namespace aliascope::exec {

/// Who wrote an element: index into ReadLog::origins. 0 = nobody.
using OriginId = std::uint32_t;

struct Origin {
    memory::Site site;
    Name node;
};

/// One operand of one launch of a computing operator.
struct TracedRead {
    memory::Site reader;
    Name node;
    std::uint32_t launch = 0;        ///< counts the computing launches of the node in this run
    Name operand;                    ///< parameter
    std::uint32_t element = 0;       ///< in a list of tensors
    std::int64_t bytes = 0;
    std::vector<OriginId> origins;   ///< sorted, each once
};

struct ReadLog {
    std::vector<Origin> origins{Origin{}};
    std::vector<TracedRead> reads;
    std::set<std::pair<std::uint32_t, std::uint32_t>> ran;  ///< body and node of everything that was run
    std::int64_t canariesBroken = 0;  ///< storages with bytes changed just outside of them (Sanitize::Full)
    Name firstBroken;                 ///< node at which the first of them was made
};

/// Backend and observer of one run. Storages of the run's results still belong to it: it must outlive them.
class ReadTracer final : public Backend, public ExecObserver {
public:
    /// `next` hears everything that the run tells; may be null. `full`: canaries of 64 bytes around every storage.
    ReadTracer(Backend& inner, ExecObserver* next, bool full);
    ~ReadTracer() override;

    /// What the caller of the graph reads: its results (`out`) and the inputs after the run (`after`), as reads of the output node.
    void noteResults(const Graph& g, const ExecResult& result);
    ReadLog takeLog() { return std::move(log_); }

    std::string_view name() const override { return inner_.name(); }
    std::byte* allocate(std::size_t bytes) override;
    void free(std::byte* data, std::size_t bytes) noexcept override;
    const Kernel* kernel(Name op) const override { return inner_.kernel(op); }
    void launch(const Kernel& k, OpCall& call) override;
    void copy(const Tensor& dst, const Tensor& src) override;
    bool fitsInto(DType integer, const Tensor& floats) override { return inner_.fitsInto(integer, floats); }
    void fillPoison(const Tensor& t) override { inner_.fillPoison(t); }
    void upload(const Tensor& dst, const std::byte* hostContiguous) override;
    void download(std::byte* hostContiguous, const Tensor& src) override { inner_.download(hostContiguous, src); }
    Digest digest(const Tensor& t) override { return inner_.digest(t); }
    void synchronize() override { inner_.synchronize(); }

    void runStarted(const Graph& g) override;
    void nodeStarted(const memory::Site& site, const Graph& g, const Node& n) override;
    void nodeFinished(const memory::Site& site, const Graph& g, const Node& n, const RuntimeValue& value, std::int64_t wallNs) override;
    void digest(const memory::Site& site, int out, const Digest& d) override;
    void finding(const Finding& f) override;
    void warned(const memory::Site& site, std::string_view code) override;
    void runFinished(bool complete) override;

private:
    /// Origins of a storage: one for all of it, or one per element.
    struct Shadow {
        OriginId whole = 0;
        std::int64_t unit = 0;  ///< bytes of an element; 0 while `whole` says it all
        StoragePtr cells;       ///< i32
    };
    Shadow& shadowOf(const Tensor& t);
    std::optional<Tensor> cells(const Tensor& t);
    std::vector<OriginId> originsOf(const Tensor& t);
    void stamp(const Tensor& t);
    bool move(const Kernel& k, const OpCall& call);
    void noteReads(const OpCall& call);
    void noteRead(const Tensor& t, Name operand, std::uint32_t element);
    OriginId here();
    Tensor makeCells(std::int64_t count, OriginId value);

    Backend& inner_;
    ExecObserver* next_;
    bool full_;
    std::unique_ptr<Backend> host_;  ///< holds and moves origins
    std::unordered_map<const std::byte*, Shadow> shadows_;
    std::unordered_map<const std::byte*, Name> madeAt_;  ///< node of a storage with canaries
    std::map<std::pair<std::uint32_t, std::uint32_t>, OriginId> originOfNode_;      ///< by body and node
    std::map<std::pair<std::uint32_t, std::uint32_t>, std::uint32_t> launches_;
    memory::Site site_;
    Name node_;
    int depth_ = 0;  ///< nodes of operator bodies run inside the node that owns them
    ReadLog log_;
};

/// Reads of `later` whose origins are not those of the same read of `reference`: STALE_READ. Nodes are matched by id, and by the rewrites that passes
/// recorded between the two stages; readers that launch another number of operators are not compared. `pass`: who brought `later` about.
std::vector<Finding> staleReads(const ReadLog& reference, const ReadLog& later, const RewriteSteps& rewrites, const std::string& pass);
/// What one run shows by itself: reads of bytes that nobody had written, writes outside of storages.
std::vector<Finding> localFindings(const ReadLog& log);

}  // namespace aliascope::exec
