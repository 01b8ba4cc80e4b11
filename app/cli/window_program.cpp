#include "app/cli/window_program.h"

#include <unistd.h>

#include <algorithm>
#include <cstdlib>
#include <filesystem>
#include <string_view>
#include <vector>

namespace aliascope::cli {

std::string windowProgram() {
    namespace fs = std::filesystem;
    std::vector<fs::path> places;
    if (const char* chosen = std::getenv("ALIASCOPE_WINDOW"); chosen && *chosen) {
        places.emplace_back(chosen);
    } else {
        std::error_code error;
        const fs::path self = fs::read_symlink("/proc/self/exe", error);
        if (!error) places.push_back(self.parent_path() / "aliascope-gui");
        const char* path = std::getenv("PATH");
        for (std::string_view rest = path ? path : ""; !rest.empty();) {
            const std::size_t end = std::min(rest.find(':'), rest.size());
            if (end > 0) places.push_back(fs::path(rest.substr(0, end)) / "aliascope-gui");
            rest.remove_prefix(std::min(end + 1, rest.size()));
        }
    }
    for (const fs::path& place : places) {
        std::error_code ignored;
        if (fs::is_regular_file(place, ignored) && ::access(place.c_str(), X_OK) == 0) return place.string();
    }
    return {};
}

}  // namespace aliascope::cli
