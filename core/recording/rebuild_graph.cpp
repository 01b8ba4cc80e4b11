// The graph of a stage, made again from its rows.

#include <algorithm>
#include <charconv>

#include "core/recording/blob_codec.h"
#include "core/recording/graph_state.h"
#include "core/recording/migrations.h"
#include "core/recording/node_text.h"
#include "core/recording/recording_impl.h"
#include "core/recording/type_text.h"
#include "core/text/arguments.h"

namespace aliascope {

using namespace recording;

namespace {

/// Ids of a graph are its index: a file that claims larger ones would make us reserve memory for nothing.
constexpr std::uint32_t kMaxNodeId = 1u << 24;

struct StoredNode {
    std::uint32_t id = 0;
    std::int64_t ord = 0, version = 0;
    std::string args;
    Node node;
    Provenance provenance;
};

/// Nothing when the stage has no state, or it does not read.
std::optional<std::vector<BodyState>> loadState(Database& db, std::int64_t lane, int stage) {
    Statement s(db, "SELECT text FROM str WHERE kind = ?1");
    const std::string kind = "graph:" + std::to_string(lane);
    s.bind(kind);
    int best = 0;
    std::int64_t blob = 0;
    while (s.step()) {
        const std::string_view text = s.view(0);
        const auto blank = text.find(' ');
        int from = 0;
        std::int64_t id = 0;
        std::from_chars(text.data(), text.data() + text.size(), from);
        if (blank != std::string_view::npos) std::from_chars(text.data() + blank + 1, text.data() + text.size(), id);
        if (from > stage || from <= best) continue;
        best = from;
        blob = id;
    }
    const auto json = loadBlob(db, blob);
    return json ? graphStateFrom(*json) : std::nullopt;
}

/// Type of a row, with the storage offset that the node itself stated.
TypePtr typeOf(const Extras& extras, std::string_view text, const std::optional<std::int64_t>& rowOffset) {
    TypePtr type = extras.type ? typeFromTree(*extras.type) : typeFromText(text);
    const TensorType* t = asTensor(type);
    if (!t) return type;
    std::optional<SymInt> offset;
    const auto mark = text.rfind(" @");
    if (extras.offset) {
        if (*extras.offset != "-") {
            Result<SymInt> parsed = SymInt::parse(*extras.offset);
            offset = parsed ? std::move(*parsed) : SymInt::opaque(*extras.offset);
        }
    } else if (mark != std::string_view::npos) {
        const std::string_view stated = text.substr(mark + 2, text.find(" {", mark) - mark - 2);
        Result<SymInt> parsed = SymInt::parse(stated);
        if (parsed)
            offset = std::move(*parsed);
        else if (rowOffset)
            offset = SymInt(*rowOffset);
    }
    if (!offset) return type;
    TensorType with = *t;
    with.offset = std::move(offset);
    return Type::tensor(std::move(with));
}

class GraphBuilder {
public:
    GraphBuilder(Database& db, std::int64_t lane, int stage, const std::string& path) : db_(db), lane_(lane), stage_(stage), path_(path) {}

    Result<Graph> build() {
        auto state = loadState(db_, lane_, stage_);
        if (!state) return fail(damaged(path_, "no state of stage " + std::to_string(stage_)));
        bodies_ = std::move(*state);
        if (auto loaded = loadNodes(); !loaded) return fail(loaded.error());
        for (std::size_t i = 0; i < bodies_.size(); ++i)
            if (auto filled = fill(bodies_[i], nodes_[i]); !filled) return fail(filled.error());
        // From the last to the first, so that a sub-graph is complete before it moves into its parent; siblings then stand the wrong way round.
        for (std::size_t i = bodies_.size(); i-- > 0;) {
            auto& subGraphs = bodies_[i].graph.subGraphs();
            std::reverse(subGraphs.begin(), subGraphs.end());
            if (i > 0) bodies_[bodies_[i].parent].graph.addSubGraph(bodies_[i].attribute, std::move(bodies_[i].graph));
        }
        return std::move(bodies_.front().graph);
    }

private:
    Status loadNodes() {
        std::unordered_map<std::uint32_t, std::size_t> index;
        for (std::size_t i = 0; i < bodies_.size(); ++i) index.emplace(bodies_[i].number, i);
        nodes_.resize(bodies_.size());
        Statement s(
            db_,
            "SELECT n.id, n.uid, n.ord, n.kind, n.name, o.kind, o.text, a.kind, a.text, t.text, t.offset_el, m.text, p.text, n.line, n.fn, c.text, "
            "n.flags "
            "FROM node n LEFT JOIN str o ON o.id = n.op LEFT JOIN str a ON a.id = n.args LEFT JOIN type t ON t.id = n.type LEFT JOIN str m ON "
            "m.id = n.module LEFT JOIN str p ON p.id = n.path LEFT JOIN str c ON c.id = n.code "
            "WHERE n.lane = ?1 AND n.first_stage <= ?2 AND n.last_stage >= ?2");
        s.bind(lane_, stage_);
        while (s.step()) {
            const Uid uid = static_cast<Uid>(s.integer(1));
            const auto body = index.find(static_cast<std::uint32_t>(uid >> 32));
            const auto id = static_cast<std::uint32_t>(uid);
            if (body == index.end() || id >= kMaxNodeId) return fail(damaged(path_, "node " + s.text(4) + " has a uid of no body"));
            const auto kind = nodeKindFrom(s.view(3));
            if (!kind) return fail(damaged(path_, "node " + s.text(4) + " is of unknown kind"));
            nodes_[body->second].push_back(storedNode(s, id, *kind));
        }
        return {};
    }

