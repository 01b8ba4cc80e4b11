#include "core/support/diagnostic.h"

#include "core/support/reasons.h"

namespace aliascope {
namespace {

Diagnostic make(Severity severity, Audience audience, std::string code, Params params) {
    Diagnostic d;
    d.severity = severity;
    d.audience = audience;
    d.code = std::move(code);
    d.params = std::move(params);
    return d;
}

bool isNamePart(char c) { return (c >= 'a' && c <= 'z') || (c >= 'A' && c <= 'Z') || (c >= '0' && c <= '9') || c == '_'; }

/// Whether `text` has `name` in it by itself, not as a part of a longer name.
bool mentions(std::string_view text, std::string_view name) {
    for (std::size_t at = text.find(name); at != std::string_view::npos; at = text.find(name, at + 1)) {
        const std::size_t end = at + name.size();
        if ((at == 0 || !isNamePart(text[at - 1])) && (end == text.size() || !isNamePart(text[end]))) return true;
    }
    return false;
}

}  // namespace

std::string_view toString(Severity s) {
    switch (s) {
        case Severity::Error: return "error";
        case Severity::Warning: return "warning";
        case Severity::Info: break;
    }
    return "info";
}

std::string_view toString(Audience a) { return a == Audience::User ? "user" : "internal"; }

std::string Diagnostic::sentence() const {
    const Reason* reason = findReason(code);
    std::string out = reason ? fillSentence(reason->sentence, params) : std::string();
    if (!note.empty()) out += (out.empty() ? "" : out.back() == '.' ? " " : "; ") + note;
    return out;
}

std::string Diagnostic::format() const {
    std::string out;
    if (!file.empty()) out += file + ":";
    if (line) out += std::to_string(line) + ":" + (column ? std::to_string(column) + ":" : std::string());
    if (!out.empty()) out += " ";
    out += std::string(toString(severity)) + " " + code + ": " + sentence();
    if (node && !mentions(out, node.view())) out += " [%" + node.str() + "]";
    if (!excerpt.empty()) out += "\n" + excerpt;
    return out;
}

Diagnostic userError(std::string code, Params params) { return make(Severity::Error, Audience::User, std::move(code), std::move(params)); }
Diagnostic warning(std::string code, Params params) { return make(Severity::Warning, Audience::User, std::move(code), std::move(params)); }
Diagnostic info(std::string code, Params params) { return make(Severity::Info, Audience::User, std::move(code), std::move(params)); }
Diagnostic internalError(std::string code, Params params) { return make(Severity::Error, Audience::Internal, std::move(code), std::move(params)); }

}  // namespace aliascope
