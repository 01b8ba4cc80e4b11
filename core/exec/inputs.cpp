#include "core/exec/inputs.h"

#include <unistd.h>

#include <algorithm>
#include <cstring>
#include <functional>
#include <new>
#include <set>

#include "core/exec/cpu/strided.h"
#include "core/exec/executor.h"
#include "core/exec/input_roles.h"
#include "core/exec/random_inputs.h"
#include "core/exec/symbol_values.h"

namespace aliascope::exec {
namespace {

/// A larger single input is taken for a mistake.
constexpr std::int64_t kMostBytes = std::int64_t(1) << 40;

std::string typeText(const TensorType& t) { return t.str(true, false); }

std::string typeText(const StoredTensor& t) {
    std::string out = std::string(info(t.dtype).shortName) + "[";
    for (std::size_t d = 0; d < t.sizes.size(); ++d) out += (d ? ", " : "") + std::to_string(t.sizes[d]);
    return out + "]";
}

std::string typeText(const Node& n) { return n.type && !n.type->str().empty() ? n.type->str() : "of unknown type"; }

/// The first few of a list.
template <class T, class F>
std::string listed(const std::vector<T>& items, F&& text) {
    constexpr std::size_t shown = 8;
    std::string out;
    for (std::size_t i = 0; i < items.size() && i < shown; ++i) out += (i ? ", " : "") + text(items[i]);
    if (items.size() > shown) out += " and " + std::to_string(items.size() - shown) + " more";
    return out.empty() ? "nothing" : out;
}

/// `x` for Dynamo's `L_x_`.
std::string_view plainName(std::string_view name) {
    return name.size() > 3 && name.starts_with("L_") && name.ends_with("_") ? name.substr(2, name.size() - 3) : name;
}

std::int64_t machineBytes() {
    const long pages = ::sysconf(_SC_PHYS_PAGES), page = ::sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 ? static_cast<std::int64_t>(pages) * page : kMostBytes;
}

bool isSize(const Node& n) { return n.type && n.type->asSym(); }

}  // namespace

/// Chooses values in three steps: shapes of the file's tensors tell the symbols, symbols tell all shapes, then values are read or made.
class InputChooser {
public:
    InputChooser(const Graph& g, const OpRegistry& ops, const InputOptions& options) : g_(g), ops_(ops), options_(options) {
        set_.symbols_ = g.symbols;
        for (auto& [name, facts] : set_.symbols_) facts.hint.reset();
    }

    Result<InputSet> choose() {
        list();
        if (auto ok = bindSlots(); !ok) return fail(std::move(ok.error()));
        if (options_.file) {
            if (auto ok = matchFile(); !ok) return fail(std::move(ok.error()));
        }
        if (auto ok = chooseSymbols(); !ok) return fail(std::move(ok.error()));
        for (Slot& slot : slots_)
            if (auto ok = fill(slot); !ok) return fail(std::move(ok.error()));
        for (const InputAlias& alias : options_.aliases)
            if (auto ok = share(alias); !ok) return fail(std::move(ok.error()));
        return std::move(set_);
    }

private:
    struct Slot {
        const Graph* graph = nullptr;
        NodeId node;
        Name name;
        bool constant = false;
        int index = -1;
        const TensorFile* file = nullptr;
        std::optional<std::size_t> stored;   ///< tensor of the file
        std::optional<std::int64_t> number;  ///< every element, or the size
    };

    void list() {
        int index = 0;
        for (NodeId id : g_.placeholders()) {
            Slot slot{&g_, id, g_[id].name, false, -1, nullptr, {}, {}};
            if (!isSize(g_[id])) slot.index = index++;
            slots_.push_back(slot);
        }
        std::set<Name> seen;
        listConstants(g_, seen);
    }

    void listConstants(const Graph& g, std::set<Name>& seen) {
        for (NodeId id : inOrder(g)) {
            const Node& n = g[id];
            if (n.kind == NodeKind::GetAttr && !g.subGraph(n.target) && seen.insert(n.target).second)
                slots_.push_back({&g, id, n.target, true, -1, nullptr, {}, {}});
        }
        for (const Graph::SubGraph& sub : g.subGraphs()) listConstants(*sub.graph, seen);
    }

