// The pipeline grammar of architecture.md 4:
//   pipeline = step { "," step } ;    step = NAME [ "{" [ option { "," option } ] "}" ] ;    option = KEY "=" value ;
//   NAME, KEY = [a-z][a-z0-9-]* ;     value = STRING | [^,{}"\s]+ ;     STRING = '"' { char | '\"' | '\\' } '"' ;

#include <algorithm>
#include <charconv>

#include "core/pipeline/pipeline.h"
#include "core/pipeline/pipeline_names.h"
#include "core/support/nearest.h"

namespace aliascope {
namespace {

constexpr std::size_t maxSteps = 499;  // 500 stages a lane (session.md 4), one of them is `imported`
constexpr std::size_t maxExcerpt = 120;

bool isBlank(char c) { return c == ' ' || c == '\t' || c == '\n' || c == '\r' || c == '\f' || c == '\v'; }
bool isNameStart(char c) { return c >= 'a' && c <= 'z'; }
bool isNamePart(char c) { return isNameStart(c) || (c >= '0' && c <= '9') || c == '-'; }
bool isContinuation(char c) { return (static_cast<unsigned char>(c) & 0xC0) == 0x80; }

std::size_t characters(std::string_view text) {
    return static_cast<std::size_t>(std::count_if(text.begin(), text.end(), [](char c) { return !isContinuation(c); }));
}

/// The line of `offset`, cut to 120 columns around it, and a caret line.
std::string excerptAt(std::string_view text, std::size_t offset) {
    const std::size_t lineStart = offset == 0 ? 0 : text.rfind('\n', offset - 1) + 1;  // npos + 1 = 0
    const std::size_t lineEnd = std::min(text.find('\n', offset), text.size());
    std::size_t begin = lineStart;
    if (offset - lineStart > maxExcerpt - 20) begin = offset - (maxExcerpt - 20);
    while (begin > lineStart && isContinuation(text[begin])) --begin;
    std::string shown(text.substr(begin, std::min(lineEnd - begin, maxExcerpt)));
    std::replace_if(
        shown.begin(), shown.end(), [](char c) { return static_cast<unsigned char>(c) < 0x20; }, ' ');
    return "    " + shown + "\n    " + std::string(characters(text.substr(begin, offset - begin)), ' ') + "^";
}

class Parser {
public:
    explicit Parser(std::string_view text) : text_(text) {}

    Result<Pipeline> parse() {
        Pipeline out;
        bool alone = true;
        for (;;) {
            auto step = parseStep(out);
            if (!step) return fail(step.error());
            if (out.steps.size() > maxSteps)
                return fail(expected(at_, "at most " + std::to_string(maxSteps) + " steps", std::to_string(out.steps.size())));
            skipBlanks();
            if (atEnd()) {
                if (alone && isNamedPipeline(*step)) out.name = *step;
                return out;
            }
            if (text_[at_] != ',') return fail(expected(at_, "\",\" or the end of the text", found()));
            ++at_;
            alone = false;
        }
    }

private:
    struct Option {
        std::size_t keyAt = 0, valueAt = 0;
        std::string key, value;
    };

    bool atEnd() const { return at_ >= text_.size(); }

    void skipBlanks() {
        while (!atEnd()) {
            if (text_[at_] == '#')
                at_ = std::min(text_.find('\n', at_), text_.size());
            else if (isBlank(text_[at_]))
                ++at_;
            else
                return;
        }
    }

    /// What stands at the cursor, as a message shows it.
    std::string found() const {
        if (atEnd()) return "the end of the text";
        std::size_t n = 1;
        if (isNamePart(text_[at_]))
            while (at_ + n < text_.size() && isNamePart(text_[at_ + n]) && n < 30) ++n;
        while (at_ + n < text_.size() && isContinuation(text_[at_ + n])) ++n;
        return "\"" + std::string(text_.substr(at_, n)) + "\"";
    }

    Diagnostic place(std::size_t offset, Diagnostic d) const {
        const std::string_view before = text_.substr(0, offset);
        const std::size_t lineStart = before.rfind('\n') + 1;
        d.file = "pipeline";
        d.line = static_cast<std::uint32_t>(1 + std::count(before.begin(), before.end(), '\n'));
        d.column = static_cast<std::uint32_t>(1 + characters(before.substr(lineStart)));
        d.excerpt = excerptAt(text_, offset);
        return d;
    }

