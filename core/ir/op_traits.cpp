#include "core/ir/op_traits.h"

#include <algorithm>

namespace aliascope {
namespace embedded {
extern const std::string_view op_traits;
}
namespace {

struct Word {
    std::string_view text;
    Trait trait;
};
constexpr Word traitWords[] = {{"write-only", Trait::WriteOnly}, {"handle-only", Trait::HandleOnly}, {"partial-write", Trait::PartialWrite},
                               {"random", Trait::Random},        {"effect", Trait::Effect},          {"host-read", Trait::HostRead},
                               {"shape-only", Trait::ShapeOnly}, {"fresh-copy", Trait::FreshCopy},   {"scatter", Trait::Scatter},
                               {"resizes", Trait::Resizes},      {"pointwise", Trait::Pointwise}};
constexpr Word aliasWords[] = {
    {"if-layout", Trait::AliasIfLayout}, {"silent", Trait::SilentAlias}, {"identity", Trait::IdentityView}, {"fresh", Trait::FreshCopy}};

std::string_view nextWord(std::string_view& s, std::string_view separators) {
    const auto begin = s.find_first_not_of(separators);
    if (begin == std::string_view::npos) {
        s = {};
        return {};
    }
    s.remove_prefix(begin);
    const auto end = std::min(s.find_first_of(separators), s.size());
    const std::string_view word = s.substr(0, end);
    s.remove_prefix(end);
    return word;
}

template <std::size_t N>
bool addWord(const Word (&words)[N], std::string_view text, Trait& traits) {
    for (const Word& w : words)
        if (w.text == text) {
            traits = traits | w.trait;
            return true;
        }
    return false;
}

Diagnostic unknownWord(std::uint32_t line, std::string_view key, std::string_view word) {
    Diagnostic d = warning("R062", {{"why", "unknown " + std::string(key) + " '" + std::string(word) + "'"}});
    d.line = line;
    return d;
}

void clearWrites(SchemaType& t) {
    if (t.alias) t.alias->written = false;
    for (SchemaType& p : t.parts) clearWrites(p);
}

}  // namespace

OpTraits OpTraits::parse(std::string_view text, std::vector<Diagnostic>& problems) {
    OpTraits table;
    std::uint32_t number = 0;
    while (!text.empty()) {
        std::string_view line = text.substr(0, text.find('\n'));
        text.remove_prefix(std::min(line.size() + 1, text.size()));
        ++number;
        line = line.substr(0, line.find('#'));
        Rule rule;
        rule.pattern = nextWord(line, " \t\r");
        if (rule.pattern.empty()) continue;
        for (std::string_view item = nextWord(line, " \t\r"); !item.empty(); item = nextWord(line, " \t\r")) {
            const auto equals = item.find('=');
            const std::string_view key = item.substr(0, equals);
            std::string_view list = equals == std::string_view::npos ? std::string_view() : item.substr(equals + 1);
            if (key != "traits" && key != "alias" && key != "writes" && key != "when") {
                problems.push_back(unknownWord(number, "key", key));
                continue;
            }
            for (std::string_view word = nextWord(list, ","); !word.empty(); word = nextWord(list, ",")) {
                if (key == "when")
                    rule.when = Name(word);
                else if (key == "writes" && word == "none")
                    rule.writesNone = true;
                else if (key == "writes")
                    rule.writes.push_back(Name(word));
                else if (!(key == "traits" ? addWord(traitWords, word, rule.traits) : addWord(aliasWords, word, rule.traits)))
                    problems.push_back(unknownWord(number, key, word));
            }
        }
        rule.prefix = rule.pattern.ends_with('*');
        if (rule.prefix) rule.pattern.remove_suffix(1);
        (rule.prefix ? table.prefixes_ : table.exact_).push_back(std::move(rule));
    }
    std::stable_sort(table.exact_.begin(), table.exact_.end(), [](const Rule& a, const Rule& b) { return a.pattern < b.pattern; });
    return table;
}

const OpTraits& OpTraits::builtin() {
    static const OpTraits table = [] {
        std::vector<Diagnostic> problems;  // a test of the resource keeps it empty
        return parse(embedded::op_traits, problems);
    }();
    return table;
}

void OpTraits::apply(OpDef& op) const {
    // What a result shares does not hold for an out variant, whose result is its argument.
    const std::uint32_t sharing = std::uint32_t(Trait::AliasIfLayout | Trait::SilentAlias | Trait::IdentityView | Trait::FreshCopy | Trait::Scatter);
    const std::uint32_t mask = op.schema.isOut() ? ~sharing : ~0u;
    const auto use = [&op, mask](const Rule& r) {
        op.traits = op.traits | Trait(std::uint32_t(r.traits) & mask);
        if (has(r.traits, Trait::Random)) op.randomWhen = r.when;
        for (Name p : r.writes)
            if (const int i = op.schema.paramIndex(p); i >= 0 && !op.schema.params[std::size_t(i)].written()) op.silentWrites.push_back(p);
        if (!r.writes.empty()) op.silentWhen = r.when;
        if (!r.writesNone) return;
        for (SchemaParam& p : op.schema.params) clearWrites(p.type);
        for (SchemaReturn& p : op.schema.returns) clearWrites(p.type);
    };
    const auto useExact = [&](std::string_view pattern) {
        const auto less = [](const Rule& r, std::string_view p) { return r.pattern < p; };
        for (auto it = std::lower_bound(exact_.begin(), exact_.end(), pattern, less); it != exact_.end() && it->pattern == pattern; ++it) use(*it);
    };
    const std::string_view name = op.canonical.view();
    const Name packet = packetOf(op.canonical);
    for (const Rule& r : prefixes_)
        if (name.starts_with(r.pattern)) use(r);
    useExact(packet.view());
    if (packet != op.canonical) useExact(name);

    for (const SchemaParam& p : op.schema.params)
        if (p.type.innermost() == "Generator" && !op.is(Trait::Random)) op.traits = op.traits | Trait::Random;
    // `*_copy` is a view's copy: fresh, whatever the base name.
    if (op.schema.name.view().ends_with("_copy") && !op.schema.isOut()) op.traits = op.traits | Trait::FreshCopy;
}

}  // namespace aliascope
