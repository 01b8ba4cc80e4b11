#pragma once
// Files of named tensors (executor.md 5.4): `.safetensors`, `.npy`, `.npz` (stored or deflated), a folder of `.npy`. Content decides which, not the
// name. Files may come from a stranger: every size is checked against the file before memory is given out for it, nothing in a file is executed.
// Thread-safety: a TensorFile may be read from several threads.

#include <memory>
#include <string>
#include <string_view>
#include <vector>

#include "core/exec/tensor.h"
#include "core/support/result.h"

namespace aliascope::exec {

/// A tensor of a file. Its elements are row-major and in this machine's byte order (little-endian) when read.
struct StoredTensor {
    std::string name;
    DType dtype = DType::Unknown;
    Shape sizes;
    std::int64_t bytes = 0;  ///< numel x item size
};

/// Where the bytes of a TensorFile come from: one implementation per format.
class TensorSource {
public:
    virtual ~TensorSource() = default;
    /// All `tensor.bytes` bytes of tensor `index` into `out`. Errors R004, R015, R040.
    virtual Status read(std::size_t index, const StoredTensor& tensor, std::byte* out) const = 0;
};

class TensorFile {
public:
    /// Errors: R004 (cannot be read), R014, R015, R011, R040 (not well-formed: what was expected, what was found), R050 (too large).
    static Result<TensorFile> open(const std::string& path);

    TensorFile(std::string path, std::vector<StoredTensor> tensors, std::unique_ptr<TensorSource> source);
    TensorFile(TensorFile&&) noexcept;
    TensorFile& operator=(TensorFile&&) noexcept;
    ~TensorFile();

    const std::string& path() const { return path_; }
    /// In the order of the file (a folder: in the order of the names).
    const std::vector<StoredTensor>& tensors() const { return tensors_; }
    /// Index of a name.
    std::optional<std::size_t> find(std::string_view name) const;
    /// Reads tensor `index` into `out`, which has room for its `bytes`.
    Status read(std::size_t index, std::byte* out) const;
    Result<std::vector<std::byte>> read(std::size_t index) const;

private:
    std::string path_;
    std::vector<StoredTensor> tensors_;
    std::unique_ptr<TensorSource> source_;
    std::vector<std::pair<std::string_view, std::size_t>> byName_;  ///< sorted
};

/// A tensor to be written: contiguous, row-major.
struct TensorBytes {
    std::string name;
    DType dtype = DType::Unknown;
    Shape sizes;
    std::vector<std::byte> data;
};

/// Writes `.npz` or `.npy` (one tensor) when the name ends so, else safetensors. The file appears only when it is complete. Errors R005, R014 (a
/// dtype that the format lacks), R011.
Status writeTensorFile(const std::string& path, const std::vector<TensorBytes>& tensors);

/// numel x item size; nothing when a size is negative or the product leaves int64.
std::optional<std::int64_t> byteCount(DType dtype, const Shape& sizes);

}  // namespace aliascope::exec