    // --- bindings --------------------------------------------------------------------------------------------------------------------------

    Diagnostic unknownInput(Name name) const {
        std::vector<std::string> names;
        for (const Slot& slot : slots_) names.push_back(slot.name.str());
        for (const auto& [symbol, facts] : g_.symbols) names.push_back(symbol.str());
        return userError("NO_SUCH_INPUT", {{"name", name.str()}, {"list", listed(names, [](const std::string& n) { return n; })}});
    }

    Slot* slotNamed(Name name) {
        for (Slot& slot : slots_)
            if (slot.name == name || plainName(slot.name.view()) == name.view()) return &slot;
        return nullptr;
    }

    Status bindSlots() {
        for (const InputBinding& binding : options_.bindings) {
            Slot* slot = slotNamed(binding.name);
            const auto symbol = set_.symbols_.find(binding.name);
            if (!slot && (symbol == set_.symbols_.end() || !binding.number)) return fail(unknownInput(binding.name));
            if (!slot) {
                symbol->second.hint = binding.number;
                continue;
            }
            if (binding.number) {
                slot->number = binding.number;
                const Node& n = (*slot->graph)[slot->node];
                if (isSize(n) && !bind(*n.type->asSym(), *binding.number)) return fail(unknownInput(binding.name));
                continue;
            }
            auto file = TensorFile::open(binding.file);
            if (!file) return fail(std::move(file.error()));
            files_.push_back(std::make_unique<TensorFile>(std::move(*file)));
            slot->file = files_.back().get();
            slot->stored = named(*slot);
            if (!slot->stored && slot->file->tensors().size() == 1) slot->stored = 0;
            if (!slot->stored)
                return fail(
                    bothSides(userError("INPUT_MISSING", {{"name", slot->name.str()}, {"type", typeText((*slot->graph)[slot->node])}}), *slot));
            if (auto ok = checkType(*slot); !ok) return ok;
        }
        return {};
    }

    /// Elements of both lie in one storage, the base's where the two overlap.
    Status share(const InputAlias& alias) {
        const auto find = [&](Name name) {
            return std::find_if(set_.values_.begin(), set_.values_.end(),
                                [&](const InputValue& v) { return v.name == name || plainName(v.name.view()) == name.view(); });
        };
        const auto own = find(alias.name), base = find(alias.base);
        if (own == set_.values_.end() || own->integer || own->constant) return fail(unknownInput(alias.name));
        if (base == set_.values_.end() || base->integer || base->constant || base == own || base->sharesWith) return fail(unknownInput(alias.base));
        const std::int64_t item = itemSize(own->type.dtype), before = own->type.offset->constant().value_or(0) * item;
        const auto held = static_cast<std::int64_t>(own->storage.size()) - before;
        std::int64_t start = 0, end = 0;
        if (alias.offset < 0 || held < 0 || __builtin_mul_overflow(alias.offset, item, &start) || __builtin_add_overflow(start, held, &end) ||
            end > kMostBytes)
            return fail(userError("OUT_OF_MEMORY", {{"node", own->name.str()},
                                                    {"bytes", "an offset of " + std::to_string(alias.offset)},
                                                    {"live", "0"},
                                                    {"free", std::to_string(kMostBytes)}}));
        std::vector<std::byte> merged(std::max(base->storage.size(), static_cast<std::size_t>(end)));
        std::copy(own->storage.begin() + before, own->storage.end(), merged.begin() + start);
        std::copy(base->storage.begin(), base->storage.end(), merged.begin());
        base->storage = std::move(merged);
        own->storage.clear();
        own->type.offset = SymInt(alias.offset);
        own->sharesWith = base->name;
        own->reason += (own->reason.empty() ? "" : ", ") + std::string("in the storage of ") + base->name.str();
        return {};
    }

    // --- the file --------------------------------------------------------------------------------------------------------------------------

