#include "core/text/program_reader.h"

#include <algorithm>
#include <map>
#include <unordered_map>
#include <utility>

#include "core/text/graph_builder.h"
#include "core/text/literals.h"
#include "core/text/program_values.h"

namespace aliascope {
namespace {

constexpr std::string_view kSchemaMajor = "8";

JsonValue graphOf(JsonValue root) {
    for (const JsonValue candidate : {root["graph_module"]["graph"], root["graph"], root})
        if (candidate["nodes"].isArray()) return candidate;
    return {};
}

/// `torch.ops.aten.add.Tensor` -> `add`, for a call whose node has no name.
std::string callName(std::string_view op) {
    std::string_view name = op.substr(op.find("::") == op.npos ? 0 : op.find("::") + 2);
    name = name.substr(0, name.find('.'));
    std::string out;
    for (const char c : name) out += isNameChar(c) ? c : '_';
    return out.empty() || isDigit(out[0]) ? "call" + out : out;
}

/// Reads one graph; graphs that are arguments are read by readers of their own.
class ProgramGraphReader {
public:
    ProgramGraphReader(Reporter& reporter, const OpRegistry& ops, const ReadLimits& limits, std::uint32_t depth)
        : reporter_(reporter), builder_(reporter, ops, limits), depth_(depth) {}

    void read(JsonValue graph, JsonValue inputSpecs);
    Graph& graph() { return builder_.graph; }

private:
    void inputs(JsonValue graph, JsonValue specs);
    void node(JsonValue node);
    void arguments(Node& n, JsonValue inputs);
    void results(Node n, JsonValue node);
    void define(Node n, std::string_view name, JsonValue from);
    void element(NodeId whole, std::size_t index, std::string_view name, JsonValue from);
    Name freshName(std::string_view candidate);

    Value argument(JsonValue arg) { return entry(unionEntry(arg)); }
    Value entry(JsonValue entry);
    Value literal(std::string_view kind, JsonValue value);
    Value stringLiteral(JsonValue value);
    Value list(std::string_view kind, JsonValue value);
    Value subGraph(JsonValue value);
    Value use(JsonValue name);
    Value opaque(JsonValue value);
    TypePtr typeOf(std::string_view name) const;
    TypePtr typeOfOutput(JsonValue out) const;

