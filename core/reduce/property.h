#pragma once
// Properties of a graph under a pipeline, in the find language (ui.md 3.7): what `reduce --keep` keeps. Terms speak of the whole run: `clones>=1` of
// its last graph, `decision(code=RI30)` of any decision, `pass-fails(cse)`, `finding(STALE_READ)`, `differs(reinplace)` of what the stage gives when
// it is executed (`differs` of any stage).
//
// Numbers: clones, cloned, copied (bytes copied back into inputs), nodes, reported and needed (sums over decisions). Fields: op, name of the last
// graph; verdict, need, code, pass, rule of decisions; stage of stages that changed the graph. Flags: clone, changed.

#include <memory>
#include <string>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"
#include "core/pipeline/pipeline.h"
#include "core/query/find.h"

namespace aliascope {

struct PropertyOptions {
    std::uint64_t seed = 0;  ///< of random inputs
    bool standIn = false;    ///< run unknown operators as executor.md 6.4 says
    CancelToken cancel;
};

/// Thread-safety: none; one per thread.
class Property {
public:
    /// Errors: those of query::parseFind. `ops` must outlive the property.
    static Result<Property> parse(std::string_view text, Pipeline pipeline, const OpRegistry& ops, PropertyOptions options);
    ~Property();
    Property(Property&&) noexcept;

    /// Runs the pipeline on a clone; executes stages only when a fact asks. A graph that cannot be executed shows no difference.
    bool holds(const Graph& g) const;

private:
    struct Impl;
    explicit Property(std::unique_ptr<Impl> impl);
    std::unique_ptr<Impl> impl_;
};

}  // namespace aliascope
