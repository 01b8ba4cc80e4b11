#pragma once
// The state of one run of `functionalize` over one graph body: storages, handles, and the primitives sync, write and put back
// (functionalize.md 2.1, 2.2). Private to the pass; the rules per kind of node are in the other functionalize_*.cpp.
//
// A handle is one live tensor of the source program. Handles form trees: a view's parent is what it was cut from, the root is the whole storage.
// Each caches the node that holds its value and the generation of the storage for which that node is valid; a write makes every handle of the
// storage stale, and a stale handle is regenerated from its parent when it is next read. Views that are never read again cost nothing.

#include <cstdint>
#include <deque>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <unordered_map>
#include <unordered_set>
#include <utility>
#include <vector>

#include "core/analysis/alias.h"
#include "core/analysis/footprint.h"
#include "core/ops/infer.h"
#include "core/pipeline/pass.h"

namespace aliascope::functionalization {

inline const Name kGetItem("operator::getitem"), kAsStrided("aten::as_strided"), kViewAsReal("aten::view_as_real");

enum class Form : std::uint8_t { V1, V2, Auto };

/// How a view is cut out of its parent: operator and arguments without the viewed tensor. `output` is the component of a list result.
struct ViewStep {
    Name op;  ///< empty = the parent's value itself (detach)
    std::vector<Value> args;
    std::vector<Keyword> kwargs;
    int output = -1;
};

struct Storage;

struct Handle {
    Storage* storage = nullptr;
    Handle* parent = nullptr;  ///< null for the handle of the whole storage
    ViewStep step;
    NodeId source;  ///< node of the source program that made it
    NodeId value;
    std::uint32_t generation = 0;        ///< of the storage when `value` was made
    std::optional<TensorType> geometry;  ///< absolute offset; nothing = unknown
    /// Nothing that tracks views sees through this step: other dtype, real against complex, or an alias that the schema hides. Such a view is a
    /// base of its own for v2 (functionalize.md 6.1).
    bool boundary = false;
    /// Several of its indices, or of a view that it is cut from, are one element: only its own window of the storage can be put back.
    bool repeats = false;
    Handle* replacedBy = nullptr;  ///< after `set_` and `t_`: the tensor is this handle from now on
};

struct Storage {
    Handle* root = nullptr;
    std::uint32_t generation = 0;  ///< number of writes so far
    NodeId input;                  ///< placeholder or get_attr that it belongs to; invalid for intermediates
    NodeId first;                  ///< its first value
    NodeId writer;                 ///< last node that wrote it
    bool frozen = false;           ///< replaced by `set_`: writes are errors
    bool swapped = false;          ///< an input whose storage was replaced by `set_`
    bool written = false;          ///< since its value was last read
    std::size_t handles = 1;
    std::vector<NodeId> unknownViews;  ///< results of calls that are not ATen and may show it
    NodeId unknownMaker;               ///< such a call, when its result may be its operand
    std::vector<NodeId> undecided;     ///< views of it that may be copies
};

/// A call result that is a list of views.
struct ViewList {
    Handle* base = nullptr;
    ViewStep step;
    std::uint32_t generation = 0;
    bool boundary = false;
};

/// What a run tells about the inputs of a body: which placeholders it wrote (by position) and their new values.
struct BodyWrite {
    std::size_t placeholder;
    NodeId value;
};

class Functionalizer {
public:
    /// `writtenInputs` null: a main graph, inputs get `copy_` nodes. Else a body: new values of written placeholders are reported there.
    Functionalizer(Graph& g, PassContext& ctx, Form form, std::vector<BodyWrite>* writtenInputs = nullptr);
    /// Before run(): new values are laid out as the program's own in dimensions of one element, too.
    void keepUnitStrides() { unitStrides_ = true; }
    Status run();
    /// After run(): new values of storages that differ from the program's own in the strides of dimensions of one element, in graph order. Those
    /// address nothing, but the layout of what is computed from such a value can depend on them.
    const std::vector<NodeId>& laidOtherwise() const { return laidOtherwise_; }

private:
    // --- values and emission (functionalize_state.cpp)
    Handle* handleOf(NodeId id);           ///< of a tensor; made on demand
    Handle* knownHandle(NodeId id) const;  ///< null when the node needs none: its value is itself
    Handle* newRoot(NodeId source, NodeId value, NodeId input = {});
    Handle* addView(Handle* parent, ViewStep step, NodeId source, NodeId value, std::optional<TensorType> geometry, bool boundary = false);
    NodeId valueOf(Handle* h);  ///< "sync": the node that holds the newest value
    Value current(const Value& v);
    void syncOperands(NodeId id);
    NodeId emit(Name op, std::vector<Value> args, std::vector<Keyword> kwargs = {}, const TypePtr& fallback = nullptr,
                std::string_view candidate = {});
    NodeId emitItem(NodeId tuple, Value key, TypePtr type);
    /// Makes node `id` a call of `op` in place; infers its type, or keeps what is known of it.
    void become(NodeId id, Name op, std::vector<Value> args, std::vector<Keyword> kwargs, std::string_view candidate = {});
    void setHandle(NodeId id, Handle* h);
    void learnSymbol(NodeId id);
    Value sizeValue(const SymInt& s, NodeId tensor, std::int64_t dim);
    Value symbolValue(const SymInt& s, const std::function<NodeId()>& make);
    std::vector<Value> sizeValues(const std::vector<SymInt>& sizes, const std::function<NodeId()>& tensor);
    std::optional<TensorType> geometryOf(NodeId source) const;
    std::string nameOf(NodeId id) const;  ///< as the source program has it, for messages
    std::string nameOf(const Handle* h) const;

