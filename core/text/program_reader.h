#pragma once
// Reader of exported programs (formats.md 11.2 to 11.5): the JSON that torch.export writes into its archives.

#include <optional>
#include <string>

#include "core/text/document.h"
#include "core/text/json_reader.h"
#include "core/text/source_text.h"

namespace aliascope {

/// Whether an object is a program (`graph_module.graph.nodes`) or a graph alone (`nodes` and `tensor_values`, possibly under `graph`).
bool isProgram(JsonValue root);

/// Reads the program `root`, which stands in `source`. Its first line, spans and messages are places of `source`.
Unit readProgram(const SourceText& source, JsonValue root, const OpRegistry& ops, const ReadOptions& options);

/// `data/weights/NAME_weights_config.json`: notes on weights that are views of one storage.
std::vector<std::string> sharedWeights(JsonValue config);

}  // namespace aliascope
