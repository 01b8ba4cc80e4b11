#pragma once
// What the text of a graph after re-inplacing does not hold: which arguments of its wrappers are written in place (executor.md 1.2 e). PyTorch's log
// beside the file has it. Thread-safety: immutable.

#include <optional>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "core/ir/graph.h"

namespace aliascope::exec {

class ReinplacedSets {
public:
    /// Of the graph in `path`; nothing when the file's name does not say that it was dumped after re-inplacing (`v1.after_reinplace.readable.py`).
    /// The log is `v1.reinplace.log` in the same folder; its lines belong to the wrappers in order.
    static std::optional<ReinplacedSets> ofFile(const std::string& path, const Graph& g);
    /// The same from the text of a log.
    static ReinplacedSets ofLog(const std::string& log, const Graph& g);

    /// As ExecOptions::reinplaced.
    bool writesInPlace(NodeId wrapper, Name argument) const { return inPlace_.contains({wrapper.value, argument}); }
    /// The first wrapper of which neither pass nor log says anything; invalid when there is none.
    NodeId firstUnknown(const Graph& g, bool v1) const;

private:
    std::set<std::pair<std::uint32_t, Name>> inPlace_;
    std::set<std::uint32_t> known_;
};

}  // namespace aliascope::exec