    Diagnostic expected(std::size_t offset, std::string want, std::string got) const {
        return place(offset, userError("P004", {{"want", std::move(want)}, {"got", std::move(got)}}));
    }

    Result<std::string> parseName(const char* what) {
        skipBlanks();
        if (atEnd() || !isNameStart(text_[at_])) return fail(expected(at_, what, found()));
        const std::size_t start = at_;
        while (!atEnd() && isNamePart(text_[at_])) ++at_;
        return std::string(text_.substr(start, at_ - start));
    }

    Result<std::string> parseString() {
        const std::size_t start = at_++;
        std::string out;
        while (!atEnd() && text_[at_] != '"') {
            if (text_[at_] == '\\') {
                ++at_;
                if (atEnd()) break;
                if (text_[at_] != '"' && text_[at_] != '\\') return fail(expected(at_, "\\\" or \\\\ in a quoted value", found()));
            }
            out += text_[at_++];
        }
        if (atEnd())
            return fail(expected(at_, "the closing \" of the value that starts at column " + std::to_string(1 + characters(text_.substr(0, start))),
                                 found()));
        ++at_;
        return out;
    }

    Result<std::string> parseValue() {
        skipBlanks();
        if (!atEnd() && text_[at_] == '"') return parseString();
        const std::size_t start = at_;
        while (!atEnd() && !isBlank(text_[at_]) && text_[at_] != ',' && text_[at_] != '{' && text_[at_] != '}' && text_[at_] != '"') ++at_;
        if (at_ == start) return fail(expected(at_, "a value", found()));
        return std::string(text_.substr(start, at_ - start));
    }

    Result<std::vector<Option>> parseOptions() {
        std::vector<Option> out;
        skipBlanks();
        if (atEnd() || text_[at_] != '{') return out;
        ++at_;
        skipBlanks();
        if (!atEnd() && text_[at_] == '}') {
            ++at_;
            return out;
        }
        for (;;) {
            skipBlanks();
            Option option;
            option.keyAt = at_;
            auto key = parseName("an option");
            if (!key) return fail(key.error());
            option.key = *key;
            if (std::any_of(out.begin(), out.end(), [&](const Option& o) { return o.key == option.key; }))
                return fail(expected(option.keyAt, "each option once", option.key + " a second time"));
            skipBlanks();
            if (atEnd() || text_[at_] != '=') return fail(expected(at_, "\"=\" after " + option.key, found()));
            ++at_;
            skipBlanks();
            option.valueAt = at_;
            auto value = parseValue();
            if (!value) return fail(value.error());
            option.value = *value;
            out.push_back(std::move(option));
            skipBlanks();
            if (!atEnd() && text_[at_] == '}') {
                ++at_;
                return out;
            }
            if (atEnd() || text_[at_] != ',') return fail(expected(at_, "\",\" or \"}\"", found()));
            ++at_;
        }
    }

    /// Appends the step, or the steps of a named pipeline. Gives the name when it has no options, else an empty text.
    Result<std::string> parseStep(Pipeline& out) {
        skipBlanks();
        const std::size_t nameAt = at_;
        auto name = parseName("a pass name");
        if (!name) return fail(name.error());
        const Pass* pass = findPass(*name);
        if (!pass && !isNamedPipeline(*name)) return fail(place(nameAt, unknownPass(*name)));
        auto options = parseOptions();
        if (!options) return fail(options.error());

        if (!pass) {
            NamedPipelineBuilder builder(*name);
            for (const Option& o : *options)
                if (auto set = builder.set(o.key, o.value); !set) return fail(place(set.error().code == "P003" ? o.valueAt : o.keyAt, set.error()));
            Pipeline named = builder.build();
            std::move(named.steps.begin(), named.steps.end(), std::back_inserter(out.steps));
            for (std::string& m : named.missing)
                if (std::find(out.missing.begin(), out.missing.end(), m) == out.missing.end()) out.missing.push_back(std::move(m));
        } else {
            PipelineStep step = defaultStep(*pass);
            for (const Option& o : *options)
                if (auto set = setOption(step, o.key, o.value); !set)
                    return fail(place(set.error().code == "P003" ? o.valueAt : o.keyAt, set.error()));
            out.steps.push_back(std::move(step));
        }
        return options->empty() ? *name : std::string();
    }