    Reporter& reporter_;
    GraphBuilder builder_;
    std::uint32_t depth_, nesting_ = 0;
    bool cut_ = false;  // an argument of the node at hand is not whole
    std::unordered_map<std::string_view, TypePtr> types_;
    std::unordered_map<std::string, int> nextNumber_;  // of names made here, by their base
    std::unordered_map<Name, Name> bodies_;            // get_attr node of each graph that is an argument
    bool tooMany_ = false;                             // of them
    std::size_t statement_ = 0;                        // where the node at hand stands
    std::uint32_t provenance_ = 0;                     // of the node at hand
};

void ProgramGraphReader::read(JsonValue graph, JsonValue inputSpecs) {
    builder_.setBegin(graph.begin());
    auto& symbols = builder_.graph.symbols;
    const auto remember = [&](std::string_view key, TypePtr type) {
        // A key with an escape is another text than it looks; names of nodes have none.
        if (type) types_[key.find('\\') == key.npos ? key : Name(decodeJsonString(key)).view()] = std::move(type);
    };
    for (JsonValue v = graph["tensor_values"].first(); v; v = v.next()) remember(v.key(), tensorType(v, symbols));
    for (const std::string_view kind : {"sym_int_values", "sym_float_values", "sym_bool_values"})
        for (JsonValue v = graph[kind].first(); v; v = v.next()) {
            const JsonValue plain = unionEntry(v);
            if (plain.key() == "as_expr" || plain.key() == "as_int")
                remember(v.key(), Type::sym(symInt(v, symbols)));
            else if (!plain.isNull())
                remember(v.key(), Type::sym(SymInt::opaque(plain.text())));
        }
    inputs(graph, inputSpecs);
    for (JsonValue n = graph["nodes"].first(); n; n = n.next()) {
        if (builder_.full(n.begin())) break;
        node(n);
    }
    std::vector<Value> returned;
    const JsonValue outputs = graph["outputs"];
    statement_ = outputs.begin();
    for (JsonValue v = outputs.first(); v; v = v.next()) returned.push_back(argument(v));
    if (outputs.isArray()) {
        const bool single = graph["is_single_tensor_return"].boolean().value_or(false) && returned.size() == 1;
        builder_.setOutput(single ? returned[0] : Value::tuple(std::move(returned)), outputs.begin(), outputs.end());
    }
    builder_.finish(graph.end());
    builder_.reportMissingSubGraphs();
}

void ProgramGraphReader::inputs(JsonValue graph, JsonValue specs) {
    JsonValue spec = specs.first();
    std::size_t index = 0;
    for (JsonValue v = graph["inputs"].first(); v; v = v.next(), ++index) {
        const JsonValue arg = unionEntry(v), kind = unionEntry(spec);
        std::string name = arg["name"].string();
        if (name.empty()) name = arg["as_name"].string();
        Node n;
        n.kind = NodeKind::Placeholder;
        statement_ = v.begin();
        if (name.empty()) {
            // A literal has no name of its own.
            name = kind["name"].string();
            if (name.empty()) name = "constant_" + std::to_string(index);
            n.args.push_back(entry(arg));
        }
        n.target = Name(name);
        const std::string target = kind["parameter_name"].string(), buffer = kind["buffer_name"].string();
        if (!target.empty()) n.meta.emplace_back("descriptor"_n, Value::string(Name("ParamAOTInput(target='" + target + "')")));
        if (!buffer.empty()) n.meta.emplace_back("descriptor"_n, Value::string(Name("BufferAOTInput(target='" + buffer + "')")));
        define(std::move(n), Name(name).view(), v);
        if (spec) spec = spec.next();
    }
}

void ProgramGraphReader::define(Node n, std::string_view name, JsonValue from) {
    if (const auto it = types_.find(name); it != types_.end() && !n.type) {
        n.type = it->second;
        n.trust = Trust::Stated;
    }
    n.spanBegin = from.begin();
    n.spanEnd = from.end();
    builder_.define(std::move(n), name, from.begin());
}

Name ProgramGraphReader::freshName(std::string_view candidate) {
    const std::string base(candidate);
    std::string name = base;
    for (int& i = nextNumber_[base]; builder_.defined(name);) name = base + "_" + std::to_string(++i);
    return Name(name);
}

void ProgramGraphReader::node(JsonValue json) {
    statement_ = json.begin();
    const std::string target = json["target"].string();
    if (target.empty()) {
        reporter_.expected("a node with a target", json.begin());
        return;
    }
    Node n;
    n.target = Name(target);
    n.op = canonicalOp(target);
    // Functions of Python's operator module carry its private name in archives.
    if (target.starts_with("_operator.")) n.target = Name(target.substr(1));
    const JsonValue metadata = json["metadata"];
    const Provenance frame = tracebackFrame(metadata["stack_trace"].string());
    provenance_ = frame.raw.empty() ? 0 : builder_.provenanceOf(frame.raw.view());
    n.provenance = provenance_;
    n.modulePath = Name(modulePath(metadata["nn_module_stack"].string()));
    arguments(n, json["inputs"]);
    if (std::exchange(cut_, false)) n.flags |= FlagUnparsed;
    results(std::move(n), json);
}

/// Kind 1 is positional, 2 by keyword; without kind the schema decides.
void ProgramGraphReader::arguments(Node& n, JsonValue inputs) {
    const OpDef* def = builder_.ops().find(n.op);
    for (JsonValue input = inputs.first(); input; input = input.next()) {
        const Name name(input["name"].string());
        const auto kind = input["kind"].integer();
        bool keyword = kind && *kind == 2;
        if (!kind && def) {
            const int index = def->schema.paramIndex(name);
            keyword =
                index >= 0 && (def->schema.params[static_cast<std::size_t>(index)].keywordOnly || static_cast<std::size_t>(index) != n.args.size());
        }
        Value v = argument(input["arg"]);
        // Archives have no tuples; operands of higher-order operators are some.
        if (!keyword && v.kind() == Value::Kind::List && n.op.view().starts_with("hop::")) v = Value::tuple(v.items());
        if (keyword && name)
            n.kwargs.emplace_back(name, std::move(v));
        else
            n.args.push_back(std::move(v));
    }
}

TypePtr ProgramGraphReader::typeOf(std::string_view name) const {
    const auto it = types_.find(name);
    return it == types_.end() ? nullptr : it->second;
}

TypePtr ProgramGraphReader::typeOfOutput(JsonValue out) const {
    const JsonValue value = unionEntry(out);
    if (!value.isArray()) return typeOf(value["name"].string().empty() ? value["as_name"].string() : value["name"].string());
    std::vector<TypePtr> parts;
    for (JsonValue v = value.first(); v; v = v.next()) parts.push_back(typeOf(v["name"].string()));
    return Type::tuple(std::move(parts));
}

/// Names of results and what nodes they mean (formats.md 11.3).
void ProgramGraphReader::results(Node n, JsonValue json) {
    const JsonValue outputs = json["outputs"], first = unionEntry(outputs.first());
    std::string name = json["name"].string();
    const bool lone = outputs.size() == 1 && !first.isArray() && first.key() != "as_none";
    const auto single = json["is_hop_single_tensor_return"].boolean();
    const bool tupleOfOne = lone && single && !*single;
    const std::string value = first["name"].string().empty() ? first["as_name"].string() : first["name"].string();
    if (lone && !tupleOfOne && !value.empty()) {
        const Name own(name.empty() ? value : name);
        if (!n.type) n.type = typeOf(value);
        if (n.type) n.trust = Trust::Stated;
        define(std::move(n), own.view(), json);
        if (own != value) builder_.bind(Name(value).view(), builder_.use(own.view(), json.begin()));
        return;
    }
    const Name own = name.empty() ? freshName(callName(n.op.view())) : Name(name);
    const std::string unused = own.str() + "_unused_";
    const std::uint32_t provenance = n.provenance;
    const Name module = n.modulePath;
    std::vector<TypePtr> parts;
    if (outputs.size() == 1 && first.isArray())
        for (JsonValue v = first.first(); v; v = v.next()) parts.push_back(typeOf(v["name"].string()));
    else
        for (JsonValue v = outputs.first(); v; v = v.next()) parts.push_back(typeOfOutput(v));
    if (std::any_of(parts.begin(), parts.end(), [](const TypePtr& t) { return t != nullptr; })) {
        n.type = Type::tuple(std::move(parts));
        n.trust = Trust::Stated;
    }
    define(std::move(n), own.view(), json);
    const NodeId whole = builder_.use(own.view(), json.begin()).asNode();
    const auto part = [&](NodeId of, std::size_t index, const std::string& partName) {
        if (partName.empty() || partName.starts_with(unused)) return NodeId();
        element(of, index, Name(partName).view(), json);
        const NodeId made = builder_.use(Name(partName).view(), json.begin()).asNode();
        graph().edit(made).provenance = provenance;
        graph().edit(made).modulePath = module;
        return made;
    };
    const auto items = [&](NodeId of, JsonValue array) {
        std::size_t index = 0;
        for (JsonValue v = array.first(); v; v = v.next(), ++index) {
            const JsonValue inner = v["name"] ? v : unionEntry(v);
            part(of, index, inner["name"].string().empty() ? v["as_name"].string() : inner["name"].string());
        }
    };
    if (outputs.size() == 1 && first.isArray()) return items(whole, first);
    std::size_t index = 0;
    for (JsonValue v = outputs.first(); v; v = v.next(), ++index) {
        const JsonValue out = unionEntry(v);
        if (out.isArray()) {
            const NodeId elements = part(whole, index, freshName("getitem").str());
            if (elements) items(elements, out);
        } else if (out.key() != "as_none") {
            const JsonValue inner = out["as_tensor"] ? out["as_tensor"] : out;
            part(whole, index, inner["name"].string().empty() ? inner["as_name"].string() : inner["name"].string());
        }
    }
}

void ProgramGraphReader::element(NodeId whole, std::size_t index, std::string_view name, JsonValue from) {
    Node n;
    n.target = "operator.getitem"_n;
    n.op = "operator::getitem"_n;
    n.args = {Value::node(whole), Value::integer(static_cast<std::int64_t>(index))};
    define(std::move(n), name, from);
}

Value ProgramGraphReader::opaque(JsonValue value) {
    if (value)
        reporter_.report(warning("R014", {{"want", "a known kind of argument"}, {"got", std::string(value.key().substr(0, 30))}}), value.begin());
    return Value::named(Value::Kind::Opaque, Name(value.text().substr(0, 4096)));
}

Value ProgramGraphReader::use(JsonValue name) {
    const std::string text = name.string();
    if (text.empty()) return opaque(name);
    return builder_.use(text, statement_);
}

Value ProgramGraphReader::literal(std::string_view kind, JsonValue value) {
    if (kind == "as_int") {
        if (const auto small = value.integer()) return Value::integer(*small);
        const bool negative = value.text().substr(0, 1) == "-";
        const auto big = readNumber(value.text().substr(negative ? 1 : 0));
        const auto number = big && negative ? negated(*big) : big;
        return number ? *number : opaque(value);
    }
    if (kind == "as_float") return value.real() ? Value::real(*value.real()) : opaque(value);
    if (kind == "as_bool") return value.boolean() ? Value::boolean(*value.boolean()) : opaque(value);
    if (kind == "as_string") return stringLiteral(value);
    if (kind == "as_complex") {
        const auto real = value["real"].real(), imag = value["imag"].real();
        if (!real || !imag) return opaque(value);
        const std::string sign = *imag < 0 ? "" : "+";
        return Value::named(Value::Kind::Complex, Name("(" + pythonFloat(*real) + sign + pythonFloat(*imag) + "j)"));
    }
    if (kind == "as_operator") return value.isString() ? Value::op(canonicalOp(value.string())) : opaque(value);
    if (kind == "as_device") {
        const std::string device = deviceName(value);
        return device.empty() ? opaque(value) : Value::device(Name(device));
    }
    const std::string constant = kind == "as_scalar_type"     ? scalarTypeName(value)
                                 : kind == "as_layout"        ? layoutName(value)
                                 : kind == "as_memory_format" ? memoryFormatName(value)
                                                              : std::string();
    return constant.empty() ? opaque(value) : Value::constant(Name(constant));
}

/// Plural keys hold lists of what their singular holds.
Value ProgramGraphReader::list(std::string_view kind, JsonValue value) {
    std::vector<Value> items;
    items.reserve(value.size());
    for (JsonValue v = value.first(); v; v = v.next()) {
        if (kind == "as_tensors")
            items.push_back(use(v["name"]));
        else if (kind == "as_nested_tensors")
            items.push_back(list("as_tensors", v));
        else if (kind == "as_int_lists")
            items.push_back(list("as_ints", v));
        else if (kind == "as_optional_tensors" || kind.starts_with("as_sym_"))
            items.push_back(argument(v));
        else
            items.push_back(literal(kind.substr(0, kind.size() - 1), v));
    }
    return Value::list(std::move(items));
}

Value ProgramGraphReader::stringLiteral(JsonValue value) {
    if (!value.isString()) return opaque(value);
    const std::string text = value.string();
    if (text.size() <= builder_.limits().stringBytes) return Value::string(Name(text));
    reporter_.report(limitPassed("bytes of a string", builder_.limits().stringBytes), value.begin());
    cut_ = true;
    return Value::none();
}

Value ProgramGraphReader::entry(JsonValue value) {
    const std::string_view kind = value.key();
    if (!value || kind == "as_none") return Value::none();
    if (kind == "as_name") return use(value);
    if (nesting_ >= builder_.limits().valueDepth) {
        reporter_.report(limitPassed("nesting of values", builder_.limits().valueDepth), value.begin());
        return Value::none();
    }
    ++nesting_;
    Value out;
    if (value.isArray()) {
        out = kind.ends_with('s') ? list(kind, value) : opaque(value);
    } else if (kind == "as_tensor") {
        out = use(value["name"]);
    } else if (kind == "as_optional_tensor" || kind.starts_with("as_sym_")) {
        out = argument(value);
    } else if (kind == "as_graph") {
        out = subGraph(value);
    } else if (kind == "as_custom_obj") {
        const Value* known = builder_.lookup(Name(value["name"].string()).view());
        out = known ? *known : Value::named(Value::Kind::Opaque, Name(value["name"].string()));
    } else if (kind == "as_string_to_argument") {
        std::vector<Name> keys;
        std::vector<Value> values;
        for (JsonValue v = value.first(); v; v = v.next()) {
            keys.emplace_back(decodeJsonString(v.key()));
            values.push_back(argument(v));
        }
        out = Value::dict(std::move(keys), std::move(values));
    } else {
        out = literal(kind, value);
    }
    --nesting_;
    return out;
}

/// A graph as an argument is the use of a get_attr node of its name, once per name.
Value ProgramGraphReader::subGraph(JsonValue value) {
    const Name name(value["name"].string());
    if (name.empty() || depth_ == 0) {
        if (depth_ == 0) reporter_.report(limitPassed("nesting of graphs", builder_.limits().classDepth), value.begin());
        return opaque(value);
    }
    const std::size_t limit = builder_.limits().subGraphs;
    if (bodies_.size() >= limit && !bodies_.contains(name)) {
        if (!std::exchange(tooMany_, true)) reporter_.report(limitPassed("sub-graphs of a graph", limit), value.begin());
        return opaque(value);
    }
    const auto [it, fresh] = bodies_.try_emplace(name);
    if (fresh) {
        it->second = freshName(name.view());
        ProgramGraphReader inner(reporter_, builder_.ops(), builder_.limits(), depth_ - 1);
        inner.read(value["graph"], {});
        inner.graph().name = name.str();
        graph().addSubGraph(name, std::move(inner.graph()));
        Node n;
        n.kind = NodeKind::GetAttr;
        n.target = name;
        n.provenance = provenance_;
        define(std::move(n), it->second.view(), value["name"]);
    }
    return builder_.use(it->second.view(), value.begin());
}

/// One side of the signature: every spec is an object with one key.
std::vector<SignatureEntry> signatureSide(JsonValue specs) {
    std::vector<SignatureEntry> out;
    for (JsonValue v = specs.first(); v; v = v.next()) {
        const JsonValue spec = unionEntry(v);
        SignatureEntry entry;
        entry.kind = Name(decodeJsonString(spec.key()));
        JsonValue arg = spec["arg"];
        if (arg && !arg["name"] && arg.isObject()) arg = unionEntry(arg);
        entry.name = Name(arg["name"].string().empty() ? arg["as_name"].string() : arg["name"].string());
        if (entry.name.empty()) entry.name = Name(spec["name"].string().empty() ? std::string(arg.text().substr(0, 80)) : spec["name"].string());
        for (JsonValue field = spec.first(); field; field = field.next())
            if (field.key().ends_with("_name") && field.isString()) entry.target = Name(field.string());
        entry.persistent = spec["persistent"].boolean().value_or(true);
        out.push_back(entry);
    }
    return out;
}

void noteRanges(JsonValue ranges, SymbolTable& symbols) {
    for (JsonValue v = ranges.first(); v; v = v.next()) {
        SymbolFacts& facts = symbols[Name(decodeJsonString(v.key()))];
        facts.min = v["min_val"].integer();
        facts.max = v["max_val"].integer();
    }
}

}  // namespace

bool isProgram(JsonValue root) {
    if (root["graph_module"]["graph"]["nodes"].isArray()) return true;
    const JsonValue bare = root["graph"].isObject() ? root["graph"] : root;
    return bare["nodes"].isArray() && bare["tensor_values"].isObject();
}

Unit readProgram(const SourceText& source, JsonValue root, const OpRegistry& ops, const ReadOptions& options) {
    Reporter reporter(source, options.limits.diagnosticsPerUnit);
    const JsonValue signature = root["graph_module"]["signature"], version = root["schema_version"];
    const std::string_view major = version["major"].text();
    if (version && version["major"].integer().value_or(0) > 8)
        reporter.report(warning("R041", {{"got", std::string(major.substr(0, 20))}, {"want", std::string(kSchemaMajor)}}), version.begin());
    ProgramGraphReader reader(reporter, ops, options.limits, options.limits.classDepth);
    reader.read(graphOf(root), signature["input_specs"]);
    noteRanges(root["range_constraints"], reader.graph().symbols);
    Unit unit;
    unit.form = GraphForm::Program;
    unit.graph = std::move(reader.graph());
    unit.graph.name = "GraphModule";
    unit.graph.phase = Phase::Export;
    unit.label = "exported program";
    unit.spanBegin = root.begin();
    unit.spanEnd = root.end();
    unit.firstLine = source.place(root.begin()).first;
    unit.signature.inputs = signatureSide(signature["input_specs"]);
    unit.signature.outputs = signatureSide(signature["output_specs"]);
    if (const std::string torch = root["torch_version"].string(); !torch.empty()) unit.notes.push_back("written by PyTorch " + torch.substr(0, 60));
    unit.diagnostics = reporter.take();
    return unit;
}

std::vector<std::string> sharedWeights(JsonValue config) {
    std::map<std::string, std::vector<std::string>> byStorage;
    for (JsonValue v = config["config"].first(); v; v = v.next()) {
        const std::string storage = v["path_name"].string();
        if (!storage.empty()) byStorage[storage].push_back(decodeJsonString(v.key()));
    }
    std::vector<std::string> notes;
    for (const auto& [storage, names] : byStorage) {
        if (names.size() < 2) continue;
        std::string note = "one storage: ";
        for (std::size_t i = 0; i < names.size(); ++i) note += (i ? ", " : "") + names[i];
        notes.push_back(note + " (" + storage + ")");
    }
    return notes;
}

}  // namespace aliascope