    std::optional<std::size_t> named(const Slot& slot) const {
        const TensorFile& file = *slot.file;
        const std::string name = slot.name.str();
        if (slot.constant) {
            for (const std::string& candidate : {name, "const/" + name, "in/" + name})
                if (auto at = file.find(candidate)) return at;
            return std::nullopt;
        }
        if (auto at = file.find("in/" + name)) return at;
        if (slot.index >= 0)
            if (auto at = file.find("in/" + std::to_string(slot.index))) return at;
        if (auto at = file.find(name)) return at;
        if (const std::string plain(plainName(name)); plain != name)
            for (const std::string& candidate : {"in/" + plain, plain})
                if (auto at = file.find(candidate)) return at;
        return std::nullopt;
    }

    Status matchFile() {
        bool any = false;
        for (Slot& slot : slots_) {
            if (slot.file || slot.number) continue;
            slot.file = options_.file;
            slot.stored = named(slot);
            any |= slot.stored.has_value() && !slot.constant;
        }
        if (!any) matchByOrder();
        for (const Slot& slot : slots_)
            if (slot.stored && slot.file == options_.file)
                if (auto ok = checkType(slot); !ok) return ok;
        return {};
    }

    void matchByOrder() {
        std::vector<std::size_t> order;
        for (std::size_t i = 0; i < options_.file->tensors().size(); ++i) {
            const std::string& name = options_.file->tensors()[i].name;
            if (!name.starts_with("out/") && !name.starts_with("after/")) order.push_back(i);
        }
        std::size_t at = 0;
        for (Slot& slot : slots_)
            if (slot.index >= 0 && slot.file == options_.file && at < order.size()) slot.stored = order[at++];
    }

    const StoredTensor& stored(const Slot& slot) const { return slot.file->tensors()[*slot.stored]; }

    Diagnostic bothSides(Diagnostic d, const Slot& slot) const {
        d.file = slot.file->path();
        d.node = slot.name;
        d.note = "The file has " + listed(slot.file->tensors(), [](const StoredTensor& t) { return t.name + " " + typeText(t); }) +
                 "; the graph wants " + listed(slots_, [](const Slot& s) { return s.name.str() + " " + typeText((*s.graph)[s.node]); }) + ".";
        return d;
    }

    Diagnostic mismatch(const Slot& slot, const std::string& want) const {
        return bothSides(
            userError("INPUT_MISMATCH", {{"name", slot.name.str()}, {"got", stored(slot).name + " " + typeText(stored(slot))}, {"want", want}}),
            slot);
    }

    /// A dtype of the file that the placeholder can take as it is: its own, or u16 and i16 for the bits of bf16, which NumPy lacks.
    bool takes(DType want, DType got) const {
        if (want == got || (want == DType::BF16 && got == DType::U16)) return true;
        return options_.cast && info(want).floating && info(got).floating;
    }

    /// Dtype and rank, and what plain symbols among the sizes are; sizes themselves are compared when all symbols are known.
    Status checkType(const Slot& slot) {
        const Node& n = (*slot.graph)[slot.node];
        if (isSize(n)) return {};
        const TensorType* t = n.tensor();
        if (!t) return {};
        const StoredTensor& s = stored(slot);
        if ((t->dtype != DType::Unknown && !takes(t->dtype, s.dtype)) || t->rank() != s.sizes.size()) return fail(mismatch(slot, typeText(*t)));
        for (std::size_t d = 0; d < t->rank(); ++d) {
            const SymInt& size = t->sizes[d];
            if (size.isConst() ? *size.constant() != s.sizes[d] : !bind(size, s.sizes[d])) return fail(mismatch(slot, typeText(*t)));
        }
        return {};
    }

    /// A size that is nothing but a symbol gets its value; false when it has another one already.
    bool bind(const SymInt& size, std::int64_t value) {
        const auto symbols = size.symbols();
        if (symbols.size() != 1 || !(size == SymInt::symbol(symbols[0]))) return true;
        SymbolFacts& facts = set_.symbols_[symbols[0]];
        if (facts.hint) return *facts.hint == value;
        facts.hint = value;
        return true;
    }

    // --- symbols ---------------------------------------------------------------------------------------------------------------------------

