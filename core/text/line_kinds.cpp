#include "core/text/line_kinds.h"

#include "core/text/find.h"
#include "core/text/literals.h"

namespace aliascope {
namespace {

std::string_view withoutTrailingBlanks(std::string_view line) {
    while (!line.empty() && (line.back() == ' ' || line.back() == '\t')) line.remove_suffix(1);
    return line;
}

/// End of `%NAME` at the start of `text`, 0 when there is none.
std::size_t nodeNameEnd(std::string_view text) {
    if (text.size() < 2 || text[0] != '%' || !isNameStart(text[1])) return 0;
    std::size_t i = 2;
    while (i < text.size() && (isNameChar(text[i]) || text[i] == '.')) ++i;
    return i;
}

}  // namespace

std::size_t indentOf(std::string_view line) {
    std::size_t i = 0;
    while (i < line.size() && line[i] == ' ') ++i;
    return i;
}

std::size_t graphHeaderAt(std::string_view line) {
    line = withoutTrailingBlanks(line);
    if (line.empty() || line.back() != ':') return kNone;
    const std::size_t at = line.rfind("graph(");
    if (at == kNone || (at > 0 && isNameChar(line[at - 1])) || (at >= 4 && line.substr(at - 4, 4) == "def ")) return kNone;
    const std::size_t close = line.find(')', at);
    if (close == kNone) return kNone;
    const std::string_view rest = line.substr(close + 1);
    return rest == ":" || rest.substr(0, 4) == " -> " ? at : kNone;
}

bool isNodeLine(std::string_view line) {
    line.remove_prefix(indentOf(line));
    const std::size_t end = nodeNameEnd(line);
    if (end == 0 || line.substr(end, 2) != " :") return false;
    return line.find("[num_users=", end) != kNone || line.find("[#users=", end) != kNone || line.find(" = PlaceHolder[", end) != kNone ||
           line.size() < end + 16;
}

bool isShortNodeLine(std::string_view line) {
    line.remove_prefix(indentOf(line));
    const std::size_t end = nodeNameEnd(line);
    return end != 0 && line.substr(end, 3) == " = " && line.find('(', end) != kNone;
}

bool isReturnLine(std::string_view line) {
    line.remove_prefix(indentOf(line));
    return line.substr(0, 6) == "return" && (line.size() == 6 || line[6] == ' ' || line[6] == '(' || line[6] == '[');
}

std::size_t classLineAt(std::string_view line) {
    line = withoutTrailingBlanks(line);
    if (line.size() < 16 || line.back() != ':') return kNone;
    std::size_t at = line.find("class ");
    if (at == kNone || (at > 0 && line[at - 1] != ' ')) return kNone;
    const std::size_t open = line.find('(', at);
    if (open == kNone || line.find("Module", open) == kNone || line.find("):", open) == kNone) return kNone;
    // Comments and strings may quote a class line.
    if (line.find('#') < at || line.find('"') < at || line.find('\'') < at) return kNone;
    std::string_view base = line.substr(open + 1);
    if (base.substr(0, 6) == "torch.") base.remove_prefix(6);
    if (base.substr(0, 3) == "nn.") base.remove_prefix(3);
    return base.substr(0, 6) == "Module" ? at : kNone;
}

std::size_t forwardLineAt(std::string_view line) {
    const std::size_t at = indentOf(line);
    std::string_view rest = line.substr(at);
    if (rest.substr(0, 6) == "async ") rest.remove_prefix(6);
    return rest.substr(0, 12) == "def forward(" ? at : kNone;
}

std::string_view className(std::string_view line) {
    const std::size_t at = classLineAt(line);
    if (at == kNone) return {};
    const std::string_view rest = line.substr(at + 6);
    return rest.substr(0, rest.find('('));
}

}  // namespace aliascope
