#pragma once
// One call as text in, its results as text out: `u8[2]: 200 1` is a tensor with its elements in row-major order; strides in a second pair of brackets
// lay it out, ` cpu` behind the brackets puts it there (the others are on cuda:0). Numbers print with nine digits.

#include <sstream>

#include "core/exec/cpu/strided.h"
#include "tests/exec/exec_fixture.h"

namespace aliascope::exec::testing {

inline Shape readShape(std::istream& in) {
    Shape out;
    if (in.peek() != '[') return out;
    in.get();
    std::string inside;
    std::getline(in, inside, ']');
    std::istringstream parts(inside);
    for (std::string part; std::getline(parts, part, ',');) out.push_back(std::stoll(part));
    return out;
}

/// Reads `f32[2,3][1,2] cpu: 1 nan -inf`; missing elements are 0.
inline Tensor tensorFrom(const std::string& text) {
    std::istringstream in(text);
    std::string dtype;
    while (in.peek() != '[' && in.peek() != ':' && in.peek() != ' ' && in.peek() != EOF) dtype += static_cast<char>(in.get());
    TensorType type;
    type.dtype = dtypeFromShortName(dtype).value_or(DType::Unknown);
    const Shape sizes = readShape(in);
    const Shape strides = in.peek() == '[' ? readShape(in) : contiguousStrides(sizes);
    std::string place;
    std::getline(in, place, ':');
    type.device = Name(place == " cpu" ? "cpu" : "cuda:0");
    type.sizes.assign(sizes.begin(), sizes.end());
    type.strides.emplace(strides.begin(), strides.end());
    Tensor t = makeTensor(cpu(), type);
    StridedLoop<1>(sizes, {&t}, LoopOrder::Logical).forEach([&](const auto& at) {
        std::string word = "0";  // what the text does not say
        in >> word;
        if (info(t.dtype).floating)
            writeDouble(t, at[0], std::stod(word));
        else
            writeInteger(t, at[0], std::stoll(word));
    });
    return t;
}

/// `f32[2]: 1 2.5`, without brackets for 0-d; strides are told only where they are not row-major.
inline std::string describe(const RuntimeValue& v) {
    if (v.isNone()) return "None";
    const Tensor* t = v.tensor();
    if (!t) return v.number() ? QString::number(*v.number(), 'g', 9).toStdString() : "?";
    std::string out(info(t->dtype).shortName);
    const auto brackets = [](const Shape& shape) {
        std::string text;
        for (const std::int64_t n : shape) text += (text.empty() ? "" : ",") + std::to_string(n);
        return "[" + text + "]";
    };
    if (t->rank() > 0) out += brackets(t->sizes);
    if (!t->isContiguous()) out += brackets(t->strides);
    out += ":";
    StridedLoop<1>(t->sizes, {t}, LoopOrder::Logical).forEach([&](const auto& at) {
        if (info(t->dtype).floating)
            out += " " + QString::number(readDouble(*t, at[0]), 'g', 9).toStdString();
        else
            out += " " + std::to_string(readInteger(*t, at[0]));
    });
    return out;
}

/// What `torch.ops.CALL` gives for the tensors x, y, z; results of a tuple joined by ` | ` (`results` says how many); or the error.
inline std::string evaluate(const std::string& call, const std::vector<std::string>& operands, int results = 1, Backend& backend = cpu()) {
    std::string parameters, returned = "r";
    std::vector<RuntimeValue> inputs;
    for (std::size_t i = 0; i < operands.size(); ++i) {
        parameters += (i ? ", " : "") + std::string(1, "xyzw"[i]);
        inputs.emplace_back(tensorFrom(operands[i]));
    }
    std::string body = "r = torch.ops." + call + "\n";
    for (int k = 0; k < results && results > 1; ++k) {
        body += "g" + std::to_string(k) + " = r[" + std::to_string(k) + "]\n";
        returned = k ? returned + ", g" + std::to_string(k) : "g0";
    }
    const Ran r = run(forward(parameters, body + "return (" + returned + ",)"), inputs, {}, backend);
    if (!r.error.empty()) return r.error;
    std::string out;
    for (const RuntimeValue& v : r.result.outputs) out += (out.empty() ? "" : " | ") + describe(v);
    return out;
}

}  // namespace aliascope::exec::testing

/// Row of a table of calls: name, call, operands (a braced list of texts), what it gives.
#define CALL_COLUMNS()                         \
    QTest::addColumn<QString>("call");         \
    QTest::addColumn<QStringList>("operands"); \
    QTest::addColumn<QString>("gives")
#define CALL_ROW(name, call, operands, gives) QTest::newRow(name) << QString(call) << operands << QString(gives)
#define CALL_CHECK()                                                                \
    QFETCH(QString, call);                                                          \
    QFETCH(QStringList, operands);                                                  \
    QFETCH(QString, gives);                                                         \
    std::vector<std::string> texts;                                                 \
    for (const QString& operand : operands) texts.push_back(operand.toStdString()); \
    QCOMPARE(QString::fromStdString(evaluate(call.toStdString(), texts, static_cast<int>(gives.count(" | ")) + 1)), gives)
