#pragma once
// Programs of several graphs (executor.md 1.3): forward and backward of one compilation, pieces between graph breaks. A program says which input of a
// graph is which value of an earlier one, and makes one graph of all: there every value lives from its node to its last use in whatever graph.
// Thread-safety: a Program is immutable.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/pipeline/pipeline.h"
#include "core/support/result.h"

namespace aliascope {

/// Stands in a program where a graph that is not the last returns: what it returned and nobody takes dies here.
inline constexpr std::string_view kGraphOutput = "aliascope::graph_output";

/// `g1.primals_1 = g0.out[0]`; graphs count from 0 in the order in which the program runs them.
struct StatedBinding {
    std::size_t graph = 0;
    Name input;  ///< placeholder, by name
    std::size_t from = 0;
    std::optional<std::size_t> out;  ///< returned value, from 0
    Name node;                       ///< or a node or placeholder, by name
    std::uint32_t line = 0;          ///< in the file, from 1
    std::string file = {};           ///< that states it, for messages; whoever reads the file fills it in
};
/// Lines of bindings; `#` starts a comment. Error BIND_TEXT with line.
Result<std::vector<StatedBinding>> parseBindings(std::string_view text);

/// An input of a graph that is a value of an earlier one.
struct Binding {
    std::size_t graph = 0;
    NodeId input;
    std::size_t from = 0;
    NodeId node;                     ///< as opened: what is returned, or the placeholder
    std::optional<std::size_t> out;  ///< which returned value; nothing = the placeholder `node`
    bool stated = false;             ///< by a StatedBinding, not by name or place
};

class Program {
public:
    /// Graphs in the order in which they run. A backward graph takes what its forward saved: a returned value of the name of its input; else, where
    /// the inputs line up with the last returned values, as AOTAutograd lays them out, the one at that place; else a node or placeholder of that
    /// name. Its forward is that of the same number in `compilations`, else the latest before it that has no backward yet. Other inputs are bound
    /// only by `stated`, which goes before all rules. Tangents and inputs of other graphs may stay open.
    /// Errors: BIND (an input of a backward without source), BIND_AMBIGUOUS (several sources), BIND_UNKNOWN (no such graph, input or value),
    /// SHAPE_MISMATCH (type of input and source).
    static Result<Program> make(std::vector<Graph> graphs, const std::vector<StatedBinding>& stated = {}, const std::vector<int>& compilations = {});

    const std::vector<Graph>& graphs() const { return graphs_; }  ///< values that are bound are returned too
    const std::vector<Binding>& bindings() const { return bindings_; }
    /// Of a backward its forward.
    std::optional<std::size_t> forwardOf(std::size_t graph) const { return forward_[graph]; }
    /// Inputs that are bound to nothing: those of the program.
    std::vector<NodeId> openInputs(std::size_t graph) const;

    /// The program as one graph. `stages`: one graph each, made from graphs() by passes; ids of graph k lie `offsets[k]` higher (see offsets). Names
    /// that an earlier graph has already get `g1_` and so on before them. It returns what the last graph returns and, before that, what earlier
    /// backward graphs return and nobody takes.
    Graph link(const std::vector<const Graph*>& stages, const std::vector<std::uint32_t>& offsets) const;
    /// Room for every id of each graph: `idBounds` are the largest Graph::idBound that any stage of graph k has.
    static std::vector<std::uint32_t> offsets(const std::vector<std::uint32_t>& idBounds);
    /// graphs() linked.
    Graph linked() const;

private:
    std::vector<Graph> graphs_;
    std::vector<std::optional<std::size_t>> forward_;
    std::vector<Binding> bindings_;
    friend class ProgramBinder;
};

/// A graph that takes tangents and is not a joint one by its phase.
bool isBackward(const Graph& g);

/// Runs `pipeline` on every graph by itself, as the compiler does, and tells observers of the program's stages: stage k of each graph, linked.
/// Rewrites and decisions of all graphs in order, with the ids of the linked graph. Where a graph fails, all end before that stage.
RunResult runProgram(const Program& program, const Pipeline& pipeline, const OpRegistry& ops, const std::vector<PassObserver*>& observers,
                     const RunOptions& options = {});

}  // namespace aliascope
