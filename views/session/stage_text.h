#pragma once
// A stage as text: lines, the node of each line, where each node stands. Built on a job thread, immutable afterwards.

#include <QString>
#include <memory>
#include <unordered_map>
#include <vector>

#include "views/session/stage_view.h"

namespace aliascope {

/// Printed in either form; or the text that was opened, whatever the stage.
enum class TextForm : std::uint8_t { Readable, Graph, Original };

struct StageText {
    std::int64_t lane = 0;
    int stage = 0;
    TextForm form = TextForm::Readable;
    bool withRemoved = false;  ///< lines of the stage before are in between
    std::vector<QString> lines;
    std::vector<Uid> uidOfLine;                      ///< the node that the line defines; kNoUid = none
    std::vector<char> mark;                          ///< `+`, `~`, blank; `-` = stood here in the stage before
    std::unordered_map<Uid, int> lineOf;             ///< inputs of readable Python all stand in the line of `def`
    std::unordered_map<std::string, Uid> uidOfName;  ///< of the main graph first
    int longest = 0;                                 ///< characters
    int firstLine = 0;                               ///< of an original text: lines of the file before it
    std::unordered_map<int, QString> notes;          ///< of an original text, by line: what was said when it was read; their mark is `!`
};
using StageTextPtr = std::shared_ptr<const StageText>;

/// Prints the recorded stage, or takes the text that was opened, whose names lead to the nodes that the stage still has. Null when the stage cannot
/// be rebuilt or when cancelled.
StageTextPtr loadStageText(const Recording& recording, const StageView& view, TextForm form, const OpRegistry& ops, const CancelToken& cancel);
/// The text of a stage with, in their old place, the lines that `changes` removed or rewrote.
StageTextPtr withRemovedLines(const StageText& now, const StageText& before, const std::vector<ChangeRow>& changes);
/// Lines of printed text matched to the nodes of `view`.
StageTextPtr makeStageText(const std::string& printed, const StageView& view, TextForm form);

}  // namespace aliascope
