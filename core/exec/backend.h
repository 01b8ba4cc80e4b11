#pragma once
// Where tensors live and operators run. The executor touches data only through this, so that a CUDA module can stand in for the CPU.
// Thread-safety: one run at a time per backend object.

#include "core/exec/digest.h"
#include "core/exec/kernel.h"

namespace aliascope::exec {

class Backend {
public:
    virtual ~Backend() = default;
    virtual std::string_view name() const = 0;      ///< `cpu-ref`, `cpu`, `cuda:0`, `none`
    virtual bool computes() const { return true; }  ///< false: types and memory only (a prediction)
    /// Memory for `bytes` > 0, 64-byte aligned, uninitialised. Null = out of memory.
    virtual std::byte* allocate(std::size_t bytes) = 0;
    virtual void free(std::byte* data, std::size_t bytes) noexcept = 0;
    /// Null when the operator has no kernel here.
    virtual const Kernel* kernel(Name op) const = 0;
    /// Runs `k` on `call`. Throws ExecError.
    virtual void launch(const Kernel& k, OpCall& call) = 0;
    /// Elements of `src`, broadcast and converted, into `dst`.
    virtual void copy(const Tensor& dst, const Tensor& src) = 0;
    /// Every float of `floats` lies in the integer type, or is not looked at.
    virtual bool fitsInto(DType integer, const Tensor& floats) {
        (void)integer, (void)floats;
        return true;
    }
    virtual void fillPoison(const Tensor& t) = 0;  ///< executor.md 3.2
    virtual void upload(const Tensor& dst, const std::byte* hostContiguous) = 0;
    virtual void download(std::byte* hostContiguous, const Tensor& src) = 0;
    virtual Digest digest(const Tensor& t) = 0;
    virtual void synchronize() {}
};

std::unique_ptr<Backend> makeCpuBackend(Precision precision);
std::unique_ptr<Backend> makeNullBackend();  ///< allocates nothing, computes nothing

}  // namespace aliascope::exec
