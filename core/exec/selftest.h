#pragma once
// Operators against recorded results: every call becomes a graph of one node, runs like any graph, and is compared with what PyTorch gave: dtype,
// sizes and strides exactly, elements within the bounds of executor.md 5.3, arguments that the call writes too.

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "core/exec/backend.h"
#include "core/support/cancel.h"
#include "core/support/result.h"

namespace aliascope::exec {

struct SelftestFailure {
    std::int64_t line = 0;  ///< of the records, from 1
    std::string op;         ///< `aten.add.Tensor`
    std::string what;       ///< which value, expected, got
};

struct SelftestReport {
    std::int64_t passed = 0, failed = 0, unsupported = 0;
    std::map<std::string, std::int64_t> unsupportedOps;  ///< `aten.add.Tensor` -> calls
    std::vector<SelftestFailure> failures;               ///< all of them, in the order of the records
};

struct SelftestOptions {
    CancelToken cancel;  ///< the report then holds what ran
    Progress progress;
};

/// Runs the calls of a `.jsonl` file, whose storages lie in the `.safetensors` file beside it, of the same name. Errors: what the file lacks, with
/// its line.
Result<SelftestReport> selftestFile(const std::string& path, const OpRegistry& ops, Backend& backend, const SelftestOptions& options = {});

/// The calls of a text; every storage stands in it.
Result<SelftestReport> selftestText(std::string_view records, const OpRegistry& ops, Backend& backend, const SelftestOptions& options = {});

/// Calls that come with the program.
std::string_view bundledSelftest();

}  // namespace aliascope::exec
