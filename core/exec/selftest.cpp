#include "core/exec/selftest.h"

#include <fmt/format.h>

#include <algorithm>
#include <cmath>
#include <fstream>
#include <unordered_map>

#include "core/exec/executor.h"
#include "core/exec/selftest_compare.h"
#include "core/exec/selftest_records.h"
#include "core/exec/tensor_files.h"

namespace aliascope::embedded {
extern const std::string_view selftest_calls;
}

namespace aliascope::exec {
namespace {

constexpr std::size_t kLongestLine = std::size_t{1} << 24;

struct Misfit {
    std::string what;
};

/// Bytes of storages by name: those of a line first, then those of the file.
class Storages {
public:
    explicit Storages(const TensorFile* file) : file_(file) {}

    void startCall() { ofLine_.clear(); }
    void add(const RecordedTensor& t) {
        if (!t.elements.empty()) ofLine_[t.storage] = t.elements;
    }
    const std::vector<std::byte>& bytes(const std::string& name) {
        auto it = ofLine_.find(name);
        if (it != ofLine_.end()) return it->second;
        const auto index = file_ ? file_->find(name) : std::nullopt;
        if (!index) {
            // A storage without elements needs no bytes.
            return ofLine_[name];
        }
        auto read = file_->read(*index);
        if (!read) throw Misfit{read.error().sentence()};
        return ofLine_[name] = std::move(*read);
    }

private:
    const TensorFile* file_;
    std::unordered_map<std::string, std::vector<std::byte>> ofLine_;
};

void collect(const RecordedValue& v, Storages& storages) {
    if (v.kind == RecordedValue::Kind::Tensor) storages.add(v.tensor);
    for (const RecordedValue& item : v.items) collect(item, storages);
}

/// Bytes from the start of the storage to past the last element; -1 when that leaves int64.
std::int64_t bytesReached(const RecordedTensor& t) {
    std::int64_t last = t.offset, bytes = 0;
    for (std::size_t d = 0; d < t.sizes.size(); ++d) {
        if (t.sizes[d] == 0) return 0;
        std::int64_t step = 0;
        if (__builtin_mul_overflow(t.sizes[d] - 1, t.strides[d], &step) || __builtin_add_overflow(last, step, &last)) return -1;
    }
    if (__builtin_add_overflow(last, 1, &last) || __builtin_mul_overflow(last, std::int64_t{itemSize(t.dtype)}, &bytes)) return -1;
    return bytes;
}

HostElements recordedElements(const RecordedTensor& t, Storages& storages) {
    const std::vector<std::byte>& bytes = storages.bytes(t.storage);
    const std::int64_t reach = bytesReached(t);
    if (reach < 0 || reach > static_cast<std::int64_t>(bytes.size())) throw Misfit{fmt::format("storage {} is too short for its view", t.storage)};
    HostElements out{t.dtype, {}};
    const auto item = static_cast<std::size_t>(itemSize(t.dtype));
    std::int64_t count = 1;
    for (std::int64_t size : t.sizes) count *= size;
    out.bytes.resize(static_cast<std::size_t>(count) * item);
    Shape index(t.sizes.size(), 0);
    std::int64_t at = t.offset;
    for (std::int64_t i = 0; i < count; ++i) {
        std::copy_n(bytes.data() + static_cast<std::size_t>(at) * item, item, out.bytes.data() + static_cast<std::size_t>(i) * item);
        for (std::size_t d = index.size(); d-- > 0;) {
            at += t.strides[d];
            if (++index[d] < t.sizes[d]) break;
            at -= t.strides[d] * t.sizes[d];
            index[d] = 0;
        }
    }
    return out;
}

HostElements computedElements(const Tensor& t, Backend& backend) {
    HostElements out{t.dtype, {}};
    out.bytes.resize(static_cast<std::size_t>(t.bytes()));
    if (!out.bytes.empty()) backend.download(out.bytes.data(), t);
    return out;
}

std::string shapeOf(const Shape& s) { return fmt::format("[{}]", fmt::join(s, ", ")); }

/// Gamma, Bessel and other functions that PyTorch approximates in the type of their elements.
bool isSpecial(Name op) {
    static constexpr std::string_view roots[] = {"aten::special_",  "aten::digamma", "aten::lgamma", "aten::mvlgamma",
                                                 "aten::polygamma", "aten::igamma",  "aten::i0"};
    return std::any_of(std::begin(roots), std::end(roots), [&](std::string_view root) { return op.view().starts_with(root); });
}

/// One call, built as a graph and run.
class Call {
public:
    Call(const RecordedCall& record, const OpRegistry& ops, Backend& backend, Storages& storages)
        : record_(record), ops_(ops), backend_(backend), storages_(storages) {}

