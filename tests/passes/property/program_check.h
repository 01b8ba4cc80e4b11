#pragma once
// What must hold of every program: each pipeline, each stage gives what the program gives, and leaves its inputs as the program does; `best` keeps no
// more clones, and copies no more bytes, than a sound run of PyTorch's pipelines.

#include <memory>
#include <string>
#include <vector>

#include "core/analysis/copies_left.h"
#include "core/exec/executor.h"
#include "core/exec/op_bodies.h"
#include "core/pipeline/pipeline.h"

namespace aliascope::testing {

/// One pipeline over one program.
struct LaneOutcome {
    std::string pipeline;
    std::vector<std::string> said;  ///< codes of all warnings
    std::string unsound;            ///< code of the warning with which a pass says that PyTorch goes wrong here; empty = none
    bool strict = false;            ///< keeps bits of floats that PyTorch's rewrites may change (`x + 0`)
    bool sharesMore = false;        ///< results lie in one memory, or in an input's, that do not in the program
    std::string stage;              ///< the first that gives something else; empty = none
    bool announced = false;         ///< its pass, or one before it, had said so
    std::string what;               ///< what is wrong there
    CopiesLeft left;                ///< in the last graph
};

struct ProgramOutcome {
    /// Why the program itself does not run (PyTorch refuses writes to overlapping operands too); empty = it runs.
    std::string refused;
    /// What fails, without numbers or names of nodes, so that a smaller program that fails likewise is told from one that fails otherwise:
    /// `best/reinplace: returns other values`; empty = clean.
    std::string failure;
    std::vector<LaneOutcome> lanes;

    const LaneOutcome* lane(std::string_view pipeline) const;
};

/// Thread-safety: none; one checker per thread.
class ProgramChecker {
public:
    explicit ProgramChecker(const OpRegistry& ops);
    ~ProgramChecker();

    /// `torch-v1`, `torch-v2` and `best`, or these pipelines instead.
    ProgramOutcome check(const Graph& program) const;
    std::vector<Pipeline> pipelines;
    /// The smallest program found that fails as `program` does.
    Graph reduced(const Graph& program, const std::string& failure) const;

private:
    struct Machine;
    std::unique_ptr<Machine> machine_;
};

/// A program that fails, as a file that tst_random_programs runs from then on: what fails, where to put it, the program itself.
std::string readyTest(const Graph& reduced, const std::string& failure, const std::string& name);

}  // namespace aliascope::testing
