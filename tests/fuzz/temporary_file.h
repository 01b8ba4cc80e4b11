#pragma once
// Readers that take a path, not bytes: one file of this process, in memory where the system has a place for that, written anew for every input.

#include <unistd.h>

#include <cstdint>
#include <cstdio>
#include <cstdlib>
#include <filesystem>
#include <string>

namespace aliascope::fuzzing {

class TemporaryFile {
public:
    explicit TemporaryFile(const std::string& ending) {
        std::error_code none;
        const std::filesystem::path memory = "/dev/shm";
        const std::filesystem::path folder = std::filesystem::is_directory(memory, none) ? memory : std::filesystem::temp_directory_path();
        path_ = (folder / ("aliascope-fuzz-" + std::to_string(getpid()) + ending)).string();
    }
    ~TemporaryFile() { std::remove(path_.c_str()); }
    TemporaryFile(const TemporaryFile&) = delete;
    TemporaryFile& operator=(const TemporaryFile&) = delete;

    const std::string& path() const { return path_; }
    void write(const std::uint8_t* data, std::size_t size) const {
        std::FILE* file = std::fopen(path_.c_str(), "wb");
        if (!file || std::fwrite(data, 1, size, file) != size || std::fclose(file) != 0) std::abort();
    }

private:
    std::string path_;
};

}  // namespace aliascope::fuzzing