    ExecResult run() {
        Node call;
        call.name = "call"_n;
        call.op = record_.op;
        call.target = spellOp(record_.op);
        for (const RecordedValue& v : record_.args) {
            argumentOf_.push_back(v.kind == RecordedValue::Kind::Tensor ? inputs_.size() : kNoInput);
            call.args.push_back(argument(v));
        }
        for (const auto& [key, v] : record_.kwargs) call.kwargs.emplace_back(key, argument(v));
        const NodeId id = graph_.append(std::move(call));
        Node output;
        output.kind = NodeKind::Output;
        output.name = "output"_n;
        output.target = "output"_n;
        output.args = {Value::node(id)};
        graph_.append(std::move(output));
        setScale();
        return execute(graph_, ops_, backend_, inputs_);
    }

    void compare(const ExecResult& result) {
        std::vector<RuntimeValue> got;
        for (const RuntimeValue& v : result.outputs) flatten(v, got);
        std::vector<const RecordedValue*> want;
        flatten(record_.out, want);
        if (got.size() != want.size()) throw Misfit{fmt::format("{} results, expected {}", got.size(), want.size())};
        for (std::size_t i = 0; i < want.size(); ++i) compareValue(fmt::format("result {}", i), got[i], *want[i]);
        for (const auto& [position, value] : record_.after) {
            if (position == 0 && !got.empty() && givesHandle(value)) {
                compareValue("argument 0 after the call", got[0], value);
                continue;
            }
            const std::size_t input = position < argumentOf_.size() ? argumentOf_[position] : kNoInput;
            if (input == kNoInput || input >= result.inputs.size()) throw Misfit{fmt::format("argument {} is no tensor", position)};
            compareValue(fmt::format("argument {} after the call", position), result.inputs[input], value);
        }
    }

private:
    static constexpr std::size_t kNoInput = ~std::size_t{0};

    Value argument(const RecordedValue& v) {
        if (v.kind == RecordedValue::Kind::Plain) return v.plain;
        if (v.kind == RecordedValue::Kind::List) {
            std::vector<Value> items;
            for (const RecordedValue& item : v.items) items.push_back(argument(item));
            return Value::list(std::move(items));
        }
        Tensor t = load(v.tensor);
        Node placeholder;
        placeholder.kind = NodeKind::Placeholder;
        placeholder.name = Name(fmt::format("in_{}", inputs_.size()));
        placeholder.target = placeholder.name;
        placeholder.type = Type::tensor(t.type());
        placeholder.trust = Trust::Stated;
        inputs_.emplace_back(std::move(t));
        return Value::node(graph_.append(std::move(placeholder)));
    }

    Tensor load(const RecordedTensor& r) {
        const std::vector<std::byte>& bytes = storages_.bytes(r.storage);
        const std::int64_t reach = bytesReached(r);
        if (reach < 0 || reach > static_cast<std::int64_t>(bytes.size()))
            throw Misfit{fmt::format("storage {} is too short for its view", r.storage)};
        Tensor& whole = loaded_[r.storage];
        if (!whole.storage) {
            TensorType type;
            type.dtype = DType::U8;
            type.device = "cpu"_n;
            type.sizes = {SymInt(static_cast<std::int64_t>(bytes.size()))};
            type.strides = {SymInt(1)};
            whole = makeTensor(backend_, type);
            if (!bytes.empty()) backend_.upload(whole, bytes.data());
        }
        Tensor t = whole;
        t.dtype = r.dtype;
        t.sizes = r.sizes;
        t.strides = r.strides;
        t.offset = r.offset;
        return t;
    }

