#include "core/text/repro_inputs.h"

#include <algorithm>
#include <map>
#include <optional>
#include <string>
#include <vector>

#include "core/text/find.h"
#include "core/text/literals.h"
#include "core/text/python_expr.h"

namespace aliascope {
namespace {

/// Names are buffers or symbols; nothing makes nodes.
class LoaderScope : public PyScope {
public:
    const Value* lookup(std::string_view) override { return nullptr; }
    Value undefined(std::string_view name, std::size_t) override { return Value::sym(SymInt::symbol(Name(name))); }
    std::optional<Value> makeNode(Node, std::size_t, std::size_t) override { return std::nullopt; }
};

struct LoaderCall {
    std::vector<Value> args;
    std::vector<Keyword> kwargs;

    const Value* named(std::string_view key) const {
        for (const Keyword& k : kwargs)
            if (k.first == key) return &k.second;
        return nullptr;
    }
};

/// The arguments behind the opening bracket at `open`; nothing when they cannot be read.
std::optional<LoaderCall> callAt(std::string_view text, std::size_t open, std::size_t end, const ReadLimits& limits) {
    LoaderScope scope;
    PyLexer lexer(text, open, end);
    PyExpr expr(lexer, scope, limits);
    LoaderCall call;
    lexer.take();
    expr.parseArguments(call.args, call.kwargs, ")");
    return expr.error() ? std::nullopt : std::optional(std::move(call));
}

std::optional<SymInt> sizeOf(const Value& v) {
    if (v.isInt()) return SymInt(*v.asInt());
    return v.kind() == Value::Kind::Sym ? std::optional(v.asSym()) : std::nullopt;
}

std::optional<std::vector<SymInt>> sizesOf(const Value* v) {
    if (!v || !v->isSequence()) return std::nullopt;
    std::vector<SymInt> out;
    for (const Value& item : v->items()) {
        const auto size = sizeOf(item);
        if (!size) return std::nullopt;
        out.push_back(*size);
    }
    return out;
}

DType dtypeOf(const Value* v) {
    return v && v->kind() == Value::Kind::Const ? dtypeFromTorchName(v->name().view()).value_or(DType::Unknown) : DType::F32;
}

Name deviceOf(const Value* v) {
    if (v && v->kind() == Value::Kind::Device) return v->name();
    return v && v->kind() == Value::Kind::String && isDeviceSpelling(v->name().view()) ? v->name() : Name("cpu");
}

/// One input as the loader makes it.
struct LoadedInput {
    TypePtr type;         ///< null = known only to be there
    std::string name;     ///< of the remark behind it; may be empty
    std::string storage;  ///< `buf0`; empty = none
};

class Loader {
public:
    Loader(const SourceText& source, const ReadLimits& limits) : source_(source), text_(source.text()), limits_(limits) {}

    std::vector<LoadedInput> read() {
        const std::size_t loader = text_.find("def load_args(reader):");
        if (loader != kNone) {
            for (std::size_t at = source_.lineEnd(loader) + 1; at < text_.size();) {
                const std::size_t end = source_.lineEnd(at);
                const std::string_view line = text_.substr(at, end - at);
                if (!trimmed(line).empty() && line[0] != ' ') break;
                statement(at, end);
                at = end + 1;
            }
        } else {
            oldArguments();
        }
        return std::move(inputs_);
    }

    /// Byte of the first call that could not be read; kNone = all were.
    std::size_t unread() const { return unread_; }

private:
    static std::string remark(std::string_view line) {
        const std::size_t mark = line.rfind("# ");
        const std::string_view word = mark == kNone ? std::string_view() : trimmed(line.substr(mark + 2));
        return isIdentifier(word) ? std::string(word) : std::string();
    }

    /// An input of which no type is known: it counts for the positions of the others.
    static bool isInput(std::string_view line) {
        const auto has = [&](std::string_view word) { return line.find(word) != kNone; };
        return has("reader.const(") || has("reader.tensor(") || has("reader.symint(") || has(" was unsupported ");
    }

    void statement(std::size_t at, std::size_t end) {
        const std::string_view line = text_.substr(at, end - at);
        const auto call = [&](std::string_view word) {
            const std::size_t found = line.find(word);
            if (found == kNone) return std::optional<LoaderCall>();
            auto read = callAt(text_, at + found + word.size() - 1, end, limits_);
            if (!read) unread_ = std::min(unread_, at + found);
            return read;
        };
        if (const auto storage = call("= reader.storage(")) {
            const std::string name(trimmed(line.substr(0, line.find('='))));
            devices_[name] = deviceOf(storage->named("device"));
        } else if (const auto tensor = call("reader.tensor(")) {
            addTensor(*tensor, line);
        } else if (const auto symint = call("reader.symint(")) {
            const auto value = symint->args.empty() ? std::nullopt : sizeOf(symint->args[0]);
            inputs_.push_back({value ? Type::sym(*value) : nullptr, remark(line), {}});
        } else if (isInput(line)) {
            inputs_.push_back({nullptr, remark(line), {}});
        }
    }

