#include "core/recording/node_rows.h"

#include <algorithm>
#include <string>
#include <vector>

#include "core/recording/node_text.h"
#include "core/recording/type_text.h"
#include "core/text/arguments.h"

namespace aliascope::recording {
namespace {

bool isNonZero(const std::optional<SymInt>& offset) { return offset && offset->constant() != 0; }

/// Calls `f(argument name, node)` for every use in a value; the keys of a dict name what stands below them.
template <class F>
void forEachUse(const Value& v, std::string_view arg, const F& f) {
    if (v.isNode()) return f(arg, v.asNode());
    if (!v.isContainer()) return;
    const auto& items = v.items();
    for (std::size_t i = 0; i < items.size(); ++i) forEachUse(items[i], v.kind() == Value::Kind::Dict ? v.keys()[i].view() : arg, f);
}

/// Which operands a node writes, and how the others are used.
class UseModes {
public:
    UseModes(const OpRegistry& ops, const Graph& g, NodeId id, const OpDef* def) : written_(writtenOperands(ops, g, id)) {
        if (!def) return;
        if (def->is(Trait::HandleOnly))
            write_ = "meta";
        else if (def->is(Trait::WriteOnly) && !def->is(Trait::PartialWrite))
            write_ = "write";
        if (def->is(Trait::ShapeOnly)) read_ = "meta";
    }
    std::string_view of(std::string_view arg, NodeId value) const {
        for (const WrittenOperand& w : written_)
            if (w.value == value && w.param.view() == arg) return write_;
        return read_;
    }

private:
    std::vector<WrittenOperand> written_;
    std::string_view write_ = "readwrite", read_ = "read";
};

/// Extras of everything but arguments' text: the facts that no column tells.
Extras extrasOf(const Node& n, const Provenance& p, Name ruleOp, bool typeIsExact, const std::optional<SymInt>& rowOffset) {
    Extras e;
    if (n.annotation && n.annotation.view() != (n.type ? n.type->str() : std::string())) e.annotation = n.annotation.str();
    if (!n.isCall() && n.target.view() != defaultTarget(n.kind, n.name.view())) e.target = n.target.str();
    if (n.op != ruleOp) e.op = n.op.str();
    e.comment = commentTemplate(p);
    if (n.type && !typeIsExact) e.type = typeTree(n.type);
    if (const TensorType* t = n.tensor()) {
        const bool ruled = isNonZero(rowOffset) ? t->offset && *t->offset == *rowOffset : !t->offset;
        if (!ruled) e.offset = t->offset ? t->offset->str() : std::string("-");
    }
    return e;
}

/// Confidence of a node in a foreign lane (foreign_stages.h).
std::optional<double> matchOf(const Node& n) {
    const Value* match = n.metaValue("match"_n);
    return match ? match->asNumber() : std::nullopt;
}

}  // namespace

NodeRows::NodeRows(RowQueue& queue, Database& db, TextPool& pool, std::int64_t lane, const OpRegistry& ops)
    : pool_(pool),
      lane_(lane),
      ops_(ops),
      node_(queue, db,
            "INSERT INTO node(id, lane, uid, first_stage, last_stage, ord, body, kind, name, op, args, type, storage, module, path, line, fn, code, "
            "flags, match) "
            "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13, ?14, ?15, ?16, ?17, ?18, ?19, ?20)"),
      use_(queue, db, "INSERT INTO use(node, slot, arg, uid, out, mode) VALUES(?1, ?2, ?3, ?4, ?5, ?6)"),
      part_(queue, db, "INSERT INTO part(node, out, type, storage) VALUES(?1, ?2, ?3, ?4)"),
      close_(queue, db, "UPDATE node SET last_stage = ?2 WHERE id = ?1"),
      nextVersion_(db.integer("SELECT max(id) FROM node") + 1) {}

std::int64_t NodeRows::insert(const Body& body, NodeId id, int stage, std::int64_t ord, const Placement& place, const StorageVersions& storages) {
    const Graph& g = *body.graph;
    const Node& n = g[id];
    const Provenance& p = g.provenance[n.provenance < g.provenance.size() ? n.provenance : 0];

    std::optional<std::int64_t> op;
    Name ruleOp;
    if (n.isCall()) {
        const StoredOp stored = storeTarget(n.target);
        const auto [it, fresh] = targets_.try_emplace(n.target, 0);
        if (fresh) it->second = pool_.str(stored.kind, stored.text);
        op = it->second;
        if (n.kind == NodeKind::CallFunction) {
            const auto [known, first] = canonical_.try_emplace(n.target, Name());
            if (first) known->second = canonicalOp(n.target.view());
            ruleOp = known->second;
        }
    }
    std::optional<std::int64_t> type;
    bool exact = true;
    if (n.type) {
        const TextPool::StoredType stored = pool_.type(n.type, place.offset, n.trust, g.symbols);
        type = stored.id;
        exact = stored.exact;
    }
    const Extras extras = extrasOf(n, p, ruleOp, exact, place.offset);
    std::optional<std::int64_t> args;
    if (!n.args.empty() || !n.kwargs.empty() || !extras.empty())
        args = pool_.str(argsKind(extras), n.args.empty() && n.kwargs.empty() ? std::string() : printArguments(g, n));

    const std::int64_t version = nextVersion_++;
    node_.run(version, lane_, makeUid(body.number, id), stage, kOpenEnd, ord, bodyStr(body), toString(n.kind), n.name.view(), op, args, type,
              place.storage >= 0 ? std::optional(place.storage) : std::nullopt, pool_.named(modules_, "module", n.modulePath),
              pool_.named(paths_, "path", p.file), p.line ? std::optional(p.line) : std::nullopt, orNull(p.function.view()),
              pool_.named(codes_, "code", p.code), packFlags(n), matchOf(n));
    insertUses(version, body, id);
    if (n.type && n.type->asTuple()) insertParts(version, body, id, storages);
    return version;
}

void NodeRows::close(std::int64_t version, int lastStage) { close_.run(version, lastStage); }

std::int64_t NodeRows::bodyStr(const Body& body) {
    const auto [it, fresh] = bodyStrs_.try_emplace(body.number, 0);
    if (fresh) it->second = pool_.str("body", body.path);
    return it->second;
}

void NodeRows::insertUses(std::int64_t version, const Body& body, NodeId id) {
    const Graph& g = *body.graph;
    const Node& n = g[id];
    if (n.args.empty() && n.kwargs.empty()) return;
    static const Name getitem("operator::getitem");
    const OpDef* def = n.op ? ops_.find(n.op) : nullptr;
    const UseModes modes(ops_, g, id, def);
    // A getitem reads one component of its operand.
    const std::optional<std::int64_t> component = n.op == getitem && n.args.size() > 1 ? n.args[1].asInt() : std::nullopt;
    int slot = 0;
    const auto add = [&](std::string_view arg, NodeId used) {
        use_.run(version, slot, orNull(arg), makeUid(body.number, used), slot == 0 ? component : std::nullopt, modes.of(arg, used));
        ++slot;
    };
    std::string position;
    for (std::size_t i = 0; i < n.args.size(); ++i) {
        std::string_view arg;
        if (def && i < def->schema.params.size()) {
            arg = def->schema.params[i].name.view();
        } else if (n.isCall()) {
            position = std::to_string(i);
            arg = position;
        }
        forEachUse(n.args[i], arg, add);
    }
    for (const auto& [key, value] : n.kwargs) forEachUse(value, key.view(), add);
}

void NodeRows::insertParts(std::int64_t version, const Body& body, NodeId id, const StorageVersions& storages) {
    const Node& n = (*body.graph)[id];
    const auto& parts = *n.type->asTuple();
    for (std::size_t i = 0; i < parts.size(); ++i) {
        const auto output = static_cast<int>(i);
        std::optional<std::int64_t> type;
        if (parts[i]) type = pool_.type(parts[i], std::nullopt, n.trust, body.graph->symbols).id;
        part_.run(version, output, type, storages.numberOf(makeUid(body.number, id), output));
    }
}

}  // namespace aliascope::recording
