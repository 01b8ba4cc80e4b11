#include "core/patterns/pattern.h"

#include <fmt/format.h>

#include <algorithm>
#include <unordered_map>
#include <unordered_set>

#include "core/ir/op_registry.h"

namespace aliascope::patterns {
namespace {

bool isDTypeName(const Value& v) { return v.kind() == Value::Kind::Const && dtypeFromTorchName(v.name().view()).has_value(); }

/// Adds matchers for a traced graph; operands are added before their users, so indices rise with graph order.
class TraceConversion {
public:
    TraceConversion(const Graph& g, const TraceForm& form, Pattern& out) : g_(g), form_(form), out_(out) {}

    void run(const std::vector<Value>& outputs) {
        for (NodeId id : g_.placeholders()) byNode_[id] = captureNamed(g_[id].name.str());
        for (const auto& [name, number] : form_.magic) captureNamed(name);
        for (NodeId id : inOrder(g_))
            if (g_[id].isCall()) byNode_[id] = call(id);
        for (const Value& v : outputs) out_.outputs.push_back(v.isNode() ? static_cast<std::int32_t>(byNode_.at(v.asNode())) : -1);
    }

private:
    std::uint32_t add(Matcher m) {
        out_.matchers.push_back(std::move(m));
        return static_cast<std::uint32_t>(out_.matchers.size() - 1);
    }

    std::uint32_t captureNamed(const std::string& name) {
        const auto it = captures_.find(name);
        if (it != captures_.end()) return it->second;
        Matcher m;
        m.kind = Matcher::Kind::Capture;
        m.capture = static_cast<std::uint32_t>(out_.captures.size());
        out_.captures.push_back(name);
        return captures_[name] = add(std::move(m));
    }

    std::uint32_t call(NodeId id) {
        const Node& n = g_[id];
        Matcher m;
        m.kind = Matcher::Kind::Call;
        m.ops = {{n.op, false}};
        const bool exact = n.op == "operator::getitem" || (!form_.reference && n.op == "aten::permute");
        for (std::size_t i = 0; i < n.args.size(); ++i) m.args.push_back(isSizes(n.op, i) ? add(Matcher()) : value(n.args[i], exact));
        if (!form_.reference) relax(m, n);
        for (const auto& [key, v] : n.kwargs) m.keywords.emplace_back(key, value(v, false));
        m.openKeywords = true;
        m.usersRule = form_.reference ? Matcher::Users::Exactly : Matcher::Users::Inside;
        m.users = static_cast<std::uint32_t>(n.users.size());
        m.label = n.name.str();
        if (form_.strict) m.expected = n.type;
        return add(std::move(m));
    }

    /// Sizes show in the type of the result, which strict patterns compare; texts may leave one of them at -1.
    bool isSizes(Name op, std::size_t argument) const {
        if (!form_.strict) return false;
        return (argument == 1 && (op == "aten::view" || op == "aten::expand")) || (argument == 0 && (op == "aten::full" || op == "aten::rand"));
    }

    /// Spellings that mean the same.
    void relax(Matcher& m, const Node& n) {
        const bool mul = n.op == "aten::mul.Tensor", div = n.op == "aten::div.Tensor", add = n.op == "aten::add.Tensor";
        if ((mul || div || add) && m.args.size() == 2) {
            const Matcher& second = out_.matchers[m.args[1]];
            const TensorType* t = n.args[1].isNode() ? g_[n.args[1].asNode()].tensor() : nullptr;
            const bool number = !n.args[1].isNode() || (t && t->rank() == 0 && second.kind == Matcher::Kind::Capture);
            if (number)
                m.ops.push_back({mul ? "aten::mul.Scalar"_n : div ? "aten::div.Scalar"_n : "aten::add.Scalar"_n, false});
            else
                m.commute = !div;
        }
        if (n.op == "aten::view" && n.args[0].isNode() && g_[n.args[0].asNode()].op == "aten::expand") {
            Matcher clone;
            clone.kind = Matcher::Kind::Call;
            clone.ops = {{"aten::clone"_n, false}};
            clone.args = {m.args[0]};
            clone.openKeywords = true;
            clone.optional = true;
            clone.absent = m.args[0];
            m.args[0] = this->add(std::move(clone));
        }
    }

