#pragma once
// Text in, passes, text out: what the tests of passes share.

#include <QTest>

#include <algorithm>
#include <string>

#include "core/ir/op_registry.h"
#include "core/pipeline/pipeline.h"
#include "core/text/document.h"
#include "core/text/print.h"

namespace aliascope::testing {

inline const OpRegistry& testOps() {
    static const OpRegistry ops = [] {
        OpRegistry r = OpRegistry::withBuiltin();
        r.addText(R"(
mylib::foo(Tensor(a!) x) -> ()
mylib::foo_ret(Tensor(a!) x, Tensor y) -> Tensor
mylib::two(Tensor(a!) x, Tensor(b!) y) -> ()
mylib::two_ret(Tensor(a!) x, Tensor(b!) y) -> (Tensor, Tensor)
mylib::lst(Tensor(a!)[] xs, float s) -> ()
mylib::opt(Tensor(a!) x, Tensor(b!)? y) -> ()
mylib::optl(Tensor(a!) a, int k=3, Tensor(b!)? z=None, *, float w=0.5) -> ()
)",
                  "test.ops");
        return r;
    }();
    return ops;
}

/// A graph of the body's lines; `parameters` is the text between `self, ` and `)`.
inline std::string readableGraph(const std::string& parameters, const std::string& body) {
    std::string text = "class <lambda>(torch.nn.Module):\n    def forward(self, " + parameters + "):\n";
    std::size_t at = 0;
    while (at < body.size()) {
        const std::size_t end = std::min(body.find('\n', at), body.size());
        const std::string line = body.substr(at, end - at);
        const auto first = line.find_first_not_of(' ');
        if (first != std::string::npos) text += "        " + line.substr(first) + "\n";
        at = end + 1;
    }
    return text;
}

struct PassRun {
    std::string error;
    Graph graph;
    std::string before, after;  ///< graph text
    std::vector<Decision> decisions;
    std::vector<Diagnostic> diagnostics;

    /// The decision about `argument`; of several, the first.
    const Decision* decision(std::string_view argument, std::string_view code = {}) const {
        for (const Decision& d : decisions)
            if (d.argument == argument && (code.empty() || d.code == code)) return &d;
        return nullptr;
    }
    std::string code(std::string_view argument) const {
        const Decision* d = decision(argument);
        return d ? d->code : "no decision";
    }
    const Diagnostic* diagnostic(std::string_view code) const {
        for (const Diagnostic& d : diagnostics)
            if (d.code == code) return &d;
        return nullptr;
    }
    /// Calls of `target` in the graph text, as spelled without `torch.ops.`.
    int count(const std::string& target) const {
        int n = 0;
        const std::string needle = "[target=torch.ops." + target + "]";
        for (auto at = after.find(needle); at != std::string::npos; at = after.find(needle, at + 1)) ++n;
        return n;
    }
    bool contains(const std::string& text) const { return after.find(text) != std::string::npos; }
};

/// Reads the graph and runs the pipeline text on it, verifier included.
inline PassRun runPasses(const std::string& text, const std::string& passes) {
    PassRun run;
    auto document = readText(text, "test.py", testOps());
    if (!document || document->units.size() != 1) {
        run.error = document ? "no graph" : document.error().format();
        return run;
    }
    run.graph = std::move(document->units[0].graph);
    run.before = printGraphText(run.graph);
    auto pipeline = parsePipeline(passes);
    if (!pipeline) {
        run.error = pipeline.error().format();
        return run;
    }
    RunResult result = runPipeline(run.graph, *pipeline, testOps(), {});
    if (result.error) run.error = result.error->format();
    run.after = printGraphText(run.graph);
    run.diagnostics = std::move(result.diagnostics);
    for (auto& [stage, decisions] : result.decisions)
        for (Decision& d : decisions) run.decisions.push_back(std::move(d));
    return run;
}

}  // namespace aliascope::testing

/// Runs and fails the test when reading, a pass or the verifier failed.
#define RUN_PASSES(variable, text, passes)                                  \
    const auto variable = aliascope::testing::runPasses((text), (passes)); \
    QVERIFY2(variable.error.empty(), variable.error.c_str())
