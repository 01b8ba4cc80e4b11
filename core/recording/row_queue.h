#pragma once
// Rows that a thread of its own writes, in the order given, so that comparing a stage with the one before goes on while its first rows are written.
// Internal to core/recording.
//
// Thread-safety: one thread gives. From the first row until settle() the connection belongs to the queue, and nobody else may use it.

#include <condition_variable>
#include <cstdint>
#include <deque>
#include <mutex>
#include <optional>
#include <string>
#include <string_view>
#include <thread>

#include "core/recording/database.h"
#include "core/support/cancel.h"

namespace aliascope::recording {

class RowQueue {
public:
    RowQueue() = default;
    ~RowQueue();  ///< what was not settled is written, or not: its transaction was left anyway
    RowQueue(const RowQueue&) = delete;
    RowQueue& operator=(const RowQueue&) = delete;

    /// Binds and runs `statement`: later while a Span lives, else at once (then it throws SqlError). Texts and blobs are copied.
    template <class... T>
    void run(Statement& statement, const T&... values) {
        if (!open_) return statement.run(values...);
        raw(&statement);
        (put(values), ...);
        bytes_ += static_cast<char>(Tag::End);
        if (bytes_.size() >= kHandOver) handOver();
    }

    /// Rows that wait are left out once `cancel` says so; whoever settles then looks at it. Not while a Span lives.
    void stopWhen(const CancelToken& cancel) { cancel_ = cancel; }

    /// Rows given while it lives are written beside it.
    class Span {
    public:
        explicit Span(RowQueue& queue) : queue_(queue) { queue_.open_ = true; }
        ~Span();
        Span(const Span&) = delete;
        Span& operator=(const Span&) = delete;
        /// Waits until every row is written, which also ends the span. Throws the SqlError of the first that could not be; those after it are left
        /// out.
        void settle();

    private:
        RowQueue& queue_;
    };

private:
    enum class Tag : std::uint8_t { End, Null, Integer, Real, Text, Blob };
    static constexpr std::size_t kHandOver = 16u << 10;
    static constexpr std::size_t kMostWaiting = 32u << 20;  ///< bytes; whoever gives more waits

    template <class T>
    void raw(const T& v) {
        bytes_.append(reinterpret_cast<const char*>(&v), sizeof v);
    }
    template <class T>
    void scalar(Tag tag, const T& v) {
        bytes_ += static_cast<char>(tag);
        raw(v);
    }
    void text(Tag tag, std::string_view v) {
        scalar(tag, v.size());
        bytes_.append(v);
    }
    void put(std::int64_t v) { scalar(Tag::Integer, v); }
    void put(int v) { put(static_cast<std::int64_t>(v)); }
    void put(std::uint32_t v) { put(static_cast<std::int64_t>(v)); }
    void put(std::uint64_t v) { put(static_cast<std::int64_t>(v)); }
    void put(bool v) { put(static_cast<std::int64_t>(v)); }
    void put(double v) { scalar(Tag::Real, v); }
    void put(std::string_view v) { text(Tag::Text, v); }
    void put(const std::string& v) { put(std::string_view(v)); }
    void put(const char* v) { put(std::string_view(v)); }
    void put(std::nullptr_t) { bytes_ += static_cast<char>(Tag::Null); }
    void put(BlobView v) { text(Tag::Blob, v.bytes); }
    template <class T>
    void put(const std::optional<T>& v) {
        v ? put(*v) : put(nullptr);
    }

    void handOver();
    std::optional<SqlError> wait();
    void work();
    void replay(std::string_view bytes);
    static void replayRow(std::string_view& bytes);

    CancelToken cancel_;
    bool open_ = false;
    std::string bytes_;  ///< given, not yet handed over

    std::mutex mutex_;
    std::condition_variable changed_;
    std::deque<std::string> waiting_;
    std::size_t waitingBytes_ = 0;
    bool busy_ = false, stop_ = false;
    std::optional<SqlError> error_;  ///< the first since the last wait(); rows are left out from then on
    std::thread thread_;             ///< started by the first hand-over
};

/// A statement whose runs go through a queue.
class QueuedStatement {
public:
    QueuedStatement(RowQueue& queue, const Database& db, std::string_view sql) : queue_(queue), statement_(db, sql) {}
    template <class... T>
    void run(const T&... values) {
        queue_.run(statement_, values...);
    }

private:
    RowQueue& queue_;
    Statement statement_;
};

}  // namespace aliascope::recording
