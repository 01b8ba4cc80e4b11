#include "core/ir/op_registry.h"

#include <algorithm>
#include <cerrno>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <mutex>
#include <shared_mutex>
#include <unordered_map>

#include "core/ir/op_traits.h"
#include "core/ir/ops_file.h"
#include "core/support/flat_map.h"

namespace aliascope {
namespace embedded {
extern const std::string_view aten_schemas;
}
namespace {

/// The schemas that are part of the program. The text is sorted by bytes, so a name is found by bisection and parsed on first use.
class EmbeddedSchemas {
public:
    static const EmbeddedSchemas& instance() {
        static const EmbeddedSchemas* all = new EmbeddedSchemas(embedded::aten_schemas);  // never destroyed: OpDef pointers are for ever
        return *all;
    }

    const OpDef* find(Name canonical) const {
        // Every pass asks for every node: what this thread has asked before is answered without a lock. Definitions are for ever.
        thread_local FlatMap<Name, const OpDef*> known;
        const auto [def, fresh] = known.insert(canonical);
        if (fresh) *def = findShared(canonical);
        return *def;
    }

    /// Canonical names of a packet. They are neighbours: no character of a name sorts between '(' and '.'.
    std::vector<Name> overloads(std::string_view packet) const {
        std::vector<Name> out;
        for (auto it = lowerBound(packet); it != lines_.end(); ++it) {
            const std::string_view name = nameOf(*it);
            if (!name.starts_with(packet) || (name.size() > packet.size() && name[packet.size()] != '.')) break;
            out.emplace_back(name);
        }
        return out;
    }

    std::size_t size() const { return lines_.size(); }
    std::vector<Name> names() const {
        std::vector<Name> out;
        out.reserve(lines_.size());
        for (std::string_view line : lines_) out.emplace_back(nameOf(line));
        return out;
    }
    bool contains(Name canonical) const {
        const auto it = lowerBound(canonical.view());
        return it != lines_.end() && nameOf(*it) == canonical.view();
    }

private:
    explicit EmbeddedSchemas(std::string_view text) {
        lines_.reserve(static_cast<std::size_t>(std::count(text.begin(), text.end(), '\n')) + 1);
        while (!text.empty()) {
            const std::string_view line = text.substr(0, text.find('\n'));
            text.remove_prefix(std::min(line.size() + 1, text.size()));
            if (!line.empty() && line.front() != '#') lines_.push_back(line);
        }
        if (!std::is_sorted(lines_.begin(), lines_.end())) std::sort(lines_.begin(), lines_.end());
    }

    const OpDef* findShared(Name canonical) const {
        {
            const std::shared_lock lock(mutex_);
            if (const auto it = parsed_.find(canonical); it != parsed_.end()) return it->second.get();
        }
        std::unique_ptr<OpDef> def = parse(canonical.view());
        const std::unique_lock lock(mutex_);
        return parsed_.emplace(canonical, std::move(def)).first->second.get();
    }

    static std::string_view nameOf(std::string_view line) { return line.substr(0, line.find('(')); }

    std::vector<std::string_view>::const_iterator lowerBound(std::string_view name) const {
        return std::lower_bound(lines_.begin(), lines_.end(), name, [](std::string_view line, std::string_view n) { return nameOf(line) < n; });
    }

    std::unique_ptr<OpDef> parse(std::string_view name) const {
        const auto it = lowerBound(name);
        if (it == lines_.end() || nameOf(*it) != name) return nullptr;
        auto schema = Schema::parse(*it);
        if (!schema) return nullptr;  // a test of the resource keeps this from happening
        auto def = std::make_unique<OpDef>();
        def->canonical = Name(name);
        def->schema = std::move(*schema);
        OpTraits::builtin().apply(*def);
        return def;
    }

