#include "app/cli/command_table.h"

#include <fmt/format.h>

#include <algorithm>

namespace aliascope::cli {
namespace {

constexpr std::size_t helpWidth = 110;

const std::vector<std::string_view> common = {"--json", "--format", "--no-color", "--quiet", "--verbose"};
const std::vector<std::string_view> reading = {"--graph", "--ops", "--strict", "--limits"};
const std::vector<std::string_view> running = {"--pipeline", "--passes", "--patterns"};

std::vector<std::string_view> options(std::vector<std::string_view> own, const std::vector<std::vector<std::string_view>>& groups) {
    for (const auto& group : groups)
        for (std::string_view name : group)
            if (std::find(own.begin(), own.end(), name) == own.end()) own.push_back(name);
    return own;
}

/// Breaks `text` at blanks; continuation lines start with `indent` blanks.
std::string wrapped(std::string_view text, std::size_t indent, std::size_t used) {
    std::string out;
    std::size_t column = used;
    std::size_t at = 0;
    while (at < text.size()) {
        const std::size_t end = std::min(text.find(' ', at), text.size());
        const std::string_view word = text.substr(at, end - at);
        if (column > indent && column + 1 + word.size() > helpWidth) {
            out += "\n" + std::string(indent, ' ');
            column = indent;
        } else if (column > indent) {
            out += ' ';
            ++column;
        }
        out += word;
        column += word.size();
        at = end + 1;
    }
    return out;
}

}  // namespace

const std::vector<OptionSpec>& optionTable() {
    static const std::vector<OptionSpec> table = {
        {"--json", "", "", "one JSON object: schema, command, input, warnings, result"},
        {"--format", "", "FORM", "table, json, ndjson, csv or md"},
        {"--format", "", "FORM", "table, json, ndjson, csv, md or junit", "check"},
        {"--output", "-o", "FILE", "write there; of `run`: the session, which gets one more lane if it exists"},
        {"--graph", "", "ID", "which graph of the file: number, name or unique prefix of a name (default: the largest)"},
        {"--stage", "", "STAGE", "number, name, unique prefix of a name, first or last"},
        {"--pipeline", "", "NAME",
         "best, torch-v2, torch-v1, torch-joint, with options in braces too; a file with a pipeline text; - for standard input. "
         "Of a session: the lane of that name"},
        {"--passes", "", "TEXT", "pipeline text, for example 'functionalize{custom-ops=v2},reinplace,decompose-functionalized'"},
        {"--patterns", "", "FILE", "rules that fuse-attention applies after its own: find, where, make"},
        {"--ops", "", "FILE",
         "schemas (and bodies) of custom operators; may be given several times; without it the .ops files beside FILE; none = none"},
        {"--strict", "", "", "exit 3 when a part of the file could not be read"},
        {"--limits", "", "LIST",
         "NAME=N,... moves a bound: file, graph, line, string (bytes), nodes (of a graph), values, classes (nesting, up to 1000), subgraphs, "
         "messages (of a graph); of archives record, archive (bytes unpacked), entries, ratio, json (nesting); of sessions graphs, lanes, decisions"},
        {"--timeout", "", "S", "seconds that the query (default 10) or the run (default: no limit) may take"},
        {"--exec", "", "D", "run the stages too, on this device (cpu or cpu-ref), and compare each with the first"},
        {"--exit-code", "", "", "exit 1 when a stage, or the two sides, differ"},
        {"--rewrites", "", "", "also name the rewrite"},
        {"--inputs", "", "F",
         "tensors to run on: safetensors, npy, npz or a folder of npy; in/NAME, in/INDEX, plain names, or by order (default: random values by role)"},
        {"--seed", "", "N", "seed of random values (default 0)"},
        {"--save-outputs", "", "F", "write out/INDEX and after/INDEX of the last stage that ran (safetensors; .npz, .npy by their names)"},
        {"--digests", "", "WHICH", "all (default), outputs, or names of nodes with commas between: values that are compared and recorded"},
        {"--keep", "", "NODES", "names with commas between: --save-outputs writes their values too, as value/NAME"},
        {"--keep", "", "EXPR",
         "what must still hold, in the language for finding: clones>=1, cloned>1MiB, differs(STAGE), decision(code=RI30), pass-fails(PASS), "
         "verifier-fails, "
         "finding(STALE_READ)",
         "reduce"},
        {"--alias", "", "A=B", "input A shares the storage of input B; A=B[OFFSET] at that element of A's type; may be given several times"},
        {"--bind", "", "NAME=X",
         "a number, or a file with the tensor, for one input, constant or symbol; may be given several times. With --program also a file of lines "
         "like "
         "g1.primals_1 = g0.out[0]: which value of an earlier graph an input is"},
        {"--program", "", "GRAPHS",
         "several graphs as one program: auto (forward and backward of a compilation), or their numbers or names in the order in which they run: "
         "3,5"},
        {"--reference", "", "WORD", "native (default), or f64: judge differences by the errors against a run in doubles"},
        {"--sanitize", "", "MODE", "off (default), reads or full: find reads of overwritten values"},
        {"--repeat", "", "N", "run every stage N times for its time (default 1)"},
        {"--tolerance", "", "R[,A]", "elements are close within A + R * abs(value), instead of the policy between the stages"},
        {"--rtol", "", "R", "the relative part of --tolerance"},
        {"--atol", "", "A", "the absolute part of --tolerance"},
        {"--max-flops", "", "N", "refuse operators that need more operations (default 2e11, 0 = no limit)"},
        {"--max-bytes", "", "N", "refuse to hold more live bytes than this"},
        {"--stand-in", "", "", "run unknown operators as stand-ins; what depends on them is marked synthetic"},
        {"--cast", "", "", "floats of --inputs may have another float type than the graph wants"},
        {"--random-constants", "", "", "constants that --inputs lacks are random"},
        {"--as", "", "FORM", "svg, dot, graph, readable or session", "export"},
        {"--as", "", "FORM", "graph, readable, dot, svg or json", "show"},
        {"--as", "", "FORM", "graph, readable, dot or json"},
        {"--node", "", "NAME", "a node, by its name at any stage"},
        {"--arg", "", "NAME", "an argument of the node, or the index of a base"},
        {"--force", "", "", "write in place what is copied, on a copy of the stage; run it and show what goes wrong"},
        {"--line", "", "TEXT", "a line of PyTorch's log: `For node ..., attempted to reinplace ...`"},
        {"--verdict", "", "WORD", "in-place, clone, not-attempted, needed, avoidable, unknown, applied or refused"},
        {"--need", "", "", "every copy that is left: needed or avoidable, what to change; totals of the lane and of best"},
        {"--min-bytes", "", "N", "only rows that report or copy at least N bytes; K, M, G and KiB, MiB, GiB are powers of 1024"},
        {"--code", "", "CODE", "reason code or name: RI30 (all its kinds), RI30.READ, LATER_READ"},
        {"--pass", "", "PASS", "decisions of that pass instead of reinplace; `all` for every pass"},
        {"--changed", "", "", "only stages that changed something"},
        {"--until", "", "PASS", "stop after this pass"},
        {"--skip", "", "PASS", "leave this pass out; may be given several times"},
        {"--storage", "", "S<N>", "one storage: its views and writes"},
        {"--bytemap", "", "", "draw which bytes each view covers"},
        {"--width", "", "N", "steps round --node, up and down (default 4)", "show"},
        {"--width", "", "N", "steps round --node, up and down (default 4)", "export"},
        {"--width", "", "N", "width of the byte map in characters"},
        {"--first", "", "", "only the first stage that touched the node"},
        {"--last", "", "", "only the last stage that touched the node"},
        {"--at", "", "NODE", "what is live at this node"},
        {"--by", "", "KEY", "group by storage, node, module, op, source or dtype"},
        {"--at", "", "PLACE", "stage=NAME, node=NAME, or both with a comma", "open"},
        {"--find", "", "EXPR", "only what fits, for example 'op:clone bytes>1M' or 'code:RI30 -need:needed' (fields, numbers, flags, re:, | and -)"},
        {"--redact-paths", "", "",
         "leave out the folders of this machine: dir1/model.py; of a session that is written also the texts that were read"},
        {"--max-clones", "", "N", "at most N clones in the last stage; +2 or +5% = more than --baseline has"},
        {"--max-cloned", "", "BYTES", "at most so many bytes cloned: 0, 1.2GiB, +5%"},
        {"--max-copied-back", "", "BYTES", "at most so many bytes copied back into inputs"},
        {"--max-peak", "", "BYTES", "at most this predicted peak"},
        {"--no-new-findings", "", "", "no finding that --baseline does not have"},
        {"--baseline", "", "FILE", "session (or graph file) that limits with + and --no-new-findings refer to"},
        {"--update-baseline", "", "FILE", "write the session there when no gate fails"},
        {"--latest", "", "", "only the graphs of the last compilation in the file; of several files, of the one that was changed last"},
        {"--plan", "", "", "place the storages in one arena: offsets, arena, lower bound, without and with in-place reuse"},
        {"--plan", "", "", "also the nodes of the region: how each is cut, added up and scaled", "chunk"},
        {"--chunks", "", "N", "how many (default: 8; --mode extended: by predicted peak)"},
        {"--mode", "", "MODE", "reference (as PyTorch 2.11) or extended (more operators, and only where it saves memory)"},
        {"--budget", "", "BYTES", "as few chunks as keep the predicted peak within it"},
        {"--plan", "", "WORD", "off (default), or on: run in one arena as the offline plan places it, results over operands that die", "exec"},
        {"--diff", "", "A", "a stage to compare with another (B, default: the last) at their peaks"},
        {"--accounting", "", "WORD", "exact (bytes asked for) or cuda-caching (what PyTorch's allocator takes for them)"},
        {"--run", "", "ID", "a run that the session holds, instead of a prediction"},
        {"--tables", "", "", "list tables and views"},
        {"--limit", "", "N", "at most N rows"},
        {"--device", "", "D", "cpu (fast) or cpu-ref (sums in double precision, the yardstick)"},
        {"--records", "", "FILE", "recorded operator calls (.jsonl)"},
        {"--no-color", "", "", "no colours (NO_COLOR is respected too)"},
        {"--quiet", "-q", "", "no notes and warnings"},
        {"--verbose", "-v", "", "also what is only of interest now and then"},
    };
    return table;
}

const OptionSpec* findOption(std::string_view name, std::string_view verb) {
    const OptionSpec* found = nullptr;
    for (const OptionSpec& option : optionTable()) {
        if (option.name != name && (option.shortName.empty() || option.shortName != name)) continue;
        if (option.verb.empty() ? !found : option.verb == verb) found = &option;
    }
    return found;
}

const std::vector<VerbSpec>& verbTable() {
    static const auto plain = options({}, {reading, common});
    static const auto staged = options({}, {running, reading, common});
    static const auto shown = options({"--redact-paths"}, {running, reading, common});
    static const std::vector<VerbSpec> table = {
        {"list",
         "FILE",
         "graphs of a file: nodes, operators, unknown operators, symbols, messages",
         "",
         options({"--latest", "--output"}, {plain}),
         {"aliascope list run7.log", "aliascope list graph.py --json --ops mylib.ops"}},
        {"show",
         "FILE",
         "print one graph",
         "`graph` and `readable` are byte for byte what PyTorch's printers write. Of a session, or after --pipeline or --passes, --stage picks the "
         "stage (default: last).",
         options({"--as", "--stage", "--node", "--width", "--find", "--redact-paths", "--output"}, {staged}),
         {"aliascope show graph.py --as graph", "aliascope show kv.aliascope --stage reinplace",
          "aliascope show kv.aliascope --find 'op:clone bytes>100K'", "aliascope show kv.aliascope --node clone_default_7 --width 2"}},
        {"opt",
         "FILE",
         "run passes, print the graph after them; text to text, no session",
         "Without --pipeline and --passes nothing runs: the graph is read and printed. A graph with sub-graphs prints each, the main one first.",
         options({"--pipeline", "--passes", "--patterns", "--as", "--stage", "--until", "--skip", "--output"}, {plain}),
         {"aliascope opt graph.py --pipeline torch-v2", "aliascope opt - --passes 'reinplace{analysis=extent}' --as graph < graph.txt"}},
        {"run",
         "FILE",
         "run a pipeline, print its stages and decisions",
         "With -o the run is kept as a session; an existing session gets one more lane.",
         options({"--output", "--latest", "--until", "--skip", "--exec", "--inputs", "--seed", "--repeat", "--timeout", "--redact-paths", "--program",
                  "--bind"},
                 {staged}),
         {"aliascope run kv.py --ops mylib.ops", "aliascope run kv.py --pipeline torch-v1 -o kv.aliascope"}},
        {"stages", "FILE", "stage table", "", options({"--changed", "--output"}, {shown}), {"aliascope stages kv.aliascope --changed"}},
        {"diff",
         "FILE [A] [B]",
         "nodes and text that differ between two stages",
         "A and B are stages as --stage takes them (default: first and last).",
         options({"--as", "--output"}, {shown}),
         {"aliascope diff kv.aliascope reinplace decompose"}},
        {"decisions",
         "FILE",
         "what was or was not re-inplaced, why, what blocks it, how many bytes",
         "",
         options({"--verdict", "--need", "--min-bytes", "--code", "--pass", "--node", "--find", "--output"}, {shown}),
         {"aliascope decisions kv.py --pipeline torch-v1 --ops mylib.ops", "aliascope decisions kv.aliascope --verdict clone --min-bytes 1MiB"}},
        {"why",
         "FILE",
         "the card of one decision: verdict, reason, blocker, checks, bytes, what to try",
         "Without --node and --line: every copy that is left. A node is found by its name at any stage, the clones that it became too. With --force "
         "the copy "
         "is left out and both graphs run on the same inputs: the first value that changes, and the reads that saw what had been overwritten, or "
         "that nothing "
         "goes wrong.",
         options({"--node", "--arg", "--force", "--line", "--stage", "--pass", "--device", "--inputs", "--seed", "--alias", "--bind", "--timeout",
                  "--max-flops", "--stand-in", "--random-constants", "--output"},
                 {shown}),
         {"aliascope why kv.aliascope --node clone_default_7", "aliascope why kv.py --pipeline torch-v1 --node foo --arg x --force",
          "aliascope why kv.py --line 'For node auto_functionalized, attempted to reinplace ...'"}},
        {"history",
         "FILE",
         "what happened to a node, stage by stage",
         "States: Created, Replaced, Merged into, Removed, Changed, Survived.",
         options({"--node", "--stage", "--first", "--last", "--output"}, {shown}),
         {"aliascope history kv.aliascope --node auto_functionalized"}},
        {"aliases",
         "FILE",
         "storages, their views and writes",
         "",
         options({"--stage", "--storage", "--bytemap", "--width", "--output"}, {shown}),
         {"aliascope aliases kv.aliascope --storage S1 --bytemap"}},
        {"exec",
         "FILE",
         "execute stages and compare every one with the first",
         "All stages, or the one of --stage and the first. What the program returns and its inputs after the run decide whether a stage differs; "
         "other values "
         "tell where it begins. With -o, or where FILE is a session, values, memory, times and comparisons are recorded. Exit 1: a stage differs; 5: "
         "one "
         "could not be run.",
         options(
             {"--stage", "--device", "--inputs",  "--seed",      "--save-outputs", "--digests",  "--sanitize", "--repeat",           "--tolerance",
              "--rtol",  "--atol",   "--timeout", "--max-flops", "--max-bytes",    "--stand-in", "--cast",     "--random-constants", "--reference",
              "--plan",  "--alias",  "--bind",    "--keep",      "--output",       "--until",    "--skip",     "--program"},
             {staged}),
         {"aliascope exec kv.py --ops mylib.ops --pipeline torch-v1",
          "aliascope exec kv.py --inputs values.safetensors --save-outputs out.safetensors",
          "aliascope exec train.log --program auto -o train.aliascope"}},
        {"memory",
         "FILE [B]",
         "live bytes of the stages, their peaks and who holds them",
         "Predicted from shapes and program order; inputs and constants are not counted. Runs that a session holds are listed beside the "
         "predictions. Sizes that depend on data are those of such a run, or with --inputs or --seed of a run now. The storages below the table are "
         "those "
         "of --stage (default: last).",
         options({"--stage", "--at", "--by", "--plan", "--diff", "--accounting", "--run", "--limit", "--inputs", "--seed", "--program", "--bind",
                  "--output"},
                 {shown}),
         {"aliascope memory kv.py --ops mylib.ops", "aliascope memory kv.aliascope --stage imported --by module",
          "aliascope memory kv.py --diff functionalize last", "aliascope memory graph.py --plan --json"}},
        {"numerics",
         "FILE",
         "values of the stages compared: a matrix, and where the first difference begins",
         "Cells: . within tolerance, X differs and it begins here, x differs because something before it does, - no counterpart, ~ not comparable. "
         "Of a "
         "session the recorded comparisons; where there are none, the stages are run first. --node shows one value.",
         options({"--node", "--exit-code", "--device", "--inputs", "--seed", "--alias", "--bind", "--reference", "--rtol", "--atol", "--timeout",
                  "--max-flops", "--stand-in", "--limit", "--program", "--output"},
                 {staged}),
         {"aliascope numerics kv.aliascope", "aliascope numerics kv.py --pipeline torch-v1 --exit-code"}},
        {"bisect",
         "FILE",
         "the first pass after which the program gives something else",
         "Runs stages and halves the range between one that agrees with the first and one that does not. Every probe is shown, and recorded where "
         "FILE is a "
         "session. Exit 1: a pass was found.",
         options({"--rewrites", "--device", "--inputs", "--seed", "--alias", "--bind", "--reference", "--rtol", "--atol", "--timeout", "--max-flops",
                  "--stand-in", "--program", "--output"},
                 {staged}),
         {"aliascope bisect kv.py --pipeline torch-v1", "aliascope bisect kv.aliascope --rewrites"}},
        {"query",
         "S [SQL]",
         "read-only SQL on a session",
         "One SELECT, WITH or EXPLAIN. The tables are described by --tables.",
         options({"--tables", "--limit", "--timeout", "--output"}, {staged}),
         {"aliascope query kv.aliascope 'SELECT * FROM v_stage WHERE changed'"}},
        {"passes", "", "passes and named pipelines of this build, their options", "", options({"--output"}, {common}), {"aliascope passes"}},
        {"ops",
         "[WORD]",
         "operators that this build knows; with WORD those whose name holds it",
         "",
         options({"--ops", "--limit", "--output"}, {common}),
         {"aliascope ops add_"}},
        {"samples",
         "[NAME]",
         "sample graphs that come with the program; with NAME one of them as text",
         "",
         options({"--output"}, {common}),
         {"aliascope samples", "aliascope samples kv_cache_layers -o a.fx.txt"}},
        {"version", "", "version, formats, session schema", "", options({"--output"}, {common}), {"aliascope version --json"}},
        {"open",
         "FILE...",
         "start the window there",
         "Stage and node are looked up first. Ends with the exit code of the window. ALIASCOPE_WINDOW names its program if it is in no usual place.",
         {"--at", "--pipeline", "--graph", "--ops", "--json", "--format", "--no-color", "--quiet", "--verbose"},
         {"aliascope open kv.aliascope --at stage=decompose,node=clone_default_7"}},
        {"import",
         "FILE...",
         "read into a session without running a pipeline",
         "Every graph, or those that --graph names, becomes a graph of the session; stages that a dump holds already become a lane of their own.",
         options({"--output", "--latest"}, {plain}),
         {"aliascope import run7.log -o run7.aliascope", "aliascope import dumps/*.py --latest -o last.aliascope"}},
        {"patterns", "FILE", "attention patterns and near misses", "", {}, {}, false},
        {"chunk",
         "FILE",
         "what the auto-chunker would cut, why it refuses, predicted peaks by number of chunks",
         "The passes before it are --pipeline or --passes up to `auto-chunk` (default remove-noops, fold-constants, canonicalize-views); its options "
         "come from "
         "there too. Peaks are of compiled code, inputs not counted.",
         options({"--plan", "--chunks", "--mode", "--budget", "--pipeline", "--passes", "--stage", "--output"}, {plain}),
         {"aliascope chunk joint.py --plan", "aliascope chunk joint.py --chunks 16 --json",
          "aliascope chunk joint.py --mode extended --budget 8000000000"}},
        {"compare",
         "A B",
         "two pipelines, sessions, files or stages: the first stage that differs, figures of both, nodes that only one has",
         "A and B are FILE, FILE:LANE (or a pipeline that is run now; v1 is short for torch-v1), FILE@STAGE or FILE:LANE@STAGE. The peak is "
         "predicted; values "
         "are compared where runs are recorded.",
         options({"--stage", "--exit-code", "--limit", "--output"}, {plain}),
         {"aliascope compare kv.aliascope:v1 kv.aliascope:v2", "aliascope compare base.aliascope now.aliascope --exit-code",
          "aliascope compare kv.aliascope@dce kv.aliascope@reinplace"}},
        {"check",
         "FILE",
         "gates for continuous integration",
         "Limits are for the last stage of the lane. A value that is not known (symbolic sizes) fails its gate, and so does a lane that ended early. "
         "Exit 1: a "
         "gate failed.",
         options(
             {"--max-clones", "--max-cloned", "--max-copied-back", "--max-peak", "--no-new-findings", "--baseline", "--update-baseline", "--output"},
             {shown}),
         {"aliascope check now.aliascope --max-cloned 0 --max-peak 1.2GiB --format junit -o check.xml",
          "aliascope check now.aliascope --baseline base.aliascope --max-peak +5% --no-new-findings",
          "aliascope check now.aliascope --update-baseline base.aliascope"}},
        {"reduce",
         "FILE",
         "the smallest graph that still shows a property, and the command that shows it",
         "Takes out nodes, results, arguments, sub-graphs, makes sizes small and symbols numbers, as long as --keep holds of the pipeline's run; "
         "every "
         "candidate is verified. The graph is printed as readable Python. Exit 1: the graph does not show the property.",
         options({"--keep", "--seed", "--stand-in", "--timeout", "--stage", "--output"}, {running, reading, common}),
         {"aliascope reduce kv.py --pipeline torch-v1 --keep 'clones>=1' -o small.py",
          "aliascope reduce kv.py --pipeline torch-v2 --keep 'differs(reinplace)'",
          "aliascope reduce kv.py --keep 'decision(code=RI30,verdict=clone)'"}},
        {"explain",
         "LINE [FILE]",
         "what a line of PyTorch's log about re-inplacing means",
         "LINE is `For node ..., attempted to reinplace ...`, or - for lines on standard input. With FILE the calls that it fits and what was "
         "decided about them.",
         options({"--output"}, {staged}),
         {"aliascope explain - kv.aliascope < run7.log"}},
        {"report",
         "FILE",
         "one HTML file: findings, stages, why with pictures, storages, memory, numerics, differences",
         "The file needs no network and no other file, follows the light or dark of its reader, and is the same for the same session.",
         options({"--redact-paths", "--output"}, {staged}),
         {"aliascope report now.aliascope -o report.html"}},
        {"export",
         "FILE",
         "a stage as SVG, DOT or text, or the session as a copy",
         "Pictures show groups, storages and what the stage changed; the SVG is placed by the program's own layout. Without --as the name of -o "
         "decides.",
         options({"--as", "--stage", "--node", "--width", "--find", "--redact-paths", "--output"}, {staged}),
         {"aliascope export kv.aliascope --stage reinplace -o reinplace.svg",
          "aliascope export kv.aliascope --node clone_default_7 --width 2 --as dot",
          "aliascope export kv.aliascope --as session --redact-paths -o shared.aliascope"}},
        {"selftest",
         "",
         "operators against recorded results",
         "Without --records the calls that come with the program. A recorded call is one JSON object a line; its storages are in the .safetensors "
         "file "
         "beside the records.",
         options({"--records", "--device", "--ops", "--output"}, {common}),
         {"aliascope selftest", "aliascope selftest --records ops.jsonl --device cpu-ref --json"}},
        {"devices", "", "devices that can execute", "", options({"--output"}, {common}), {"aliascope devices"}},
        {"doctor",
         "[SESSION]",
         "check of the installation, or of a session",
         "With -o what can be read of a damaged session is written as a new one.",
         options({"--output"}, {common}),
         {"aliascope doctor", "aliascope doctor broken.aliascope -o saved.aliascope"}},
        {"completion", "SHELL", "completion for bash, zsh or fish", "", options({"--output"}, {common}), {"aliascope completion bash"}},
    };
    return table;
}

const VerbSpec* findVerb(std::string_view name) {
    for (const VerbSpec& verb : verbTable())
        if (verb.name == name) return &verb;
    return nullptr;
}

std::vector<std::string> builtVerbs() {
    std::vector<std::string> out;
    for (const VerbSpec& verb : verbTable())
        if (verb.built) out.emplace_back(verb.name);
    return out;
}

std::vector<std::string> optionNames(const VerbSpec& verb) {
    std::vector<std::string> out;
    for (std::string_view name : verb.options) out.emplace_back(name);
    out.emplace_back("--help");
    return out;
}

Arity arityOf(const VerbSpec& verb) {
    Arity arity;
    std::string_view rest = verb.arguments;
    while (!rest.empty()) {
        const std::size_t end = std::min(rest.find(' '), rest.size());
        const std::string_view word = rest.substr(0, end);
        if (word.front() != '[') ++arity.least;
        arity.most += word.ends_with("...") ? 1000 : 1;
        rest.remove_prefix(std::min(end + 1, rest.size()));
    }
    return arity;
}

std::string overviewHelp() {
    std::string out =
        "aliascope: see and step through what torch.compile's graph compiler does to memory\n\nusage: aliascope VERB [arguments] [options]\n\n";
    for (const VerbSpec& verb : verbTable())
        if (verb.built) out += fmt::format("  {:<10} {:<13} {}\n", verb.name, verb.arguments, wrapped(verb.help, 27, 27));
    out +=
        "\nFILE is a file with graphs (text, Python, a log), - for standard input, or an .aliascope session. A verb that needs stages and\n"
        "gets a plain file runs --pipeline (default best) or --passes first.\n\n"
        "`aliascope VERB --help` tells more. Exit codes: 0 ok, 1 not found or different, 2 usage, 3 input unreadable, 4 pass or verifier\n"
        "failed, 5 execution failed, 6 device not available, 7 session newer or damaged, 8 timeout, 9 output cannot be written, 130 interrupted.\n";
    return out;
}

std::string verbHelp(const VerbSpec& verb) {
    std::string out = fmt::format("aliascope {}: {}\n\nusage: aliascope {}{}{}{}\n", verb.name, verb.help, verb.name,
                                  verb.arguments.empty() ? "" : " ", verb.arguments, verb.options.empty() ? "" : " [options]");
    if (!verb.built) return out + "\nThis verb is not in this build.\n";
    if (!verb.detail.empty()) out += "\n" + wrapped(verb.detail, 0, 0) + "\n";
    out += "\noptions:\n";
    for (std::string_view name : verb.options) {
        const OptionSpec& option = *findOption(name, verb.name);
        std::string head = fmt::format("  {}{}{}{}", option.shortName.empty() ? "" : std::string(option.shortName) + ", ", option.name,
                                       option.value.empty() ? "" : " ", option.value);
        out += fmt::format("{:<26} {}\n", head, wrapped(option.help, 27, 27));
    }
    if (!verb.examples.empty()) out += "\nexamples:\n";
    for (std::string_view example : verb.examples) out += fmt::format("  {}\n", example);
    return out;
}

}  // namespace aliascope::cli
