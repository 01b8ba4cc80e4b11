#include "core/exec/file_bytes.h"

#include <fcntl.h>
#include <sys/stat.h>
#include <unistd.h>

#include <cerrno>
#include <cstring>

namespace aliascope::exec {

Diagnostic cannotRead(const std::string& path, std::string what, std::string why) {
    Diagnostic d = userError("R004", {{"what", std::move(what)}, {"why", std::move(why)}});
    d.file = path;
    return d;
}

Diagnostic malformed(const std::string& path, std::string want, std::string got) {
    Diagnostic d = userError("R014", {{"want", std::move(want)}, {"got", std::move(got)}});
    d.file = path;
    return d;
}

Result<std::shared_ptr<const FileBytes>> FileBytes::open(const std::string& path) {
    // O_NONBLOCK: a pipe without a writer must not hold the program up.
    const int fd = ::open(path.c_str(), O_RDONLY | O_CLOEXEC | O_NONBLOCK);
    if (fd < 0) return fail(cannotRead(path, "the file", std::strerror(errno)));
    struct stat info {};
    if (::fstat(fd, &info) != 0 || !S_ISREG(info.st_mode)) {
        ::close(fd);
        return fail(cannotRead(path, "the file", "it is no regular file"));
    }
    return std::shared_ptr<const FileBytes>(new FileBytes(path, fd, static_cast<std::uint64_t>(info.st_size)));
}

FileBytes::~FileBytes() { ::close(fd_); }

Status FileBytes::read(std::uint64_t offset, std::byte* out, std::size_t count) const {
    while (count > 0) {
        const ssize_t n = ::pread(fd_, out, count, static_cast<off_t>(offset));
        if (n < 0 && errno == EINTR) continue;
        if (n < 0) return fail(cannotRead(path_, "the file", std::strerror(errno)));
        if (n == 0) {
            Diagnostic d = userError("R015", {{"what", "the data, at byte " + std::to_string(offset)}});
            d.file = path_;
            return fail(std::move(d));
        }
        out += n;
        offset += static_cast<std::uint64_t>(n);
        count -= static_cast<std::size_t>(n);
    }
    return {};
}

FileWriter::FileWriter(std::string path) : path_(std::move(path)), temporary_(path_ + ".part-" + std::to_string(::getpid())) {
    fd_ = ::open(temporary_.c_str(), O_WRONLY | O_CREAT | O_TRUNC | O_CLOEXEC, 0666);
    if (fd_ < 0) error_ = errno;
}

FileWriter::~FileWriter() {
    if (fd_ < 0) return;
    ::close(fd_);
    ::unlink(temporary_.c_str());
}

void FileWriter::write(const void* data, std::size_t count) {
    const char* at = static_cast<const char*>(data);
    while (error_ == 0 && count > 0) {
        const ssize_t n = ::write(fd_, at, count);
        if (n < 0 && errno == EINTR) continue;
        if (n < 0)
            error_ = errno;
        else
            at += n, count -= static_cast<std::size_t>(n);
    }
}

Status FileWriter::finish() {
    if (error_ == 0 && ::close(std::exchange(fd_, -1)) != 0) error_ = errno;
    if (error_ == 0 && ::rename(temporary_.c_str(), path_.c_str()) != 0) {
        error_ = errno;
        ::unlink(temporary_.c_str());
    }
    if (error_ == 0) return {};
    Diagnostic d = userError("R005", {{"what", "the file"}, {"why", std::strerror(error_)}});
    d.file = path_;
    return fail(std::move(d));
}

}  // namespace aliascope::exec
