#pragma once
// The graph of one stage, drawn with QPainter on a scroll area: no scene graph (ui.md 2.3, 4.2, 4.4, 7.2).
// Two layers: a base image (stage, zoom, colour mode) and an overlay (selection, hover, alias and mutation edges) drawn over it.

#include <QAbstractScrollArea>
#include <QImage>
#include <QJsonObject>
#include <functional>
#include <memory>
#include <unordered_map>
#include <unordered_set>
#include <vector>

#include "views/session/stage_view.h"
#include "views/session/storage_pins.h"

namespace aliascope {

enum class ColourMode : std::uint8_t { Diff, Storage, Family, Bytes, LiveAtPeak, None };
inline constexpr int kColourModes = 6;
const char* colourModeWord(ColourMode mode);
/// Bytes that a node's value takes of the peak of memory.
using HeatMap = std::unordered_map<Uid, std::int64_t>;

class GraphCanvas : public QAbstractScrollArea {
    Q_OBJECT

public:
    explicit GraphCanvas(QWidget* parent = nullptr);
    ~GraphCanvas() override;

    /// Shows a stage. The selected node keeps its place on the screen; without counterpart the nearest surviving neighbour does. Null clears.
    void setStage(StageViewPtr view);
    const StageViewPtr& stage() const;
    /// Decisions decorate cards (row 4: verdict chip with the short reason).
    void setDecisions(std::shared_ptr<const std::vector<DecisionRow>> decisions);

    /// Selects without emitting; scrolls only if the card is not visible, then to a third of the height.
    void setSelection(const Selection& selection);
    const Selection& selection() const;
    void reveal(Uid uid);
    /// A thin frame round the card of a node that the pointer rests on in another view; kNoUid = none.
    void setPreview(Uid uid);

    /// Viewport rectangle of the card that shows `uid` (its group's when collapsed); empty when it is not drawn.
    QRect cardRect(Uid uid) const;
    /// The node under a viewport position; kNoUid when there is none.
    Uid nodeAt(QPoint position) const;
    /// Of the nodes that are `wanted` the one whose card is nearest to a viewport position: among the cards in sight, else in surroundings that grow
    /// until there is one; a closed group stands for its first node. kNoUid when the nearest thousands of cards are none.
    Uid nearestNode(QPoint position, const std::function<bool(Uid)>& wanted) const;

    void setColourMode(ColourMode mode);
    ColourMode colourMode() const;
    /// What colours mean in the mode LiveAtPeak; null = not known yet.
    void setHeat(std::shared_ptr<const HeatMap> heat);
    /// Nodes that a search found, as indices into the stage's nodes; null = none is sought.
    void setHits(std::shared_ptr<const std::vector<std::uint32_t>> hits);
    const std::vector<std::uint32_t>* hits() const;
    /// Nodes that carry a pin in their corner.
    void setPins(const std::unordered_set<Uid>& pins);
    /// Colours of storages; pinned ones are marked in every colour mode.
    void setStorageColours(const StorageColours& colours);
    const StorageColours& storageColours() const;
    void setAliasHighlight(bool on);  ///< A: the storage of the selected node, the rest dimmed
    void setMutationEdges(bool on);   ///< Shift+M

    double zoom() const;
    void setZoom(double zoom);  ///< snapped to the ladder; keeps the centre
    void zoomIn();
    void zoomOut();
    void fitWidth();
    void fitSelection();
    /// Zoom and scroll position, to come back to.
    struct Place {
        double zoom = 1;
        QPoint scroll;
    };
    Place place() const;
    void setPlace(const Place& place);

    /// What is drawn, for tests: zoom, level, visible cards with uid, texts, states.
    QJsonObject dump() const;

Q_SIGNALS:
    void selected(aliascope::Uid uid);   ///< clicked or moved to by keys; kNoUid clears
    void activated(aliascope::Uid uid);  ///< double click, Enter
    /// Ctrl+click, Shift+arrow, a rectangle drawn with Shift: these too; one that is selected already no more.
    void extended(const std::vector<aliascope::Uid>& uids);
    void hovered(aliascope::Uid uid);
    void pinToggled(aliascope::Uid uid);      ///< Space
    void groupToggled(const QString& group);  ///< title of a group to open or close; whoever owns the stage draws it anew
    void zoomChanged(double zoom);
    void viewportMoved();  ///< for the overview strip

public:
    struct Private;

protected:
    void paintEvent(QPaintEvent* event) override;
    void resizeEvent(QResizeEvent* event) override;
    void mousePressEvent(QMouseEvent* event) override;
    void mouseMoveEvent(QMouseEvent* event) override;
    void mouseReleaseEvent(QMouseEvent* event) override;
    void mouseDoubleClickEvent(QMouseEvent* event) override;
    void wheelEvent(QWheelEvent* event) override;
    void keyPressEvent(QKeyEvent* event) override;
    void leaveEvent(QEvent* event) override;
    void changeEvent(QEvent* event) override;
    void scrollContentsBy(int dx, int dy) override;
    bool viewportEvent(QEvent* event) override;

private:
    std::unique_ptr<Private> d_;
};

}  // namespace aliascope
