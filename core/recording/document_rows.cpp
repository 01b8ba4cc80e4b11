#include "core/recording/document_rows.h"

#include <algorithm>
#include <nlohmann/json.hpp>
#include <unordered_map>

#include "core/recording/blob_codec.h"
#include "core/recording/lane_recorder.h"
#include "core/recording/storage_versions.h"
#include "core/recording/write_errors.h"

namespace aliascope::recording {
namespace {

constexpr std::size_t kKeyDigits = 8;

nlohmann::json sideJson(const std::vector<SignatureEntry>& entries) {
    nlohmann::json out = nlohmann::json::array();
    for (const SignatureEntry& e : entries)
        out.push_back({{"kind", e.kind.str()}, {"name", e.name.str()}, {"target", e.target.str()}, {"persistent", e.persistent}});
    return out;
}

/// `{"inputs": […], "outputs": […]}` of an exported graph, else empty.
std::string signatureJson(const Signature& s) {
    if (s.empty()) return {};
    const nlohmann::json j = {{"inputs", sideJson(s.inputs)}, {"outputs", sideJson(s.outputs)}};
    return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

/// What a unit states beside its graph: `{"notes": […], "first_line": 12, "form": "readable"}`.
std::string notesJson(const Unit& unit) {
    nlohmann::json j = {{"form", std::string(graphFormName(unit.form))}, {"first_line", unit.firstLine}};
    if (!unit.notes.empty()) j["notes"] = unit.notes;
    if (!unit.stage.empty()) j["stage"] = unit.stage;
    if (!unit.member.empty()) j["file"] = unit.member;
    if (unit.group.run > 0) j["run"] = unit.group.run + 1;
    if (unit.abandoned) j["abandoned"] = true;
    return j.dump(-1, ' ', false, nlohmann::json::error_handler_t::replace);
}

class DocumentWriter {
public:
    DocumentWriter(Database& db, const Document& doc, CancelToken cancel)
        : db_(db),
          doc_(doc),
          cancel_(std::move(cancel)),
          graph_(
              db,
              "INSERT INTO graph(source, name, phase, order_key, span_begin, span_end, nodes, notes, compile_id, rank, attempt, aot_id, signature) "
              "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12, ?13) RETURNING id"),
          symbol_(db, "INSERT INTO symbol(graph, name, hint, min, max) VALUES(?1, ?2, ?3, ?4, ?5)"),
          diagnostic_(db,
                      "INSERT INTO diagnostic(source, graph, uid, severity, audience, code, line, col, params, excerpt) "
                      "VALUES(?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)") {}

    std::vector<std::int64_t> write(std::uint64_t textLimit) {
        std::optional<std::int64_t> text;
        if (!doc_.text.empty() && doc_.text.size() <= std::min(textLimit, kMaxBlobBytes)) text = storeBlob(db_, doc_.text);
        Statement source(db_, "INSERT INTO source(path, container, bytes, text) VALUES(?1, ?2, ?3, ?4) RETURNING id");
        source.bind(doc_.path, doc_.container, static_cast<std::uint64_t>(doc_.text.size()), text);
        source.step();
        source_ = source.integer(0);
        source.reset();
        std::vector<std::int64_t> ids;
        for (const Unit& unit : doc_.units) {
            throwIfCancelled(cancel_);
            ids.push_back(writeUnit(unit));
        }
        for (const Diagnostic& d : doc_.diagnostics) writeDiagnostic(d, std::nullopt, nullptr);
        return ids;
    }

private:
    std::int64_t writeUnit(const Unit& unit) {
        const std::string key = orderKey(unit.id);
        graph_.bind(source_, unit.label, toString(unit.graph.phase), key, unit.spanBegin, unit.spanEnd, unit.statedNodes,
                    storeBlob(db_, notesJson(unit)), orNull(unit.group.compileId), unit.group.rank, unit.group.attempt, unit.group.aotId,
                    orNull(signatureJson(unit.signature)));
        graph_.step();
        const std::int64_t id = graph_.integer(0);
        graph_.reset();
        for (const auto& [name, facts] : unit.graph.symbols) symbol_.run(id, name.view(), facts.hint, facts.min, facts.max);
        for (const Diagnostic& d : unit.diagnostics) writeDiagnostic(d, id, &unit.graph);
        return id;
    }

    void writeDiagnostic(const Diagnostic& d, std::optional<std::int64_t> graph, const Graph* g) {
        const NodeId node = g && d.node ? g->find(d.node) : NodeId();
        diagnostic_.run(source_, graph, node ? std::optional(makeUid(0, node)) : std::nullopt, toString(d.severity), toString(d.audience), d.code,
                        d.line ? std::optional(d.line) : std::nullopt, d.column ? std::optional(d.column) : std::nullopt,
                        paramsJson(d.params, d.note), orNull(d.excerpt));
    }

    Database& db_;
    const Document& doc_;
    CancelToken cancel_;
    Statement graph_, symbol_, diagnostic_;
    std::int64_t source_ = 0;
};

}  // namespace

std::vector<std::int64_t> insertDocument(Database& db, const Document& doc, const std::string& sessionPath, const RecorderLimits& limits,
                                         const CancelToken& cancel) {
    const std::int64_t graphs = db.integer("SELECT count(*) FROM graph") + static_cast<std::int64_t>(doc.units.size());
    if (graphs > limits.graphs) throw LimitReached(sessionPath, "graphs", limits.graphs);
    return DocumentWriter(db, doc, cancel).write(limits.textBytes);
}

std::string orderKey(const std::string& unitId) {
    const std::size_t digits = std::min(unitId.find('.'), unitId.size());
    return digits < kKeyDigits ? std::string(kKeyDigits - digits, '0') + unitId : unitId;
}

std::string unitIdFrom(const std::string& orderKey) {
    const auto at = orderKey.find_first_not_of('0');
    return at == std::string::npos ? orderKey : orderKey.substr(at);
}

}  // namespace aliascope::recording
