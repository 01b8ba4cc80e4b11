#pragma once
// Plain files for the tensor formats: positioned reads of bytes that are there, writes that appear only when complete. Internal to core/exec.

#include <cstdint>
#include <memory>
#include <string>
#include <vector>

#include "core/support/result.h"

namespace aliascope::exec {

/// A regular file open for reading. Thread-safe.
class FileBytes {
public:
    /// Error R004: it cannot be opened, or is no regular file.
    static Result<std::shared_ptr<const FileBytes>> open(const std::string& path);
    ~FileBytes();
    FileBytes(const FileBytes&) = delete;
    FileBytes& operator=(const FileBytes&) = delete;

    const std::string& path() const { return path_; }
    std::uint64_t size() const { return size_; }
    /// `count` bytes from `offset`. Errors: R015 when the file ends before (it may have shrunk since it was opened), R004.
    Status read(std::uint64_t offset, std::byte* out, std::size_t count) const;

private:
    FileBytes(std::string path, int fd, std::uint64_t size) : path_(std::move(path)), fd_(fd), size_(size) {}
    std::string path_;
    int fd_;
    std::uint64_t size_;
};

/// Writes beside `path`, and renames at the end. Error R005.
class FileWriter {
public:
    explicit FileWriter(std::string path);
    ~FileWriter();  ///< without finish(): nothing is left behind
    FileWriter(const FileWriter&) = delete;
    FileWriter& operator=(const FileWriter&) = delete;

    void write(const void* data, std::size_t count);
    Status finish();
    const std::string& temporary() const { return temporary_; }

private:
    std::string path_, temporary_;
    int fd_ = -1, error_ = 0;
};

Diagnostic cannotRead(const std::string& path, std::string what, std::string why);
/// R014 in `path`.
Diagnostic malformed(const std::string& path, std::string want, std::string got);

}  // namespace aliascope::exec
