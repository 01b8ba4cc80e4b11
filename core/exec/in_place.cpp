// Operators that write their arguments: from the functional counterpart's kernel, over the argument itself where that is safe (executor.md 2.2, 3.3).

#include <algorithm>

#include "core/exec/overlap.h"
#include "core/exec/run.h"

namespace aliascope::exec {
namespace {

/// bool < integer < float < complex.
int category(DType dtype) {
    const DTypeInfo& i = info(dtype);
    return i.complex ? 3 : i.floating ? 2 : i.integral ? 1 : 0;
}

std::string paramName(const OpPlan& op, std::size_t i) {
    return i < op.op->schema.params.size() ? op.op->schema.params[i].name.str() : std::to_string(i);
}

const Tensor& tensorArg(const OpPlan& op, const Args& args, std::size_t i) {
    if (const Tensor* t = i < args.size() ? args[i].tensor() : nullptr) return *t;
    failUnsupported(paramName(op, i) + " is no tensor");
}

/// The same elements in the same order: a dimension of one element may have any stride.
bool sameElements(const Tensor& a, const Tensor& b) {
    if (a.storage != b.storage || a.dtype != b.dtype || a.offset != b.offset || a.sizes != b.sizes) return false;
    for (std::size_t d = 0; d < a.rank(); ++d)
        if (a.sizes[d] != 1 && a.strides[d] != b.strides[d]) return false;
    return true;
}

}  // namespace

/// PyTorch's refusals before a write; what it accepts with an order of its own is noted.
void Run::checkWrite(const OpPlan& op, const Args& args, std::size_t written) {
    const Tensor& target = tensorArg(op, args, written);
    switch (selfOverlap(target)) {
        case SelfOverlap::Stretched:
            failExec("OVERLAP_REFUSED", {{"arg", paramName(op, written)}, {"other", "itself"}});
        case SelfOverlap::Some:
            warnOnce("OVERLAPPING_WRITE", op.op->canonical, {{"node", failure_.node.str()}, {"arg", paramName(op, written)}});
            break;
        case SelfOverlap::None:
            break;
    }
    for (std::size_t i = 0; i < args.size(); ++i) {
        if (i == written) continue;
        args[i].forEachTensor([&](const Tensor& other) {
            const MutualOverlap overlap = mutualOverlap(target, other);
            if (overlap == MutualOverlap::Partial) failExec("OVERLAP_REFUSED", {{"arg", paramName(op, written)}, {"other", paramName(op, i)}});
            if (overlap == MutualOverlap::Some)
                warnOnce("OVERLAPPING_WRITE", op.op->canonical, {{"node", failure_.node.str()}, {"arg", paramName(op, written)}});
        });
    }
}

RuntimeValue Run::callInPlace(const OpPlan& op, Args args) {
    static const Name copy("aten::copy_");
    if (op.op->canonical == copy) return copyInto(op, args);
    for (const std::size_t w : op.written)
        if (w < args.size() && args[w].tensor()) checkWrite(op, args, w);
    if (!op.kernel) return storeFunctional(op, args);
    OpCall call;
    call.op = op.op;
    call.name = op.op->canonical;
    for (const std::size_t w : op.written)
        if (w < args.size()) args[w].forEachTensor([&](const Tensor& t) { call.outputs.push_back(t); });
    call.args = args;
    runKernel(*op.kernel, call);
    for (const Tensor& t : call.outputs)
        if (t.storage) ++t.storage->generation;
    return returnedArguments(op, args, {});
}

/// Results of a writing operator: the arguments that it returns, then its fresh results.
RuntimeValue Run::returnedArguments(const OpPlan& op, const Args& args, RuntimeList freshResults) {
    const Schema& schema = op.op->schema;
    RuntimeList results;
    std::size_t next = 0;
    for (std::size_t r = 0; r < schema.returns.size(); ++r) {
        std::size_t p = 0;
        while (p < schema.params.size() && schema.alias(r, p) != AliasKind::Same) ++p;
        if (p < args.size())
            results.push_back(args[p]);
        else
            results.push_back(next < freshResults.size() ? std::move(freshResults[next++]) : RuntimeValue());
    }
    if (results.empty()) return {};
    return results.size() == 1 ? std::move(results[0]) : RuntimeValue(std::move(results));
}

/// `copy_`: broadcasts, converts, and does nothing when both are the same elements. Where such views differ in the stride of a dimension of one
/// element eager PyTorch refuses; the code that it compiles does not.
RuntimeValue Run::copyInto(const OpPlan& op, const Args& args) {
    const Tensor &target = tensorArg(op, args, 0), &source = tensorArg(op, args, 1);
    if (sameElements(target, source)) return args[0];
    checkWrite(op, args, 0);
    bool fits = source.rank() <= target.rank();
    for (std::size_t d = 0; fits && d < source.rank(); ++d) {
        const std::int64_t size = source.sizes[source.rank() - 1 - d];
        fits = size == 1 || size == target.sizes[target.rank() - 1 - d];
    }
    if (!fits) failShape(paramName(op, 1), source.type().str(false, false), target.type().str(false, false));
    if (backend_.computes()) {
        const bool shared = mutualOverlap(target, source) == MutualOverlap::Some;
        backend_.copy(target, shared ? copyOf(source, false) : source);
        noteCast(target, source);
    }
    ++target.storage->generation;
    return args[0];
}

/// Whether the functional kernel may write its result over `target` while it reads its operands.
bool Run::writesDirectly(const OpPlan& op, const Args& args, const Tensor& target, const Geometry& result) {
    if (!op.functionalKernel || op.functionalKernel->resultTypes || result.dtype != target.dtype) return false;
    const bool untouchedStay = op.op->is(Trait::PartialWrite);
    if (!op.functionalKernel->elementwise && !untouchedStay) return false;
    if (selfOverlap(target) != SelfOverlap::None) return false;
    bool apart = true;
    for (std::size_t i = 0; i < args.size(); ++i)
        args[i].forEachTensor([&](const Tensor& other) {
            const MutualOverlap overlap = mutualOverlap(target, other);
            const bool self = untouchedStay ? i == op.written[0] : true;
            apart = apart && (overlap == MutualOverlap::None || (overlap == MutualOverlap::Same && self));
        });
    return apart;
}

RuntimeValue Run::storeFunctional(const OpPlan& op, Args& args) {
    const OpDef& functional = *op.functional;
    const OpPlan& plan = ops_.of(functional);
    Args inputs;
    for (const SchemaParam& p : functional.schema.params) {
        const int at = op.op->schema.paramIndex(p.name);
        if (at >= 0 && static_cast<std::size_t>(at) < args.size())
            inputs.push_back(args[static_cast<std::size_t>(at)]);
        else if (p.type.isOptional())
            inputs.emplace_back();
        else
            failUnsupported("its functional form has another parameter " + p.name.str());
    }
    const bool one = op.written.size() == 1 && functional.schema.returns.size() == 1;
    const Tensor* target = one && op.written[0] < args.size() ? args[op.written[0]].tensor() : nullptr;
    if (target && plan.means == Means::Kernel) {
        types_.bind(functional, inputs);
        const Inferred found = types_.infer();
        const TensorType* type = asTensor(found.type);
        const auto result = type ? evaluate(*type, {}) : std::nullopt;
        if (result) {
            static const Name resizing("aten::addbmm_");  // PyTorch gives self the shape of the product
            if (result->sizes != target->sizes && op.op->canonical == resizing) return callOperator(plan, std::move(inputs));
            if (result->sizes != target->sizes) failShape(paramName(op, op.written[0]), target->type().str(false, false), type->str(false, false));
            if (category(result->dtype) > category(target->dtype))
                failUnsupported("a result of " + std::string(info(result->dtype).shortName) + " does not fit into " +
                                std::string(info(target->dtype).shortName));
        }
        if (result && writesDirectly(op, args, *target, *result)) {
            OpCall call;
            call.op = &functional;
            call.name = functional.canonical;
            call.args = std::move(inputs);
            call.outputs = {*target};
            runKernel(*plan.kernel, call);
            ++target->storage->generation;
            return returnedArguments(op, args, {});
        }
    }
    RuntimeValue computed = callOperator(plan, std::move(inputs));
    RuntimeList results;
    if (functional.schema.returns.size() == 1)
        results.push_back(std::move(computed));
    else if (auto* list = std::get_if<RuntimeList>(&computed.data))
        results = std::move(*list);
    if (results.size() < op.written.size()) failUnsupported("its functional form returns too little");
    const std::size_t first = results.size() - op.written.size();
    for (std::size_t w = 0; w < op.written.size(); ++w) storeInto(args[op.written[w]], results[first + w], paramName(op, op.written[w]));
    const bool others = first > 0;
    return returnedArguments(op, args, others ? RuntimeList(results.begin(), results.begin() + static_cast<std::ptrdiff_t>(first)) : RuntimeList());
}

void Run::storeInto(const RuntimeValue& target, const RuntimeValue& value, const std::string& param) {
    if (const RuntimeList* list = target.list()) {
        const RuntimeList* values = value.list();
        if (!values || values->size() != list->size()) failUnsupported("its functional form returns another number of tensors for " + param);
        for (std::size_t i = 0; i < list->size(); ++i) storeInto((*list)[i], (*values)[i], param);
        return;
    }
    const Tensor *to = target.tensor(), *from = value.tensor();
    if (!to || !from) return;
    if (to->sizes != from->sizes) failShape(param, to->type().str(false, false), from->type().str(false, false));
    if (category(from->dtype) > category(to->dtype))
        failUnsupported("a result of " + std::string(info(from->dtype).shortName) + " does not fit into " + std::string(info(to->dtype).shortName));
    if (backend_.computes()) backend_.copy(*to, *from);
    if (to->storage) ++to->storage->generation;
}

}  // namespace aliascope::exec
