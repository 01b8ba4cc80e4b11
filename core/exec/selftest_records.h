#pragma once
// Recorded operator calls: one JSON object a line, `{"op", "args", "kwargs", "out", "mutated_after"}`. A tensor is
// `{"tensor": NAME, "dtype", "size", "stride", "offset"}`, a view of the storage NAME; its elements may also stand in the line as `"storage": [...]`.
// `{"float": "inf"}`, `{"dtype": "float32"}`, `{"device": "cpu"}`, `{"enum": "torch.strided"}` stand for themselves.

#include <cstddef>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/exec/tensor.h"
#include "core/ir/value.h"
#include "core/support/result.h"

namespace aliascope::exec {

struct RecordedTensor {
    std::string storage;  ///< name of the storage; views of one storage share memory
    DType dtype = DType::Unknown;
    std::string dtypeName;            ///< as spelled
    Shape sizes, strides;             ///< elements, checked: not negative, same length
    std::int64_t offset = 0;          ///< elements
    std::vector<std::byte> elements;  ///< of the whole storage, when the line holds them
};

/// A tensor, a list, or anything that an argument can be without a tensor inside.
struct RecordedValue {
    enum class Kind : std::uint8_t { Plain, Tensor, List } kind = Kind::Plain;
    Value plain;
    RecordedTensor tensor;
    std::vector<RecordedValue> items;
};

struct RecordedCall {
    Name op;  ///< canonical
    std::vector<RecordedValue> args;
    std::vector<std::pair<Name, RecordedValue>> kwargs;
    RecordedValue out;
    std::vector<std::pair<std::size_t, RecordedValue>> after;  ///< positional arguments as the call leaves them
};

/// Errors: R004 with what is wrong in the line.
Result<RecordedCall> readRecordedCall(std::string_view line);

}  // namespace aliascope::exec
