#pragma once
// A small program that has one of everything a session stores, and its recording: the observer is driven by hand, so that these tests need no pass.

#include <functional>
#include <string>
#include <vector>

#include "core/recording/recorder.h"
#include "core/recording/recording.h"

namespace aliascope::test {

/// A document of one graph: views, a clone, a copy back into an input, a tuple, an attribute, symbolic sizes, comments, two sub-graphs.
Document sampleDocument();

/// Texts of the graph in memory after a stage.
struct Printed {
    std::string graphText, readable;
    std::uint64_t hash = 0;
};

/// The sample's stages in order: `imported`, then passes by hand that insert, replace, rename, move, change a sub-graph, and one that does nothing.
class SampleRun {
public:
    explicit SampleRun(Graph graph) : graph_(std::move(graph)) {}

    /// Tells `observer` of all stages; stops at the first error and returns it.
    Status record(PassObserver& observer);
    const std::vector<Printed>& printed() const { return printed_; }
    const Graph& graph() const { return graph_; }

private:
    Status stage(PassObserver& observer, const std::string& pass, const std::function<void(Graph&)>& edit);

    Graph graph_;
    std::vector<Printed> printed_;
    std::vector<Rewrite> rewrites_;
    std::vector<Decision> decisions_;
    std::vector<Diagnostic> diagnostics_;
    std::uint64_t hash_ = 0;
};

/// Registry with the built-in operators.
const OpRegistry& ops();
/// Records the sample as lane `name`; returns the printed stages. Precondition: it can be written.
std::vector<Printed> recordSample(const std::string& path, const std::string& name = "best");

}  // namespace aliascope::test
