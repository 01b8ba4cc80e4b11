#include "core/pipeline/needs.h"

#include <algorithm>

namespace aliascope {
namespace {

bool isIndex(std::string_view text) {
    return !text.empty() && std::all_of(text.begin(), text.end(), [](char c) { return c >= '0' && c <= '9'; });
}

/// `_x_base_index` -> `x`, `_xs_0_base_index` -> `xs`; empty for other keywords.
std::string parameterOf(std::string_view key) {
    constexpr std::string_view suffix = "_base_index";
    if (!key.starts_with("_") || !key.ends_with(suffix) || key.size() <= suffix.size() + 1) return {};
    return std::string(key.substr(1, key.size() - 1 - suffix.size()));
}

/// The arguments that a decision speaks of: its own, or those that a v2 wrapper cuts from the base with that index. An element of a list stands
/// for its list.
std::vector<std::string> argumentsOf(const Graph& g, const Decision& decision) {
    if (!isIndex(decision.argument) || !g.contains(decision.node.id)) return {decision.argument};
    const Node& node = g[decision.node.id];
    std::vector<std::string> out;
    for (const auto& [key, value] : node.kwargs) {
        std::string name = parameterOf(key.view());
        if (name.empty() || !value.isInt() || std::to_string(*value.asInt()) != decision.argument) continue;
        if (const auto underscore = name.rfind('_'); underscore != std::string::npos && isIndex(std::string_view(name).substr(underscore + 1)) &&
                                                     node.kwarg(Name("_" + name.substr(0, underscore) + "_length")))
            name.erase(underscore);
        if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
    }
    if (out.empty()) out.push_back(decision.argument);
    return out;
}

std::size_t clonesIn(const Graph& g) {
    static const Name clone("aten::clone");
    std::size_t n = 0;
    for (NodeId id : inOrder(g)) n += g[id].is(clone);
    for (const Graph::SubGraph& sub : g.subGraphs()) n += clonesIn(*sub.graph);
    return n;
}

}  // namespace

/// Hears which arguments a pipeline writes in place.
class NeedJudge::Collector : public PassObserver {
public:
    Status stageFinished(const Graph& g, const StageResult& stage) override {
        for (const Decision& decision : *stage.decisions) {
            const bool inPlace = decision.verdict == "in-place";
            if ((!inPlace && decision.verdict != "clone") || !decision.origin.id) continue;
            for (std::string& argument : argumentsOf(g, decision)) {
                const auto [it, fresh] = written.try_emplace({decision.origin.id, std::move(argument)}, inPlace);
                it->second = it->second && inPlace;
            }
        }
        return {};
    }
    Written written;
};

NeedJudge::NeedJudge(const Graph& opened, std::string own, const OpRegistry& ops, CancelToken cancel)
    : opened_(opened.clone()), own_(std::move(own)), ops_(ops), cancel_(std::move(cancel)) {}

NeedJudge::~NeedJudge() = default;

void NeedJudge::compare() {
    compared_ = true;
    for (const char* name : {"torch-v2", "best", "torch-v1"}) {
        if (own_ == name || cancel_.cancelled()) continue;
        const auto pipeline = namedPipeline(name);
        if (!pipeline) continue;
        Graph g = opened_.clone();
        Collector collector;
        RunOptions options;
        options.cancel = cancel_;
        if (runPipeline(g, *pipeline, ops_, {&collector}, options).complete) others_.push_back({name, std::move(collector.written), clonesIn(g)});
    }
}

void NeedJudge::judge(const Graph& g, std::vector<Decision>& decisions) {
    const auto left = std::count_if(decisions.begin(), decisions.end(), [](const Decision& d) { return d.verdict == "clone"; });
    const std::size_t clones = clonesIn(g) + static_cast<std::size_t>(left);
    for (Decision& decision : decisions) {
        if (decision.verdict != "clone" || decision.need != "unknown" || !decision.origin.id) continue;
        if (!compared_) compare();
        const auto arguments = argumentsOf(g, decision);
        for (const auto& [pipeline, written, clonesThere] : others_) {
            const bool avoided =
                clonesThere < clones && std::all_of(arguments.begin(), arguments.end(), [&, &written = written](const std::string& argument) {
                    const auto found = written.find({decision.origin.id, argument});
                    return found != written.end() && found->second;
                });
            if (!avoided) continue;
            decision.need = "avoidable";
            decision.avoidedBy = pipeline;
            decision.neededBytes = 0;
            break;
        }
    }
}

}  // namespace aliascope
