#include "core/text/stated_sizes.h"

#include "core/text/literals.h"

namespace aliascope {

std::optional<std::vector<SymInt>> parseSizes(std::string_view text) {
    text = trimmed(text);
    if (text.size() < 2 || !((text.front() == '(' && text.back() == ')') || (text.front() == '[' && text.back() == ']'))) return std::nullopt;
    std::string_view inside = trimmed(text.substr(1, text.size() - 2));
    if (inside.ends_with(',')) inside.remove_suffix(1);
    // Sizes are written as in annotations.
    const TypePtr type = Type::parseAnnotation("f32[" + std::string(inside) + "]");
    const TensorType* t = asTensor(type);
    return t ? std::optional(t->sizes) : std::nullopt;
}

void giveSizes(Graph& g, NodeId node, const std::vector<SymInt>& sizes) {
    if (!node || g[node].type || g[node].kind == NodeKind::Output) return;
    TensorType t;
    t.sizes = sizes;
    for (const SymInt& size : sizes)
        if (!size.isConst())
            for (const Name name : size.symbols()) g.symbols.try_emplace(name);
    g.setType(node, Type::tensor(std::move(t)), Trust::Sibling);
}

void giveHints(Graph& g, NodeId node, const std::vector<SymInt>& concrete) {
    const TensorType* t = node ? g[node].tensor() : nullptr;
    if (!t || t->rank() != concrete.size()) return;
    for (std::size_t i = 0; i < concrete.size(); ++i) {
        const auto known = t->sizes[i].isConst() ? g.symbols.end() : g.symbols.find(Name(t->sizes[i].str()));
        if (known != g.symbols.end() && concrete[i].isConst() && !known->second.hint) known->second.hint = concrete[i].constant();
    }
}

}  // namespace aliascope
