#include "views/canvas/card_painter.h"

#include <QFontMetricsF>
#include <QLocale>
#include <algorithm>
#include <cmath>

#include "core/ir/type.h"
#include "views/canvas/metrics.h"
#include "views/canvas/palette.h"
#include "views/canvas/storage_brush.h"

namespace aliascope {
namespace {

QFont pixelFont(QFont font, double pixels, bool bold = false) {
    font.setPixelSize(std::max(5, int(std::lround(pixels))));
    font.setBold(bold);
    return font;
}

QString text(const std::string& s) { return QString::fromStdString(s); }

/// `f32[8, 4]`, with strides only where they say more than the shape.
QString shapeText(const std::string& annotation) {
    const TypePtr type = Type::parseAnnotation(annotation);
    const TensorType* tensor = type->asTensor();
    if (!tensor) return text(annotation);
    QString out = text(tensor->str(tensor->strides && !tensor->isContiguous(), false));
    if (out.size() > 60) out = out.left(59) + QChar(0x2026);
    return out;
}

QString baseName(const std::string& path) { return text(path.substr(path.find_last_of('/') + 1)); }

/// What tells a group from its neighbours: the end of a module's path, `5 of 12` of `net.py:47, repeat 5 of 12`.
QString shortGroupTitle(QString title, const QFontMetricsF& metrics, double width) {
    const QString repeat = QStringLiteral(", repeat ");
    if (const qsizetype at = title.indexOf(repeat); at >= 0) title.remove(0, at + repeat.size());
    return metrics.elidedText(title, title.contains(QLatin1Char(' ')) ? Qt::ElideRight : Qt::ElideLeft, width);
}

QRectF insideFrame(const QRectF& r) {
    const int line = Palette::active().line();
    return r.adjusted(line, line, -line, -line);
}

}  // namespace

CardFonts::CardFonts(double zoom)
    : title(pixelFont(Metrics::uiFont(), card::titlePx * zoom, true)),
      name(pixelFont(Metrics::monoFont(), card::namePx * zoom)),
      small(pixelFont(Metrics::uiFont(), card::smallPx * zoom)),
      chip(pixelFont(Metrics::uiFont(), card::chipPx)),
      band(pixelFont(Metrics::uiFont(), 12)) {}

DetailLevel CardPainter::levelOf(double zoom) {
    return zoom < card::farBelow ? DetailLevel::Far : zoom < card::nearFrom ? DetailLevel::Middle : DetailLevel::Near;
}

CardPainter::CardPainter(const StageView& view, const std::unordered_map<Uid, const DecisionRow*>& decisions, ColourMode mode, double zoom,
                         const HeatMap* heat, const StorageColours& storages)
    : view_(view), decisions_(decisions), mode_(mode), heat_(heat), storages_(storages), zoom_(zoom), level_(levelOf(zoom)), fonts_(zoom) {
    countGroups();
}

void CardPainter::countGroups() {
    const LayoutInput& input = *view_.drawingInput;
    if (input.groups.empty()) return;
    groups_.resize(input.groups.size());
    for (std::size_t i = 0; i < view_.groupOf.size(); ++i) {
        if (view_.groupOf[i] == ~0u) continue;
        const bool clone = view_.family[i] == Family::Copy && view_.snapshot->nodes[i]->op.find("clone") != std::string::npos;
        for (auto g = std::int32_t(view_.groupOf[i]); g >= 0; g = input.groups[std::size_t(g)].parent) {
            GroupCount& count = groups_[std::size_t(g)];
            ++count.nodes;
            count.added += view_.mark[i] == '+';
            count.changed += view_.mark[i] == '~';
            count.clones += clone;
            count.decisions += int(decisions_.count(view_.snapshot->nodes[i]->uid));
        }
    }
}

QString CardPainter::groupSummary(std::int32_t group) const {
    const GroupCount& c = groups_[group];
    QString out = c.nodes == 1 ? QStringLiteral("1 node") : QStringLiteral("%1 nodes").arg(QLocale().toString(c.nodes));
    if (c.added) out += QStringLiteral("   +%1").arg(c.added);
    if (c.changed) out += QStringLiteral("   ~%1").arg(c.changed);
    if (c.clones) out += c.clones == 1 ? QStringLiteral("   1 clone") : QStringLiteral("   %1 clones").arg(c.clones);
    if (c.decisions) out += QStringLiteral("   %1 decided").arg(c.decisions);
    return out;
}

CardText CardPainter::textOf(std::uint32_t node) const {
    const NodeRow& row = *view_.snapshot->nodes[node];
    CardText out;
    out.tag = QString::fromLatin1(familyTag(view_.family[node]));
    out.op = text(shortOp(row));
    out.name = QLatin1Char('%') + text(row.name);
    if (!row.type.empty()) out.shape = shapeText(row.type);
    if (row.bytes) out.bytes = bytesText(*row.bytes);
    if (row.storage >= 0) {
        const StorageRow* storage = view_.storage(row.storage);
        const bool base = storage && storage->base == row.uid;
        const char* role = base ? "base" : view_.family[node] == Family::Write ? "write" : "view";
        out.badge = QStringLiteral("S%1 %2").arg(row.storage).arg(QLatin1String(role));
    }
    const auto decided = decisions_.find(row.uid);
    if (decided != decisions_.end()) {
        out.verdict = true;
        out.kind = verdictKind(*decided->second);
        out.verdictWord = verdictWord(out.kind);
        out.detail = text(decided->second->code) + QStringLiteral("  ") + text(decided->second->argument);
        if (!decided->second->blocker.empty()) out.detail += QStringLiteral("  %") + text(decided->second->blocker);
    } else if (row.line > 0) {
        out.detail = QStringLiteral("%1:%2").arg(baseName(row.file)).arg(row.line);
        if (!row.function.empty()) out.detail += QStringLiteral(" in ") + text(row.function);
    }
    return out;
}

namespace {

Role familyRole(Family family) {
    switch (family) {
        case Family::View:
        case Family::Shape:
            return Role::FamilyView;
        case Family::Copy:
            return Role::FamilyCopy;
        case Family::Write:
            return Role::FamilyWrite;
        case Family::Wrapper:
        case Family::Custom:
            return Role::FamilyWrapper;
        case Family::Matmul:
            return Role::FamilyMatmul;
        case Family::Input:
        case Family::Output:
            return Role::FamilyIo;
        default:
            return Role::FamilyCompute;
    }
}

}  // namespace

QColor CardPainter::familyColour(Family family) const { return Palette::active()(familyRole(family)); }

std::optional<int> CardPainter::heatStep(std::uint32_t node) const {
    const NodeRow& row = *view_.snapshot->nodes[node];
    std::int64_t bytes = 0;
    if (mode_ == ColourMode::Bytes) bytes = row.bytes.value_or(0);
    if (mode_ == ColourMode::LiveAtPeak && heat_) {
        const auto found = heat_->find(row.uid);
        bytes = found == heat_->end() ? 0 : found->second;
    }
    if (bytes <= 0) return std::nullopt;
    // One step of the ramp per factor of 16, from 256 B on.
    return std::clamp(int((std::log2(double(bytes)) - 8) / 4), 0, kHeatSteps - 1);
}

/// Words stay on the panel's colour: heat is a bar at the right.
void CardPainter::paintHeat(QPainter& p, std::uint32_t node, const QRectF& r) const {
    const auto step = heatStep(node);
    if (!step) return;
    const double width = level_ == DetailLevel::Near ? card::familyColumn * zoom_ / 2 : card::chipBar * 2;
    p.fillRect(QRectF(r.right() - width, r.y() + 1, width - 1, r.height() - 2), Palette::active().heat(*step));
}

QColor CardPainter::fill(std::uint32_t node) const {
    const Palette& c = Palette::active();
    if (mode_ == ColourMode::Diff) {
        if (view_.mark[node] == '+') return c(Role::AddedFill);
        if (view_.mark[node] == '~') return c(Role::ChangedFill);
        return c(Role::Panel);
    }
    if (mode_ == ColourMode::Family && c.hasFills())
        return c.mix(Role::Panel, familyRole(view_.family[node]), c.theme() == Theme::Light ? 0.12 : 0.22);
    return c(Role::Panel);
}

void CardPainter::paint(QPainter& p, const PlacedCard& placed, const QRectF& r) const {
    if (placed.group >= 0 && level_ != DetailLevel::Far) return paintGroup(p, placed, r);
    switch (level_) {
        case DetailLevel::Far:
            return paintFar(p, placed, r);
        case DetailLevel::Middle:
            return paintMiddle(p, placed, r);
        case DetailLevel::Near:
            return paintNear(p, placed, r);
    }
}

void CardPainter::paintFar(QPainter& p, const PlacedCard& placed, const QRectF& r) const {
    const Palette& c = Palette::active();
    QColor colour = c(Role::Unchanged);
    if (placed.group >= 0) {
        const GroupCount& g = groups_[placed.group];
        colour = g.added ? c(Role::Added) : g.changed ? c(Role::Changed) : c(Role::Unchanged);
    } else if (mode_ == ColourMode::Diff) {
        colour = view_.mark[placed.node] == '+' ? c(Role::Added) : view_.mark[placed.node] == '~' ? c(Role::Changed) : c(Role::Unchanged);
    } else if (mode_ == ColourMode::Storage) {
        const int storage = view_.snapshot->nodes[placed.node]->storage;
        colour = storages_.slotOf(storage) >= 0 ? storageColour(storages_, storage) : c(Role::Line);
    } else if (mode_ == ColourMode::Bytes || mode_ == ColourMode::LiveAtPeak) {
        const auto step = heatStep(placed.node);
        colour = step ? c.heat(*step) : c(Role::Line);
    } else if (mode_ == ColourMode::Family) {
        colour = familyColour(view_.family[placed.node]);
    }
    p.fillRect(QRectF(r.x(), r.y(), std::max(1.0, r.width()), std::max(1.0, r.height())), colour);
}

void CardPainter::paintStorageBar(QPainter& p, std::uint32_t node, const QRectF& r) const {
    const int storage = view_.snapshot->nodes[node]->storage;
    if (mode_ == ColourMode::Storage ? storage < 0 : !storages_.pinned(storage)) return;
    const QRectF bar(r.left(), r.bottom() - card::storageBar, r.width(), card::storageBar);
    p.fillRect(bar, storageBrush(storages_, storage));
}

void CardPainter::paintMiddle(QPainter& p, const PlacedCard& placed, const QRectF& r) const {
    const Palette& c = Palette::active();
    const std::uint32_t node = placed.node;
    p.fillRect(r, c(Role::Line));
    p.fillRect(insideFrame(r), fill(node));
    p.fillRect(QRectF(r.x(), r.y(), card::chipBar, r.height()), familyColour(view_.family[node]));
    paintStorageBar(p, node, r);
    paintHeat(p, node, r);
    const QFontMetricsF metrics(fonts_.chip);
    if (r.height() < metrics.height() * 0.8) return;
    p.setFont(fonts_.chip);
    p.setPen(c(Role::Ink));
    QRectF words = r.adjusted(card::chipBar + 3, 0, heatStep(node) ? -3 - 2 * card::chipBar : -3, 0);
    if (view_.mark[node] != ' ' && view_.mark[node] != 0) {
        p.drawText(words, Qt::AlignRight | Qt::AlignVCenter, QString(QLatin1Char(view_.mark[node])));
        words.setRight(words.right() - 10);
    }
    const CardText t = textOf(node);
    if (t.verdict) p.fillRect(QRectF(r.right() - 4, r.y() + 1, 3, r.height() - 2), Palette::active()(verdictRole(t.kind)));
    p.drawText(words, Qt::AlignLeft | Qt::AlignVCenter, metrics.elidedText(t.op, Qt::ElideRight, words.width()));
}

void CardPainter::paintVerdict(QPainter& p, const CardText& t, const QRectF& row) const {
    const Palette& c = Palette::active();
    const QFontMetricsF metrics(fonts_.small);
    const double mark = std::round(row.height() * 0.55);
    const QRectF square(row.x(), row.y() + (row.height() - mark) / 2, mark, mark);
    p.fillRect(square, c(verdictRole(t.kind)));
    p.setFont(fonts_.small);
    p.setPen(c(Role::Panel));
    p.drawText(square, Qt::AlignCenter, verdictGlyph(t.kind));
    p.setPen(c(Role::Ink));
    const QRectF words = row.adjusted(mark + 5 * zoom_, 0, 0, 0);
    p.drawText(words, Qt::AlignLeft | Qt::AlignVCenter,
               metrics.elidedText(t.verdictWord + QStringLiteral("  ") + t.detail, Qt::ElideRight, words.width()));
}

void CardPainter::paintNear(QPainter& p, const PlacedCard& placed, const QRectF& r) const {
    const Palette& c = Palette::active();
    const std::uint32_t node = placed.node;
    const double z = zoom_;
    const CardText t = textOf(node);
    p.fillRect(r, c(Role::Line));
    p.fillRect(insideFrame(r), fill(node));
    const QRectF column(r.x(), r.y(), card::familyColumn * z, r.height());
    p.fillRect(column, familyColour(view_.family[node]));
    p.setFont(fonts_.small);
    p.setPen(c(Role::Panel));
    p.drawText(column, Qt::AlignCenter, t.tag);
    paintStorageBar(p, node, r);
    paintHeat(p, node, r);

    const double pad = card::padding * z;
    QRectF inner(column.right() + pad, r.y() + pad * 0.7, r.right() - column.right() - 2 * pad - (heatStep(node) ? card::familyColumn * z / 2 : 0),
                 r.height() - 1.4 * pad);
    const double rowHeight = inner.height() / 4;
    const auto row = [&](int i) { return QRectF(inner.x(), inner.y() + rowHeight * i, inner.width(), rowHeight); };
    const QFontMetricsF titleMetrics(fonts_.title), nameMetrics(fonts_.name), smallMetrics(fonts_.small);

    QRectF head = row(0);
    if (view_.mark[node] == '+' || view_.mark[node] == '~') {
        p.setFont(fonts_.title);
        p.setPen(view_.mark[node] == '+' ? c(Role::Added) : c(Role::Changed));
        p.drawText(head, Qt::AlignRight | Qt::AlignVCenter, QString(QLatin1Char(view_.mark[node])));
        head.setRight(head.right() - titleMetrics.horizontalAdvance(QLatin1Char('+')) - pad);
    }
    if (!t.badge.isEmpty()) {
        p.setFont(fonts_.small);
        const double width = smallMetrics.horizontalAdvance(t.badge);
        const double square = std::round(8 * z);
        // The outline keeps a sparse pattern recognisable at this size.
        p.setPen(storageColour(storages_, view_.snapshot->nodes[node]->storage));
        p.setBrush(storageBrush(storages_, view_.snapshot->nodes[node]->storage));
        p.drawRect(QRectF(head.right() - width - square - 5 * z, std::round(head.center().y() - square / 2), square, square));
        p.setPen(c(Role::Secondary));
        p.drawText(head, Qt::AlignRight | Qt::AlignVCenter, t.badge);
        head.setRight(head.right() - width - square - 10 * z);
    }
    p.setFont(fonts_.title);
    p.setPen(c(Role::Ink));
    p.drawText(head, Qt::AlignLeft | Qt::AlignVCenter, titleMetrics.elidedText(t.op, Qt::ElideRight, head.width()));
    p.setFont(fonts_.name);
    p.setPen(c(Role::Secondary));
    p.drawText(row(1), Qt::AlignLeft | Qt::AlignVCenter, nameMetrics.elidedText(t.name, Qt::ElideRight, inner.width()));
    QRectF shape = row(2);
    p.setFont(fonts_.small);
    if (!t.bytes.isEmpty()) {
        p.drawText(shape, Qt::AlignRight | Qt::AlignVCenter, t.bytes);
        shape.setRight(shape.right() - smallMetrics.horizontalAdvance(t.bytes) - pad);
    }
    p.setPen(c(Role::Ink));
    p.drawText(shape, Qt::AlignLeft | Qt::AlignVCenter, smallMetrics.elidedText(t.shape, Qt::ElideRight, shape.width()));
    if (mode_ == ColourMode::LiveAtPeak && heat_) {
        if (const auto live = heat_->find(view_.snapshot->nodes[node]->uid); live != heat_->end()) {
            p.setPen(c(Role::Ink));
            p.drawText(row(3), Qt::AlignLeft | Qt::AlignVCenter, QObject::tr("%1 live at the peak").arg(bytesText(live->second)));
            return;
        }
    }
    if (t.verdict) return paintVerdict(p, t, row(3));
    p.setPen(c(Role::Secondary));
    p.drawText(row(3), Qt::AlignLeft | Qt::AlignVCenter, smallMetrics.elidedText(t.detail, Qt::ElideRight, inner.width()));
}

void CardPainter::paintGroup(QPainter& p, const PlacedCard& placed, const QRectF& r) const {
    const Palette& c = Palette::active();
    const GroupCount& g = groups_[placed.group];
    const bool nearLevel = level_ == DetailLevel::Near;
    QColor ground = c(Role::Panel);
    if (mode_ == ColourMode::Diff && g.added)
        ground = c(Role::AddedFill);
    else if (mode_ == ColourMode::Diff && g.changed)
        ground = c(Role::ChangedFill);
    // A second sheet behind the card says that it stands for several.
    p.fillRect(r.translated(3, 3), c(Role::Line));
    p.fillRect(r, c(Role::Edge));
    p.fillRect(insideFrame(r), ground);
    const double pad = nearLevel ? card::padding * 1.5 * zoom_ : 3;
    const QFont& head = nearLevel ? fonts_.title : fonts_.chip;
    const QFontMetricsF metrics(head);
    if (r.height() < metrics.height() * 0.8) return;
    p.setFont(head);
    p.setPen(c(Role::Ink));
    const QRectF inner = r.adjusted(pad, pad * 0.6, -pad, -pad * 0.6);
    const QString own = text(view_.drawingInput->groups[placed.group].title), title = QStringLiteral("[+] ") + own;
    if (!nearLevel) {
        p.drawText(inner, Qt::AlignLeft | Qt::AlignVCenter,
                   metrics.horizontalAdvance(title) <= inner.width() ? title : shortGroupTitle(own, metrics, inner.width()));
        return;
    }
    p.drawText(QRectF(inner.x(), inner.y(), inner.width(), inner.height() / 2), Qt::AlignLeft | Qt::AlignVCenter,
               metrics.elidedText(title, Qt::ElideMiddle, inner.width()));
    p.setFont(fonts_.small);
    p.setPen(c(Role::Secondary));
    p.drawText(QRectF(inner.x(), inner.center().y(), inner.width(), inner.height() / 2), Qt::AlignLeft | Qt::AlignVCenter,
               QFontMetricsF(fonts_.small).elidedText(groupSummary(placed.group), Qt::ElideRight, inner.width()));
}

}  // namespace aliascope
