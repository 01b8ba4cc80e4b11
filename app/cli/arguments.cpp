#include "app/cli/arguments.h"

#include <fmt/format.h>

#include <CLI/App.hpp>
#include <CLI/Config.hpp>
#include <CLI/Formatter.hpp>
#include <algorithm>
#include <limits>

#include "core/support/nearest.h"

namespace aliascope::cli {
namespace {

Parsed mistake(std::string text) {
    Parsed out;
    out.kind = Parsed::Kind::Mistake;
    out.text = std::move(text);
    return out;
}

Parsed help(std::string text) {
    Parsed out;
    out.kind = Parsed::Kind::Help;
    out.text = std::move(text);
    return out;
}

bool takes(const VerbSpec& verb, const OptionSpec& option) {
    return std::find(verb.options.begin(), verb.options.end(), option.name) != verb.options.end();
}

/// Of the option that `text` starts with: the parser's own words name no more than the type of the value.
std::string needsValue(const VerbSpec& verb, std::string_view text) {
    const OptionSpec* option = findOption(text.substr(0, text.find(':')), verb.name);
    return option ? fmt::format("{} needs a value: {}, {}", option->name, option->value, option->help) : std::string(text);
}

/// The word is one of the verb's own options, so that it is hardly meant as the value of the one before it.
bool isOption(const VerbSpec& verb, const std::string& word) {
    const OptionSpec* option = word.size() > 1 && word[0] == '-' ? findOption(word.substr(0, word.find('=')), verb.name) : nullptr;
    return option && takes(verb, *option);
}

/// What is wrong with the first option that the verb does not take, or that lacks its value; empty when nothing is.
std::string wrongOption(const VerbSpec& verb, const std::vector<std::string>& words) {
    for (std::size_t i = 1; i < words.size() && words[i] != "--"; ++i) {
        const std::string& word = words[i];
        if (word.size() < 2 || word[0] != '-' || word == "-h" || word == "--help") continue;
        const std::string name = word.substr(0, word.find('='));
        const OptionSpec* option = findOption(name, verb.name);
        if (option && takes(verb, *option)) {
            if (option->value.empty() && name != word) return fmt::format("{} takes no value", name);
            if (option->value.empty() || name != word) continue;
            if (++i < words.size() && isOption(verb, words[i]))
                return fmt::format("{}; {} is an option itself ({}={} if it is meant)", needsValue(verb, name), words[i], option->name, words[i]);
        } else if (option) {
            return fmt::format("`{}` has no option {}", verb.name, name);
        } else if (word.starts_with("--")) {
            return fmt::format("no option {}; {}", name, nearestPhrase(name, optionNames(verb)));
        }
    }
    return {};
}

}  // namespace

std::string Arguments::get(std::string_view option) const {
    const auto found = values.find(option);
    return found == values.end() || found->second.empty() ? std::string() : found->second.back();
}

const std::vector<std::string>& Arguments::all(std::string_view option) const {
    static const std::vector<std::string> none;
    const auto found = values.find(option);
    return found == values.end() ? none : found->second;
}

Parsed parseArguments(const std::vector<std::string>& words) {
    if (words.empty()) return mistake("no verb given\n\n" + overviewHelp());
    const std::string& first = words.front();
    if (first == "--help" || first == "-h" || first == "help") {
        if (words.size() < 2) return help(overviewHelp());
        const VerbSpec* verb = findVerb(words[1]);
        return verb ? help(verbHelp(*verb)) : mistake(fmt::format("no verb {}; {}", words[1], nearestPhrase(words[1], builtVerbs())));
    }
    const VerbSpec* verb = findVerb(first == "--version" ? "version" : first);
    if (!verb && first.starts_with("-"))
        return mistake(fmt::format("{} stands where a verb is expected; usage: aliascope VERB [arguments] [options]", first));
    if (!verb) return mistake(fmt::format("no verb {}; {}", first, nearestPhrase(first, builtVerbs())));
    if (!verb->built) {
        for (const std::string& word : words)
            if (word == "--help" || word == "-h") return help(verbHelp(*verb));
        return mistake(fmt::format("`{}` is not in this build", verb->name));
    }

    if (std::string wrong = wrongOption(*verb, words); !wrong.empty()) return mistake(std::move(wrong));
    Parsed out;
    out.arguments.verb = verb;
    CLI::App app;
    app.set_help_flag("-h,--help");
    std::map<std::string, std::vector<std::string>> taken;
    for (std::string_view name : verb->options) {
        const OptionSpec& option = *findOption(name, verb->name);
        const std::string names = std::string(option.shortName.empty() ? "" : std::string(option.shortName) + ",") + std::string(option.name);
        if (option.value.empty())
            app.add_flag(names);
        else
            app.add_option(names, taken[std::string(option.name)])->take_all()->expected(1)->allow_extra_args(false);
    }
    const Arity arity = arityOf(*verb);
    app.add_option("arguments", out.arguments.positional)->expected(0, std::numeric_limits<int>::max());

    try {
        std::vector<std::string> reversed(words.rbegin(), words.rend() - 1);
        app.parse(reversed);
    } catch (const CLI::CallForHelp&) {
        return help(verbHelp(*verb));
    } catch (const CLI::ArgumentMismatch& e) {
        return mistake(needsValue(*verb, e.what()));
    } catch (const CLI::ParseError& e) {
        return mistake(e.what());
    }
    for (const auto& [name, values] : taken)
        if (std::find(values.begin(), values.end(), "") != values.end()) return mistake(needsValue(*verb, name));
    const int given = static_cast<int>(out.arguments.positional.size());
    if (given > arity.most)
        return mistake(fmt::format("`{}` takes {}; \"{}\" is too much", verb->name,
                                   verb->arguments.empty() ? "no arguments" : std::string(verb->arguments),
                                   out.arguments.positional[static_cast<std::size_t>(arity.most)]));
    if (given < arity.least)
        return mistake(fmt::format("`{}` needs {}\nusage: aliascope {} {} [options]", verb->name, verb->arguments, verb->name, verb->arguments));
    for (std::string_view name : verb->options)
        if (app.count(std::string(name)) > 0) out.arguments.values[std::string(name)] = taken[std::string(name)];
    return out;
}

}  // namespace aliascope::cli
