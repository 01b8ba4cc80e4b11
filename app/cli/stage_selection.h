#pragma once
// Part of a stage: --find EXPR, --node NAME with --width N; as rows, or as a picture.

#include <optional>
#include <set>

#include "app/cli/source.h"
#include "core/report/stage_picture.h"

namespace aliascope::cli {

/// Nodes that --find finds, and the neighbourhood of --node. Nothing = neither is given: the whole stage. Mistakes end the command with exit 2, a
/// node that is not there with exit 1.
std::optional<std::set<Uid>> selectedNodes(Command& c, const Staged& staged, const StageRow& stage);
/// The stage as --as svg and dot draw it, cut to selectedNodes.
report::StagePicture pictureOf(Command& c, const Staged& staged, const StageRow& stage);
/// The selected nodes as rows, in program order.
Table nodeRows(const Staged& staged, const StageRow& stage, const std::set<Uid>& nodes);

}  // namespace aliascope::cli
