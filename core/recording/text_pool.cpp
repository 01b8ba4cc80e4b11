#include "core/recording/text_pool.h"

#include <algorithm>

#include "core/recording/type_text.h"

namespace aliascope::recording {
namespace {

std::optional<std::int64_t> evaluated(const std::optional<SymInt>& s, const SymbolTable& symbols) {
    if (!s) return std::nullopt;
    if (const auto c = s->constant()) return c;
    return s->evaluate(symbols);
}

bool isSymbolic(const TensorType& t) {
    return std::any_of(t.sizes.begin(), t.sizes.end(), [](const SymInt& s) { return !s.isConst(); });
}

/// The offset is set aside: a row states where a view lies in its storage, the node's own type often does not.
bool readsBack(std::string_view text, const TypePtr& type) {
    const TypePtr back = typeFromText(text);
    const TensorType* a = asTensor(back);
    const TensorType* b = asTensor(type);
    if (!a || !b) return sameType(back, type);
    TensorType bare = *b;
    bare.offset.reset();
    return *a == bare;
}

bool isNonZero(const std::optional<SymInt>& offset) { return offset && offset->constant() != 0; }

}  // namespace

ByteFacts byteFacts(const TensorType& t, const SymbolTable& symbols) {
    ByteFacts f;
    const SymInt numel = t.numel();
    f.numel = evaluated(numel, symbols);
    if (const auto bytes = t.bytes()) {
        f.bytes = evaluated(bytes, symbols);
        if (!bytes->isConst()) f.expr = bytes->str();
    }
    if (const int item = itemSize(t.dtype); item != 0)
        if (const auto extent = t.extent()) f.extentBytes = evaluated(*extent * SymInt(item), symbols);
    return f;
}

TextPool::TextPool(RowQueue& queue, Database& db)
    : db_(db),
      insertStr_(queue, db, "INSERT INTO str(id, kind, text) VALUES(?1, ?2, ?3)"),
      insertType_(queue, db,
                  "INSERT INTO type(id, text, dtype, device, layout, sizes, strides, offset_el, numel, bytes, extent_bytes, bytes_expr, trust) "
                  "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13)") {
    reload();
}

void TextPool::reload() {
    strs_.clear();
    types_.clear();
    nextStr_ = nextType_ = 1;
    Statement strs(db_, "SELECT id, kind, text FROM str");
    while (strs.step()) {
        key_ = strs.view(1);
        key_ += '\0';
        key_ += strs.view(2);
        strs_.emplace(key_, strs.integer(0));
        nextStr_ = std::max(nextStr_, strs.integer(0) + 1);
    }
    Statement types(db_, "SELECT id, text, bytes FROM type");
    while (types.step()) {
        types_.emplace(types.text(1), TypeEntry{types.integer(0), types.optionalInteger(2), std::nullopt});
        nextType_ = std::max(nextType_, types.integer(0) + 1);
    }
}

std::int64_t TextPool::str(std::string_view kind, std::string_view text) {
    key_ = kind;
    key_ += '\0';
    key_ += text;
    const auto [it, fresh] = strs_.try_emplace(key_, nextStr_);
    if (fresh) insertStr_.run(nextStr_++, kind, text);
    return it->second;
}

std::optional<std::int64_t> TextPool::named(std::unordered_map<Name, std::int64_t>& cache, std::string_view kind, Name text) {
    if (text.empty()) return std::nullopt;
    const auto [it, fresh] = cache.try_emplace(text, 0);
    if (fresh) it->second = str(kind, text.view());
    return it->second;
}

TextPool::StoredType TextPool::type(const TypePtr& type, const std::optional<SymInt>& offset, Trust trust, const SymbolTable& symbols) {
    std::string text = typeText(type);
    if (isNonZero(offset)) text += offsetMark(*offset);
    const TensorType* tensor = asTensor(type);
    auto it = types_.find(text);
    if (it != types_.end() && tensor && isSymbolic(*tensor) && it->second.bytes != byteFacts(*tensor, symbols).bytes) {
        text += hintMark(type, symbols);
        it = types_.find(text);
    }
    if (it == types_.end()) it = types_.emplace(text, insertType(text, type, offset, trust, symbols)).first;
    TypeEntry& entry = it->second;
    if (!entry.exact || !tensor) entry.exact = readsBack(text, type);
    return {entry.id, *entry.exact};
}

TextPool::TypeEntry TextPool::insertType(const std::string& text, const TypePtr& type, const std::optional<SymInt>& offset, Trust trust,
                                         const SymbolTable& symbols) {
    TypeEntry entry{nextType_++, std::nullopt, std::nullopt};
    if (const TensorType* t = asTensor(type)) {
        const ByteFacts facts = byteFacts(*t, symbols);
        entry.bytes = facts.bytes;
        const std::string dtype = t->dtype == DType::Unknown ? t->dtypeName.str() : std::string(info(t->dtype).shortName);
        const std::string sizes = symIntList(t->sizes);
        const std::string strides = t->strides ? symIntList(*t->strides) : std::string();
        insertType_.run(entry.id, text, orNull(dtype), orNull(t->device.view()),
                        t->strides ? std::optional<std::string_view>("strided") : std::nullopt, sizes, orNull(strides), evaluated(offset, symbols),
                        facts.numel, facts.bytes, facts.extentBytes, orNull(facts.expr), toString(trust));
    } else {
        insertType_.run(entry.id, text, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, nullptr, toString(trust));
    }
    entry.exact = readsBack(text, type);
    return entry;
}

}  // namespace aliascope::recording