    void addTensor(const LoaderCall& call, std::string_view line) {
        LoadedInput input;
        input.name = remark(line);
        if (!call.args.empty() && call.args[0].kind() == Value::Kind::Sym) input.storage = call.args[0].asSym().str();
        const auto sizes = sizesOf(call.args.size() > 1 ? &call.args[1] : nullptr);
        if (sizes) {
            TensorType t;
            t.sizes = *sizes;
            const auto strides = sizesOf(call.args.size() > 2 ? &call.args[2] : call.named("stride"));
            t.strides = strides && strides->size() == sizes->size() ? *strides : TensorType::contiguousStrides(*sizes);
            const Value* offset = call.named("storage_offset");
            t.offset = offset ? sizeOf(*offset).value_or(SymInt(0)) : SymInt(0);
            t.dtype = dtypeOf(call.named("dtype"));
            const auto device = devices_.find(input.storage);
            t.device = device == devices_.end() ? Name("cpu") : device->second;
            input.type = Type::tensor(std::move(t));
        }
        inputs_.push_back(std::move(input));
    }

    /// `args = [((3, 4), (4, 1), torch.float32, 'cuda'), …]` of 2.0 and 2.1.
    void oldArguments() {
        const std::size_t args = text_.find("\nargs = [");
        if (args == kNone) return;
        LoaderScope scope;
        PyLexer lexer(text_, args + 8, text_.size());
        PyExpr expr(lexer, scope, limits_);
        const Value list = expr.toValue(expr.parse());
        if (expr.error() || !list.isSequence()) return void(unread_ = args + 1);
        for (const Value& item : list.items()) {
            LoadedInput input;
            const auto sizes = item.items().size() >= 4 ? sizesOf(&item.items()[0]) : std::nullopt;
            const auto strides = sizes ? sizesOf(&item.items()[1]) : std::nullopt;
            if (strides && strides->size() == sizes->size()) {
                TensorType t;
                t.sizes = *sizes;
                t.strides = *strides;
                t.dtype = dtypeOf(&item.items()[2]);
                t.device = deviceOf(&item.items()[3]);
                input.type = Type::tensor(std::move(t));
            }
            inputs_.push_back(std::move(input));
        }
    }

    const SourceText& source_;
    std::string_view text_;
    const ReadLimits& limits_;
    std::size_t unread_ = kNone;
    std::map<std::string, Name> devices_;  // of storages
    std::vector<LoadedInput> inputs_;
};

bool sameSizes(const TensorType& a, const TensorType& b) { return a.sizes == b.sizes; }

void noteSymbols(Graph& g, const TypePtr& type) {
    const TensorType* t = asTensor(type);
    if (!t) return;
    for (const SymInt& size : t->sizes)
        if (!size.isConst())
            for (const Name name : size.symbols()) g.symbols.try_emplace(name);
}

}  // namespace

void completeInput(Graph& g, NodeId id, const TypePtr& type) {
    const TensorType* stated = g[id].tensor();
    const TensorType* loaded = asTensor(type);
    if (!g[id].type || (g[id].type->kind() == Type::Kind::Other && loaded)) {
        const Name annotation = g[id].annotation;
        g.setType(id, type, Trust::Sibling);
        g.edit(id).annotation = annotation;
        return;
    }
    if (!stated || !loaded || !sameSizes(*stated, *loaded) || stated->dtype != loaded->dtype) return;
    if (stated->strides && !stated->device.empty() && stated->offset) return;
    TensorType t = *stated;
    if (!t.strides) t.strides = loaded->strides;
    if (t.device.empty()) t.device = loaded->device;
    if (!t.offset) t.offset = loaded->offset;
    const Name annotation = g[id].annotation;
    g.setType(id, Type::tensor(std::move(t)), Trust::Stated);
    g.edit(id).annotation = annotation;
}

void readReproInputs(const SourceText& source, Unit& unit, const ReadLimits& limits) {
    Loader loader(source, limits);
    const auto inputs = loader.read();
    if (loader.unread() != kNone)
        unit.notes.push_back("inputs: line " + std::to_string(source.place(loader.unread()).first) + " cannot be read; what it says is not known");
    Graph& g = unit.graph;
    const auto placeholders = g.placeholders();
    std::map<std::string, std::vector<std::string>> sharing;
    for (std::size_t i = 0; i < inputs.size(); ++i) {
        NodeId id = i < placeholders.size() ? placeholders[i] : NodeId();
        if (!inputs[i].name.empty() && (!id || (g[id].name != inputs[i].name && g[id].target != inputs[i].name))) {
            const NodeId named = g.find(Name(inputs[i].name));
            id = named && g[named].kind == NodeKind::Placeholder ? named : NodeId();
        }
        if (!id) continue;
        if (!inputs[i].storage.empty()) sharing[inputs[i].storage].push_back(g[id].name.str());
        if (!inputs[i].type) continue;
        noteSymbols(g, inputs[i].type);
        completeInput(g, id, inputs[i].type);
    }
    for (const auto& [storage, names] : sharing) {
        if (names.size() < 2) continue;
        std::string note = "one storage: ";
        for (std::size_t i = 0; i < names.size(); ++i) note += (i ? ", " : "") + names[i];
        unit.notes.push_back(note + " (" + storage + ")");
    }
}

SymbolTable readSymbolHints(const SourceText& source, std::size_t end) {
    SymbolTable hints;
    for (std::size_t at = 0; at < end;) {
        const std::size_t lineEnd = source.lineEnd(at);
        const std::string_view line = source.text().substr(at, lineEnd - at);
        at = lineEnd + 1;
        const std::size_t assign = line.find(" = ");
        if (assign == kNone || !isSymbolName(line.substr(0, assign))) continue;
        const auto number = readNumber(trimmed(line.substr(assign + 3)));
        if (number && number->isInt()) hints[Name(line.substr(0, assign))].hint = number->asInt();
    }
    return hints;
}

}  // namespace aliascope