    // --- writing (functionalize_write.cpp)
    Status checkWrite(Handle* h, bool selfOverlapAllowed);
    Status write(Handle* h, NodeId value);
    Status putBack(Handle* h, NodeId value);
    /// Gives the storage's value the strides that the program's own had: views and as_strided address memory by them.
    void restoreLayout(Storage& storage);
    Handle* unitRoot(Handle* h) const;  ///< the outermost ancestor with h's element type

    // --- views (functionalize_views.cpp)
    bool isViewCall(NodeId id, const OpDef* op) const;
    Status viewCall(NodeId id, const OpDef& op);
    NodeId replay(Handle* h, NodeId parent);
    bool hasInverse(const Handle* h) const;
    Result<NodeId> invert(Handle* h, NodeId value);
    bool fitsAsView(NodeId base, const std::optional<TensorType>& view) const;  ///< false only when a view is known to be impossible
    NodeId withUnitLastStride(NodeId value);
    Value addValues(const Value& a, const Value& b);
    std::optional<SymInt> symOf(const Value& v) const;
    std::optional<TensorType> viewGeometryOf(NodeId view, const Handle* parent) const;

    // --- rules per kind of node (functionalize_aten.cpp, _custom.cpp, _v2.cpp, _triton.cpp, _epilogue.cpp, _bodies.cpp)
    Status node(NodeId id);
    Status call(NodeId id);
    Status item(NodeId id);
    struct Written {
        std::size_t param;
        int element = -1;
        Handle* handle = nullptr;  ///< null for None
    };
    Status atenWrite(NodeId id, const OpDef& op);
    /// Names of the tensors that the call only reads and that overlap what it writes, where PyTorch runs it nevertheless.
    Value aliasedReads(const BoundCall& call, const std::vector<Written>& written) const;
    bool elementsDepend(const BoundCall& call, const std::vector<Written>& written);
    Status foreachByElement(NodeId id, const std::vector<Written>& written, const OpDef& functional);
    Status storeResults(NodeId id, const OpDef& op, const OpDef& functional, const std::vector<Written>& written, const TypePtr& oldType,
                        std::vector<NodeRef>& made);
    NodeId emitResult(NodeId tuple, std::int64_t index, const Handle* written);  ///< its type as inferred, else that of what it replaces
    Status resizeOut(Handle* h, NodeId value);
    Status metadataCall(NodeId id, const OpDef& op);
    Status setCall(NodeId id, const OpDef& op);
    Status operatorCall(NodeId id);
    Status setItemCall(NodeId id, Handle* self);

    Status customCall(NodeId id, const OpDef& op);
    /// The form that a search over whole runs found cheaper (PassContext::forms); null = v2, which copies no more than v1 by the rules of one call.
    const WriteForms::Effect* cheaperV1(NodeId id, const BoundCall& call, const std::vector<Written>& written) const;
    void reportForm(NodeId id, const OpDef& op, const std::vector<Written>& written);
    Status checkEligible(NodeId id, const OpDef& op);
    Result<std::vector<Written>> writtenOf(NodeId id, const BoundCall& call);
    Status wrapV1(NodeId id, const BoundCall& call, const std::vector<Written>& written);
    void becomeWrapper(NodeId id, Name wrapper, const OpDef& op, std::vector<Keyword> kwargs);
    void takeReturns(NodeId wrapper, const OpDef& op, const TypePtr& oldType, std::vector<NodeRef>& made);
    void reportWrapped(NodeId id, const NodeRef& before, const OpDef& op, std::string_view form, std::vector<NodeRef> made,
                       const std::vector<Written>& written, std::size_t bases);
    void reportOverlaps(NodeId id, const BoundCall& call, const std::vector<Written>& written);
    void reportAliasedReads(NodeId id, const BoundCall& call, const std::vector<Written>& written);
    Overlap overlap(const Handle* a, const Handle* b) const;

