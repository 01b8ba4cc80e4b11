// `completion SHELL`: verbs, options and the words that options take, for bash, zsh and fish, from the same table as help.

#include <fmt/format.h>

#include "app/cli/command.h"
#include "app/cli/decision_view.h"
#include "core/pipeline/pipeline.h"
#include "core/support/nearest.h"

namespace aliascope::cli {
namespace {

std::string spaced(const std::vector<std::string>& words) {
    std::string out;
    for (const std::string& word : words) out += (out.empty() ? "" : " ") + word;
    return out;
}

/// Words that an option takes; empty = a file or a free text.
std::vector<std::string> valuesOf(std::string_view option) {
    if (option == "--format") return {"table", "json", "ndjson", "csv", "md"};
    if (option == "--as") return {"graph", "readable", "dot", "svg", "json"};
    if (option == "--pipeline") return pipelineNames();
    if (option == "--verdict") return verdictWords();
    if (option == "--by") return {"storage", "node", "module", "op", "source", "dtype"};
    if (option == "--exec" || option == "--device") return {"cpu", "cpu-ref"};
    if (option == "--accounting") return {"exact", "cuda-caching"};
    if (option == "--stage") return {"first", "last"};
    return {};
}

std::string bash() {
    std::string out =
        "# aliascope: completion for bash; in ~/.bashrc: source <(aliascope completion bash)\n_aliascope() {\n"
        "    local cur=${COMP_WORDS[COMP_CWORD]} prev=${COMP_WORDS[COMP_CWORD-1]} verb=${COMP_WORDS[1]}\n    COMPREPLY=()\n";
    out +=
        fmt::format("    if [ \"$COMP_CWORD\" -eq 1 ]; then COMPREPLY=($(compgen -W \"{} help\" -- \"$cur\")); return; fi\n", spaced(builtVerbs()));
    out += "    case $prev in\n";
    for (const OptionSpec& option : optionTable())
        if (const auto values = valuesOf(option.name); !values.empty() && option.verb.empty())
            out += fmt::format("        {}) COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")); return ;;\n", option.name, spaced(values));
    out += "        completion) COMPREPLY=($(compgen -W \"bash zsh fish\" -- \"$cur\")); return ;;\n    esac\n";
    out += "    if [[ $cur != -* ]]; then COMPREPLY=($(compgen -f -- \"$cur\")); return; fi\n    case $verb in\n";
    for (const VerbSpec& verb : verbTable())
        if (verb.built) out += fmt::format("        {}) COMPREPLY=($(compgen -W \"{}\" -- \"$cur\")) ;;\n", verb.name, spaced(optionNames(verb)));
    return out + "    esac\n}\ncomplete -o filenames -F _aliascope aliascope\n";
}

/// Inside single quotes of zsh and fish.
std::string shellQuoted(std::string_view text, std::string_view alsoEscaped) {
    std::string out;
    for (char c : text) {
        if (c == '\'') {
            out += "'\\''";
            continue;
        }
        if (alsoEscaped.find(c) != std::string_view::npos) out += '\\';
        out += c;
    }
    return out;
}

std::string zsh() {
    std::string out =
        "#compdef aliascope\n# aliascope: completion for zsh; write it to a file _aliascope in a folder of $fpath\n_aliascope() {\n    local -a "
        "verbs\n    verbs=(\n";
    for (const VerbSpec& verb : verbTable())
        if (verb.built) out += fmt::format("        '{}:{}'\n", verb.name, shellQuoted(verb.help, ":"));
    out += "    )\n    if (( CURRENT == 2 )); then _describe 'verb' verbs; return; fi\n    case $words[2] in\n";
    for (const VerbSpec& verb : verbTable()) {
        if (!verb.built) continue;
        out += fmt::format("        {}) _arguments", verb.name);
        for (std::string_view name : verb.options) {
            const OptionSpec& option = *findOption(name, verb.name);
            const auto values = valuesOf(name);
            out += fmt::format(" '*{}[{}]", name, shellQuoted(option.help, "[]:"));
            if (!option.value.empty())
                out += fmt::format(":{}:{}", shellQuoted(option.value, "[]:"), values.empty() ? "_files" : "(" + spaced(values) + ")");
            out += "'";
        }
        out += verb.name == "completion" ? " '*:shell:(bash zsh fish)' ;;\n" : " '*:file:_files' ;;\n";
    }
    return out + "    esac\n}\n_aliascope \"$@\"\n";
}

std::string fish() {
    std::string out = "# aliascope: completion for fish; write it to ~/.config/fish/completions/aliascope.fish\n";
    for (const VerbSpec& verb : verbTable()) {
        if (!verb.built) continue;
        out += fmt::format("complete -c aliascope -n __fish_use_subcommand -f -a {} -d '{}'\n", verb.name, shellQuoted(verb.help, ""));
        for (std::string_view name : verb.options) {
            const OptionSpec& option = *findOption(name, verb.name);
            const auto values = valuesOf(name);
            out += fmt::format("complete -c aliascope -n '__fish_seen_subcommand_from {}' -l {}", verb.name, name.substr(2));
            if (!option.shortName.empty()) out += fmt::format(" -s {}", option.shortName.substr(1));
            if (!option.value.empty()) out += values.empty() ? " -r" : fmt::format(" -x -a '{}'", spaced(values));
            out += fmt::format(" -d '{}'\n", shellQuoted(option.help, ""));
        }
    }
    return out + "complete -c aliascope -n '__fish_seen_subcommand_from completion' -f -a 'bash zsh fish'\n";
}

}  // namespace

void runCompletion(Command& c) {
    const std::string shell = c.args().at(0);
    if (shell != "bash" && shell != "zsh" && shell != "fish")
        usage(fmt::format("completion {}: no such shell; {}", shell, nearestPhrase(shell, {"bash", "zsh", "fish"})));
    const std::string script = shell == "bash" ? bash() : shell == "zsh" ? zsh() : fish();
    if (c.json()) return c.answerJson({{"shell", shell}, {"script", script}});
    c.out().write(script);
}

}  // namespace aliascope::cli
