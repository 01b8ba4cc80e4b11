// Which reads of a stage saw something else than in the reference run (executor.md 3.2, "The check").

#include <algorithm>
#include <numeric>
#include <tuple>

#include "core/exec/read_tracer.h"

namespace aliascope::exec {
namespace {

using NodeKey = std::pair<std::uint32_t, std::uint32_t>;  // body, node

NodeKey keyOf(const memory::Site& site) { return {site.body, site.node.value}; }

/// Nodes that ran without computing: views and copies. Rewrites share them, so they say nothing of who stands for whom.
std::set<NodeKey> idleNodes(const ReadLog& a, const ReadLog& b) {
    std::set<NodeKey> idle = a.ran;
    idle.insert(b.ran.begin(), b.ran.end());
    for (const ReadLog* log : {&a, &b}) {
        for (const Origin& o : log->origins) idle.erase(keyOf(o.site));
        for (const TracedRead& r : log->reads) idle.erase(keyOf(r.reader));
    }
    return idle;
}

/// Nodes of both stages that stand for each other: those of one rewrite, and every node for itself.
class NodeClasses {
public:
    NodeClasses(const RewriteSteps& rewrites, const std::set<NodeKey>& idle) {
        for (const RewriteStep& step : rewrites) {
            std::optional<NodeKey> first;
            for (const auto* list : {&step.before, &step.after})
                for (const memory::Site& site : *list) {
                    if (idle.contains(keyOf(site))) continue;
                    if (!first) first = keyOf(site);
                    join(*first, keyOf(site));
                }
        }
    }
    NodeKey find(NodeKey key) const {
        for (auto at = parent_.find(key); at != parent_.end() && at->second != key; at = parent_.find(key)) key = at->second;
        return key;
    }

private:
    void join(NodeKey a, NodeKey b) {
        const NodeKey x = find(a), y = find(b);
        if (x != y) parent_[std::max(x, y)] = std::min(x, y);
    }
    std::map<NodeKey, NodeKey> parent_;
};

/// A read by what it is in both runs: class of the reader, its launch, operand, element of a list.
using ReadKey = std::tuple<NodeKey, std::uint32_t, Name, std::uint32_t>;

struct ReadIndex {
    std::map<ReadKey, std::vector<const TracedRead*>> reads;
    std::map<NodeKey, std::size_t> perReader;

    ReadIndex(const ReadLog& log, const NodeClasses& classes) {
        for (const TracedRead& r : log.reads) {
            const NodeKey reader = classes.find(keyOf(r.reader));
            reads[{reader, r.launch, r.operand, r.element}].push_back(&r);
            ++perReader[reader];
        }
    }
};

constexpr NodeKey kNobody{0xFFFFFFFF, 0xFFFFFFFF};

/// Classes of the origins of a read, sorted, with one node to name each.
std::map<NodeKey, Name> originClasses(const ReadLog& log, const TracedRead& read, const NodeClasses& classes) {
    std::map<NodeKey, Name> out;
    for (OriginId id : read.origins) out.try_emplace(id == 0 ? kNobody : classes.find(keyOf(log.origins[id].site)), log.origins[id].node);
    return out;
}

bool contains(const std::map<NodeKey, Name>& all, const std::map<NodeKey, Name>& some) {
    return std::all_of(some.begin(), some.end(), [&](const auto& o) { return all.contains(o.first); });
}

/// The other operand of a sum or product, which a rewrite may exchange with this one to write into it.
std::optional<ReadKey> partnerOf(ReadKey key) {
    static const Name self("self"), other("other");
    Name& operand = std::get<2>(key);
    if (operand != self && operand != other) return std::nullopt;
    operand = operand == self ? other : self;
    return key;
}

std::string nameOf(Name node) { return node ? node.str() : "nobody"; }

}  // namespace

std::vector<Finding> staleReads(const ReadLog& reference, const ReadLog& later, const RewriteSteps& rewrites, const std::string& pass) {
    const NodeClasses classes(rewrites, idleNodes(reference, later));
    const ReadIndex was(reference, classes), is(later, classes);
    // Each of two operands reads what the other one read.
    const auto exchanged = [&](const ReadKey& key, std::size_t i, const auto& wanted, const auto& seen) {
        const auto partner = partnerOf(key);
        if (!partner) return false;
        const auto then = was.reads.find(*partner), now = is.reads.find(*partner);
        if (then == was.reads.end() || now == is.reads.end() || then->second.size() <= i || now->second.size() <= i) return false;
        return contains(originClasses(reference, *then->second[i], classes), seen) &&
               contains(wanted, originClasses(later, *now->second[i], classes));
    };
    std::vector<Finding> out;
    for (const auto& [key, reads] : is.reads) {
        const auto before = was.reads.find(key);
        const NodeKey reader = std::get<0>(key);
        if (before == was.reads.end() || before->second.size() != reads.size() || was.perReader.at(reader) != is.perReader.at(reader)) continue;
        for (std::size_t i = 0; i < reads.size(); ++i) {
            const TracedRead &now = *reads[i], &then = *before->second[i];
            const auto wanted = originClasses(reference, then, classes), seen = originClasses(later, now, classes);
            const auto stranger = std::find_if(seen.begin(), seen.end(), [&](const auto& o) { return !wanted.contains(o.first); });
            if (stranger == seen.end() || exchanged(key, i, wanted, seen)) continue;
            auto missing = std::find_if(wanted.begin(), wanted.end(), [&](const auto& o) { return !seen.contains(o.first); });
            if (missing == wanted.end()) missing = wanted.begin();
            Finding f{"STALE_READ", now.reader, now.node, {}};
            f.params = {{"reader", now.node.str()},
                        {"n", std::to_string(now.bytes)},
                        {"operand", now.operand.str()},
                        {"writer", nameOf(stranger->second)},
                        {"origin", missing == wanted.end() ? "nobody" : nameOf(missing->second)},
                        {"pass", pass}};
            out.push_back(std::move(f));
        }
    }
    return out;
}

std::vector<Finding> localFindings(const ReadLog& log) {
    std::vector<Finding> out;
    for (const TracedRead& r : log.reads) {
        if (r.origins.empty() || r.origins.front() != 0) continue;
        Finding f{"UNDEFINED_READ", r.reader, r.node, {}};
        f.params = {{"reader", r.node.str()}, {"n", std::to_string(r.bytes)}, {"operand", r.operand.str()}, {"what", "never written"}};
        out.push_back(std::move(f));
    }
    if (log.canariesBroken > 0) {
        Finding f{"WRITE_OUTSIDE", {}, log.firstBroken, {}};
        f.params = {{"node", nameOf(log.firstBroken)}, {"n", "up to " + std::to_string(log.canariesBroken * 128)}, {"arg", "its storage"}};
        out.push_back(std::move(f));
    }
    return out;
}

}  // namespace aliascope::exec
