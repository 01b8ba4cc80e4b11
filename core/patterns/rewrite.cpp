#include "core/patterns/rewrite.h"

#include <algorithm>

namespace aliascope::patterns {
namespace {

/// Gives a program the values that a match bound: tensors as placeholders, numbers as they are.
class BoundInputs {
public:
    BoundInputs(const Graph& g, const Action& action, const Match& match, Program& program, bool gradients)
        : g_(g), action_(action), match_(match), program_(program), gradients_(gradients) {}

    std::map<NodeId, Value> stands;
    Environment environment;
    std::vector<Value> parameters;  ///< by example

    void bind() {
        if (action_.traced) {
            for (const Example& e : action_.rule->examples) {
                Value v = e.tensor ? add(e.capture, gradients_ && e.gradient) : scalar(e);
                environment["$" + e.capture] = v;
                parameters.push_back(std::move(v));
            }
        } else {
            for (const std::string& name : action_.pattern.captures) environment["$" + name] = add(name, false);
        }
    }

    Value captured(const std::string& name) const {
        const auto& names = action_.pattern.captures;
        const auto it = std::find(names.begin(), names.end(), name);
        return it == names.end() ? Value() : match_.captures[static_cast<std::size_t>(it - names.begin())];
    }

    Value addNode(const std::string& name, NodeId id) {
        const Value v = program_.input(name, *g_[id].tensor(), false);
        stands[v.asNode()] = Value::node(id);
        return v;
    }

    /// A placeholder for what `name` bound; a number stays a number.
    Value add(const std::string& name, bool gradient) {
        const Value bound = captured(name);
        if (!bound.isNode()) return bound;
        const Node& n = g_[bound.asNode()];
        if (n.type && n.type->asSym()) {
            const Value size = Value::sym(*n.type->asSym());
            return size;
        }
        if (!n.tensor()) throw TraceError{"the type of " + n.name.str() + " is not known"};
        if (gradient && !info(n.tensor()->dtype).floating) throw TraceError{"INTEGER_GRAD " + n.name.str()};
        TensorType type = *n.tensor();
        if (!type.strides) throw TraceError{"the strides of " + n.name.str() + " are not known"};
        const Value v = program_.input(name, std::move(type), gradient);
        stands[v.asNode()] = bound;
        return v;
    }

private:
    Value scalar(const Example& e) const {
        const Value v = captured(e.capture);
        return v.isNone() ? Value::real(0.0) : v;  // of inference forms, where dropout is off
    }

    const Graph& g_;
    const Action& action_;
    const Match& match_;
    Program& program_;
    bool gradients_;
};

Refusal traceRefusal(const TraceError& e, NodeId root) {
    if (e.message.starts_with("INTEGER_GRAD ")) return {"INTEGER_GRAD", {{"node", e.message.substr(13)}}, root, {}, {}};
    return {"REPLACEMENT_TRACE", {{"message", e.message}}, root, {}, {}};
}

class RootAttempt {
public:
    RootAttempt(const PatternSet& set, const Graph& g, NodeId root, const GuardFlags& flags) : set_(set), g_(g), root_(root), flags_(flags) {}