    std::vector<std::string_view> lines_;
    mutable std::shared_mutex mutex_;
    mutable std::unordered_map<Name, std::unique_ptr<OpDef>> parsed_;  ///< null = known to be absent
};

/// Parameters with types but without alias marks, `skipWrittenKeywords` for comparing an out variant with its functional form.
std::vector<std::string> parameterTexts(const Schema& s, bool skipWrittenKeywords) {
    const auto plain = [](const SchemaType& type) {
        SchemaType t = type;
        const auto strip = [](const auto& self, SchemaType& x) -> void {
            x.alias.reset();
            for (SchemaType& p : x.parts) self(self, p);
        };
        strip(strip, t);
        return t.str();
    };
    std::vector<std::string> out;
    for (const SchemaParam& p : s.params)
        if (!(skipWrittenKeywords && p.keywordOnly && p.written())) out.push_back(plain(p.type) + " " + p.name.str());
    return out;
}

/// `add_` -> `add`, `__iadd__` -> `__add__`; empty when the name is no in-place name.
std::string functionalName(std::string_view name) {
    if (name.starts_with("__i") && name.ends_with("__")) return "__" + std::string(name.substr(3));
    if (name.ends_with('_') && !name.ends_with("__")) return std::string(name.substr(0, name.size() - 1));
    return {};
}

std::string inPlaceName(std::string_view name) {
    if (name.starts_with("__") && name.ends_with("__")) return "__i" + std::string(name.substr(2));
    return std::string(name) + "_";
}

}  // namespace

struct OpRegistry::Impl {
    struct Own {
        OpDef def;
        std::string place;  ///< where it was read, for messages
    };
    bool withEmbedded = false;
    std::unordered_map<Name, std::unique_ptr<Own>> own;
    std::unordered_map<Name, std::vector<Name>> ownPackets;
    std::size_t overriding = 0;  ///< own definitions whose name is embedded too

    const Own* findOwn(Name canonical) const {
        const auto it = own.find(canonical);
        return it == own.end() ? nullptr : it->second.get();
    }