    static void flatten(const RuntimeValue& v, std::vector<RuntimeValue>& out) {
        if (const RuntimeList* list = v.list()) {
            for (const RuntimeValue& item : *list) flatten(item, out);
        } else {
            out.push_back(v);
        }
    }

    static void flatten(const RecordedValue& v, std::vector<const RecordedValue*>& out) {
        if (v.kind == RecordedValue::Kind::List) {
            for (const RecordedValue& item : v.items) flatten(item, out);
        } else {
            out.push_back(&v);
        }
    }

    /// The call changes the argument's shape: the argument is then what the call returns (`t_`).
    bool givesHandle(const RecordedValue& after) const {
        const OpDef* op = ops_.find(record_.op);
        return (op && op->is(Trait::HandleOnly)) || record_.args[0].tensor.sizes != after.tensor.sizes;
    }

    /// Positions that pick the same elements are as good as the recorded ones, where the operator may choose.
    bool picksTheSame(const HostElements& got, const HostElements& want) {
        static constexpr std::string_view choosing[] = {"aten::sort",   "aten::topk",      "aten::kthvalue",
                                                        "aten::median", "aten::nanmedian", "aten::mode"};
        const OpDef* op = ops_.find(record_.op);
        const bool chooses = std::find(std::begin(choosing), std::end(choosing), packetOf(record_.op).view()) != std::end(choosing);
        if (!op || !chooses || got.dtype != DType::I64 || record_.args.empty() || record_.args[0].kind != RecordedValue::Kind::Tensor) return false;
        const RecordedTensor& self = record_.args[0].tensor;
        std::int64_t dim = -1;
        if (const int at = op->schema.paramIndex("dim"_n); at >= 0) {
            if (static_cast<std::size_t>(at) < record_.args.size()) dim = record_.args[static_cast<std::size_t>(at)].plain.asInt().value_or(-1);
            for (const auto& [key, v] : record_.kwargs)
                if (key == "dim") dim = v.plain.asInt().value_or(-1);
        }
        if (dim < 0) dim += static_cast<std::int64_t>(self.sizes.size());
        return picksSame(recordedElements(self, storages_), self.sizes, static_cast<std::size_t>(std::max<std::int64_t>(0, dim)), got, want);
    }

    void setScale() {
        const OpDef* op = ops_.find(record_.op);
        const Kernel* kernel = backend_.kernel(record_.op);
        if (!kernel && op) {
            if (const OpDef* functional = ops_.functionalOf(*op)) kernel = backend_.kernel(functional->canonical);
        }
        if (kernel) scale_.tolerance = kernel->tolerance;
        for (const RecordedValue& v : record_.args) scale_.operands += v.kind == RecordedValue::Kind::List ? static_cast<int>(v.items.size()) : 1;
        scale_.operands += static_cast<int>(record_.kwargs.size());
        scale_.special = isSpecial(record_.op);
        const auto noteNumber = [&](const RecordedValue& v) {
            if (v.plain.kind() == Value::Kind::Float && std::isfinite(*v.plain.asNumber()))
                scale_.number = std::max(scale_.number, std::fabs(*v.plain.asNumber()));
        };
        for (const RecordedValue& v : record_.args) noteNumber(v);
        for (const auto& keyword : record_.kwargs) noteNumber(keyword.second);
        std::int64_t longest = 1;
        for (const RuntimeValue& v : inputs_) {
            const Tensor& t = *v.tensor();
            longest = std::max(longest, t.numel());
            narrow(t.dtype);
            if (!info(t.dtype).floating) continue;
            const HostElements e = computedElements(t, backend_);
            for (std::int64_t i = 0; i < e.count(); ++i)
                if (std::isfinite(e.number(i))) scale_.largest = std::max(scale_.largest, std::fabs(e.number(i)));
        }
        scale_.terms = static_cast<double>(longest);
        if (kernel && kernel->elementwise && kernel->tolerance == ToleranceClass::Reduction) {
            // A function of each element: a series whose terms, not smaller than 1, may cancel.
            scale_.terms = std::max(scale_.terms, 32.0);
            scale_.largest = std::max(scale_.largest, 1.0);
        }
    }

