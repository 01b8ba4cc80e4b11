#include "core/exec/reinplaced_sets.h"

#include <algorithm>
#include <filesystem>
#include <fstream>
#include <sstream>

#include "core/exec/reinplace_log.h"

namespace aliascope::exec {
namespace {

bool isV1(const Node& n) { return n.op == "hop::auto_functionalized"_n; }
bool isV2(const Node& n) { return n.op == "hop::auto_functionalized_v2"_n; }

/// What a line of the log calls the wrapper: the operator of v1, the wrapper itself of v2.
std::string loggedName(const Node& n) {
    if (isV2(n)) return "auto_functionalized_v2";
    const std::string op = n.arg(0).kind() == Value::Kind::Op ? n.arg(0).name().str() : std::string();
    return op.substr(0, op.find('.'));
}

}  // namespace

ReinplacedSets ReinplacedSets::ofLog(const std::string& log, const Graph& g) {
    ReinplacedSets out;
    std::vector<LogLine> lines;
    std::istringstream stream(log);
    for (std::string text; std::getline(stream, text);)
        if (auto line = parseLogLine(text)) lines.push_back(std::move(*line));
    std::size_t next = 0;
    for (const NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (!n.isCall() || (!isV1(n) && !isV2(n))) continue;
        while (next < lines.size() && lines[next].node != loggedName(n)) ++next;  // lines about other operators
        if (next == lines.size()) return out;
        const LogLine& line = lines[next++];
        out.known_.insert(id.value);
        for (const std::string& argument : line.tried)
            if (std::find(line.cloned.begin(), line.cloned.end(), argument) == line.cloned.end()) out.inPlace_.insert({id.value, Name(argument)});
    }
    return out;
}

std::optional<ReinplacedSets> ReinplacedSets::ofFile(const std::string& path, const Graph& g) {
    namespace fs = std::filesystem;
    const fs::path file(path);
    const std::string name = file.filename().string();
    const auto at = name.find("after_reinplace");
    if (at == std::string::npos) return {};
    std::ifstream in(file.parent_path() / (name.substr(0, at) + "reinplace.log"));
    std::ostringstream text;
    constexpr std::streamsize most = std::streamsize(16) << 20;
    std::string buffer(4096, '\0');
    for (std::streamsize read = 0; in && read < most; read += in.gcount()) {
        in.read(buffer.data(), static_cast<std::streamsize>(buffer.size()));
        text.write(buffer.data(), in.gcount());
    }
    return ofLog(text.str(), g);
}

NodeId ReinplacedSets::firstUnknown(const Graph& g, bool v1) const {
    for (const NodeId id : inOrder(g)) {
        const Node& n = g[id];
        if (n.isCall() && (v1 ? isV1(n) : isV2(n)) && !n.metaValue("clone_only"_n) && !known_.contains(id.value)) return id;
    }
    return {};
}

}  // namespace aliascope::exec