    void put(OpDef def, std::string place) {
        const Name canonical = def.canonical;
        auto& slot = own[canonical];
        if (!slot) {
            ownPackets[packetOf(canonical)].push_back(canonical);
            if (withEmbedded && EmbeddedSchemas::instance().contains(canonical)) ++overriding;
        }
        slot = std::make_unique<Own>(Own{std::move(def), std::move(place)});
    }
};

OpRegistry::OpRegistry() : impl_(std::make_unique<Impl>()) {}
OpRegistry::~OpRegistry() = default;
OpRegistry::OpRegistry(OpRegistry&&) noexcept = default;
OpRegistry& OpRegistry::operator=(OpRegistry&&) noexcept = default;

const OpRegistry& OpRegistry::builtin() {
    static const OpRegistry registry = withBuiltin();
    return registry;
}

OpRegistry OpRegistry::withBuiltin() {
    OpRegistry r;
    r.impl_->withEmbedded = true;
    return r;
}

std::vector<Diagnostic> OpRegistry::addText(std::string_view text, std::string_view fileName) {
    OpsFile file = parseOpsFile(text, fileName);
    std::unordered_map<Name, std::uint32_t> lineOf;
    for (OpsFile::Entry& e : file.entries) {
        const Name canonical = e.def.canonical;
        const std::string here = (fileName.empty() ? std::string("line ") : std::string(fileName) + ":") + std::to_string(e.line);
        const auto [seen, isNew] = lineOf.emplace(canonical, e.line);
        const OpDef* old = find(canonical);
        if (old && old->schema.str() != e.def.schema.str()) {
            const Impl::Own* own = impl_->findOwn(canonical);
            Diagnostic d = isNew ? warning("R061") : userError("R061");
            d.with("name", canonical.str());
            d.with("a", !isNew ? std::to_string(seen->second) : own ? own->place : "built in");
            d.with("b", isNew ? here : std::to_string(e.line));
            d.file = std::string(fileName);
            d.line = e.line;
            d.note = isNew ? "the later one is used" : "the first one is used";
            file.problems.push_back(std::move(d));
            if (!isNew) continue;
        }
        OpTraits::builtin().apply(e.def);
        impl_->put(std::move(e.def), here);
    }
    return std::move(file.problems);
}

Result<std::vector<Diagnostic>> OpRegistry::addFile(const std::string& path) {
    constexpr std::uintmax_t limit = 64u << 20;
    const auto refuse = [&](std::string why) {
        Diagnostic d = userError("R004", {{"what", "the file of operators"}, {"why", std::move(why)}});
        d.file = path;
        return fail(std::move(d));
    };
    std::error_code ignored;
    if (std::filesystem::is_directory(path, ignored)) return refuse("it is a folder");
    std::ifstream in(path, std::ios::binary);
    if (!in) return refuse(std::strerror(errno));
    std::string text;
    char buffer[1 << 16];
    while (in.read(buffer, sizeof buffer) || in.gcount() > 0) {
        text.append(buffer, static_cast<std::size_t>(in.gcount()));
        if (text.size() > limit) return refuse("it is larger than 64 MiB");
    }
    if (in.bad()) return refuse("reading it failed");
    if (text.find('\0') != std::string::npos) return refuse("it holds NUL bytes; text in UTF-8 is expected");
    return addText(text, path);
}

void OpRegistry::add(OpDef def) { impl_->put(std::move(def), "added"); }

const OpDef* OpRegistry::find(Name canonical) const {
    if (const auto* own = impl_->findOwn(canonical)) return &own->def;
    return impl_->withEmbedded ? EmbeddedSchemas::instance().find(canonical) : nullptr;
}

std::vector<const OpDef*> OpRegistry::overloads(Name packet) const {
    std::vector<Name> names;
    if (impl_->withEmbedded) names = EmbeddedSchemas::instance().overloads(packet.view());
    if (const auto it = impl_->ownPackets.find(packet); it != impl_->ownPackets.end())
        for (Name n : it->second)
            if (std::find(names.begin(), names.end(), n) == names.end()) names.push_back(n);
    std::sort(names.begin(), names.end());
    std::vector<const OpDef*> out;
    for (Name n : names)
        if (const OpDef* def = find(n)) out.push_back(def);
    return out;
}

const OpDef* OpRegistry::functionalOf(const OpDef& mutating) const {
    const Schema& s = mutating.schema;
    if (!s.isMutable() || mutating.is(Trait::Resizes)) return nullptr;
    const std::vector<std::string> wanted = parameterTexts(s, true);
    const auto fits = [&](const OpDef* d) { return d && !d->schema.isMutable() && parameterTexts(d->schema, false) == wanted; };
    std::vector<std::string> names;
    if (s.isOut())
        names.push_back(s.name.str());
    else if (std::string name = functionalName(s.name.view()); !name.empty())
        names.push_back(std::move(name));
    else
        names.push_back(s.name.str() + "_functional");
    for (const std::string& name : names) {
        const std::string packet = s.ns.str() + "::" + name;
        const OpDef* same = find(Name(s.overload ? packet + "." + s.overload.str() : packet));
        if (fits(same)) return same;
        for (const OpDef* d : overloads(Name(packet)))
            if (fits(d)) return d;
    }
    return nullptr;
}

const OpDef* OpRegistry::inPlaceOf(const OpDef& pure) const {
    const Schema& s = pure.schema;
    if (s.isMutable() || s.isView()) return nullptr;
    const std::vector<std::string> wanted = parameterTexts(s, false);
    const auto fits = [&](const OpDef* d) {
        return d && d->schema.isInPlace() && !d->is(Trait::Resizes) && !d->is(Trait::HandleOnly) && parameterTexts(d->schema, false) == wanted;
    };
    const std::string packet = s.ns.str() + "::" + inPlaceName(s.name.view());
    const OpDef* same = find(Name(s.overload ? packet + "." + s.overload.str() : packet));
    if (fits(same)) return same;
    for (const OpDef* d : overloads(Name(packet)))
        if (fits(d)) return d;
    return nullptr;
}

std::size_t OpRegistry::size() const {
    return impl_->own.size() + (impl_->withEmbedded ? EmbeddedSchemas::instance().size() - impl_->overriding : 0);
}

std::vector<const OpDef*> OpRegistry::all() const {
    std::vector<Name> names;
    if (impl_->withEmbedded) names = EmbeddedSchemas::instance().names();
    for (const auto& [name, own] : impl_->own) names.push_back(name);
    std::sort(names.begin(), names.end());
    names.erase(std::unique(names.begin(), names.end()), names.end());
    std::vector<const OpDef*> out;
    out.reserve(names.size());
    for (Name n : names)
        if (const OpDef* def = find(n)) out.push_back(def);
    return out;
}

}  // namespace aliascope