    void narrow(DType d) {
        if (info(d).floating && itemSize(d) < itemSize(scale_.narrowest)) scale_.narrowest = d;
        if (d == DType::BF16) scale_.narrowest = d;
    }

    void compareValue(const std::string& which, const RuntimeValue& got, const RecordedValue& want) {
        if (want.kind == RecordedValue::Kind::Plain) return comparePlain(which, got, want.plain);
        const Tensor* t = got.tensor();
        if (!t) throw Misfit{which + " is no tensor"};
        const RecordedTensor& r = want.tensor;
        if (t->dtype != r.dtype) throw Misfit{fmt::format("{} has dtype {}, expected {}", which, info(t->dtype).torchName, r.dtypeName)};
        if (t->sizes != r.sizes) throw Misfit{fmt::format("{} has shape {}, expected {}", which, shapeOf(t->sizes), shapeOf(r.sizes))};
        if (t->strides != r.strides) throw Misfit{fmt::format("{} has strides {}, expected {}", which, shapeOf(t->strides), shapeOf(r.strides))};
        // The state of a dropout mask means nothing to anybody else, and is not initialised without dropout.
        if (scale_.tolerance == ToleranceClass::Attention && !info(r.dtype).floating) return;
        CompareScale scale = scale_;
        if (info(r.dtype).floating && itemSize(r.dtype) < itemSize(scale.narrowest)) scale.narrowest = r.dtype;
        const HostElements computed = computedElements(*t, backend_), recorded = recordedElements(r, storages_);
        const auto differs = firstDifference(computed, recorded, scale);
        if (differs && !picksTheSame(computed, recorded)) throw Misfit{which + ": " + *differs};
    }

    static void comparePlain(const std::string& which, const RuntimeValue& got, const Value& want) {
        if (want.isNone()) {
            if (!got.isNone()) throw Misfit{which + " is something, expected None"};
            return;
        }
        const auto a = got.number();
        const auto b = want.asNumber();
        if (!a || !b) throw Misfit{which + " is of another kind"};
        if (*a != *b && !(std::isnan(*a) && std::isnan(*b))) throw Misfit{fmt::format("{} is {:.9g}, expected {:.9g}", which, *a, *b)};
    }

    const RecordedCall& record_;
    const OpRegistry& ops_;
    Backend& backend_;
    Storages& storages_;
    Graph graph_;
    std::vector<RuntimeValue> inputs_;
    std::vector<std::size_t> argumentOf_;  ///< by position: which input it is
    std::unordered_map<std::string, Tensor> loaded_;
    CompareScale scale_;
};

bool unsupportedCode(const std::string& code) { return code == "UNSUPPORTED_OP" || code == "NO_SCHEMA" || code == "R022"; }

bool holdsUnknownDType(const RecordedValue& v) {
    if (v.kind == RecordedValue::Kind::Tensor && v.tensor.dtype == DType::Unknown) return true;
    return std::any_of(v.items.begin(), v.items.end(), holdsUnknownDType);
}

bool callHoldsUnknownDType(const RecordedCall& call) {
    return std::any_of(call.args.begin(), call.args.end(), holdsUnknownDType) || holdsUnknownDType(call.out) ||
           std::any_of(call.kwargs.begin(), call.kwargs.end(), [](const auto& k) { return holdsUnknownDType(k.second); });
}

class Selftest {
public:
    Selftest(const OpRegistry& ops, Backend& backend, const TensorFile* file) : ops_(ops), backend_(backend), storages_(file) {}

