// Memory of this machine, kernels of core/exec/cpu.

#include <cstdlib>
#include <cstring>

#include "core/exec/backend.h"
#include "core/exec/cpu/strided.h"

namespace aliascope::exec {
namespace {

class CpuBackend final : public Backend {
public:
    explicit CpuBackend(Precision precision) : precision_(precision) {}

    std::string_view name() const override { return precision_ == Precision::Reference ? "cpu-ref" : "cpu"; }

    std::byte* allocate(std::size_t bytes) override {
        constexpr std::size_t alignment = 64;
        const std::size_t rounded = (bytes + alignment - 1) / alignment * alignment;
        return rounded < bytes ? nullptr : static_cast<std::byte*>(std::aligned_alloc(alignment, rounded));
    }
    void free(std::byte* data, std::size_t) noexcept override { std::free(data); }

    const Kernel* kernel(Name op) const override { return KernelTable::cpu().find(op); }

    void launch(const Kernel& k, OpCall& call) override {
        call.precision = precision_;
        (precision_ == Precision::Fast && k.fast ? k.fast : k.run)(call);
    }

    void copy(const Tensor& dst, const Tensor& src) override {
        if (dst.numel() > 0) copyElements(dst, src);
    }
    bool fitsInto(DType integer, const Tensor& floats) override { return fitsInteger(integer, floats); }
    void fillPoison(const Tensor& t) override { exec::fillPoison(t); }

    void upload(const Tensor& dst, const std::byte* hostContiguous) override {
        if (dst.numel() == 0) return;
        if (dst.isContiguous()) {
            std::memcpy(dst.data(), hostContiguous, static_cast<std::size_t>(dst.bytes()));
            return;
        }
        Tensor host = contiguousHost(dst);
        std::memcpy(host.data(), hostContiguous, static_cast<std::size_t>(dst.bytes()));
        copyElements(dst, host);
    }

    void download(std::byte* hostContiguous, const Tensor& src) override {
        if (src.numel() == 0) return;
        Tensor host = src;
        if (!src.isContiguous()) {
            host = contiguousHost(src);
            copyElements(host, src);
        }
        std::memcpy(hostContiguous, host.data(), static_cast<std::size_t>(src.bytes()));
    }

    Digest digest(const Tensor& t) override { return digestOf(t); }

private:
    Tensor contiguousHost(const Tensor& like) {
        Tensor t = like;
        t.strides = contiguousStrides(like.sizes);
        t.offset = 0;
        const auto bytes = static_cast<std::size_t>(like.bytes());
        std::byte* data = allocate(bytes);
        if (!data) throw std::bad_alloc();
        t.storage = std::make_shared<Storage>(*this, data, bytes);
        return t;
    }

    Precision precision_;
};

}  // namespace

std::unique_ptr<Backend> makeCpuBackend(Precision precision) { return std::make_unique<CpuBackend>(precision); }

}  // namespace aliascope::exec