    std::string_view text_;
    std::size_t at_ = 0;
};

bool isPlainValue(std::string_view value) {
    return !value.empty() &&
           std::none_of(value.begin(), value.end(), [](char c) { return isBlank(c) || c == ',' || c == '{' || c == '}' || c == '"' || c == '#'; });
}

std::string quoted(std::string_view value) {
    std::string out = "\"";
    for (char c : value) {
        if (c == '"' || c == '\\') out += '\\';
        out += c;
    }
    return out + '"';
}

template <class Number>
bool isNumber(std::string_view text) {
    Number value{};
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size();
}

/// Empty when `value` fits, else what was expected.
std::string expectation(const PassOption& option, std::string_view value) {
    switch (option.type) {
        case PassOption::Type::Int:
            return isNumber<std::int64_t>(value) ? "" : "an integer";
        case PassOption::Type::Float:
            return isNumber<double>(value) ? "" : "a number";
        case PassOption::Type::File:
            return !value.empty() ? "" : "a file name";
        case PassOption::Type::Text:
            return "";
        case PassOption::Type::Enum:
            break;
    }
    if (std::find(option.values.begin(), option.values.end(), value) != option.values.end()) return "";
    std::string want;
    for (std::size_t i = 0; i < option.values.size(); ++i) want += (i == 0 ? "" : i + 1 == option.values.size() ? " or " : ", ") + option.values[i];
    return want;
}

}  // namespace

PipelineStep defaultStep(const Pass& pass) {
    PipelineStep step;
    step.pass = &pass;
    for (const PassOption& option : pass.options()) step.options.set(option.key, option.defaultValue);
    return step;
}

Status setOption(PipelineStep& step, std::string_view key, std::string_view value) {
    const auto options = step.pass->options();
    const auto option = std::find_if(options.begin(), options.end(), [&](const PassOption& o) { return o.key == key; });
    if (option == options.end()) {
        std::vector<std::string> keys;
        for (const PassOption& o : options) keys.push_back(o.key);
        return fail(unknownOption(std::string(step.pass->name()), key, keys));
    }
    if (std::string want = expectation(*option, value); !want.empty())
        return fail(userError("P003", {{"key", std::string(key)}, {"value", std::string(value)}, {"want", std::move(want)}}));
    step.options.set(std::string(key), std::string(value));
    return {};
}

Diagnostic unknownOption(std::string owner, std::string_view key, const std::vector<std::string>& keys) {
    Diagnostic d = userError("P002", {{"pass", owner}, {"key", std::string(key)}});
    d.note = keys.empty() ? owner + " has no options" : "nearest: " + nearestList(key, keys);
    return d;
}

Diagnostic unknownPass(std::string_view name) {
    std::vector<std::string> known;
    for (const auto& pass : allPasses()) known.emplace_back(pass->name());
    for (const std::string& pipeline : pipelineNames()) known.push_back(pipeline);
    Diagnostic d = userError("P001", {{"name", std::string(name)}, {"list", nearestList(name, known)}});
    if (isMissingPass(name)) d.note = std::string(name) + " is not in this build";
    return d;
}

std::string optionText(const PipelineStep& step) {
    std::string out;
    for (const PassOption& option : step.pass->options()) {
        const std::string& value = step.options.get(option.key);
        if (value == option.defaultValue) continue;
        out += (out.empty() ? "" : ",") + option.key + "=" + (isPlainValue(value) ? value : quoted(value));
    }
    return out;
}

std::string PipelineStep::str() const {
    const std::string inside = optionText(*this);
    return std::string(pass->name()) + (inside.empty() ? "" : "{" + inside + "}");
}

std::string Pipeline::str() const {
    std::string out;
    for (const PipelineStep& step : steps) out += (out.empty() ? "" : ",") + step.str();
    return out;
}

Result<Pipeline> parsePipeline(std::string_view text) { return Parser(text).parse(); }

}  // namespace aliascope
