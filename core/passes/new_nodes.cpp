#include "core/passes/new_nodes.h"

#include <cctype>

#include "core/ops/infer.h"

namespace aliascope {

std::string freshCallName(Name canonical) {
    const std::string_view text = canonical.view();
    const auto colons = text.find("::");
    std::string_view name = colons == std::string_view::npos ? text : text.substr(colons + 2);
    const std::string_view ns = colons == std::string_view::npos ? std::string_view() : text.substr(0, colons);
    std::string out;
    // torch.fx takes the target's __name__ in snake case: `slice.Tensor` gives `slice_tensor`; Python operators have no overload.
    for (char c : name) out += c == '.' ? '_' : static_cast<char>(std::tolower(static_cast<unsigned char>(c)));
    if (ns != "operator" && ns != "hop" && name.find('.') == std::string_view::npos) out += "_default";
    return out;
}

Node newCall(Name canonical, std::vector<Value> args, std::vector<Keyword> kwargs) {
    Node n;
    n.kind = NodeKind::CallFunction;
    n.name = Name(freshCallName(canonical));
    n.target = spellOp(canonical);
    n.op = canonical;
    n.args = std::move(args);
    n.kwargs = std::move(kwargs);
    return n;
}

NodeId NewNodes::call(Name canonical, std::vector<Value> args, std::vector<Keyword> kwargs) {
    Node n = newCall(canonical, std::move(args), std::move(kwargs));
    n.provenance = g_[before_].provenance;
    const NodeId id = g_.insertBefore(before_, std::move(n));
    setInferredType(ops_, g_, id);
    return id;
}

}  // namespace aliascope
