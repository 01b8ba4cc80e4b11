#include "core/recording/row_queue.h"

#include <cstring>
#include <utility>

namespace aliascope::recording {
namespace {

template <class T>
T take(std::string_view& bytes) {
    T v;
    std::memcpy(&v, bytes.data(), sizeof v);
    bytes.remove_prefix(sizeof v);
    return v;
}

std::string_view takeText(std::string_view& bytes) {
    const auto size = take<std::size_t>(bytes);
    const std::string_view text = bytes.substr(0, size);
    bytes.remove_prefix(size);
    return text;
}

}  // namespace

RowQueue::~RowQueue() {
    {
        const std::lock_guard lock(mutex_);
        stop_ = true;
    }
    changed_.notify_all();
    if (thread_.joinable()) thread_.join();
}

RowQueue::Span::~Span() {
    if (queue_.open_) (void)queue_.wait();
}

void RowQueue::Span::settle() {
    if (const auto error = queue_.wait()) throw *error;
}

std::optional<SqlError> RowQueue::wait() {
    open_ = false;
    if (!bytes_.empty()) handOver();
    std::unique_lock lock(mutex_);
    changed_.wait(lock, [&] { return waiting_.empty() && !busy_; });
    return std::exchange(error_, std::nullopt);
}

void RowQueue::handOver() {
    std::unique_lock lock(mutex_);
    if (!thread_.joinable()) thread_ = std::thread([this] { work(); });
    changed_.wait(lock, [&] { return waitingBytes_ < kMostWaiting; });
    waitingBytes_ += bytes_.size();
    waiting_.push_back(std::exchange(bytes_, {}));
    lock.unlock();
    changed_.notify_all();
    bytes_.reserve(kHandOver + 1024);
}

void RowQueue::work() {
    std::unique_lock lock(mutex_);
    while (true) {
        changed_.wait(lock, [&] { return stop_ || !waiting_.empty(); });
        if (waiting_.empty()) return;
        const std::string bytes = std::move(waiting_.front());
        waiting_.pop_front();
        busy_ = true;
        const bool leaveOut = error_.has_value() || cancel_.cancelled();
        lock.unlock();
        if (!leaveOut) replay(bytes);
        lock.lock();
        busy_ = false;
        waitingBytes_ -= bytes.size();
        changed_.notify_all();
    }
}

void RowQueue::replay(std::string_view bytes) {
    try {
        while (!bytes.empty()) replayRow(bytes);
    } catch (const SqlError& e) {
        const std::lock_guard lock(mutex_);
        error_ = e;
    }
}

void RowQueue::replayRow(std::string_view& bytes) {
    Statement& s = *take<Statement*>(bytes);
    s.bind();
    for (Tag tag = take<Tag>(bytes); tag != Tag::End; tag = take<Tag>(bytes)) {
        switch (tag) {
            case Tag::Integer:
                s.put(take<std::int64_t>(bytes));
                break;
            case Tag::Real:
                s.put(take<double>(bytes));
                break;
            case Tag::Text:
                s.put(takeText(bytes));
                break;
            case Tag::Blob:
                s.put(BlobView{takeText(bytes)});
                break;
            case Tag::Null:
            case Tag::End:
                s.put(nullptr);
                break;
        }
    }
    while (s.step()) {
    }
    s.reset();
}

}  // namespace aliascope::recording
