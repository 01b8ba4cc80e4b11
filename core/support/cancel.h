#pragma once
// Cooperative cancellation and progress of work that may take longer than 100 ms.

#include <atomic>
#include <functional>
#include <memory>
#include <string_view>

namespace aliascope {

/// Shared flag; copies refer to the same flag. Thread-safe.
class CancelToken {
public:
    void cancel() const { flag_->store(true, std::memory_order_relaxed); }
    bool cancelled() const { return flag_->load(std::memory_order_relaxed); }

private:
    std::shared_ptr<std::atomic<bool>> flag_ = std::make_shared<std::atomic<bool>>(false);
};

/// Called from the working thread with a fraction 0..1 (below 0: unknown) and a short text.
using Progress = std::function<void(double, std::string_view)>;

}  // namespace aliascope
