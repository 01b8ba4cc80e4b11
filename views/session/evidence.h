#pragma once
// What a Why card draws: the storage, the argument that is a view of it, the call that writes it, who stands in the way, and which bytes are meant
// (ui.md 2.6). Read from the graph that the pass saw.

#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "core/recording/recording.h"
#include "views/session/alias_rows.h"
#include "views/session/selection.h"

namespace aliascope {

struct EvidenceStep {
    enum class Kind : std::uint8_t { Base, Argument, Write, Blocker } kind = Kind::Base;
    Uid uid = kNoUid;
    std::string name, what;  ///< `what`: operator, or role of an input
    int place = 0;           ///< position in the program, from 1
    std::optional<std::int64_t> bytes;
};

struct Evidence {
    std::vector<EvidenceStep> steps;  ///< base, argument, write, blocker; what is not known or says nothing new is left out
    int storage = -1;
    std::optional<std::int64_t> storageBytes;   ///< what a copy of the whole base costs
    std::optional<std::int64_t> argumentBytes;  ///< what a copy of the view alone costs
    std::optional<std::int64_t> clonedBytes;    ///< what the clone copies; from the start of the storage where the view has an offset
    std::optional<Region> argument, blocker;    ///< places in the storage
    std::optional<std::int64_t> overlap;        ///< bytes that both places share; nothing = another storage, or not known
    bool blockerIsLater = false;
};
using EvidencePtr = std::shared_ptr<const Evidence>;

/// Job threads only. Null when the stage is not recorded, or the decision names no node.
EvidencePtr loadEvidence(const Recording& recording, std::int64_t lane, const DecisionRow& decision);

}  // namespace aliascope