    Status wrapV2(NodeId id, const BoundCall& call, const std::vector<Written>& written);
    Handle* baseOf(Handle* h) const;
    static bool showsNothing(const Handle* h);
    bool encodable(const Handle* h, const Handle* base) const;
    Status checkBases(NodeId id, const std::vector<Handle*>& bases);
    std::vector<Keyword> encodeView(NodeId id, Handle* h, Handle* base, const std::string& prefix, std::int64_t index);
    std::optional<SymInt> exactQuotient(const Handle* h, const SymInt& offset, const SymInt& stride) const;
    bool fits(const SymInt& start, const SymInt& length, const SymInt& size) const;
    void reportSliceStart(NodeId id, const Handle* h, const SymInt& start, const SymInt& baseOffset);

    Status launch(NodeId id);
    void reportLaunchAliases(NodeId id, const std::vector<std::pair<Name, Handle*>>& written);
    struct BodyEffect {
        std::set<std::size_t> placeholders;  ///< that the body writes; new values follow its own results in this order
        std::size_t results = 0;             ///< its own
        bool refused = false;                ///< left as it is
        bool shared = false;                 ///< a call has been rewritten for it
    };
    Status otherCall(NodeId id);
    void noteUnknownAliases(NodeId id);
    Status checkKnownAliases(const Storage& storage);
    Status bodies(NodeId id, bool& done);
    Result<BodyEffect> functionalizeBody(NodeId id, Name attribute);

    Status epilogue(NodeId output);
    /// Ends the functional part before `id`: memory gets the values that writes would have left, and what follows reads memory again.
    Status stopBefore(NodeId id);
    NodeId inMemory(Handle* h);

    // --- reports
    /// True the first time for (code, key): defects are said once.
    bool firstTime(std::string_view code, std::string_view key);
    void rewrite(std::string rule, std::vector<NodeRef> before, std::vector<NodeRef> after);
    void decide(NodeId id, std::string code, std::string argument, Params params, NodeId origin = {});
    tl::unexpected<Diagnostic> failAt(NodeId id, std::string code, Params params);

    Graph& g_;
    PassContext& ctx_;
    const OpRegistry& ops_;
    Form form_;
    std::vector<BodyWrite>* writtenInputs_;
    AliasInfo alias_;
    std::vector<Name> sourceNames_;  ///< by node id

    std::deque<Handle> handles_;
    std::deque<Storage> storages_;
    std::vector<Handle*> handleOf_;  ///< by node id
    std::unordered_map<NodeId, ViewList> viewLists_;
    std::unordered_map<NodeId, std::vector<Handle*>> resultHandles_;  ///< tuple results that are written arguments; null = fresh
    std::unordered_map<NodeId, NodeId> itemOwner_;                    ///< getitem -> first getitem of the same component
    std::map<std::pair<NodeId, std::string>, NodeId> items_;
    std::unordered_map<Name, BodyEffect> bodyWrites_;  ///< by attribute
    std::unordered_set<NodeId> keptCopies_;            ///< `copy_` nodes that end a graph which is functional otherwise
    std::unordered_map<Name, NodeId> constants_;       ///< get_attr target -> its first node
    std::vector<Storage*> inputs_;                     ///< storages of placeholders and constants, in graph order
    std::unordered_multimap<std::uint64_t, NodeId> symbols_;
    bool unitStrides_ = false;
    std::vector<NodeId> laidOtherwise_;
    std::unordered_set<std::string> said_;
    std::unordered_map<const Handle*, NodeId> inMemory_;  ///< after stopBefore

    NodeId at_;      ///< new nodes go before this one; invalid = at the end
    NodeId origin_;  ///< source node on whose behalf nodes are made now
};

/// Does some element of the storage belong to two indices? Exact up to a million elements; beyond that, what the nesting of strides says.
bool overlapsItself(const TensorType& t);
/// True when `id` is a call that this pass has to rewrite.
bool needsFunctionalizing(const OpRegistry& ops, const Graph& g, NodeId id);
/// True when the graph itself writes, its functional epilogue left out.
bool graphWrites(const OpRegistry& ops, const Graph& g);
/// The same for the graph and the bodies in it.
bool needsWork(const OpRegistry& ops, const Graph& g);
/// The `copy_` nodes of a functional epilogue (functionalize.md 3.2): at the end, into inputs or constants, each once, followed only by views and the
/// output, and nothing after them reads what they overwrite.
std::unordered_set<NodeId> epilogueCopies(const OpRegistry& ops, const Graph& g);

/// `aten::add_.Tensor` -> `add_`: what PyTorch names a node after.
std::string_view candidateName(Name op);

}  // namespace aliascope::functionalization