    /// Nothing when the action does not match; else the replacement, or a refusal in `why`.
    std::unique_ptr<Replacement> run(const Action& action, const WriteBetween& writeBetween, std::optional<Refusal>& why) {
        auto found = match(action.pattern, g_, set_.ops(), root_);
        if (!found) return nullptr;
        auto out = std::make_unique<Replacement>();
        out->action = &action;
        out->match = std::move(*found);
        for (const Bound& b : out->match.nodes)
            if (std::find(out->matched.begin(), out->matched.end(), b.node) == out->matched.end()) out->matched.push_back(b.node);
        for (NodeId id : out->matched)
            if (const NodeId write = writeBetween(root_, id)) {
                why =
                    Refusal{"REGION",
                            {{"a", g_[id].name.str()}, {"b", g_[root_].name.str()}, {"write", g_.contains(write) ? g_[write].name.str() : "a node"}},
                            root_,
                            g_.contains(write) ? write : NodeId(),
                            {}};
                return nullptr;
            }
        if ((why = checkGuards(action.rule->where, scope(action, out->match)))) {
            why->nodes = std::move(out->match.nodes);
            return nullptr;
        }
        std::optional<Refusal> wrong = action.traced ? verify(action, out->match) : std::nullopt;
        if (wrong && !set_.options().reference) {
            why = std::move(wrong);
            return nullptr;
        }
        try {
            trace(*out);
        } catch (const TraceError& e) {
            why = traceRefusal(e, root_);
            why->nodes = std::move(out->match.nodes);
            return nullptr;
        }
        out->unsound = std::move(wrong);
        return out;
    }

private:
    GuardScope scope(const Action& action, const Match& m) const {
        GuardScope s{g_, {}, root_, flags_};
        for (std::size_t i = 0; i < action.pattern.captures.size(); ++i) s.values["$" + action.pattern.captures[i]] = m.captures[i];
        for (const Bound& b : m.nodes)
            if (!action.pattern.matchers[b.matcher].label.empty()) s.values["%" + action.pattern.matchers[b.matcher].label] = Value::node(b.node);
        return s;
    }

    /// Runs the search on the tensors of the match and compares every literal and every type: what a loose pattern left open.
    std::optional<Refusal> verify(const Action& action, const Match& m) const {
        try {
            Program program(set_.ops(), action.training);
            BoundInputs inputs(g_, action, m, program, action.training);
            inputs.bind();
            const Value tangent = action.training ? inputs.captured(action.tangent) : Value();
            const TensorType* type = tangent.isNode() ? g_[tangent.asNode()].tensor() : nullptr;
            std::vector<Value> outputs = traceSearch(*action.rule, program, inputs.environment, inputs.parameters, type);
            const NodeId output = program.finish(std::move(outputs));
            Graph& g = program.graph();
            if (set_.options().canonicalize) set_.options().canonicalize(g, action.training);
            TraceForm form;
            form.strict = true;
            form.reference = !set_.options().relaxed;
            Pattern strict = patternOfTrace(g, g[output].arg(0).items(), form, action.name);
            for (Matcher& matcher : strict.matchers) matcher.usersRule = Matcher::Users::Any;
            Refusal why;
            const auto again = match(strict, g_, set_.ops(), root_, &why);
            if (!again) return sqrtOfHeadSize(why, m);
            for (std::size_t i = 0; i < strict.captures.size(); ++i) {
                const Value before = inputs.captured(strict.captures[i]);
                if (!(before == again->captures[i]))
                    return Refusal{"CAPTURE_CONFLICT",
                                   {{"name", "$" + strict.captures[i]}, {"a", name(before)}, {"b", name(again->captures[i])}},
                                   root_,
                                   {},
                                   {}};
            }
            return std::nullopt;
        } catch (const TraceError& e) {
            return traceRefusal(e, root_);
        }
    }

    std::string name(const Value& v) const { return v.isNode() ? g_[v.asNode()].name.str() : v.asNumber() ? pythonFloat(*v.asNumber()) : "nothing"; }

    /// A number that divides or multiplies scores is the scale.
    Refusal sqrtOfHeadSize(Refusal why, const Match&) const {
        if (why.code != "CONST" || !why.node) return why;
        const Name packet = packetOf(g_[why.node].op);
        const auto at = [&](const char* key) {
            for (const auto& [k, v] : why.params)
                if (k == key) return v;
            return std::string();
        };
        if ((packet == "aten::div" || packet == "aten::mul") && at("what") == "an argument")
            return {"SCALE_NOT_SQRT_D",
                    {{"node", g_[why.node].name.str()}, {"got", at("got")}, {"want", at("want")}},
                    why.node,
                    {},
                    std::move(why.nodes)};
        return why;
    }

