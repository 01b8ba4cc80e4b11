#include "core/ir/ops_file.h"

#include <algorithm>
#include <filesystem>

#include "core/ir/schema_parse.h"

namespace aliascope {
namespace {

bool isBlank(char c) { return c == ' ' || c == '\t'; }

std::string_view trim(std::string_view s) {
    while (!s.empty() && isBlank(s.front())) s.remove_prefix(1);
    while (!s.empty() && (isBlank(s.back()) || s.back() == '\r')) s.remove_suffix(1);
    return s;
}

/// Without a `#` comment; a `#` inside a string is none.
std::string_view withoutComment(std::string_view s) {
    char quote = 0;
    for (std::size_t i = 0; i < s.size(); ++i) {
        if (quote && s[i] == '\\')
            ++i;
        else if (quote && s[i] == quote)
            quote = 0;
        else if (!quote && (s[i] == '"' || s[i] == '\''))
            quote = s[i];
        else if (!quote && s[i] == '#')
            return s.substr(0, i);
    }
    return s;
}

/// Mistakes that are told one by one; of further ones only the number.
constexpr std::size_t kMostProblems = 100;

/// Control characters as `\xNN`.
std::string visible(std::string_view text) {
    static const char digits[] = "0123456789abcdef";
    std::string out;
    for (const char c : text) {
        const auto byte = static_cast<unsigned char>(c);
        if (byte >= 0x20 && byte != 0x7f)
            out += c;
        else
            out += {'\\', 'x', digits[byte >> 4], digits[byte & 15]};
    }
    return out;
}

/// The source line, cut to 120 columns, and a caret under `column`.
std::string excerptOf(std::string_view line, std::uint32_t column) {
    constexpr std::size_t width = 120;
    line = line.substr(0, width);
    std::string out = visible(line);
    if (column >= 1 && column <= width) out += "\n" + std::string(visible(line.substr(0, column - 1)).size(), ' ') + "^";
    return out;
}

std::string_view stemOf(std::string_view fileName) {
    fileName = fileName.substr(fileName.find_last_of("/\\") + 1);
    return fileName.substr(0, fileName.find('.'));
}

class Reader {
public:
    Reader(std::string_view text, std::string_view fileName) : text_(text), fileName_(fileName) {}

    OpsFile run() {
        if (text_.starts_with("\xef\xbb\xbf")) text_.remove_prefix(3);
        while (!text_.empty()) {
            line_ = text_.substr(0, text_.find('\n'));
            text_.remove_prefix(std::min(line_.size() + 1, text_.size()));
            ++number_;
            readLine();
        }
        closeBlock();
        if (dropped_ > 0) {
            Diagnostic d = warning("R051", {{"n", std::to_string(dropped_)}});
            d.file = std::string(fileName_);
            file_.problems.push_back(std::move(d));
        }
        return std::move(file_);
    }

private:
    void readLine() {
        const bool indented = !line_.empty() && isBlank(line_.front());
        const std::string_view content = trim(withoutComment(line_));
        if (content.empty() || indented) {
            if (inBlock_) body_.append(line_).push_back('\n');
            if (!content.empty() && !inBlock_ && !skipBody_) problem("R062", {{"why", "an indented line without an `op` or `kernel` before it"}}, 1);
            return;
        }
        closeBlock();
        skipBody_ = false;
        std::string_view schema = content;
        bool kernel = false;
        if (schema.starts_with("op ") || schema.starts_with("op\t"))
            schema = trim(schema.substr(3));
        else if (schema.starts_with("kernel ") || schema.starts_with("kernel\t")) {
            schema = trim(schema.substr(7));
            kernel = true;
        }
        if (schema.ends_with(':') && !schema.ends_with("::")) schema = trim(schema.substr(0, schema.size() - 1));
        auto parsed = kernel ? parseKernelSignature(schema) : Schema::parse(schema);
        if (!parsed) {
            Diagnostic d = std::move(parsed.error());
            const std::uint32_t column = d.column + static_cast<std::uint32_t>(schema.data() - line_.data());
            keep(std::move(d), column);
            skipBody_ = true;  // its body belongs to nothing, and is no further mistake
            return;
        }
        OpsFile::Entry entry;
        entry.line = number_;
        entry.def.schema = std::move(*parsed);
        if (!entry.def.schema.ns) entry.def.schema.ns = Name(stemOf(fileName_));
        if (entry.def.schema.overload == "default") entry.def.schema.overload = Name();
        entry.def.canonical = entry.def.schema.canonical();
        entry.def.source = SchemaSource::UserFile;
        file_.entries.push_back(std::move(entry));
        inBlock_ = true;
    }

    void closeBlock() {
        if (inBlock_) {
            while (!body_.empty() && (body_.back() == '\n' || isBlank(body_.back()) || body_.back() == '\r')) body_.pop_back();
            OpDef& def = file_.entries.back().def;
            def.body = std::move(body_);
            readFacts(def);
        }
        body_.clear();
        inBlock_ = false;
    }

    static bool isNo(std::string_view word) { return word == "no" || word == "false" || word == "False" || word == "0"; }

    /// `key: value` lines that are traits.
    static void readFacts(OpDef& def) {
        std::string_view rest = def.body;
        while (!rest.empty()) {
            const std::string_view line = rest.substr(0, rest.find('\n'));
            rest.remove_prefix(std::min(line.size() + 1, rest.size()));
            const std::string_view content = trim(withoutComment(line));
            const auto colon = content.find(':');
            if (colon == std::string_view::npos) continue;
            const std::string_view key = trim(content.substr(0, colon)), value = trim(content.substr(colon + 1));
            if (key == "deterministic" && isNo(value)) def.traits = def.traits | Trait::Random;
            if (key == "pure" && isNo(value)) def.traits = def.traits | Trait::Effect;
        }
    }

    void keep(Diagnostic d, std::uint32_t column) {
        if (file_.problems.size() >= kMostProblems) {
            ++dropped_;
            return;
        }
        d.file = std::string(fileName_);
        d.line = number_;
        d.column = column;
        d.excerpt = excerptOf(trim(line_).data() == line_.data() ? trim(line_) : line_, column);
        file_.problems.push_back(std::move(d));
    }

    void problem(std::string code, Params params, std::uint32_t column) { keep(userError(std::move(code), std::move(params)), column); }

    std::string_view text_, fileName_, line_;
    std::uint32_t number_ = 0;
    std::size_t dropped_ = 0;
    std::string body_;
    bool inBlock_ = false, skipBody_ = false;
    OpsFile file_;
};

}  // namespace

OpsFile parseOpsFile(std::string_view text, std::string_view fileName) { return Reader(text, fileName).run(); }

std::vector<std::string> opsFilesBeside(const std::string& path) {
    constexpr std::size_t kEntriesLookedAt = 10000;  // a folder may be a whole download
    std::error_code failed;
    std::filesystem::path folder = path;
    if (!std::filesystem::exists(folder, failed)) return {};
    if (!std::filesystem::is_directory(folder, failed)) folder = folder.parent_path();
    std::vector<std::string> out;
    std::size_t looked = 0;
    std::filesystem::directory_iterator entries(folder.empty() ? "." : folder, failed);
    for (; !failed && entries != std::filesystem::directory_iterator() && looked < kEntriesLookedAt; entries.increment(failed), ++looked) {
        if (entries->path().extension() != ".ops" || !entries->is_regular_file(failed)) continue;
        if (out.size() == kOpsFilesBeside) return {};
        out.push_back(folder.empty() ? entries->path().filename().string() : entries->path().string());
    }
    std::sort(out.begin(), out.end());
    return out;
}

}  // namespace aliascope