    std::uint32_t value(const Value& v, bool exact) {
        if (v.isNode()) return byNode_.at(v.asNode());
        if (v.isSequence()) return list(v, exact);
        const auto number = v.kind() == Value::Kind::Bool ? std::nullopt : v.asNumber();
        if (number)
            for (const auto& [name, magic] : form_.magic)
                if (magic == *number) return captureNamed(name);
        Matcher m;
        const bool ignored = number || v.kind() == Value::Kind::Sym || v.kind() == Value::Kind::Device || isDTypeName(v);
        if (ignored && !exact && !form_.strict) return add(std::move(m));
        m.kind = Matcher::Kind::Constant;
        m.constant = v;
        return add(std::move(m));
    }

    std::uint32_t list(const Value& v, bool exact) {
        Matcher m;
        m.kind = Matcher::Kind::List;
        for (const Value& item : v.items()) m.args.push_back(value(item, exact));
        const bool allIgnored =
            std::all_of(m.args.begin(), m.args.end(), [&](std::uint32_t i) { return out_.matchers[i].kind == Matcher::Kind::Ignored; });
        if (allIgnored && !m.args.empty()) return m.args.front();
        return add(std::move(m));
    }

    const Graph& g_;
    const TraceForm& form_;
    Pattern& out_;
    std::unordered_map<NodeId, std::uint32_t> byNode_;
    std::map<std::string, std::uint32_t> captures_;
};

bool isCommutative(Name op) {
    static const std::unordered_set<Name> packets = {"aten::add.Tensor"_n, "aten::mul.Tensor"_n, "aten::add"_n,
                                                     "aten::mul"_n,        "aten::maximum"_n,    "aten::minimum"_n};
    return packets.contains(op);
}

/// Spells a pattern from its outputs down.
class NormalForm {
public:
    NormalForm(const Pattern& p, bool reference) : p_(p), reference_(reference), number_(p.matchers.size(), 0) {}

    std::string run() {
        if (!reference_) shapes();
        std::string out;
        for (std::int32_t o : p_.outputs) {
            if (o < 0)
                out += "none;";
            else
                write(out, static_cast<std::uint32_t>(o)), out += ";";
        }
        return out;
    }

private:
    /// A text of every matcher without numbers, to sort operands by; operands come first, so one sweep does.
    void shapes() {
        shape_.resize(p_.matchers.size());
        for (std::size_t i = 0; i < p_.matchers.size(); ++i) {
            const Matcher& m = p_.matchers[i];
            std::size_t h = std::hash<std::string>()(head(m));
            std::vector<std::size_t> parts;
            for (std::uint32_t a : m.args) parts.push_back(shape_[a]);
            if (sorts(m)) std::sort(parts.begin(), parts.end());
            for (const auto& [key, k] : m.keywords) parts.push_back(std::hash<std::string>()(key.str()) ^ shape_[k]);
            for (std::size_t part : parts) h = h * 0x9E3779B97F4A7C15ull + part;
            shape_[i] = h;
        }
    }

    bool sorts(const Matcher& m) const {
        return !reference_ && m.kind == Matcher::Kind::Call && m.args.size() == 2 &&
               (m.commute || (m.ops.size() == 1 && isCommutative(m.ops.front().name) && m.commute));
    }

    std::string head(const Matcher& m) const {
        switch (m.kind) {
            case Matcher::Kind::Ignored:
                return "_";
            case Matcher::Kind::Constant:
                return "=" + spell(m.constant);
            case Matcher::Kind::List:
                return "[";
            case Matcher::Kind::Capture:
                return "$" + typeText(m.type) + (m.exclusive ? "!x" : "");
            case Matcher::Kind::Call:
                break;
        }
        std::string out;
        for (const OpMatch& op : m.ops) out += op.name.str() + (op.family ? ".*|" : "|");
        const bool output = p_.isOutput(static_cast<std::uint32_t>(&m - p_.matchers.data()));
        out += output                                   ? "<out>"
               : m.usersRule == Matcher::Users::Exactly ? fmt::format("<{}>", m.users)
               : m.usersRule == Matcher::Users::Inside  ? "<in>"
                                                        : "<any>";
        out += m.openKeywords ? ".." : "";
        out += m.commute ? "!c" : "";
        out += m.optional ? "?" : "";
        return out;
    }