    void trace(Replacement& r) const {
        r.program = std::make_unique<Program>(set_.ops(), r.action->training);
        BoundInputs inputs(g_, *r.action, r.match, *r.program, r.action->training);
        inputs.bind();
        for (const Bound& b : r.match.nodes) {
            const std::string& label = r.action->pattern.matchers[b.matcher].label;
            if (r.action->traced || label.empty()) continue;
            inputs.environment["op of %" + label] = Value::op(g_[b.node].op);
            if (g_[b.node].tensor() && g_[b.node].tensor()->strides) inputs.environment["%" + label] = inputs.addNode(label, b.node);
        }
        for (const Expr& e : r.action->rule->make) r.results.push_back(evaluate(e, inputs.environment, *r.program));
        if (r.action->training) {
            const Value tangent = inputs.add(r.action->tangent, false);
            for (Value& v : r.program->backward(r.results.front(), tangent, inputs.parameters)) r.results.push_back(std::move(v));
        }
        r.inputs = std::move(inputs.stands);
        for (std::size_t i = 0; i < r.match.outputs.size() && i < r.results.size(); ++i) {
            const NodeId old = r.match.outputs[i];
            if (!old || !r.results[i].isNode()) continue;
            const TensorType *was = g_[old].tensor(), *is = r.program->graph()[r.results[i].asNode()].tensor();
            if (was && is && (was->dtype != is->dtype || !(was->sizes == is->sizes)))
                throw TraceError{"it gives " + is->str(false, false) + " for " + was->str(false, false)};
        }
    }

    const PatternSet& set_;
    const Graph& g_;
    const NodeId root_;
    const GuardFlags& flags_;
};

/// How much of the pattern is there when users outside are overlooked: the first of them ends a match early.
std::vector<Bound> withoutUsers(const Action& action, const Graph& g, const OpRegistry& ops, NodeId root) {
    Pattern p = action.pattern;
    for (Matcher& m : p.matchers) m.usersRule = Matcher::Users::Any;
    Refusal why;
    auto found = match(p, g, ops, root, &why);
    return found ? std::move(found->nodes) : std::move(why.nodes);
}

/// A good part of a pattern: three calls and a third of it.
bool worthTelling(std::size_t reached, const Pattern& p) { return reached >= 3 && 3 * reached >= p.calls(); }

}  // namespace

Attempted attempt(const PatternSet& set, const Graph& g, NodeId root, const GuardFlags& flags, const WriteBetween& writeBetween, bool explain) {
    Attempted out;
    RootAttempt tries(set, g, root, flags);
    const PatternSet::Found found = set.find(g, root, flags.training);
    for (std::size_t form : found.forms) {
        for (std::size_t index : set.forms()[form].actions) {
            const Action& action = set.actions()[index];
            std::optional<Refusal> why;
            if (auto replacement = tries.run(action, writeBetween, why)) {
                out.replacement = std::move(replacement);
                return out;
            }
            // Two patterns of one shape are refused for one reason.
            const auto known = [&](const auto& r) { return r.second.code == why->code && r.second.params == why->params; };
            if (why && std::none_of(out.refusals.begin(), out.refusals.end(), known)) out.refusals.emplace_back(&action, std::move(*why));
        }
    }
    if (!explain || !out.refusals.empty()) return out;
    // Patterns that the net let through failed later than all others; of the others the net knows the nearest.
    const Action* nearest = nullptr;
    Refusal deepest;
    const auto consider = [&](const Action& action) {
        Refusal why;
        if (action.training != flags.training && action.traced) return;
        if (match(action.pattern, g, set.ops(), root, &why) || why.code.empty()) return;
        if (why.code == "USER_OUTSIDE" && why.nodes.size() >= 3) why.nodes = withoutUsers(action, g, set.ops(), root);
        if (!nearest || why.nodes.size() > deepest.nodes.size()) nearest = &action, deepest = std::move(why);
    };
    for (std::size_t form : found.forms) consider(set.actions()[set.forms()[form].actions.front()]);
    if (!nearest && found.nearest) consider(*found.nearest);
    if (nearest && worthTelling(deepest.nodes.size(), nearest->pattern)) out.refusals.emplace_back(nearest, std::move(deepest));
    return out;
}

}  // namespace aliascope::patterns
