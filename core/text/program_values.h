#pragma once
// Arguments, types and metadata in exported programs (formats.md 11.2, 11.4).

#include <string>
#include <string_view>

#include "core/ir/graph.h"
#include "core/text/json_reader.h"

namespace aliascope {

/// The one entry of a union: the first that is not null, `as_none` included.
JsonValue unionEntry(JsonValue value);

/// `torch.float32`, `torch.strided`, `torch.contiguous_format` of the number or old name in an archive; empty when it is none.
std::string scalarTypeName(JsonValue code);
std::string layoutName(JsonValue code);
std::string memoryFormatName(JsonValue code);
/// `cuda:0` of `{type, index}`; empty when it is none.
std::string deviceName(JsonValue device);

/// `{as_int}` or `{as_expr: {expr_str, hint}}`. A hint of a lone symbol is kept in `symbols`.
SymInt symInt(JsonValue size, SymbolTable& symbols);
/// Of a TensorMeta; null when it is none.
TypePtr tensorType(JsonValue meta, SymbolTable& symbols);

/// The frame of a Python traceback that names the user's line: the last one that is no generated code, else the last one.
Provenance tracebackFrame(std::string_view traceback);
/// `blocks.0.norm` of `nn_module_stack`; empty for the root.
std::string modulePath(std::string_view stack);

}  // namespace aliascope
