// Values in the three spellings of print.h (formats.md 4.2, 5.4).

#include <algorithm>
#include <array>

#include "core/ir/op_registry.h"
#include "core/text/literals.h"
#include "core/text/print.h"
#include "core/text/value_spelling.h"

namespace aliascope {
namespace {

void appendItems(std::string& out, const Graph& g, const std::vector<Value>& items, Dialect dialect) {
    for (std::size_t i = 0; i < items.size(); ++i) {
        if (i != 0) out += ", ";
        printValue(out, g, items[i], dialect);
    }
}

void appendDict(std::string& out, const Graph& g, const Value& v, Dialect dialect) {
    out += '{';
    for (std::size_t i = 0; i < v.items().size(); ++i) {
        if (i != 0) out += ", ";
        if (dialect == Dialect::GraphText) {
            out += v.keys()[i].view();
        } else {
            appendPythonString(out, v.keys()[i].view());
        }
        out += ": ";
        printValue(out, g, v.items()[i], dialect);
    }
    out += '}';
}

void appendDevice(std::string& out, std::string_view device) {
    const std::size_t colon = device.find(':');
    out += "device(type=";
    appendPythonString(out, device.substr(0, colon));
    if (colon != device.npos) {
        out += ", index=";
        out += device.substr(colon + 1);
    }
    out += ')';
}

std::string_view wrapperName(Value::Kind kind) {
    switch (kind) {
        case Value::Kind::Const:
            return "Const";
        case Value::Kind::Device:
            return "Device";
        case Value::Kind::Op:
            return "Op";
        case Value::Kind::BigInt:
            return "BigInt";
        case Value::Kind::Complex:
            return "Complex";
        default:
            return "Opaque";
    }
}

void appendWrapped(std::string& out, std::string_view wrapper, std::string_view text) {
    out += wrapper;
    out += '(';
    appendPythonString(out, text);
    out += ')';
}

/// Whether reading `text`, as Python prints it, gives back the named value itself.
bool readsBack(Value::Kind kind, Name text) {
    switch (kind) {
        case Value::Kind::Device:
            return isDeviceSpelling(text.view());
        case Value::Kind::Const:
            return isConstantSpelling(text.view());
        case Value::Kind::Op:
            return isOpSpelling(spellOp(text).view()) && canonicalOp(spellOp(text).view()) == text;
        case Value::Kind::BigInt:
            return isBigIntSpelling(text.view());
        case Value::Kind::Complex:
            return isComplexSpelling(text.view());
        default:
            return false;
    }
}

void appendNamed(std::string& out, const Value& v, Dialect dialect) {
    const std::string_view text = v.name().view();
    if (dialect == Dialect::GraphText) {
        out += v.kind() == Value::Kind::Op ? spellOpArgument(v.name()) : std::string(text);
    } else if (v.kind() == Value::Kind::String) {
        appendPythonString(out, text);
    } else if (dialect == Dialect::Exact && !readsBack(v.kind(), v.name())) {
        appendWrapped(out, wrapperName(v.kind()), text);
    } else if (v.kind() == Value::Kind::Device) {
        appendDevice(out, text);
    } else if (v.kind() == Value::Kind::Op) {
        out += spellOp(v.name()).view();
    } else {
        out += text;
    }
}

}  // namespace

bool isConstantSpelling(std::string_view text) {
    if (text.substr(0, 6) != "torch." || text.substr(0, 10) == "torch.ops.") return false;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t dot = std::min(text.find('.', at), text.size());
        if (!isIdentifier(text.substr(at, dot - at))) return false;
        at = dot + 1;
    }
    return true;
}

bool isOpSpelling(std::string_view path) {
    return path.substr(0, 10) == "torch.ops." || path.substr(0, 9) == "operator." || path.substr(0, 10) == "_operator.";
}

bool isBigIntSpelling(std::string_view text) {
    if (text.substr(0, 1) == "-") text.remove_prefix(1);
    const auto v = readNumber(text);
    return v && v->kind() == Value::Kind::BigInt && text != "9223372036854775808";
}

bool isComplexSpelling(std::string_view text) {
    const bool bracketed = text.size() > 2 && text.front() == '(' && text.back() == ')';
    if (bracketed) text = text.substr(1, text.size() - 2);
    if (text.substr(0, 1) == "-") text.remove_prefix(1);
    if (!bracketed) {
        const auto v = readNumber(text);
        return v && v->kind() == Value::Kind::Complex;
    }
    // The sign between the parts is the last one that is not an exponent's.
    std::size_t sign = text.find_last_of("+-");
    if (sign != text.npos && sign > 0 && (text[sign - 1] == 'e' || text[sign - 1] == 'E')) sign = text.find_last_of("+-", sign - 1);
    if (sign == text.npos || sign == 0) return false;
    const auto re = readNumber(text.substr(0, sign)), im = readNumber(text.substr(sign + 1));
    return re && re->asNumber() && im && im->kind() == Value::Kind::Complex;
}

void printValue(std::string& out, const Graph& g, const Value& v, Dialect dialect) {
    // Inside a slice graph text writes Python (str() of a slice holds the repr of its parts).
    const Dialect inner = dialect == Dialect::GraphText ? Dialect::Python : dialect;
    switch (v.kind()) {
        case Value::Kind::None:
            out += "None";
            break;
        case Value::Kind::Ellipsis:
            out += "Ellipsis";
            break;
        case Value::Kind::Bool:
            out += *v.asBool() ? "True" : "False";
            break;
        case Value::Kind::Int:
            out += std::to_string(*v.asInt());
            break;
        case Value::Kind::Float:
            out += pythonFloat(*v.asNumber());
            break;
        case Value::Kind::Node:
            if (dialect == Dialect::GraphText) out += '%';
            out += g[v.asNode()].name.view();
            break;
        case Value::Kind::Sym:
            if (dialect == Dialect::Exact) {
                appendWrapped(out, "Sym", v.asSym().str());
            } else {
                out += v.asSym().str();
            }
            break;
        case Value::Kind::List:
            out += '[';
            appendItems(out, g, v.items(), dialect);
            out += ']';
            break;
        case Value::Kind::Tuple:
            out += '(';
            appendItems(out, g, v.items(), dialect);
            out += v.items().size() == 1 ? ",)" : ")";
            break;
        case Value::Kind::Dict:
            appendDict(out, g, v, dialect);
            break;
        case Value::Kind::Slice:
        case Value::Kind::Range:
            out += v.kind() == Value::Kind::Slice ? "slice(" : "range(";
            appendItems(out, g, v.items(), inner);
            out += ')';
            break;
        default:
            appendNamed(out, v, dialect);
            break;
    }
}

}  // namespace aliascope
