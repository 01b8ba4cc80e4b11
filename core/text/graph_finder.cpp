#include "core/text/graph_finder.h"

#include <algorithm>
#include <array>
#include <utility>

#include "core/text/exported_text.h"
#include "core/text/find.h"
#include "core/text/graph_text_reader.h"
#include "core/text/line_kinds.h"
#include "core/text/literals.h"
#include "core/text/readable_reader.h"
#include "core/text/short_nodes.h"
#include "core/text/table_reader.h"

namespace aliascope {
namespace {

/// What only one stage has: containers for primals and tangents, parameters `L_x_`.
Phase phaseOfShape(const Graph& g) {
    if (g.style.parameters == std::vector<std::string>{"primals", "tangents"}) return Phase::Joint;
    const NodeId first = g.first();
    if (first && g[first].kind == NodeKind::Placeholder && g[first].target.view().substr(0, 2) == "L_") return Phase::Dynamo;
    return Phase::Unknown;
}

/// `triton_poi_fused_relu_0 = async_compile.triton(…` behind a fragment in Inductor's output code: the kernel's name.
std::string kernelBehind(std::string_view text, std::size_t at) {
    constexpr std::string_view kCompile = " = async_compile.";
    while (at < text.size()) {
        const std::size_t end = std::min(text.find('\n', at), text.size());
        const std::string_view line = trimmed(text.substr(at, end - at));
        if (!line.empty() && line[0] != '#') {
            const std::size_t assign = line.find(kCompile);
            return assign != kNone && isIdentifier(line.substr(0, assign)) ? std::string(line.substr(0, assign)) : std::string();
        }
        at = end + 1;
    }
    return {};
}

class GraphFinder {
public:
    GraphFinder(const SourceText& source, const OpRegistry& ops, const ReadOptions& options)
        : source_(source), text_(source.text()), ops_(ops), options_(options) {}

    std::vector<Unit> run(std::size_t begin) {
        std::size_t previous = begin;  // start of the last line with text, where a title may stand
        for (std::size_t at = begin; at < text_.size() && !options_.cancel.cancelled();) {
            const std::size_t lineEnd = source_.lineEnd(at);
            const std::string_view line = text_.substr(at, lineEnd - at);
            std::optional<Unit> unit;
            const std::size_t next = read(line, at, unit);
            if (unit && !isQuotedSource(*unit))
                keep(std::move(*unit), text_.substr(previous, previous < at ? source_.lineEnd(previous) - previous : 0));
            if (!trimmed(line).empty()) previous = at;
            at = std::max(next, lineEnd + 1);
        }
        return std::move(units_);
    }

private:
    /// `def forward(self, x):` as logs of Dynamo quote it from the program: a line of source without a body, and more text behind it.
    bool isQuotedSource(const Unit& unit) const {
        const Graph& g = unit.graph;
        if (unit.form != GraphForm::Readable || g.style.frame != PrintStyle::Frame::Def) return false;
        for (const NodeId id : inOrder(g)) {
            const Node& n = g[id];
            if (n.kind != NodeKind::Placeholder && (n.flags & (FlagUnparsed | FlagGhost | FlagSynthetic)) == 0) return false;
        }
        constexpr std::size_t kLook = 4096;
        return !trimmed(text_.substr(std::min<std::size_t>(unit.spanEnd, text_.size()), kLook)).empty();
    }

    std::size_t read(std::string_view line, std::size_t at, std::optional<Unit>& unit) const {
        if (classLineAt(line) != kNone || forwardLineAt(line) != kNone) return readReadable(source_, at, ops_, options_, unit);
        if (graphHeaderAt(line) != kNone || isNodeLine(line)) return readGraphText(source_, at, ops_, options_, unit);
        if (isTableLine(line)) return readTable(source_, at, ops_, options_, unit);
        return 0;
    }

