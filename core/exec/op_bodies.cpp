#include "core/exec/op_bodies.h"

#include <unordered_map>

#include "core/text/document.h"

namespace aliascope::exec {
namespace {

std::string_view trimmed(std::string_view s) {
    const auto blank = [](char c) { return c == ' ' || c == '\t' || c == '\r'; };
    while (!s.empty() && blank(s.front())) s.remove_prefix(1);
    while (!s.empty() && blank(s.back())) s.remove_suffix(1);
    return s;
}

std::string_view nextLine(std::string_view& rest) {
    const std::string_view line = rest.substr(0, rest.find('\n'));
    rest.remove_prefix(std::min(line.size() + 1, rest.size()));
    return line;
}

struct Section {
    Name whenNone;
    std::string text;
    std::uint32_t line = 1;  ///< within the block, from 1
};

/// `when y is None` and `otherwise` part a block into bodies; what stands before the first statement of a body are facts of the operator.
std::vector<Section> sectionsOf(std::string_view block, std::vector<std::string>& unknown) {
    std::vector<Section> sections;
    Name condition;
    std::uint32_t number = 0;
    bool open = false;
    while (!block.empty()) {
        const std::string_view line = nextLine(block), content = trimmed(line.substr(0, line.find('#')));
        ++number;
        if (content.starts_with("when ")) {
            const std::string_view rest = trimmed(content.substr(5));
            const auto blank = rest.find(' ');
            if (blank == std::string_view::npos || trimmed(rest.substr(blank)) != "is None") unknown.emplace_back(content);
            condition = Name(rest.substr(0, blank));
            open = false;
        } else if (content == "otherwise") {
            condition = Name();
            open = false;
        } else if (content.starts_with("def forward") || content.starts_with("graph(")) {
            sections.push_back({condition, std::string(line) + "\n", number});
            open = true;
        } else if (open) {
            sections.back().text.append(line).push_back('\n');
        }
    }
    return sections;
}

Diagnostic bodyProblem(const OpDef& op, std::uint32_t line, std::string why) {
    Diagnostic d = userError("R062", {{"why", "the body of " + op.canonical.str() + " cannot be used: " + std::move(why)}});
    d.line = line;
    return d;
}

/// Body as a graph; an error says why there is none.
Result<Graph> readBody(const OpDef& op, const Section& section, const OpRegistry& ops) {
    ReadOptions options;
    options.inferTypes = false;
    auto document = readText(section.text, op.canonical.str(), ops, options);
    if (!document) return fail(bodyProblem(op, section.line, document.error().sentence()));
    if (document->units.size() != 1) return fail(bodyProblem(op, section.line, "it is not one graph"));
    Unit& unit = document->units[0];
    for (const Diagnostic& d : unit.diagnostics)
        if (d.severity == Severity::Error) return fail(bodyProblem(op, section.line + d.line - (d.line > 0 ? 1 : 0), d.sentence()));
    const std::size_t params = op.schema.params.size(), placeholders = unit.graph.placeholders().size();
    if (params != placeholders)
        return fail(bodyProblem(op, section.line, "it has " + std::to_string(placeholders) + " parameters, the schema " + std::to_string(params)));
    return std::move(unit.graph);
}

}  // namespace

struct OpBodies::Impl {
    std::unordered_map<Name, std::vector<OpBody>> bodies;
};

OpBodies::OpBodies() : impl_(std::make_unique<Impl>()) {}
OpBodies::~OpBodies() = default;
OpBodies::OpBodies(OpBodies&&) noexcept = default;
OpBodies& OpBodies::operator=(OpBodies&&) noexcept = default;

OpBodies OpBodies::read(const OpRegistry& ops, std::vector<Diagnostic>* problems) {
    OpBodies out;
    for (const OpDef* op : ops.all()) {
        if (op->body.empty()) continue;
        std::vector<std::string> unknown;
        std::vector<OpBody> bodies;
        std::optional<Diagnostic> problem;
        for (const Section& section : sectionsOf(op->body, unknown)) {
            auto graph = readBody(*op, section, ops);
            if (graph)
                bodies.push_back({section.whenNone, std::move(*graph)});
            else if (!problem)
                problem = std::move(graph.error());
        }
        if (!unknown.empty() && !problem) problem = bodyProblem(*op, 1, "`" + unknown[0] + "` is no condition");
        if (problem && problems)
            problems->push_back(std::move(*problem));
        else if (!problem && !bodies.empty())
            out.impl_->bodies.emplace(op->canonical, std::move(bodies));
    }
    return out;
}

const std::vector<OpBody>* OpBodies::find(Name op) const {
    const auto it = impl_->bodies.find(op);
    return it == impl_->bodies.end() ? nullptr : &it->second;
}

}  // namespace aliascope::exec
