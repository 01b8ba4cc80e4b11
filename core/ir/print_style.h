#pragma once
// How the text of a graph was laid out, so that printing gives it back byte for byte. Filled by readers, used by printers, copied by
// clone(); graphs made by passes keep the style of the graph that they came from.

#include <cstdint>
#include <string>
#include <vector>

#include "core/support/name.h"

namespace aliascope {

struct PrintStyle {
    // Readable Python (formats.md 5).
    std::string classLine;      ///< `class <lambda>(torch.nn.Module):` without indent; empty = make one from the graph's name
    std::string returnType;     ///< ` -> T` of the def line, if any
    bool deleteLists = true;    ///< `;  x = None` after the last use
    bool deleteUnused = true;   ///< … also of nodes without users (2.4 and later)
    bool strides = true, devices = true;  ///< in annotations that are made from types
    bool comments = true;       ///< provenance comments
    int commentIndent = 0;      ///< extra blanks before `#` (0 or 1)
    bool blankBeforeComment = true;
    bool finalNewline = true;
    bool paddedBlanks = false;         ///< blank lines carry the indent of the body
    bool unquotedAnnotations = false;  ///< `a: f32[2]` (2.0 and earlier)

    /// What stands around the statements: `class` and `def`, a `def` alone (the code of a module), or nothing (a fragment).
    enum class Frame : std::uint8_t { Class, Def, None } frame = Frame::Class;

    /// How parameters reach the graph (formats.md 5.2). Direct: `def forward(self, a: "…")`.
    enum class Signature : std::uint8_t { Direct, Pytree, Expanded, Boxed } signature = Signature::Direct;
    bool linePerParameter = false;        ///< Pytree: one parameter and one annotation a line, with descriptors
    std::vector<std::string> parameters;  ///< Pytree: parameter names of the def line, without self
    std::string flattenSpec;              ///< Pytree: the text between `tree_flatten_spec(` and the closing bracket
    std::string unflattenTail;            ///< Pytree: `, self._out_spec)` of the return line; empty = plain return
    /// Descriptors behind the items of a return of several lines (`PlainAOTOutput(idx=0)`); empty = the return is one line.
    std::vector<std::string> outputDescriptors;
    std::string bodyIndent = "        ";  ///< without a class line the `def` stands 4 blanks before it
    /// Lines of the source that no rule of the printer reproduces, keyed by the node before which they stood (empty name = at the start).
    std::vector<std::pair<Name, std::string>> verbatim;

    // Graph text (formats.md 4).
    bool oldUsers = false;      ///< `[#users=N]`
    bool typeExprs = false;     ///< `%x : torch.Tensor [num_users=1]`
    bool quotedNotes = false;   ///< `%x : Tensor "f32[2][1]cpu"[num_users=1]`
    bool graphHeader = true;    ///< `graph():`
    bool percentReturn = false; ///< `return %a,%b`
    std::string graphIndent = "    ";
};

}  // namespace aliascope
