#include "core/patterns/pattern_set.h"

#include <algorithm>

namespace aliascope::patterns {
namespace {

std::size_t alternatives(const Rule& rule, bool dtypes) {
    std::size_t out = 1;
    for (const Example& e : rule.examples) {
        if (dtypes)
            out = std::max(out, e.dtypes.size());
        else
            for (const auto& size : e.sizes) out = std::max(out, size.size());
    }
    return out;
}

template <class T>
const T& alternative(const std::vector<T>& all, std::size_t i) {
    return all[std::min(i, all.size() - 1)];
}

bool usesVariantDType(const Rule& rule) {
    return std::any_of(rule.examples.begin(), rule.examples.end(),
                       [](const Example& e) { return std::find(e.dtypes.begin(), e.dtypes.end(), "f") != e.dtypes.end(); });
}

bool wantsGradient(const Rule& rule) {
    return std::any_of(rule.examples.begin(), rule.examples.end(), [](const Example& e) { return e.gradient; });
}

/// Numbers of examples are dropout probabilities.
bool hasDropout(const Rule& rule) {
    return std::any_of(rule.examples.begin(), rule.examples.end(), [](const Example& e) { return !e.tensor; });
}

/// Calls without users go; the outputs are held by the output node.
void removeDead(Graph& g) {
    const std::vector<NodeId> order = g.order();
    for (auto it = order.rbegin(); it != order.rend(); ++it)
        if (g[*it].isCall() && !g.hasUsers(*it)) g.erase(*it);
}

std::string guardText(const Rule& rule) {
    std::string out;
    for (const Guard& guard : rule.where) out += guard.text + ";";
    return out;
}

std::string spell(const Expr& e) {
    std::string out = std::to_string(static_cast<int>(e.kind)) + e.name;
    for (const std::string& op : e.ops) out += op + "|";
    if (e.kind == Expr::Kind::Literal) out += e.literal.asNumber() ? pythonFloat(*e.literal.asNumber()) : e.literal.name().str();
    out += "(";
    for (const Argument& a : e.args) out += a.key + "=" + spell(a.value) + ",";
    return out + ")";
}

bool sameAction(const Action& a, const Action& b) {
    if (guardText(*a.rule) != guardText(*b.rule) || a.rule->make.size() != b.rule->make.size()) return false;
    for (std::size_t i = 0; i < a.rule->make.size(); ++i)
        if (spell(a.rule->make[i]) != spell(b.rule->make[i])) return false;
    return true;
}

}  // namespace

std::vector<Value> traceSearch(const Rule& rule, Program& program, Environment& environment, const std::vector<Value>& parameters,
                               const TensorType* tangent) {
    std::vector<Value> out;
    for (const Expr& e : rule.find) out.push_back(evaluate(e, environment, program));
    if (!program.training()) return out;
    TensorType type = tangent ? *tangent : program.tensor(out.front());
    if (!tangent) type.strides = TensorType::contiguousStrides(type.sizes);
    const Value grad = program.input("tangents_1", std::move(type), false);
    for (Value& v : program.backward(out.front(), grad, parameters)) out.push_back(std::move(v));
    return out;
}

Status PatternSet::add(const PatternFile& file) {
    std::vector<std::shared_ptr<const Rule>> rules;
    for (const Rule& rule : file.rules) rules.push_back(std::make_shared<const Rule>(rule));
    for (const char* dtype : {"f32", "f16"}) {
        for (const auto& rule : rules) {
            if (rule->examples.empty()) {
                if (std::string_view(dtype) != "f32") continue;
                const Canonicalize canonicalize =
                    options_.canonicalize ? Canonicalize([this](Graph& g) { options_.canonicalize(g, true); }) : Canonicalize();
                auto pattern = patternOfRule(*rule, ops_, canonicalize, file.name);
                if (!pattern) return fail(pattern.error());
                Action action;
                action.rule = rule;
                action.name = rule->name;
                action.pattern = std::move(*pattern);
                if (auto entered = enter(std::move(action)); !entered) return entered;
            } else if (usesVariantDType(*rule) || std::string_view(dtype) == "f32") {
                if (auto added = addTraced(rule, dtype); !added) return added;
            }
        }
    }
    std::vector<std::size_t> order(actions_.size());
    for (std::size_t i = 0; i < order.size(); ++i) order[i] = i;
    std::stable_sort(order.begin(), order.end(),
                     [&](std::size_t a, std::size_t b) { return actions_[a].rule->priority > actions_[b].rule->priority; });
    for (std::size_t i = 0; i < order.size(); ++i) actions_[order[i]].order = i;
    for (Form& form : forms_)
        std::sort(form.actions.begin(), form.actions.end(), [&](std::size_t a, std::size_t b) { return actions_[a].order < actions_[b].order; });
    return {};
}

/// Which of its alternatives a rule is traced with.
struct PatternSet::Variant {
    std::string dtype;
    std::size_t sizes = 0, dtypes = 0;
    bool training = false, dropout = true;

