#include "core/reduce/reduce_graph.h"

#include <algorithm>
#include <chrono>

#include "core/analysis/verifier.h"
#include "core/reduce/reduce_moves.h"

namespace aliascope {
namespace {

using namespace reduce;

constexpr int kMostRounds = 8;
constexpr std::size_t kMostBodies = 256;

class Reducer {
public:
    Reducer(const Graph& g, const OpRegistry& ops, const std::function<bool(const Graph&)>& keeps, const ReduceOptions& options)
        : ops_(ops), keeps_(keeps), options_(options) {
        out_.graph = g.clone();
    }

    Reduction run() {
        start_ = std::max<std::size_t>(1, out_.graph.size());
        bool smaller = true;
        for (int round = 0; smaller && round < kMostRounds && !stopped(); ++round) {
            smaller = try_([&](Graph& g) { return makeStatic(g, ops_); });
            for (const std::vector<Name>& body : bodies()) smaller |= shrinkBody(body);
            smaller |= shrinkShapes();
        }
        out_.complete = !stopped();
        return std::move(out_);
    }

private:
    bool stopped() const {
        if (options_.cancel.cancelled() || (options_.mostTries > 0 && out_.tries >= options_.mostTries)) return true;
        return options_.mostSeconds > 0 && std::chrono::duration<double>(std::chrono::steady_clock::now() - began_).count() > options_.mostSeconds;
    }

    /// Takes the step when the graph is sound after it and keeps the property.
    bool try_(const std::function<bool(Graph&)>& step) {
        if (stopped()) return false;
        Graph candidate = out_.graph.clone();
        if (!step(candidate) || !verify(candidate, ops_)) return false;
        ++out_.tries;
        if (!keeps_(candidate)) return false;
        out_.graph = std::move(candidate);
        ++out_.taken;
        if (options_.progress)
            options_.progress(-1, std::to_string(out_.graph.size()) + " of " + std::to_string(start_) + " nodes left after " +
                                      std::to_string(out_.tries) + " tries");
        return true;
    }

    static Graph* bodyAt(Graph& g, const std::vector<Name>& path) {
        Graph* at = &g;
        for (Name attribute : path)
            if (!(at = at->subGraph(attribute))) return nullptr;
        return at;
    }

    /// Paths of the main graph and its bodies, parents first.
    std::vector<std::vector<Name>> bodies() const {
        std::vector<std::vector<Name>> out{{}};
        for (std::size_t i = 0; i < out.size() && out.size() < kMostBodies; ++i) {
            const std::vector<Name> path = out[i];
            const Graph* at = bodyAt(const_cast<Graph&>(out_.graph), path);
            for (const Graph::SubGraph& body : at->subGraphs()) {
                out.push_back(path);
                out.back().push_back(body.attribute);
            }
        }
        return out;
    }

    /// Drops ranges of a list, halves first, single items last.
    bool shrinkList(const std::function<std::size_t()>& count, const std::function<bool(std::size_t, std::size_t)>& drop) {
        bool smaller = false;
        for (std::size_t size = std::max<std::size_t>(1, count()); size > 0; size /= 2) {
            for (std::size_t end = count(); end > 0 && !stopped();) {
                const std::size_t begin = end > size ? end - size : 0;
                const std::size_t before = count();
                if (drop(begin, end)) smaller = true;
                const std::size_t gone = before > count() ? before - count() : 0;
                end = std::min(begin, count());
                if (gone == 0 && begin == 0) break;
            }
        }
        return smaller;
    }

    bool shrinkBody(const std::vector<Name>& path) {
        Graph* now = bodyAt(out_.graph, path);
        if (!now) return false;
        const bool main = path.empty();
        const auto within = [&](const std::function<bool(Graph&)>& step) {
            return try_([&](Graph& g) {
                Graph* body = bodyAt(g, path);
                return body && step(*body);
            });
        };
        const auto here = [&]() -> const Graph& { return *bodyAt(out_.graph, path); };
        bool smaller = false;
        if (main)
            smaller |= shrinkList([&] { return resultCount(here()); },
                                  [&](std::size_t a, std::size_t b) { return within([&](Graph& g) { return dropResults(g, a, b); }); });
        smaller |= shrinkList([&] { return calls(here()).size(); },
                              [&](std::size_t a, std::size_t b) {
                                  const auto all = calls(here());
                                  const std::vector<NodeId> chunk(all.begin() + static_cast<std::ptrdiff_t>(a),
                                                                  all.begin() + static_cast<std::ptrdiff_t>(b));
                                  const auto take = [&](TakeOut how) { return within([&](Graph& g) { return takeOut(g, chunk, how); }); };
                                  return take(TakeOut::Bypass) || (main && take(TakeOut::Cut));
                              });
        const auto dropIdle = [&](bool inputs) {
            const auto idle = idleInputs(here(), inputs);
            if (within([&](Graph& g) { return reduce::erase(g, idle); })) return true;
            bool any = false;
            for (NodeId id : idle) any |= within([&](Graph& g) { return reduce::erase(g, {id}); });
            return any;
        };
        smaller |= dropIdle(main);
        smaller |= within(dropIdleBodies);
        for (const ArgumentStep& step : argumentSteps(here(), ops_)) smaller |= within([&](Graph& g) { return apply(g, step); });
        return smaller;
    }

    bool shrinkShapes() {
        bool smaller = false;
        for (std::int64_t size : inputSizes(out_.graph))
            for (std::int64_t to : {std::int64_t{1}, std::int64_t{2}, std::int64_t{3}, size / 4, size / 2}) {
                if (to >= size || to < 1) continue;
                const auto step = [&](bool numbers) { return try_([&](Graph& g) { return resize(g, ops_, size, to, numbers); }); };
                if (step(true) || step(false)) {
                    smaller = true;
                    break;
                }
            }
        for (NodeId input : out_.graph.placeholders()) {
            if (!out_.graph[input].tensor()) continue;
            for (std::size_t d = 0; d < out_.graph[input].tensor()->rank(); ++d)
                for (std::int64_t to : {std::int64_t{1}, std::int64_t{2}}) {
                    const auto size = out_.graph[input].tensor()->sizes[d].constant();
                    if (!size || *size <= to) break;
                    smaller |= try_([&](Graph& g) { return resizeDimension(g, ops_, input, d, to); });
                }
            smaller |= try_([&](Graph& g) { return makeContiguous(g, ops_, input); });
        }
        return smaller;
    }

    const OpRegistry& ops_;
    const std::function<bool(const Graph&)>& keeps_;
    const ReduceOptions& options_;
    Reduction out_;
    std::size_t start_ = 1;
    std::chrono::steady_clock::time_point began_ = std::chrono::steady_clock::now();
};

}  // namespace

Reduction reduceGraph(const Graph& g, const OpRegistry& ops, const std::function<bool(const Graph&)>& keeps, const ReduceOptions& options) {
    return Reducer(g, ops, keeps, options).run();
}

}  // namespace aliascope
