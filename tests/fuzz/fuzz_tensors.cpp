// libFuzzer target: files of tensors, `.npy`, `.npz` and `.safetensors`: content says which.

#include <cstddef>
#include <cstdint>

#include "core/exec/tensor_files.h"
#include "tests/fuzz/temporary_file.h"

using namespace aliascope;

extern "C" int LLVMFuzzerTestOneInput(const std::uint8_t* data, std::size_t size) {
    static const fuzzing::TemporaryFile file(".tensors");
    constexpr std::int64_t most = 1 << 20;
    file.write(data, size);
    const auto opened = exec::TensorFile::open(file.path());
    if (!opened) return 0;
    for (std::size_t i = 0; i < opened->tensors().size(); ++i) {
        const exec::StoredTensor& tensor = opened->tensors()[i];
        if (tensor.bytes < 0) std::abort();
        if (tensor.bytes <= most) static_cast<void>(opened->read(i));
        static_cast<void>(opened->find(tensor.name));
    }
    return 0;
}
