#include "core/layout/graphviz_placement.h"

#include <fmt/format.h>

#include <algorithm>
#include <charconv>
#include <cmath>
#include <numeric>
#include <vector>

namespace aliascope {
namespace {

constexpr float kPerInch = 72;
constexpr double kFarthest = 1e6;  ///< inches: what lies beyond is no answer to our question

std::string_view nextLine(std::string_view& text) {
    const std::size_t end = std::min(text.find('\n'), text.size());
    const std::string_view line = text.substr(0, end);
    text.remove_prefix(std::min(end + 1, text.size()));
    return line;
}

std::string_view nextWord(std::string_view& line) {
    line.remove_prefix(std::min(line.find_first_not_of(" \r"), line.size()));
    const std::string_view word = line.substr(0, std::min(line.find_first_of(" \r"), line.size()));
    line.remove_prefix(word.size());
    return word;
}

template <class T>
std::optional<T> numberIn(std::string_view word) {
    T value{};
    const auto [end, error] = std::from_chars(word.data(), word.data() + word.size(), value);
    if (error != std::errc() || end != word.data() + word.size()) return std::nullopt;
    return value;
}

std::optional<float> placeIn(std::string_view word) {
    const auto inches = numberIn<double>(word);
    if (!inches || !std::isfinite(*inches) || std::abs(*inches) > kFarthest) return std::nullopt;
    return static_cast<float>(*inches * kPerInch);
}

struct Centre {
    float x = 0, y = 0;
};

/// `node n3 X Y …` gives the middle of a card, y upwards.
std::optional<std::vector<Centre>> centresIn(std::string_view plain, std::size_t cards) {
    std::vector<std::optional<Centre>> found(cards);
    while (!plain.empty()) {
        std::string_view line = nextLine(plain);
        if (nextWord(line) != "node") continue;
        const std::string_view name = nextWord(line);
        const auto card = name.empty() ? std::nullopt : numberIn<std::size_t>(name.substr(1));
        const auto x = placeIn(nextWord(line)), y = placeIn(nextWord(line));
        if (card && *card < cards && x && y) found[*card] = Centre{*x, -*y};
    }
    std::vector<Centre> out;
    for (const auto& centre : found) {
        if (!centre) return std::nullopt;
        out.push_back(*centre);
    }
    return out;
}

bool overlap(const PlacedCard& a, const PlacedCard& b) {
    return a.x < b.x + b.width && b.x < a.x + a.width && a.y < b.y + b.height && b.y < a.y + a.height;
}

/// Cards in drawing order at whole pixels, the leftmost and topmost at 0, with their rows; `placeOf`: by old index the new one.
bool placeCards(const LayoutResult& from, const std::vector<Centre>& centres, LayoutResult& to, std::vector<std::uint32_t>& placeOf) {
    std::vector<PlacedCard> cards = from.cards;
    float left = 0, top = 0;
    for (std::size_t i = 0; i < cards.size(); ++i) {
        cards[i].x = std::round(centres[i].x - cards[i].width / 2);
        cards[i].y = std::round(centres[i].y - cards[i].height / 2);
        left = i == 0 ? cards[i].x : std::min(left, cards[i].x);
        top = i == 0 ? cards[i].y : std::min(top, cards[i].y);
    }
    std::vector<std::uint32_t> order(cards.size());
    std::iota(order.begin(), order.end(), 0u);
    std::sort(order.begin(), order.end(), [&](std::uint32_t a, std::uint32_t b) {
        if (cards[a].y != cards[b].y) return cards[a].y < cards[b].y;
        return cards[a].x != cards[b].x ? cards[a].x < cards[b].x : a < b;
    });
    placeOf.resize(cards.size());
    for (const std::uint32_t i : order) {
        PlacedCard card = cards[i];
        card.x -= left;
        card.y -= top;
        if (to.rowY.empty() || to.rowY.back() != card.y) {
            to.rowY.push_back(card.y);
            to.rowStart.push_back(static_cast<std::uint32_t>(to.cards.size()));
        }
        card.row = static_cast<std::uint32_t>(to.rowY.size() - 1);
        if (!to.cards.empty() && overlap(to.cards.back(), card)) return false;
        placeOf[i] = static_cast<std::uint32_t>(to.cards.size());
        to.width = std::max(to.width, card.x + card.width);
        to.height = std::max(to.height, card.y + card.height);
        to.maxCardHeight = std::max(to.maxCardHeight, card.height);
        to.cards.push_back(card);
    }
    to.rowStart.push_back(static_cast<std::uint32_t>(to.cards.size()));
    return true;
}

PlacedEdge placed(PlacedEdge edge, const LayoutResult& from, const LayoutResult& to, const std::vector<std::uint32_t>& placeOf,
                  const LayoutOptions& options) {
    const PlacedCard &source = from.cards[edge.from], &target = from.cards[edge.to];
    edge.from = placeOf[edge.from];
    edge.to = placeOf[edge.to];
    const PlacedCard &a = to.cards[edge.from], &b = to.cards[edge.to];
    edge.x1 = std::round(a.x + edge.x1 - source.x);
    edge.y1 = a.y + a.height;
    edge.x2 = std::round(b.x + edge.x2 - target.x);
    edge.y2 = b.y;
    const std::uint32_t rows = b.row > a.row ? b.row - a.row : 0;
    const float columns = std::abs(edge.x2 - edge.x1) / (std::min(a.width, b.width) + options.columnGap);
    edge.stub = rows == 0 || edge.y2 < edge.y1 || rows > options.stubRows || columns > static_cast<float>(options.stubColumns);
    return edge;
}

}  // namespace

std::string graphvizInput(const LayoutResult& drawing, const LayoutOptions& options) {
    std::string out = fmt::format("digraph {{\ngraph [rankdir=TB, nodesep={:.3f}, ranksep={:.3f}, splines=false];\n", options.columnGap / kPerInch,
                                  options.rowGap / kPerInch);
    out += "node [shape=box, fixedsize=true, label=\"\"];\n";
    for (std::size_t i = 0; i < drawing.cards.size(); ++i)
        out += fmt::format("n{} [width={:.3f}, height={:.3f}];\n", i, drawing.cards[i].width / kPerInch, drawing.cards[i].height / kPerInch);
    for (const PlacedEdge& edge : drawing.edges) out += fmt::format("n{} -> n{};\n", edge.from, edge.to);
    return out + "}\n";
}

std::optional<LayoutResult> placedByGraphviz(const LayoutResult& drawing, std::string_view plain, const LayoutOptions& options) {
    if (drawing.cards.empty() || !drawing.groups.empty()) return std::nullopt;
    const auto centres = centresIn(plain, drawing.cards.size());
    if (!centres) return std::nullopt;
    LayoutResult out;
    std::vector<std::uint32_t> placeOf;
    if (!placeCards(drawing, *centres, out, placeOf)) return std::nullopt;
    out.cardOfNode.reserve(drawing.cardOfNode.size());
    for (const std::int32_t card : drawing.cardOfNode)
        out.cardOfNode.push_back(card < 0 ? card : static_cast<std::int32_t>(placeOf[static_cast<std::size_t>(card)]));
    for (const PlacedEdge& edge : drawing.edges) {
        out.edges.push_back(placed(edge, drawing, out, placeOf, options));
        if (!out.edges.back().stub) out.longestEdge = std::max(out.longestEdge, out.edges.back().y2 - out.edges.back().y1);
    }
    std::stable_sort(out.edges.begin(), out.edges.end(), [](const PlacedEdge& a, const PlacedEdge& b) { return a.y1 < b.y1; });
    return out;
}

}  // namespace aliascope