    void keep(Unit unit, std::string_view lineBefore) {
        const std::string_view title = trimmed(lineBefore);
        if (title.substr(0, 1) == "#" || title.substr(0, 5) == "=====") {
            const std::size_t begin = title.find_first_not_of("#-= "), end = title.find_last_not_of("-= ");
            if (begin != kNone) unit.label = std::string(title.substr(begin, end - begin + 1));
            if (begin != kNone && title[0] == '=') unit.stage = unit.label;
        }
        if (unit.form == GraphForm::GraphText && unit.graph.style.quotedNotes) {
            if (const std::string kernel = kernelBehind(text_, unit.spanEnd); !kernel.empty()) {
                unit.label = kernel;
                unit.stage = "kernel";
            }
        }
        if (title == "ExportedProgram:") readExportedText(source_, unit);
        unit.graph.phase = unit.graph.phase != Phase::Unknown ? unit.graph.phase : phaseOfStage(unit.label);
        if (unit.graph.phase == Phase::Unknown) unit.graph.phase = phaseOfShape(unit.graph);
        units_.push_back(std::move(unit));
        if (options_.progress) options_.progress(static_cast<double>(units_.back().spanEnd) / static_cast<double>(text_.size()), "reading graphs");
    }

    const SourceText& source_;
    std::string_view text_;
    const OpRegistry& ops_;
    const ReadOptions& options_;
    std::vector<Unit> units_;
};

/// Not so where `pass` is all there is, or a cut bracket takes the rest.
bool holdsNode(const Graph& g) {
    for (const NodeId id : inOrder(g))
        if (isOfText(g[id])) return true;
    return false;
}

}  // namespace

Phase phaseOfStage(std::string_view stage) {
    // The first that fits: an inference compilation has stages named after the joint graph.
    static constexpr std::array<std::pair<std::string_view, Phase>, 19> kStages = {{{"before_joint_graph", Phase::Inference},
                                                                                    {"after_joint_graph", Phase::Inference},
                                                                                    {"inference_graph", Phase::Inference},
                                                                                    {"joint_graph", Phase::Joint},
                                                                                    {"forward_graph", Phase::Forward},
                                                                                    {"backward_graph", Phase::Backward},
                                                                                    {"Joint graph", Phase::Joint},
                                                                                    {"Forward graph", Phase::Forward},
                                                                                    {"Backward graph", Phase::Backward},
                                                                                    {"BEFORE PRE GRAD", Phase::PreGrad},
                                                                                    {"AFTER PRE GRAD", Phase::PreGrad},
                                                                                    {"pre_grad_graph", Phase::PreGrad},
                                                                                    {"_pre_grad", Phase::PreGrad},
                                                                                    {"__compiled_fn", Phase::Dynamo},
                                                                                    {"pre_insert_deferred_runtime_asserts", Phase::Dynamo},
                                                                                    {"tensorify_python_scalars", Phase::Dynamo},
                                                                                    {"dynamo_output_graph", Phase::Dynamo},
                                                                                    {"compiled_autograd_graph", Phase::Backward},
                                                                                    {"exported_program", Phase::Export}}};
    for (const auto& [words, phase] : kStages)
        if (stage.find(words) != kNone) return phase;
    return Phase::Unknown;
}

std::vector<Unit> findGraphs(const SourceText& source, std::size_t begin, const OpRegistry& ops, const ReadOptions& options) {
    auto units = GraphFinder(source, ops, options).run(begin);
    numberUnits(units);
    return units;
}

std::optional<Unit> readFragment(const SourceText& source, const OpRegistry& ops, const ReadOptions& options) {
    std::optional<Unit> unit;
    if (const auto span = shortNodeSpan(source))
        readShortNodes(source, span->first, span->second, ops, options, unit);
    else if (const auto statements = statementSpan(source))
        readStatements(source, statements->first, statements->second, ops, options, unit);
    if (!unit || !holdsNode(unit->graph)) return std::nullopt;
    unit->id = "1";
    return unit;
}

void numberUnits(std::vector<Unit>& units) {
    for (std::size_t i = 0; i < units.size(); ++i) units[i].id = std::to_string(i + 1);
}

}  // namespace aliascope