    Status chooseSymbols() {
        if (auto ok = readSizes(); !ok) return ok;
        for (const auto& [name, facts] : g_.symbols)
            if (SymbolFacts& own = set_.symbols_[name]; !own.hint) own.hint = facts.hint;
        assumeSymbols(g_, set_.symbols_);
        for (const Slot& slot : slots_)
            if (slot.graph != &g_) assumeSymbols(*slot.graph, set_.symbols_);
        return {};
    }

    /// Sizes among the inputs that the file states as 0-d integers.
    Status readSizes() {
        for (const Slot& slot : slots_) {
            if (!slot.stored || !isSize((*slot.graph)[slot.node])) continue;
            const StoredTensor& s = stored(slot);
            std::int64_t n = 1;
            for (std::int64_t size : s.sizes) n *= size;
            if (n != 1 || !info(s.dtype).integral) return fail(mismatch(slot, "an integer"));
            auto data = slot.file->read(*slot.stored);
            if (!data) return fail(std::move(data.error()));
            std::int64_t value = 0;
            std::memcpy(&value, data->data(), data->size());
            if (!bind(*(*slot.graph)[slot.node].type->asSym(), value)) return fail(mismatch(slot, "the value that the shapes give it"));
        }
        return {};
    }

    // --- values ----------------------------------------------------------------------------------------------------------------------------

    Diagnostic missing(const Slot& slot) const {
        const Node& n = (*slot.graph)[slot.node];
        Diagnostic d = slot.constant ? userError("CONSTANT_VALUE_MISSING", {{"name", slot.name.str()}})
                                     : userError("INPUT_MISSING", {{"name", slot.name.str()}, {"type", typeText(n)}});
        if (slot.file) return bothSides(std::move(d), slot);
        d.node = slot.name;
        return d;
    }

    /// The slot's type in numbers; the file's own where the text does not say.
    Result<TensorType> concrete(const Slot& slot) const {
        const TensorType* t = (*slot.graph)[slot.node].tensor();
        TensorType out;
        if (t) out = *t;
        if (slot.stored && (!t || t->dtype == DType::Unknown)) out.dtype = stored(slot).dtype;
        if (slot.stored && !t) out.sizes.assign(stored(slot).sizes.begin(), stored(slot).sizes.end());
        if (out.dtype == DType::Unknown) return fail(missing(slot));
        const auto evaluate = [&](SymInt& n) {
            const auto value = n.evaluate(set_.symbols_);
            if (value) n = SymInt(*value);
            return value.has_value();
        };
        if (!out.strides) out.strides = TensorType::contiguousStrides(out.sizes);
        if (!out.offset) out.offset = SymInt(0);
        bool known = evaluate(*out.offset);
        for (SymInt& n : out.sizes) known = known && evaluate(n);
        for (SymInt& n : *out.strides) known = known && evaluate(n);
        if (!known) return fail(missing(slot));
        return out;
    }

    Status fill(const Slot& slot) {
        const Node& n = (*slot.graph)[slot.node];
        InputValue value;
        value.name = slot.name;
        value.constant = slot.constant;
        value.index = slot.index;
        if (!slot.constant) value.node = slot.node;
        if (isSize(n)) return fillSize(n, slot, std::move(value));
        const LiteralConstant* literal = slot.constant && !slot.stored ? literalOf(slot.name) : nullptr;
        const bool mayBeChosen = slot.constant ? options_.randomConstants : isTangent(slot.name.view());
        if (!slot.stored && !slot.number && !literal && options_.file && !mayBeChosen) return fail(missing(slot));
        auto type = concrete(slot);
        if (!type) return fail(std::move(type.error()));
        value.type = *type;
        if (slot.stored && stored(slot).sizes != numbers(type->sizes)) return fail(mismatch(slot, typeText(*type)));
        if (literal && literal->value.sizes != numbers(type->sizes)) return fail(missing(slot));
        const auto extent = type->extent();
        std::int64_t bytes = 0;
        if (!extent || !extent->constant() || *extent->constant() < 0 || __builtin_mul_overflow(*extent->constant(), itemSize(type->dtype), &bytes) ||
            bytes > kMostBytes || !byteCount(type->dtype, numbers(type->sizes)))
            return fail(userError("OUT_OF_MEMORY",
                                  {{"node", slot.name.str()}, {"bytes", typeText(*type)}, {"live", "0"}, {"free", std::to_string(kMostBytes)}}));
        // Every stage gets a copy.
        taken_ += bytes;
        if (taken_ > machineBytes() / 2)
            return fail(userError("OUT_OF_MEMORY", {{"node", slot.name.str()},
                                                    {"bytes", std::to_string(bytes)},
                                                    {"live", std::to_string(taken_ - bytes)},
                                                    {"free", std::to_string(std::max<std::int64_t>(0, machineBytes() / 2 - (taken_ - bytes)))}}));
        value.storage.resize(static_cast<std::size_t>(bytes));
        if (slot.number)
            fromNumber(slot, value);
        else if (literal && !slot.stored)
            fromLiteral(*literal, value);
        else if (auto ok = slot.stored ? fromFile(slot, value) : random(slot, value); !ok)
            return ok;
        set_.values_.push_back(std::move(value));
        return {};
    }

