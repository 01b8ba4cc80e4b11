#pragma once
// Interning: texts and types get one row each, looked up in memory while a recorder lives. Rows go through the queue. Internal to core/recording.

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <unordered_map>
#include <utility>

#include "core/ir/type.h"
#include "core/recording/row_queue.h"

namespace aliascope::recording {

class TextPool {
public:
    TextPool(RowQueue& queue, Database& db);

    /// Row id in `str`.
    std::int64_t str(std::string_view kind, std::string_view text);
    /// The same for a short-lived lookup by Name: one hash of a pointer. `kind` must be a literal that belongs to one use of the map.
    std::optional<std::int64_t> named(std::unordered_map<Name, std::int64_t>& cache, std::string_view kind, Name text);

    struct StoredType {
        std::int64_t id = 0;
        bool exact = true;  ///< the row reads back as the type (its offset set aside)
    };
    /// Row id in `type` of a value of `type` that starts at `offset` of its storage (nothing = unknown or 0).
    StoredType type(const TypePtr& type, const std::optional<SymInt>& offset, Trust trust, const SymbolTable& symbols);

    /// Forgets everything and reads the file again: after a rollback.
    void reload();

private:
    struct TypeEntry {
        std::int64_t id = 0;
        std::optional<std::int64_t> bytes;
        std::optional<bool> exact;  ///< the text reads back as the type; nothing = not yet tried
    };
    TypeEntry insertType(const std::string& text, const TypePtr& type, const std::optional<SymInt>& offset, Trust trust, const SymbolTable& symbols);

    Database& db_;
    QueuedStatement insertStr_, insertType_;
    std::unordered_map<std::string, std::int64_t> strs_;  ///< key: kind, NUL, text
    std::unordered_map<std::string, TypeEntry> types_;
    std::int64_t nextStr_ = 1, nextType_ = 1;
    std::string key_;  ///< reused buffer
};

/// Bytes of the value and of its extent under the hints; the expression when symbolic.
struct ByteFacts {
    std::optional<std::int64_t> bytes, extentBytes, numel;
    std::string expr;
};
ByteFacts byteFacts(const TensorType& t, const SymbolTable& symbols);

}  // namespace aliascope::recording
