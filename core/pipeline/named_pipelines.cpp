// The table of named pipelines (architecture.md 4): what PyTorch 2.11 does, in its order, and `best`.

#include <algorithm>
#include <array>

#include "core/pipeline/pipeline.h"
#include "core/pipeline/pipeline_names.h"

namespace aliascope {
namespace {

struct Preset {
    std::string_view key, value;  ///< set on every step that has such an option
};

struct NamedPipeline {
    std::string_view name;
    std::vector<std::string_view> steps;  ///< passes
    std::vector<Preset> presets;
};

/// Passes that only run when one of their own options was asked for.
constexpr std::string_view onDemand = "auto-chunk";
/// Set where that pass runs and the mode is extended: conversions between views hide what can be cut (canonicalize.md E5).
constexpr Preset withDemand = {"hoist-conversions", "on"};

std::vector<std::string_view> withJoint(std::vector<std::string_view> head, bool padMatmul, std::vector<std::string_view> tail) {
    for (std::string_view step : {"remove-noops", "fold-constants", "canonicalize-views", "auto-chunk", "joint-patterns", "pad-matmul",
                                  "fuse-attention", "stabilize-softmax"})
        if (padMatmul || step != "pad-matmul") head.push_back(step);
    head.insert(head.end(), tail.begin(), tail.end());
    return head;
}

const std::vector<NamedPipeline>& table() {
    static const std::vector<std::string_view> start = {"lower-torch", "functionalize", "dce"};
    static const auto torch = withJoint(
        start, true, {"views-to-reshape", "reorder-for-locality", "remove-noops", "post-grad-patterns", "reinplace", "decompose-functionalized"});
    static const std::vector<NamedPipeline> all = {
        {"best",
         withJoint(start, false, {"views-to-reshape", "remove-noops", "post-grad-patterns", "reinplace", "decompose-functionalized"}),
         {{"custom-ops", "auto"}, {"mode", "extended"}, {"analysis", "extent"}}},
        {"torch-v2", torch, {{"custom-ops", "v2"}, {"mode", "reference"}, {"analysis", "reference"}}},
        {"torch-v1", torch, {{"custom-ops", "v1"}, {"mode", "reference"}, {"analysis", "reference"}}},
        {"torch-joint", withJoint({}, true, {}), {{"mode", "reference"}}},
    };
    return all;
}

const NamedPipeline* findNamed(std::string_view name) {
    for (const NamedPipeline& pipeline : table())
        if (pipeline.name == name) return &pipeline;
    return nullptr;
}

bool hasOption(const Pass& pass, std::string_view key) {
    const auto options = pass.options();
    return std::any_of(options.begin(), options.end(), [&](const PassOption& o) { return o.key == key; });
}

/// Only `auto-chunk` has keys of its own; `mode` alone does not ask for it.
bool isAskedFor(const Pass& pass, const std::vector<std::pair<std::string, std::string>>& given) {
    return std::any_of(given.begin(), given.end(), [&](const auto& option) { return option.first != "mode" && hasOption(pass, option.first); });
}

}  // namespace

bool isNamedPipeline(std::string_view name) { return findNamed(name) != nullptr; }

bool isMissingPass(std::string_view name) {
    if (findPass(name)) return false;
    return std::any_of(table().begin(), table().end(),
                       [&](const NamedPipeline& p) { return std::find(p.steps.begin(), p.steps.end(), name) != p.steps.end(); });
}

NamedPipelineBuilder::NamedPipelineBuilder(std::string_view name) : name_(name) {}

Status NamedPipelineBuilder::set(std::string_view key, std::string_view value) {
    std::vector<std::string> keys;
    bool known = false;
    for (std::string_view name : findNamed(name_)->steps) {
        const Pass* pass = findPass(name);
        if (!pass) continue;
        for (const PassOption& option : pass->options())
            if (std::find(keys.begin(), keys.end(), option.key) == keys.end()) keys.push_back(option.key);
        if (!hasOption(*pass, key)) continue;
        PipelineStep probe = defaultStep(*pass);
        if (auto set = setOption(probe, key, value); !set) return set;
        known = true;
    }
    if (!known) return fail(unknownOption(name_, key, keys));
    given_.emplace_back(key, value);
    return {};
}

bool NamedPipelineBuilder::isGiven(std::string_view key) const {
    return std::any_of(given_.begin(), given_.end(), [&](const auto& option) { return option.first == key; });
}

Pipeline NamedPipelineBuilder::build() const {
    const NamedPipeline& named = *findNamed(name_);
    Pipeline out;
    if (given_.empty()) out.name = name_;
    const Pass* demanded = std::find(named.steps.begin(), named.steps.end(), onDemand) != named.steps.end() ? findPass(onDemand) : nullptr;
    const bool demand = demanded && isAskedFor(*demanded, given_);
    for (std::string_view name : named.steps) {
        const Pass* pass = findPass(name);
        if (name == onDemand && !demand) continue;
        if (!pass) {
            if (std::find(out.missing.begin(), out.missing.end(), name) == out.missing.end()) out.missing.emplace_back(name);
            continue;
        }
        PipelineStep step = defaultStep(*pass);
        for (const Preset& preset : named.presets)
            if (hasOption(*pass, preset.key)) step.options.set(std::string(preset.key), std::string(preset.value));
        for (const auto& [key, value] : given_)
            if (hasOption(*pass, key)) step.options.set(key, value);
        if (demand && hasOption(*pass, withDemand.key) && step.options.is("mode", "extended") && !isGiven(withDemand.key))
            step.options.set(std::string(withDemand.key), std::string(withDemand.value));
        out.steps.push_back(std::move(step));
    }
    return out;
}

Result<Pipeline> namedPipeline(std::string_view name) {
    if (!isNamedPipeline(name)) return fail(unknownPass(name));
    return NamedPipelineBuilder(name).build();
}

std::vector<std::string> pipelineNames() {
    std::vector<std::string> out;
    for (const NamedPipeline& pipeline : table()) out.emplace_back(pipeline.name);
    return out;
}

}  // namespace aliascope