    Status fillSize(const Node& n, const Slot& slot, InputValue value) {
        value.integer = n.type->asSym()->evaluate(set_.symbols_);
        if (!value.integer) return fail(missing(slot));
        value.role = toString(InputRole::Size);
        value.reason = slot.stored ? stored(slot).name : "symbol " + n.type->asSym()->str();
        set_.values_.push_back(std::move(value));
        return {};
    }

    static Shape numbers(const std::vector<SymInt>& list) {
        Shape out;
        for (const SymInt& n : list) out.push_back(n.constant().value_or(0));
        return out;
    }

    /// The value as a tensor over its own storage.
    struct Held {
        Held(Backend& backend, InputValue& value) : storage(backend, value.storage.data(), 0) {
            tensor.storage = StoragePtr(StoragePtr(), &storage);
            tensor.dtype = value.type.dtype;
            tensor.sizes = numbers(value.type.sizes);
            tensor.strides = numbers(*value.type.strides);
            tensor.offset = value.type.offset->constant().value_or(0);
        }
        ~Held() { storage.data = nullptr; }
        Held(const Held&) = delete;
        Held& operator=(const Held&) = delete;
        Storage storage;
        Tensor tensor;
    };

    Status fromFile(const Slot& slot, InputValue& value) {
        value.role = "file";
        value.reason = stored(slot).name;
        auto data = slot.file->read(*slot.stored);
        if (!data) return fail(std::move(data.error()));
        fromElements(stored(slot).dtype == DType::U16 && value.type.dtype == DType::BF16 ? DType::BF16 : stored(slot).dtype, std::move(*data), value);
        return {};
    }

    const LiteralConstant* literalOf(Name name) const {
        for (const LiteralConstant& l : options_.literals)
            if (l.value.name == name.view()) return &l;
        return nullptr;
    }

    void fromNumber(const Slot& slot, InputValue& value) {
        value.role = "number";
        value.reason = std::to_string(*slot.number);
        Held to(host(), value);
        RuntimeValue number(*slot.number);
        fillScalar(to.tensor, number);
    }

    void fromLiteral(const LiteralConstant& literal, InputValue& value) {
        value.role = "literal";
        value.reason = literal.source;
        fromElements(literal.value.dtype, literal.value.data, value);
    }

    /// Row-major elements of the value's sizes into its own layout.
    void fromElements(DType dtype, std::vector<std::byte> data, InputValue& value) {
        if (data.empty()) return;
        InputValue source;
        source.type = value.type;
        source.type.dtype = dtype;
        source.type.strides = TensorType::contiguousStrides(source.type.sizes);
        source.type.offset = SymInt(0);
        source.storage = std::move(data);
        Held from(host(), source), to(host(), value);
        copyElements(to.tensor, from.tensor);
    }

    Status random(const Slot& slot, InputValue& value) {
        const RoleChoice role = roleOf(*slot.graph, ops_, slot.node, set_.symbols_);
        value.role = toString(role.role);
        value.reason = role.reason;
        Held to(host(), value);
        fillRandom(to.tensor, role, randomKey(g_, slot.name, options_.seed));
        return {};
    }

