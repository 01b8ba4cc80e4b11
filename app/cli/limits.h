#pragma once
// --limits NAME=N,…: the bounds of readers (formats.md 17) and sessions (session.md 4) that a user may move.

#include "app/cli/command.h"
#include "core/recording/recorder.h"
#include "core/text/document.h"

namespace aliascope::cli {

struct Limits {
    ReadLimits reading;
    RecorderLimits recording;
};

/// The limits with those of --limits; mistakes end the command with exit 2.
Limits chosenLimits(Command& c);

}  // namespace aliascope::cli
