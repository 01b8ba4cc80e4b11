#pragma once
// Bodies of custom operators and Triton kernels from `.ops` files (executor.md 6), read as graphs once and kept.

#include <memory>

#include "core/ir/graph.h"
#include "core/ir/op_registry.h"

namespace aliascope::exec {

struct OpBody {
    /// Chooses between bodies: `when ARG is None`; empty = always.
    Name whenNone;
    Graph graph;
};

class OpBodies {
public:
    /// Reads the bodies of every operator of `ops` that has one. A body that cannot be read is one diagnostic with its line; the operator then has none.
    static OpBodies read(const OpRegistry& ops, std::vector<Diagnostic>* problems = nullptr);
    ~OpBodies();
    OpBodies(OpBodies&&) noexcept;
    OpBodies& operator=(OpBodies&&) noexcept;

    /// By canonical operator (`mylib::foo`) or kernel (`triton::kernel_0` …); null when there is none. In the order of the file.
    const std::vector<OpBody>* find(Name op) const;

private:
    OpBodies();
    struct Impl;
    std::unique_ptr<Impl> impl_;
};

}  // namespace aliascope::exec