    static std::string spell(const Value& v) {
        if (const auto i = v.asInt(); i && v.kind() == Value::Kind::Int) return std::to_string(*i);
        if (const auto d = v.asNumber(); d && v.kind() == Value::Kind::Float) return pythonFloat(*d);
        if (const auto b = v.asBool(); b && v.kind() == Value::Kind::Bool) return *b ? "true" : "false";
        if (v.kind() == Value::Kind::Sym) return v.asSym().str();
        return fmt::format("{}:{}", static_cast<int>(v.kind()), v.name().str());
    }

    static std::string typeText(const CaptureType& t) {
        std::string out = fmt::format("{}:{}", static_cast<int>(t.kind), t.rank);
        for (DType d : t.dtypes) out += fmt::format("|{}", static_cast<int>(d));
        return out;
    }

    void write(std::string& out, std::uint32_t i) {
        const Matcher& m = p_.matchers[i];
        const bool named = m.kind == Matcher::Kind::Call || m.kind == Matcher::Kind::Capture;
        if (named && number_[i]) {
            out += fmt::format("%{}", number_[i]);
            return;
        }
        if (named) number_[i] = ++last_;
        out += head(m);
        if (m.kind == Matcher::Kind::Capture) out += reference_ ? p_.captures[m.capture] : std::to_string(number_[i]);
        if (m.args.empty() && m.keywords.empty()) return;
        std::vector<std::uint32_t> args = m.args;
        if (sorts(m)) std::stable_sort(args.begin(), args.end(), [&](std::uint32_t a, std::uint32_t b) { return shape_[a] < shape_[b]; });
        out += "(";
        for (std::uint32_t a : args) write(out, a), out += ",";
        for (const auto& [key, k] : m.keywords) out += key.str() + "=", write(out, k), out += ",";
        out += ")";
    }

    const Pattern& p_;
    const bool reference_;
    std::vector<std::uint32_t> number_;
    std::vector<std::size_t> shape_;
    std::uint32_t last_ = 0;
};

}  // namespace

bool OpMatch::packetOfIs(Name op) const {
    const std::string_view text = op.view();
    return text.size() > name.view().size() && text.starts_with(name.view()) && text[name.view().size()] == '.';
}

std::size_t Pattern::calls() const {
    return static_cast<std::size_t>(std::count_if(matchers.begin(), matchers.end(), [](const Matcher& m) { return m.kind == Matcher::Kind::Call; }));
}

bool Pattern::isOutput(std::uint32_t matcher) const {
    return std::find(outputs.begin(), outputs.end(), static_cast<std::int32_t>(matcher)) != outputs.end();
}

Pattern patternOfTrace(const Graph& g, const std::vector<Value>& outputs, const TraceForm& form, std::string name) {
    Pattern out;
    out.name = std::move(name);
    TraceConversion(g, form, out).run(outputs);
    return out;
}

std::string normalForm(const Pattern& p, bool reference) { return NormalForm(p, reference).run(); }

std::string describe(const Pattern& p, std::uint32_t matcher) {
    const Matcher& m = p.matchers[matcher];
    switch (m.kind) {
        case Matcher::Kind::Ignored:
            return "_";
        case Matcher::Kind::Constant:
            return m.constant.name() ? m.constant.name().str() : m.constant.asNumber() ? fmt::format("{}", *m.constant.asNumber()) : "a constant";
        case Matcher::Kind::List:
            return fmt::format("a list of {}", m.args.size());
        case Matcher::Kind::Capture:
            return "$" + p.captures[m.capture];
        case Matcher::Kind::Call:
            break;
    }
    std::string out;
    for (const OpMatch& op : m.ops) out += (out.empty() ? "" : " or ") + op.name.str();
    return out;
}

}  // namespace aliascope::patterns
