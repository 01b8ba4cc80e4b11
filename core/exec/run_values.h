#pragma once
// Listens to a run and keeps what comparisons and recordings need of it: digests of every value, of what calls wrote and of inputs after the run,
// times, where NaN first came up, and the values themselves where someone asked for them. Holds no storage, so that it does not change when memory is
// freed. Thread-safety: none; one collector per run.

#include <functional>
#include <unordered_map>
#include <unordered_set>

#include "core/exec/compare.h"
#include "core/exec/executor.h"

namespace aliascope::exec {

/// A component of a value, as RunValue counts them. Call paths have the same numbers in every run of a stage.
struct ValueKey {
    memory::Site site;
    int out = 0;
    friend bool operator==(const ValueKey&, const ValueKey&) = default;
};
struct ValueKeyHash {
    std::size_t operator()(const ValueKey& k) const;
};
using ValueKeys = std::unordered_set<ValueKey, ValueKeyHash>;

/// Elements of a tensor, row-major.
struct KeptValue {
    DType dtype = DType::Unknown;
    Shape sizes;
    std::vector<std::byte> data;
};
using KeptValues = std::unordered_map<ValueKey, KeptValue, ValueKeyHash>;

struct NodeTime {
    memory::Site site;
    std::int64_t ns = 0;
};

/// The first node with NaN or infinity whose operands had none.
struct FirstNaN {
    memory::Site site;
    Name node;
    Shape at;  ///< of the element
};

class RunCollector : public ExecObserver {
public:
    /// `digests` Outputs: only results and inputs after the run. None: values are kept, not digested. The graph must outlive the collector.
    RunCollector(const Graph& g, const OpRegistry& ops, Backend& backend, DigestMode digests);
    ~RunCollector() override;

    /// Values to be kept, at most `bytes` of them; further ones are left out.
    void keep(ValueKeys keys, std::int64_t bytes);
    /// The same for every value.
    void keepAll(std::int64_t bytes);
    /// The same for results of calls for which `wanted` holds.
    void keepWhere(std::function<bool(const Node&, const Tensor&)> wanted, std::int64_t bytes);
    /// With DigestMode::Nodes: names of the nodes whose values are digested beside results and inputs after the run.
    void digestOnly(std::unordered_set<Name> nodes) { digested_ = std::move(nodes); }

    void warned(const memory::Site& site, std::string_view code) override;
    void nodeFinished(const memory::Site& site, const Graph& g, const Node& n, const RuntimeValue& value, std::int64_t wallNs) override;
    /// Results and inputs after the run, and the texts of call paths. Call once, after execute().
    void finish(const ExecResult& result);

    RunValues values;
    std::vector<NodeTime> times;
    std::optional<FirstNaN> firstNaN;
    KeptValues kept;

private:
    struct Watched;
    /// The digest, or the one of the same tensor that was taken a moment ago: nothing has run since.
    Digest digestOnce(const Tensor& t);
    bool add(const memory::Site& site, int out, const Tensor& t, const Node* node = nullptr);
    void addWritten(const memory::Site& site, const Graph& g, const Node& n, const RuntimeValue& value);
    void noteNaN(const memory::Site& site, const Graph& g, const Node& n, const RuntimeValue& value, std::size_t firstRow);

    const Graph& main_;
    const OpRegistry& ops_;
    Backend& backend_;
    DigestMode digests_;
    ValueKeys wanted_;
    bool all_ = false;
    std::function<bool(const Node&, const Tensor&)> where_;
    std::unordered_set<Name> digested_;
    std::int64_t room_ = 0;
    std::unique_ptr<Watched> watched_;
};

}  // namespace aliascope::exec
