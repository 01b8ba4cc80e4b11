#pragma once
// What FILE is: graphs of a file, or a session; which graph of it is meant; which pipeline.

#include <memory>
#include <string>
#include <vector>

#include "app/cli/command.h"
#include "core/pipeline/pipeline.h"
#include "core/recording/recorder.h"
#include "core/recording/recording.h"
#include "core/text/document.h"

namespace aliascope::cli {

/// Which graphs of a file are needed: all, or only the one that --graph numbers (and what belongs to its compilation).
enum class Wanted : std::uint8_t { All, Picked };
/// Reads a graph file; its messages become warnings. Errors end the command with exit 3, an interrupt with exit 130.
Document readDocument(Command& c, const std::string& path, Wanted wanted = Wanted::All);

/// One graph of a document: a unit, or a sub-graph of one.
struct GraphEntry {
    std::string id;  ///< `2`, `2.cond_true_0`
    std::string label;
    std::size_t unit = 0;  ///< index into Document::units
    const Graph* graph = nullptr;
    std::vector<Name> path;  ///< attributes from the unit's graph down; empty = the unit itself
    std::int64_t nodes = 0;  ///< inputs, constants, calls, and the output that the text states
};
std::vector<GraphEntry> graphsOf(const Document& document);
/// The graphs that --graph fits, else all; with --latest only of the compilation that stands last. Exit 1 when none fits.
std::vector<GraphEntry> selectedGraphs(Command& c, const Document& document);
/// The graph that --graph names, else the largest one; says on stderr which when there are several.
GraphEntry pickGraph(Command& c, const Document& document);
/// The messages of one unit, as warnings.
void warnOf(Command& c, const Unit& unit);

/// --pipeline or --passes; `fallback` when neither is given. Mistakes end the command with exit 2.
Pipeline chosenPipeline(Command& c, const std::string& fallback);
/// --until, --skip (checked against the pipeline), cancel, progress on a terminal.
RunOptions runOptions(Command& c, const Pipeline& pipeline);

/// A folder that is removed with everything in it at the end.
class TemporaryFolder {
public:
    TemporaryFolder() = default;
    ~TemporaryFolder();
    TemporaryFolder(TemporaryFolder&& other) noexcept : path_(std::move(other.path_)) { other.path_.clear(); }
    TemporaryFolder& operator=(TemporaryFolder&& other) noexcept {
        std::swap(path_, other.path_);
        return *this;
    }
    /// Path of a file in the folder, which is made on the first call.
    std::string file(const std::string& name);

private:
    std::string path_;
};

/// Stages to look at: a lane of a session, or of a temporary one that was made by running a pipeline.
struct Staged {
    // In this order: the session is folded into one file once nobody reads it, and its folder goes last.
    TemporaryFolder folder;
    std::unique_ptr<Recorder> recorder;  ///< open for runs of the stages, where they are to follow
    std::shared_ptr<Recording> recording;
    GraphRow graph;
    LaneRow lane;
    std::vector<std::string> missing;  ///< steps of the pipeline that this build lacks
    bool ran = false;                  ///< a pipeline ran just now
};

/// Whether runs of the stages will be written into the session too.
enum class Writing : std::uint8_t { Ends, GoesOn };
/// `keep`: the session is written there, or gets one more lane there; empty = temporary. Writing::GoesOn leaves `recorder` open where a pipeline ran.
Staged openStaged(Command& c, const std::string& file, const std::string& keep = {}, Writing writing = Writing::Ends);
/// The lane of that name (or the only one that ends in `-NAME`) of a session; else the pipeline of that name, run now and kept nowhere. Empty: the
/// last lane of a session, the pipeline `best` of a graph file. `input` is left to the caller.
Staged openLane(Command& c, const std::string& file, const std::string& lane);
/// A graph file as it was read: a temporary session with the stage `imported`.
Staged openImported(Command& c, const std::string& file);
/// A session with --graph and --pipeline applied; nothing runs.
Staged openSession(Command& c, const std::string& file);
/// The graph of a stage of a session: of --stage, else the first. Ends the command when it cannot be read.
Graph graphOfSession(Command& c, const std::string& file);

/// Why the lane ends before its pipeline does, for people: `lane best was interrupted after stage 3 dce`. Empty for a complete lane.
std::string incompleteness(const Staged& staged);
/// --stage-like selectors; exit 1 with the list of stages when there is none, exit 2 when several begin so.
StageRow pickStage(const Staged& staged, const std::string& selector);

}  // namespace aliascope::cli
