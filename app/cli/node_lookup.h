#pragma once
// Finding a node of a lane by its name at any stage.

#include <string>
#include <vector>

#include "app/cli/source.h"

namespace aliascope::cli {

/// One node that bears the name, with the first stage at which it does.
struct NamedNode {
    Uid uid = 0;
    int stage = 1;
    NodeRowPtr row;
};

/// Nodes named `name` (a leading % does not count), by the first stage at which they bear it; only those of `stage` if it is not 0.
std::vector<NamedNode> nodesNamed(const Staged& staged, std::string name, int stage = 0);
/// The first of nodesNamed; exit 1 with near names when there is none. Says on stderr when later stages have other nodes of that name.
NamedNode requireNode(Command& c, const Staged& staged, const std::string& name, int stage = 0);

}  // namespace aliascope::cli
