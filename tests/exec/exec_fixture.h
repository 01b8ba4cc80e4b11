#pragma once
// Graph text and numbers in, numbers out: what the tests of the executor share.

#include <QTest>
#include <cstring>
#include <memory>
#include <string>
#include <vector>

#include "core/exec/executor.h"
#include "core/exec/op_bodies.h"
#include "core/text/document.h"

namespace aliascope::exec::testing {

/// Operators of PyTorch and those that the tests define.
inline const OpRegistry& ops() {
    static const OpRegistry registry = [] {
        OpRegistry r = OpRegistry::withBuiltin();
        r.addText(R"(
op mylib::foo(Tensor(a!) x) -> ()
    def forward(self, x):
        add_ = torch.ops.aten.add_.Tensor(x, 1)
        return ()
op mylib::foo_ret(Tensor(a!) x, Tensor y) -> Tensor
    def forward(self, x, y):
        add_ = torch.ops.aten.add_.Tensor(x, y)
        mul = torch.ops.aten.mul.Tensor(x, 2)
        return (mul,)
op mylib::lst(Tensor(a!)[] xs, float s) -> ()
    def forward(self, xs, s):
        mul_ = torch.ops.aten._foreach_mul_.Scalar(xs, s)
        return ()
op mylib::opt(Tensor(a!) x, Tensor(b!)? y) -> ()
    when y is None
    def forward(self, x, y):
        add_ = torch.ops.aten.add_.Tensor(x, 1)
        return ()
    otherwise
    def forward(self, x, y):
        add_ = torch.ops.aten.add_.Tensor(x, 10)
        add__1 = torch.ops.aten.add_.Tensor(y, 10)
        return ()
op mylib::self(Tensor x) -> Tensor
    def forward(self, x):
        return (x,)
op mylib::loop(Tensor x) -> Tensor
    def forward(self, x):
        loop = torch.ops.mylib.loop.default(x)
        return (loop,)
op mylib::sneaky(Tensor x) -> ()
    def forward(self, x):
        add_ = torch.ops.aten.add_.Tensor(x, 1)
        return ()
op mylib::bare(Tensor x) -> Tensor

kernel 0(Tensor x_ptr, Tensor(a!) out_ptr, int n = numel(x_ptr))
    def forward(self, x_ptr, out_ptr, n):
        a = torch.ops.aten.as_strided.default(x_ptr, [n], [1])
        b = torch.ops.aten.as_strided.default(out_ptr, [n], [1])
        add = torch.ops.aten.add.Tensor(a, 1)
        copy_ = torch.ops.aten.copy_.default(b, add)
        return ()
)",
                  "test.ops");
        return r;
    }();
    return registry;
}

inline const OpBodies& bodies() {
    static const OpBodies read = OpBodies::read(ops());
    return read;
}

inline Graph graphOf(const std::string& text) {
    auto document = readText(text, "test", ops());
    if (!document || document->units.size() != 1) {
        qWarning("not one graph: %s", document ? "" : document.error().format().c_str());
        return {};
    }
    return std::move(document->units[0].graph);
}

/// A graph from the lines of a `forward` with these parameters.
inline Graph forward(const std::string& parameters, const std::string& body) {
    std::string text = "class Net(torch.nn.Module):\n    def forward(self, " + parameters + "):\n";
    std::size_t at = 0;
    while (at < body.size()) {
        const std::size_t end = std::min(body.find('\n', at), body.size());
        const std::string line = body.substr(at, end - at);
        const auto first = line.find_first_not_of(' ');
        if (first != std::string::npos) text += "        " + line.substr(first) + "\n";
        at = end + 1;
    }
    return graphOf(text);
}

inline Backend& cpu() {
    static const std::unique_ptr<Backend> backend = makeCpuBackend(Precision::Reference);
    return *backend;
}

/// f32 tensor of `sizes` with these elements in logical order.
inline Tensor tensor(const std::vector<std::int64_t>& sizes, std::vector<float> values) {
    TensorType type;
    type.dtype = DType::F32;
    type.device = Name("cuda:0");
    type.sizes.assign(sizes.begin(), sizes.end());
    Tensor t = makeTensor(cpu(), type);
    cpu().upload(t, reinterpret_cast<const std::byte*>(values.data()));
    return t;
}

/// 0, 1, 2, …
inline Tensor range(const std::vector<std::int64_t>& sizes) {
    std::int64_t n = 1;
    for (const std::int64_t s : sizes) n *= s;
    std::vector<float> values;
    for (std::int64_t i = 0; i < n; ++i) values.push_back(static_cast<float>(i));
    return tensor(sizes, values);
}

/// Elements in logical order as text: `1 2.5 3`; numbers and None as they are.
inline std::string text(const RuntimeValue& v) {
    if (v.isNone()) return "None";
    if (const auto n = v.number()) return QString::number(*n).toStdString();
    const Tensor* t = v.tensor();
    if (!t) return "?";
    std::vector<float> values(static_cast<std::size_t>(t->numel()));
    if (t->dtype != DType::F32) return std::string(info(t->dtype).shortName);
    cpu().download(reinterpret_cast<std::byte*>(values.data()), *t);
    std::string out;
    for (const float x : values) out += (out.empty() ? "" : " ") + QString::number(static_cast<double>(x)).toStdString();
    return out;
}

struct Ran {
    ExecResult result;
    std::string outputs;  ///< `1 2 | 3`
    std::string inputs;   ///< after the run
    std::string error;    ///< `CODE: sentence`
    std::int64_t peak = 0;
};

inline Ran run(const Graph& g, const std::vector<RuntimeValue>& inputs, ExecOptions options = {}, Backend& backend = cpu(),
               const std::unordered_map<Name, RuntimeValue>& constants = {}, ExecObserver* observer = nullptr) {
    options.bodies = &bodies();
    Ran r;
    r.result = execute(g, ops(), backend, inputs, constants, options, observer);
    const auto join = [](const std::vector<RuntimeValue>& values) {
        std::string out;
        for (const RuntimeValue& v : values) out += (out.empty() ? "" : " | ") + text(v);
        return out;
    };
    if (backend.computes()) {
        r.outputs = join(r.result.outputs);
        r.inputs = join(r.result.inputs);
    }
    if (r.result.error) r.error = r.result.error->code + ": " + r.result.error->sentence();
    r.peak = r.result.memory.peakExact;
    return r;
}

}  // namespace aliascope::exec::testing
