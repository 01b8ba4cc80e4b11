#include "core/exec/symbol_values.h"

namespace aliascope::exec {
namespace {

bool isPrime(std::int64_t n) {
    for (std::int64_t d = 2; d * d <= n; ++d)
        if (n % d == 0) return false;
    return n > 1;
}

class Assumptions {
public:
    explicit Assumptions(SymbolTable& symbols) : symbols_(symbols) {}

    void visit(const Node& n) {
        if (!n.type) return;
        if (const SymInt* s = n.type->asSym()) settle(*s);
        if (const TensorType* t = n.tensor()) {
            for (const SymInt& size : t->sizes) settle(size);
            if (t->strides)
                for (const SymInt& stride : *t->strides) settle(stride);
        }
    }
    std::vector<std::pair<Name, std::int64_t>> given;

private:
    void settle(const SymInt& expression) {
        for (const Name symbol : expression.symbols()) {
            SymbolFacts& facts = symbols_[symbol];
            if (facts.hint) continue;
            std::int64_t value = next_;
            if (facts.min && value < *facts.min) value = *facts.min;
            if (facts.max && value > *facts.max) value = *facts.max;
            facts.hint = value;
            given.emplace_back(symbol, value);
            do ++next_;
            while (!isPrime(next_));
        }
    }

    SymbolTable& symbols_;
    std::int64_t next_ = 8;
};

}  // namespace

std::vector<std::pair<Name, std::int64_t>> assumeSymbols(const Graph& g, SymbolTable& symbols) {
    Assumptions assumptions(symbols);
    for (const NodeId id : inOrder(g))
        if (g[id].kind == NodeKind::Placeholder) assumptions.visit(g[id]);
    for (const NodeId id : inOrder(g))
        if (g[id].kind != NodeKind::Placeholder && g[id].tensor()) assumptions.visit(g[id]);
    return std::move(assumptions.given);
}

}  // namespace aliascope::exec
