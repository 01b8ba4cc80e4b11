// Types and memory only: what a prediction runs on.

#include "core/exec/backend.h"

namespace aliascope::exec {
namespace {

class NullBackend final : public Backend {
public:
    std::string_view name() const override { return "none"; }
    bool computes() const override { return false; }
    std::byte* allocate(std::size_t) override { return nullptr; }
    void free(std::byte*, std::size_t) noexcept override {}
    /// The CPU's kernels, for what is known of them: which operators run, results, workspace.
    const Kernel* kernel(Name op) const override { return KernelTable::cpu().find(op); }
    void launch(const Kernel&, OpCall&) override {}
    void copy(const Tensor&, const Tensor&) override {}
    void fillPoison(const Tensor&) override {}
    void upload(const Tensor&, const std::byte*) override {}
    void download(std::byte*, const Tensor&) override {}
    Digest digest(const Tensor&) override { return {}; }
};

}  // namespace

std::unique_ptr<Backend> makeNullBackend() { return std::make_unique<NullBackend>(); }

}  // namespace aliascope::exec