    StoredNode storedNode(const Statement& s, std::uint32_t id, NodeKind kind) {
        StoredNode out;
        out.id = id;
        out.version = s.integer(0);
        out.ord = s.integer(2);
        Node& n = out.node;
        n.kind = kind;
        n.name = Name(s.view(4));
        const Extras extras = extrasFrom(s.view(7));
        if (!s.isNull(6))
            n.target = Name(spellTarget(s.view(5), s.view(6)));
        else
            n.target = Name(extras.target ? std::string_view(*extras.target) : defaultTarget(kind, n.name.view()));
        if (extras.op)
            n.op = Name(*extras.op);
        else if (kind == NodeKind::CallFunction)
            n.op = canonical(n.target);
        out.args = s.text(8);
        if (!s.isNull(9) || extras.type) n.type = typeOf(extras, s.view(9), s.optionalInteger(10));
        if (extras.annotation)
            n.annotation = Name(*extras.annotation);
        else if (n.type && !annotationIsMade(s.integer(16)))
            n.annotation = Name(n.type->str());
        n.modulePath = Name(s.view(11));
        n.flags = flagsOf(s.integer(16));
        n.trust = trustOf(s.integer(16));
        out.provenance = {Name(s.view(12)), static_cast<std::uint32_t>(s.integer(13)), Name(s.view(14)), Name(s.view(15)), Name()};
        out.provenance.raw = Name(extras.comment ? fillComment(*extras.comment, out.provenance) : ruleComment(out.provenance));
        return out;
    }

    Name canonical(Name target) {
        const auto [it, fresh] = canonical_.try_emplace(target, Name());
        if (fresh) it->second = canonicalOp(target.view());
        return it->second;
    }

    /// Nodes get their old ids back: they are appended in the order of ids, with nodes in between that go at once, and then put in order.
    Status fill(BodyState& body, std::vector<StoredNode>& nodes) {
        Graph& g = body.graph;
        std::sort(nodes.begin(), nodes.end(), [](const StoredNode& a, const StoredNode& b) { return a.id < b.id; });
        std::unordered_map<std::string, std::uint32_t> provenance;
        for (StoredNode& stored : nodes) {
            if (stored.id < g.idBound()) return fail(damaged(path_, "two rows of node " + stored.node.name.str()));
            while (g.idBound() < stored.id) {
                Node gap;
                gap.name = Name("_gone");
                g.erase(g.appendExact(std::move(gap)));
            }
            stored.node.provenance = provenanceIndex(g, provenance, stored.provenance);
            g.appendExact(stored.node);
        }
        std::sort(nodes.begin(), nodes.end(), [](const StoredNode& a, const StoredNode& b) { return a.ord < b.ord; });
        for (const StoredNode& stored : nodes) g.moveBefore(NodeId(stored.id), NodeId());
        for (const StoredNode& stored : nodes) {
            if (stored.args.empty()) continue;
            Result<Call> call = parseArguments(stored.args, g);
            if (!call) return fail(damaged(path_, "arguments of " + stored.node.name.str() + ": " + call.error().sentence()));
            g.setArgs(NodeId(stored.id), std::move(call->args));
            g.setKwargs(NodeId(stored.id), std::move(call->kwargs));
        }
        for (const BodyState::Meta& meta : body.meta) {
            if (!g.contains(NodeId(meta.node))) continue;
            Result<Call> value = parseArguments("(" + meta.text + ")", g);
            if (value && value->args.size() == 1) g.setMeta(NodeId(meta.node), meta.key, std::move(value->args.front()));
        }
        return {};
    }

    static std::uint32_t provenanceIndex(Graph& g, std::unordered_map<std::string, std::uint32_t>& known, const Provenance& p) {
        if (p.raw.empty() && p.file.empty() && p.function.empty() && p.code.empty() && p.line == 0) return 0;
        const std::string key = p.raw.str() + '\0' + p.file.str() + '\0' + std::to_string(p.line) + '\0' + p.function.str() + '\0' + p.code.str();
        const auto [it, fresh] = known.try_emplace(key, static_cast<std::uint32_t>(g.provenance.size()));
        if (fresh) g.provenance.push_back(p);
        return it->second;
    }

    Database& db_;
    std::int64_t lane_;
    int stage_;
    const std::string& path_;
    std::vector<BodyState> bodies_;
    std::vector<std::vector<StoredNode>> nodes_;
    std::unordered_map<Name, Name> canonical_;
};

}  // namespace

Result<Graph> Recording::graph(std::int64_t lane, int stage, const OpRegistry&) const {
    try {
        auto db = impl_->file->lease();
        return GraphBuilder(*db, lane, stage, path()).build();
    } catch (const SqlError& e) {
        impl_->note(e);
        return fail(damaged(path(), e.what()));
    }
}

}  // namespace aliascope
