#include "core/pipeline/pass.h"

namespace aliascope {

void PassOptions::set(std::string key, std::string value) {
    for (auto& [known, old] : entries_) {
        if (known == key) {
            old = std::move(value);
            return;
        }
    }
    entries_.emplace_back(std::move(key), std::move(value));
}

const std::string& PassOptions::get(std::string_view key) const {
    static const std::string absent;
    for (const auto& [known, value] : entries_)
        if (known == key) return value;
    return absent;
}

Params WriteForms::Effect::params() const {
    return {{"copies", std::to_string(copies)},
            {"bytes", std::to_string(bytes)},
            {"other_copies", std::to_string(otherCopies)},
            {"other_bytes", std::to_string(otherBytes)}};
}

}  // namespace aliascope
