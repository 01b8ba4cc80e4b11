#include "core/exec/kernel.h"

#include "core/exec/cpu/families.h"

namespace aliascope::exec {

void failExec(std::string_view code, Params params) { throw ExecError{std::string(code), std::move(params)}; }

void failShape(std::string_view argument, std::string got, std::string want) {
    failExec("SHAPE_MISMATCH", {{"arg", std::string(argument)}, {"got", std::move(got)}, {"want", std::move(want)}});
}

void failUnsupported(std::string why) { failExec("UNSUPPORTED_OP", {{"why", std::move(why)}}); }

namespace {

std::string parameterName(const OpCall& call, std::size_t i) {
    return call.op && i < call.op->schema.params.size() ? std::string(call.op->schema.params[i].name.view()) : "argument " + std::to_string(i);
}

const RuntimeValue& at(const OpCall& call, std::size_t i) {
    static const RuntimeValue none;
    return i < call.args.size() ? call.args[i] : none;
}

[[noreturn]] void wrongKind(const OpCall& call, std::size_t i, std::string_view want) {
    failUnsupported(parameterName(call, i) + " is not " + std::string(want));
}

}  // namespace

const RuntimeValue& OpCall::arg(std::string_view param) const {
    static const RuntimeValue none;
    if (!op) return none;
    for (std::size_t i = 0; i < op->schema.params.size() && i < args.size(); ++i)
        if (op->schema.params[i].name.view() == param) return args[i];
    return none;
}

const Tensor& OpCall::tensor(std::size_t i) const {
    if (const Tensor* t = at(*this, i).tensor()) return *t;
    wrongKind(*this, i, "a tensor");
}

const Tensor* OpCall::optionalTensor(std::size_t i) const { return at(*this, i).isNone() ? nullptr : &tensor(i); }

std::int64_t OpCall::integer(std::size_t i) const {
    if (auto v = at(*this, i).integer()) return *v;
    wrongKind(*this, i, "an integer");
}

double OpCall::number(std::size_t i) const {
    if (auto v = at(*this, i).number()) return *v;
    wrongKind(*this, i, "a number");
}

bool OpCall::flag(std::size_t i) const {
    if (auto v = at(*this, i).boolean()) return *v;
    wrongKind(*this, i, "a boolean");
}

Shape OpCall::ints(std::size_t i) const {
    const RuntimeValue& v = at(*this, i);
    if (v.isNone()) return {};
    if (auto one = v.integer()) return {*one};
    const RuntimeList* list = v.list();
    if (!list) wrongKind(*this, i, "a list of integers");
    Shape out;
    for (const RuntimeValue& item : *list) {
        auto n = item.integer();
        if (!n) wrongKind(*this, i, "a list of integers");
        out.push_back(*n);
    }
    return out;
}

std::vector<Tensor> OpCall::tensors(std::size_t i) const {
    const RuntimeValue& v = at(*this, i);
    if (const Tensor* t = v.tensor()) return {*t};
    const RuntimeList* list = v.list();
    if (!list) wrongKind(*this, i, "a list of tensors");
    std::vector<Tensor> out;
    for (const RuntimeValue& item : *list) {
        if (item.isNone()) out.emplace_back();
        else if (const Tensor* t = item.tensor()) out.push_back(*t);
        else wrongKind(*this, i, "a list of tensors");
    }
    return out;
}

std::int64_t OpCall::dim(std::size_t i, std::size_t rank) const {
    std::int64_t d = integer(i), limit = rank == 0 ? 1 : static_cast<std::int64_t>(rank);
    if (d < -limit || d >= limit)
        failExec("INDEX_OUT_OF_RANGE", {{"value", std::to_string(d)}, {"pos", "0"}, {"arg", parameterName(*this, i)}, {"limit", std::to_string(limit)}});
    return d < 0 ? d + limit : d;
}

Kernel& KernelTable::add(std::string_view op, KernelFn run, ToleranceClass tolerance) {
    Kernel& k = entries_[Name(op)];
    k.run = run;
    k.tolerance = tolerance;
    return k;
}

const Kernel* KernelTable::find(Name op) const {
    auto it = entries_.find(op);
    return it == entries_.end() ? nullptr : &it->second;
}

const KernelTable& KernelTable::cpu() {
    static const KernelTable table = [] {
        KernelTable t;
        registerCpuFamilies(t);
        return t;
    }();
    return table;
}

}  // namespace aliascope::exec
