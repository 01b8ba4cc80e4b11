#include "core/exec/tensor_files.h"

#include <algorithm>
#include <filesystem>

#include "core/exec/file_bytes.h"
#include "core/exec/npy.h"
#include "core/exec/safetensors.h"

namespace aliascope::exec {

std::optional<std::int64_t> byteCount(DType dtype, const Shape& sizes) {
    std::int64_t bytes = itemSize(dtype);
    bool empty = false;
    for (std::int64_t size : sizes) {
        if (size < 0) return std::nullopt;
        if (size == 0)
            empty = true;
        else if (__builtin_mul_overflow(bytes, size, &bytes))
            return std::nullopt;
    }
    return empty ? 0 : bytes;
}

TensorFile::TensorFile(std::string path, std::vector<StoredTensor> tensors, std::unique_ptr<TensorSource> source)
    : path_(std::move(path)), tensors_(std::move(tensors)), source_(std::move(source)) {
    for (std::size_t i = 0; i < tensors_.size(); ++i) byName_.emplace_back(tensors_[i].name, i);
    std::sort(byName_.begin(), byName_.end());
}
TensorFile::TensorFile(TensorFile&&) noexcept = default;
TensorFile& TensorFile::operator=(TensorFile&&) noexcept = default;
TensorFile::~TensorFile() = default;

std::optional<std::size_t> TensorFile::find(std::string_view name) const {
    const auto at = std::lower_bound(byName_.begin(), byName_.end(), std::pair(name, std::size_t(0)));
    if (at == byName_.end() || at->first != name) return std::nullopt;
    return at->second;
}

Status TensorFile::read(std::size_t index, std::byte* out) const {
    return tensors_[index].bytes == 0 ? Status() : source_->read(index, tensors_[index], out);
}

Result<std::vector<std::byte>> TensorFile::read(std::size_t index) const {
    std::vector<std::byte> out(static_cast<std::size_t>(tensors_[index].bytes));
    if (auto ok = read(index, out.data()); !ok) return fail(std::move(ok.error()));
    return out;
}

Result<TensorFile> TensorFile::open(const std::string& path) {
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return openNpyFolder(path);
    auto file = FileBytes::open(path);
    if (!file) return fail(std::move(file.error()));
    std::string head(std::min<std::uint64_t>((*file)->size(), 16), '\0');
    if (auto ok = (*file)->read(0, reinterpret_cast<std::byte*>(head.data()), head.size()); !ok) return fail(std::move(ok.error()));
    if (looksLikeNpy(head)) return openNpy(path);
    if (head.starts_with("PK")) return openNpz(path);
    if (looksLikeSafetensors(head) || path.ends_with(".safetensors")) return openSafetensors(path);
    return fail(malformed(path, "a file of tensors: safetensors, npy or npz", std::to_string((*file)->size()) + " bytes of something else"));
}

Status writeTensorFile(const std::string& path, const std::vector<TensorBytes>& tensors) {
    if (path.ends_with(".npz")) return writeNpz(path, tensors);
    if (path.ends_with(".npy")) return writeNpy(path, tensors);
    return writeSafetensors(path, tensors);
}

}  // namespace aliascope::exec