    Backend& host() {
        if (!host_) host_ = makeNullBackend();
        return *host_;
    }

    const Graph& g_;
    const OpRegistry& ops_;
    const InputOptions& options_;
    std::vector<Slot> slots_;
    std::vector<std::unique_ptr<TensorFile>> files_;  ///< of bindings
    std::unique_ptr<Backend> host_;
    std::int64_t taken_ = 0;  ///< bytes of values so far
    InputSet set_;
};

Result<InputSet> InputSet::make(const Graph& opened, const OpRegistry& ops, const InputOptions& options) {
    return InputChooser(opened, ops, options).choose();
}

std::int64_t InputSet::bytes() const {
    std::int64_t sum = 0;
    for (const InputValue& v : values_) sum += static_cast<std::int64_t>(v.storage.size());
    return sum;
}

namespace {

Result<RuntimeValue> onDevice(const InputValue& v, Backend& backend, const StoragePtr& shared) {
    if (v.integer) return RuntimeValue(*v.integer);
    Tensor t;
    t.dtype = v.type.dtype;
    t.device = v.type.device;
    for (const SymInt& n : v.type.sizes) t.sizes.push_back(n.constant().value_or(0));
    for (const SymInt& n : *v.type.strides) t.strides.push_back(n.constant().value_or(0));
    t.offset = v.type.offset->constant().value_or(0);
    t.storage = shared;
    if (shared) return RuntimeValue(std::move(t));
    const std::size_t size = v.storage.size();
    std::byte* data = size > 0 ? backend.allocate(size) : nullptr;
    if (size > 0 && !data && backend.computes())
        return fail(userError("OUT_OF_MEMORY", {{"node", v.name.str()}, {"bytes", std::to_string(size)}, {"live", "0"}, {"free", "0"}}));
    t.storage = std::make_shared<Storage>(backend, data, size);
    t.storage->role = StorageRole::Input;
    if (size == 0 || !backend.computes()) return RuntimeValue(std::move(t));
    Tensor bytes;
    bytes.storage = t.storage;
    bytes.dtype = DType::U8;
    bytes.sizes = {static_cast<std::int64_t>(size)};
    bytes.strides = {1};
    backend.upload(bytes, v.storage.data());
    return RuntimeValue(std::move(t));
}

}  // namespace

Result<StageInputs> InputSet::forStage(const Graph& stage, Backend& backend) const {
    StageInputs out;
    std::unordered_map<NodeId, const InputValue*> byNode;
    std::unordered_map<Name, const InputValue*> byName;
    std::unordered_map<Name, StoragePtr> storages;  ///< of inputs that others share
    for (const InputValue& v : values_)
        if (v.sharesWith) storages.emplace(v.sharesWith, nullptr);
    for (const InputValue& v : values_) {
        const auto base = storages.find(v.name);
        if (v.constant || base == storages.end()) continue;
        auto value = onDevice(v, backend, nullptr);
        if (!value) return fail(std::move(value.error()));
        base->second = value->tensor()->storage;
    }
    for (const InputValue& v : values_) {
        if (v.constant) {
            auto value = onDevice(v, backend, nullptr);
            if (!value) return fail(std::move(value.error()));
            out.constants.emplace(v.name, std::move(*value));
        } else {
            byNode.emplace(v.node, &v);
            byName.emplace(v.name, &v);
        }
    }
    for (NodeId id : stage.placeholders()) {
        const auto node = byNode.find(id);
        const auto name = byName.find(stage[id].name);
        const InputValue* v = name != byName.end() ? name->second : node != byNode.end() ? node->second : nullptr;
        if (!v) {
            Diagnostic d = userError("INPUT_MISSING", {{"name", stage[id].name.str()}, {"type", typeText(stage[id])}});
            d.node = stage[id].name;
            return fail(std::move(d));
        }
        const auto base = storages.find(v->sharesWith ? v->sharesWith : v->name);
        auto value = onDevice(*v, backend, base == storages.end() ? nullptr : base->second);
        if (!value) return fail(std::move(value.error()));
        out.values.push_back(std::move(*value));
        out.indices.push_back(v->index);
    }
    return out;
}

}  // namespace aliascope::exec