    std::string suffix() const {
        return std::string(dtype == "f16" ? "_half" : "") + (dtypes > 0 ? "_mask_fp32" : "") + (sizes > 0 ? "_bs1" : "") +
               (training ? dropout ? "_training" : "_training_without_dropout" : "_inference");
    }
};

Status PatternSet::addTraced(const std::shared_ptr<const Rule>& rule, const std::string& dtype) {
    for (std::size_t d = 0; d < alternatives(*rule, true); ++d) {
        if (d > 0 && dtype == "f32") continue;  // the alternatives are for 16-bit examples
        for (std::size_t s = 0; s < alternatives(*rule, false); ++s) {
            std::vector<Variant> variants;
            if (wantsGradient(*rule)) variants.push_back({dtype, s, d, true, true});
            if (wantsGradient(*rule) && hasDropout(*rule) && options_.relaxed) variants.push_back({dtype, s, d, true, false});
            variants.push_back({dtype, s, d, false, false});
            for (const Variant& variant : variants)
                if (auto added = addVariant(rule, variant); !added) return added;
        }
    }
    return {};
}

Status PatternSet::addVariant(const std::shared_ptr<const Rule>& rule, const Variant& variant) {
    const bool training = variant.training;
    Action action;
    action.rule = rule;
    action.traced = true;
    action.training = training;
    action.name = rule->name + variant.suffix();
    try {
        Program program(ops_, training);
        Environment environment;
        std::vector<Value> parameters;
        TraceForm form;
        form.reference = !options_.relaxed;
        for (const Example& e : rule->examples) {
            Value v;
            if (e.tensor) {
                TensorType t;
                const std::string& name = alternative(e.dtypes, variant.dtypes);
                t.dtype = *dtypeFromShortName(name == "f" ? variant.dtype : name);
                t.device = "cpu"_n;
                for (const auto& size : e.sizes) t.sizes.emplace_back(alternative(size, variant.sizes));
                v = program.input(e.capture, std::move(t), e.gradient);
            } else {
                v = Value::real(variant.dropout ? e.number : 0.0);
                if (training && variant.dropout) form.magic[e.capture] = e.number;
            }
            environment["$" + e.capture] = v;
            parameters.push_back(v);
        }
        std::vector<Value> outputs = traceSearch(*rule, program, environment, parameters, nullptr);
        const NodeId output = program.finish(std::move(outputs));
        Graph& g = program.graph();
        if (options_.canonicalize) options_.canonicalize(g, training);
        removeDead(g);
        if (training) action.tangent = "tangents_1";
        action.pattern = patternOfTrace(g, g[output].arg(0).items(), form, action.name);
    } catch (const TraceError& e) {
        return fail(userError("REPLACEMENT_TRACE", {{"message", rule->name + ": " + e.message}}));
    }
    return enter(std::move(action));
}

Status PatternSet::enter(Action action) {
    const std::string key = normalForm(action.pattern, options_.reference);
    const std::size_t index = actions_.size();
    const auto [it, fresh] = byForm_.emplace(key, forms_.size());
    if (!fresh) {
        const Action& first = actions_[forms_[it->second].actions.front()];
        if (options_.reference) {
            dropped_.emplace_back(action.name, first.name);
            return {};
        }
        Diagnostic note = info("DUPLICATE_NORMAL_FORM", {{"first", first.name}, {"second", action.name}});
        if (options_.unique && sameAction(first, action)) {
            note.severity = Severity::Error;
            return fail(std::move(note));
        }
        notes_.push_back(std::move(note));
        forms_[it->second].actions.push_back(index);
        actions_.push_back(std::move(action));
        return {};
    }
    (action.training ? training_ : inference_).insert(action.pattern, static_cast<std::uint32_t>(forms_.size()));
    forms_.push_back({{index}});
    actions_.push_back(std::move(action));
    return {};
}

std::vector<Name> PatternSet::roots() const {
    std::vector<Name> out;
    for (const Net* net : {&inference_, &training_})
        for (const OpMatch& op : net->roots()) {
            std::vector<Name> names = {op.name};
            if (op.family)
                for (const OpDef* def : ops_.overloads(op.name)) names.push_back(def->canonical);
            for (Name name : names)
                if (std::find(out.begin(), out.end(), name) == out.end()) out.push_back(name);
        }
    return out;
}

PatternSet::Found PatternSet::find(const Graph& g, NodeId root, bool training) const {
    Found out;
    const Net::Found inference = inference_.find(g, root), joint = training_.find(g, root);
    for (const Net::Found* found : {&inference, &joint})
        for (std::uint32_t form : found->numbers) out.forms.push_back(form);
    std::sort(out.forms.begin(), out.forms.end(),
              [&](std::size_t a, std::size_t b) { return actions_[forms_[a].actions.front()].order < actions_[forms_[b].actions.front()].order; });
    const Net::Found& near = training && joint.nearest != Net::kNone ? joint : inference;
    if (near.nearest != Net::kNone) {
        out.nearest = &actions_[forms_[near.nearest].actions.front()];
        out.depth = near.depth;
    }
    return out;
}

}  // namespace aliascope::patterns
