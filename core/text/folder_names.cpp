#include "core/text/folder_names.h"

#include <algorithm>
#include <array>
#include <charconv>
#include <vector>

#include "core/text/find.h"
#include "core/text/graph_finder.h"
#include "core/text/literals.h"
#include "core/text/stage_order.h"

namespace aliascope {
namespace {

std::vector<std::string_view> split(std::string_view text, char separator) {
    std::vector<std::string_view> parts;
    for (std::size_t at = 0; at <= text.size();) {
        const std::size_t end = std::min(text.find(separator, at), text.size());
        parts.push_back(text.substr(at, end - at));
        at = end + 1;
    }
    return parts;
}

std::optional<std::int64_t> wholeNumber(std::string_view text) {
    std::int64_t value = 0;
    const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), value);
    return error == std::errc() && end == text.data() + text.size() && value >= 0 && value < (1 << 30) ? std::optional(value) : std::nullopt;
}

std::optional<std::int64_t> numberAfter(std::string_view text, std::string_view word) {
    const std::size_t at = text.rfind(word);
    if (at == kNone) return std::nullopt;
    std::size_t end = at + word.size();
    while (end < text.size() && isDigit(text[end])) ++end;
    return wholeNumber(text.substr(at + word.size(), end - at - word.size()));
}

/// `model__K_PHASE_N.D`, `model___N.D`; `<hash>.debug`, which tells nothing more.
bool readModelFolder(std::string_view folder, MemberPlace& place) {
    constexpr std::string_view kModel = "model__";
    if (folder.ends_with(".debug")) {
        place.kind = MemberPlace::Kind::Model;
        return true;
    }
    if (!folder.starts_with(kModel)) return false;
    const std::size_t dot = folder.rfind('.');
    const auto order = dot == kNone ? std::nullopt : wholeNumber(folder.substr(dot + 1));
    if (!order) return false;
    place.kind = MemberPlace::Kind::Model;
    place.order = *order;
    if (const auto aot = parseAotName(folder.substr(kModel.size()))) {
        place.group.aotId = aot->id;
        place.phase = aot->phase;
    }
    return true;
}

/// `A_F_C_N`: compiled autograd, frame, frame compile, attempt; each a number or `-`. Old ones have only the last three.
bool readCompileFolder(std::string_view folder, MemberPlace& place) {
    const auto parts = split(folder, '_');
    if (parts.size() < 3 || parts.size() > 4) return false;
    if (!std::all_of(parts.begin(), parts.end(), [](std::string_view p) { return p == "-" || wholeNumber(p); })) return false;
    constexpr std::int64_t kFirstYear = 1900;  // `2026_11_29` is a date
    if (parts.size() == 3 && wholeNumber(parts[0]).value_or(0) >= kFirstYear) return false;
    const std::size_t frame = parts.size() - 3;
    place.kind = MemberPlace::Kind::Tlparse;
    const bool autograd = parts.size() == 4 && parts[0] != "-";
    place.group.compileId =
        (autograd ? "!" + std::string(parts[0]) + "/" : std::string()) + std::string(parts[frame]) + "/" + std::string(parts[frame + 1]);
    if (const auto attempt = wholeNumber(parts.back())) place.group.attempt = static_cast<int>(*attempt);
    return true;
}

/// `run_2026_11_29_17_45_32_447803-pid_1513-rank_0`, `rank_0`, `rank_0_0`.
void readRankFolder(std::string_view folder, MemberPlace& place) {
    if (const auto rank = numberAfter(folder, "rank_")) place.group.rank = static_cast<int>(*rank);
    if (folder.starts_with("run_"))
        if (const auto pid = numberAfter(folder, "pid_")) place.group.process = *pid;
}

/// `aot_forward_graph_5` -> `aot_forward_graph` and 5; `010_noop_after_dce` -> the same and 10.
void readNumber(std::string_view stem, MemberPlace& place) {
    const std::size_t last = stem.rfind('_');
    const auto tail = last == kNone ? std::nullopt : wholeNumber(stem.substr(last + 1));
    place.stage = std::string(place.kind == MemberPlace::Kind::Tlparse && tail ? stem.substr(0, last) : stem);
    const std::size_t first = stem.find('_');
    const auto head = first == kNone ? std::nullopt : wholeNumber(stem.substr(0, first));
    if (place.kind == MemberPlace::Kind::Tlparse)
        place.order = tail.value_or(0);
    else if (place.kind == MemberPlace::Kind::Plain)
        place.order = head.value_or(0);
}

/// `__compiled_fn_N.STAGE.K.py` of depyf.
bool readDepyf(std::string_view file, MemberPlace& place) {
    const auto parts = split(file, '.');
    if (parts.size() != 4 || !parts[0].starts_with("__compiled_fn_") || parts[3] != "py") return false;
    const auto order = wholeNumber(parts[2]);
    if (!order) return false;
    place.kind = MemberPlace::Kind::Depyf;
    place.group.compileId = std::string(parts[0]);
    place.order = *order;
    place.stage = std::string(parts[1]);
    std::replace(place.stage.begin(), place.stage.end(), '_', ' ');
    if (place.stage.starts_with("Captured")) place.phase = Phase::Dynamo;
    return true;
}

/// Code, schedules and pictures that lie beside graphs.
bool isNoGraph(std::string_view file) {
    static constexpr std::array<std::string_view, 9> kPrefixes = {
        "ir_pre_fusion",    "ir_post_fusion", "__transformed_code_",    "full_code_for_", "kernel_",
        "transformed_code", "index.html",     "compile_directory.json", "decompiled_code"};
    static constexpr std::array<std::string_view, 7> kEndings = {".svg", ".png", ".so", ".cubin", ".ptx", ".o", ".pyc"};
    return std::any_of(kPrefixes.begin(), kPrefixes.end(), [&](std::string_view p) { return file.starts_with(p); }) ||
           std::any_of(kEndings.begin(), kEndings.end(), [&](std::string_view e) { return file.ends_with(e); });
}

}  // namespace

MemberPlace memberPlace(std::string_view name) {
    MemberPlace place;
    const auto parts = split(name, '/');
    for (std::size_t i = 0; i + 1 < parts.size(); ++i) {
        readRankFolder(parts[i], place);
        if (!readModelFolder(parts[i], place)) readCompileFolder(parts[i], place);
    }
    const std::string_view file = parts.back(), stem = file.substr(0, file.rfind('.'));
    place.neverGraph = isNoGraph(file);
    if (readDepyf(file, place)) {
        if (place.phase == Phase::Unknown) place.phase = phaseOfStage(place.stage);
        return place;
    }
    readNumber(stem, place);
    if (place.phase == Phase::Unknown) place.phase = phaseOfStage(place.stage);
    if (!place.group.rank && file.starts_with("dedicated_log_torch_trace_"))
        if (const auto rank = numberAfter(file, "rank_")) place.group.rank = static_cast<int>(*rank);
    return place;
}

}  // namespace aliascope