    Status line(std::int64_t number, std::string_view text) {
        auto record = readRecordedCall(text);
        if (!record) {
            Diagnostic d = record.error();
            d.line = static_cast<std::uint32_t>(number);
            return fail(d);
        }
        const std::string op = spellOpArgument(record->op);
        if (callHoldsUnknownDType(*record)) return unsupported(op), Status();
        storages_.startCall();
        for (const RecordedValue& v : record->args) collect(v, storages_);
        for (const auto& k : record->kwargs) collect(k.second, storages_);
        for (const auto& a : record->after) collect(a.second, storages_);
        collect(record->out, storages_);
        try {
            Call call(*record, ops_, backend_, storages_);
            const ExecResult result = call.run();
            if (result.complete) {
                call.compare(result);
                ++report_.passed;
            } else if (result.error && unsupportedCode(result.error->code)) {
                unsupported(op);
            } else {
                throw Misfit{result.error ? result.error->sentence() : "the run stopped"};
            }
        } catch (const Misfit& misfit) {
            ++report_.failed;
            report_.failures.push_back({number, op, misfit.what});
        } catch (const ExecError&) {
            unsupported(op);
        }
        return {};
    }

    SelftestReport take() { return std::move(report_); }

private:
    void unsupported(const std::string& op) {
        ++report_.unsupported;
        ++report_.unsupportedOps[op];
    }

    const OpRegistry& ops_;
    Backend& backend_;
    Storages storages_;
    SelftestReport report_;
};

Diagnostic cannotRead(const std::string& path, std::string why) {
    Diagnostic d = userError("R004", {{"what", "the records"}, {"why", std::move(why)}});
    d.file = path;
    return d;
}

}  // namespace

Result<SelftestReport> selftestFile(const std::string& path, const OpRegistry& ops, Backend& backend, const SelftestOptions& options) {
    std::ifstream in(path, std::ios::binary);
    if (!in) return fail(cannotRead(path, "the file cannot be opened"));
    in.seekg(0, std::ios::end);
    const auto size = static_cast<double>(std::max<std::streamoff>(1, in.tellg()));
    in.seekg(0);
    if (!in) return fail(cannotRead(path, "it is no regular file"));
    const std::string beside = path.substr(0, path.ends_with(".jsonl") ? path.size() - 6 : path.size()) + ".safetensors";
    auto file = TensorFile::open(beside);
    if (!file) return fail(file.error());
    Selftest test(ops, backend, &*file);
    std::string line;
    std::size_t read = 0;
    for (std::int64_t number = 1; std::getline(in, line) && !options.cancel.cancelled(); ++number) {
        if (line.size() > kLongestLine) return fail(cannotRead(path, fmt::format("line {} is longer than {} bytes", number, kLongestLine)));
        read += line.size() + 1;
        if (line.find_first_not_of(" \t\r") == std::string::npos) continue;
        if (auto status = test.line(number, line); !status) {
            Diagnostic d = status.error();
            d.file = path;
            return fail(d);
        }
        if (options.progress) options.progress(static_cast<double>(read) / size, "operators");
    }
    return test.take();
}

Result<SelftestReport> selftestText(std::string_view records, const OpRegistry& ops, Backend& backend, const SelftestOptions& options) {
    Selftest test(ops, backend, nullptr);
    for (std::int64_t number = 1; !records.empty() && !options.cancel.cancelled(); ++number) {
        const std::size_t end = std::min(records.find('\n'), records.size());
        const std::string_view line = records.substr(0, end);
        records.remove_prefix(std::min(end + 1, records.size()));
        if (line.find_first_not_of(" \t\r") == std::string_view::npos) continue;
        if (auto status = test.line(number, line); !status) return fail(status.error());
    }
    return test.take();
}

std::string_view bundledSelftest() { return embedded::selftest_calls; }

}  // namespace aliascope::exec
