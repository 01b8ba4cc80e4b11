#pragma once
// A stage as a picture, placed by our own layout (core/layout), and as DOT for Graphviz. Both show groups, storages and what the stage changed.
// Thread-safety: functions without state.

#include <memory>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <vector>

#include "core/recording/recording.h"

namespace aliascope::report {

struct StagePicture {
    std::shared_ptr<const StageSnapshot> snapshot;
    std::vector<ChangeRow> changes;     ///< of this stage; what it removed is named below the drawing
    std::optional<std::set<Uid>> only;  ///< these nodes; nothing = all
    std::set<Uid> chosen, blockers;     ///< drawn with a frame
    bool groups = true;                 ///< modules, else functions of the source, as frames
};

/// Who stands beside whom in a stage: made once in O(edges), asked often.
class Neighbours {
public:
    explicit Neighbours(const StageSnapshot& snapshot);
    /// The centres and what lies within `width` steps up or down, nearest first, at most `most` nodes.
    std::set<Uid> around(const std::vector<Uid>& centres, int width, std::size_t most) const;

private:
    std::unordered_map<Uid, std::vector<Uid>> beside_;
};

/// `standalone`: a file of its own with its colours, light and dark; else it takes those of the page around it.
std::string stageSvg(const StagePicture& picture, bool standalone, const CancelToken& cancel = {});
std::string stageDot(const StagePicture& picture);

}  // namespace aliascope::report
