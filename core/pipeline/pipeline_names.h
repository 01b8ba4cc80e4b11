#pragma once
// Named pipelines as data, and the checks of names and options that pipeline texts and named pipelines share. Internal to core/pipeline.

#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/pipeline/pipeline.h"

namespace aliascope {

bool isNamedPipeline(std::string_view name);
/// A step of a named pipeline that has no pass in this build.
bool isMissingPass(std::string_view name);

/// A step with every option at its default.
PipelineStep defaultStep(const Pass& pass);
/// Errors P002 (no such option) and P003 (bad value), without a place.
Status setOption(PipelineStep& step, std::string_view key, std::string_view value);
/// Text inside the braces: options in the table's order, defaults left out.
std::string optionText(const PipelineStep& step);

Diagnostic unknownPass(std::string_view name);
Diagnostic unknownOption(std::string owner, std::string_view key, const std::vector<std::string>& keys);

/// Expands a named pipeline; its options go to every step that has them.
class NamedPipelineBuilder {
public:
    /// Precondition: isNamedPipeline(name).
    explicit NamedPipelineBuilder(std::string_view name);
    /// Errors as setOption; P002 when no step of the pipeline has `key`.
    Status set(std::string_view key, std::string_view value);
    Pipeline build() const;

private:
    bool isGiven(std::string_view key) const;

    std::string name_;
    std::vector<std::pair<std::string, std::string>> given_;
};

}  // namespace aliascope
