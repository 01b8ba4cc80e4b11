// Random numbers: Philox, laid out over elements as PyTorch's CUDA kernels do (executor.md 2.3, random), so that a seed gives the numbers that
// PyTorch gives on an H200.

#include <numbers>

#include "core/exec/cpu/families.h"
#include "core/exec/cpu/strided.h"
#include "core/exec/philox.h"

namespace aliascope::exec {
namespace {

constexpr std::int64_t kBlockThreads = 256, kMostBlocks = 132 * (2048 / 256);  // of an H200

std::int64_t threadsFor(std::int64_t n) { return kBlockThreads * std::clamp<std::int64_t>((n + kBlockThreads - 1) / kBlockThreads, 1, kMostBlocks); }

/// Draws of `perBlock` results from one Philox block: element e is draw e / T of thread e mod T.
class Draws {
public:
    Draws(RandomState state, std::int64_t elements, int perBlock) : state_(state), threads_(threadsFor(elements)), perBlock_(perBlock) {}

    struct Draw {
        PhiloxBlock block;
        int index;  ///< which result of the block
    };
    Draw at(std::int64_t element) const {
        const std::int64_t thread = element % threads_, draw = element / threads_;
        return {philox(state_.seed, state_.offset / 4 + static_cast<std::uint64_t>(draw / perBlock_), static_cast<std::uint64_t>(thread)),
                static_cast<int>(draw % perBlock_)};
    }

private:
    RandomState state_;
    std::int64_t threads_;
    int perBlock_;
};

/// In (0, 1].
float uniformOf(std::uint32_t word) { return static_cast<float>(word) * 0x1p-32F + 0x1p-33F; }
double uniformOf(std::uint32_t low, std::uint32_t high) {
    return static_cast<double>(std::uint64_t(low) ^ (std::uint64_t(high) << 21)) * 0x1p-53 + 0x1p-54;
}

/// Box and Muller on words (a, b): sine first, then cosine.
float normalOf(const Draws::Draw& d) {
    const auto pair = static_cast<std::size_t>(d.index) & ~std::size_t{1};
    const float radius = std::sqrt(-2 * std::log(uniformOf(d.block[pair])));
    const float angle = static_cast<float>(d.block[pair + 1]) * (2 * std::numbers::pi_v<float> * 0x1p-32F) + 2 * std::numbers::pi_v<float> * 0x1p-33F;
    return radius * (d.index & 1 ? std::cos(angle) : std::sin(angle));
}

/// out[e] = value(e) for all elements in row-major order.
template <class F>
void fillEach(const Tensor& out, F value) {
    std::int64_t e = 0;
    StridedLoop<1>(out.sizes, {&out}, LoopOrder::Logical).forEach([&](const auto& at) {
        const auto v = value(e++);
        storeBlock(out, at[0], 0, 1, &v);
    });
}

/// Uniform in (0, 1] before `map` makes something of it; f64 takes two words.
template <class Map>
void fillUniform(const Tensor& out, RandomState state, Map map) {
    if (out.dtype == DType::F64) {
        const Draws draws(state, out.numel(), 2);
        fillEach(out, [&](std::int64_t e) {
            const auto d = draws.at(e);
            return map(uniformOf(d.block[static_cast<std::size_t>(2 * d.index)], d.block[static_cast<std::size_t>(2 * d.index + 1)]));
        });
    } else {
        const Draws draws(state, out.numel(), 4);
        fillEach(out, [&](std::int64_t e) {
            const auto d = draws.at(e);
            return map(uniformOf(d.block[static_cast<std::size_t>(d.index)]));
        });
    }
}

/// [0, 1): 1 becomes 0.
constexpr auto kHalfOpen = [](auto u) { return u == 1 ? u - u : u; };

void rand(OpCall& call) { fillUniform(call.out(), call.random, kHalfOpen); }

template <std::size_t From>
void uniform(OpCall& call) {
    const double from = call.number(From), to = call.number(From + 1);
    fillUniform(call.out(), call.random, [=](auto u) { return static_cast<decltype(u)>(kHalfOpen(u) * (to - from) + from); });
}

void fillNormal(const Tensor& out, RandomState state, double mean, double deviation) {
    const Draws draws(state, out.numel(), 4);
    fillEach(out, [&](std::int64_t e) { return static_cast<float>(normalOf(draws.at(e)) * deviation + mean); });
}
void randn(OpCall& call) { fillNormal(call.out(), call.random, 0, 1); }
template <std::size_t Mean>
void normal(OpCall& call) {
    fillNormal(call.out(), call.random, call.number(Mean), call.number(Mean + 1));
}

void exponential(OpCall& call) {
    const double lambda = call.number(1);
    fillUniform(call.out(), call.random, [=](auto u) {
        using U = decltype(u);
        constexpr U half = std::numeric_limits<U>::epsilon() / 2;  // log(u) that would round to 0
        return static_cast<U>(-(u >= 1 - half ? -half : std::log(u)) / static_cast<U>(lambda));
    });
}

/// Integers in [low, high).
void fillIntegers(const Tensor& out, RandomState state, std::int64_t low, std::int64_t high) {
    if (low >= high && out.numel() > 0) failUnsupported("the range from " + std::to_string(low) + " to " + std::to_string(high) + " is empty");
    const std::uint64_t range = static_cast<std::uint64_t>(high) - static_cast<std::uint64_t>(low);
    const bool wide = range >= (std::uint64_t{1} << 32);
    const Draws draws(state, out.numel(), wide ? 2 : 4);
    fillEach(out, [&](std::int64_t e) {
        const auto d = draws.at(e);
        const auto i = static_cast<std::size_t>(d.index);
        const std::uint64_t word = wide ? std::uint64_t(d.block[2 * i]) << 32 | d.block[2 * i + 1] : d.block[i];
        return static_cast<std::int64_t>(word % range + static_cast<std::uint64_t>(low));
    });
}
template <std::size_t High>
void randIntBelow(OpCall& call) {
    fillIntegers(call.out(), call.random, 0, call.integer(High));
}
template <std::size_t Low>
void randIntBetween(OpCall& call) {
    fillIntegers(call.out(), call.random, call.integer(Low), call.integer(Low + 1));
}

// --- choices -------------------------------------------------------------------------------------------------------------------------------

/// 1 where the uniform number is at most p: a number, or a tensor that broadcasts to the result.
void bernoulliWith(OpCall& call, const RuntimeValue& probability) {
    const Tensor& out = call.out();
    const Draws draws(call.random, out.numel(), 4);
    const Tensor* each = probability.tensor();
    const double p = each ? 0 : probability.number().value_or(0.5);
    std::int64_t e = 0;
    StridedLoop<2>(out.sizes, {&out, each ? each : &out}, LoopOrder::Logical).forEach([&](const auto& at) {
        const auto d = draws.at(e++);
        writeInteger(out, at[0], uniformOf(d.block[static_cast<std::size_t>(d.index)]) <= (each ? readDouble(*each, at[1]) : p));
    });
}
void bernoulli(OpCall& call) { bernoulliWith(call, call.args.at(0)); }
void bernoulliP(OpCall& call) { bernoulliWith(call, call.args.at(1)); }

/// native_dropout(input, p, train): result and mask. Four neighbours share a Philox block.
void dropout(OpCall& call) {
    const Tensor &in = call.tensor(0), &out = call.out(0), &mask = call.out(1);
    const double p = call.number(1);
    if (call.args.at(2).boolean() == false) {
        copyElements(out, in);
        fillScalar(mask, RuntimeValue(std::int64_t{1}));
        return;
    }
    const float keep = static_cast<float>(1 - p), scale = keep == 0 ? 0 : 1 / keep;
    const std::int64_t threads = threadsFor((in.numel() + 3) / 4);
    std::int64_t e = 0;
    StridedLoop<3>(out.sizes, {&out, &mask, &in}, LoopOrder::Logical).forEach([&](const auto& at) {
        const std::int64_t group = e / 4;
        const PhiloxBlock block = philox(call.random.seed, call.random.offset / 4 + static_cast<std::uint64_t>(group / threads),
                                         static_cast<std::uint64_t>(group % threads));
        const bool kept = uniformOf(block[static_cast<std::size_t>(e++ % 4)]) < keep;
        writeDouble(out, at[0], kept ? static_cast<float>(readDouble(in, at[2])) * scale : 0);
        writeInteger(mask, at[1], kept);
    });
}

/// randperm(n): indices in the order of 64 random bits each.
void randPerm(OpCall& call) {
    const Tensor& out = call.out();
    std::vector<std::pair<std::uint64_t, std::int64_t>> keys;
    for (std::int64_t i = 0; i < out.numel(); ++i) {
        const PhiloxBlock block = philox(call.random.seed, call.random.offset / 4, static_cast<std::uint64_t>(i));
        keys.emplace_back(std::uint64_t(block[0]) << 32 | block[1], i);
    }
    std::sort(keys.begin(), keys.end());
    fillEach(out, [&](std::int64_t e) { return keys[static_cast<std::size_t>(e)].second; });
}

// --- inductor's own --------------------------------------------------------------------------------------------------------------------------

void inductorSeeds(OpCall& call) {
    fillEach(call.out(), [&](std::int64_t e) {
        const PhiloxBlock block = philox(call.random.seed, call.random.offset / 4, static_cast<std::uint64_t>(e));
        return static_cast<std::int64_t>((std::uint64_t(block[0]) << 32 | block[1]) >> 1);
    });
}

void lookupSeed(OpCall& call) {
    const Tensor& seeds = call.tensor(0);
    const std::int64_t index = call.integer(1);
    if (seeds.rank() != 1 || index < 0 || index >= seeds.sizes[0])
        failExec("INDEX_OUT_OF_RANGE", {{"value", std::to_string(index)}, {"pos", "0"}, {"arg", "index"}, {"limit", std::to_string(seeds.numel())}});
    writeInteger(call.out(), 0, readInteger(seeds, index * seeds.strides[0]));
}

/// The stream of a seed: element e is draw e of it.
RandomState streamOf(const Tensor& seed) { return {static_cast<std::uint64_t>(readInteger(seed)), 0}; }

void inductorRandom(OpCall& call) {
    const RandomState stream = streamOf(call.tensor(1));
    const std::string_view mode = call.args.at(2).text().view();
    if (mode == "rand")
        fillUniform(call.out(), stream, kHalfOpen);
    else if (mode == "randn")
        fillNormal(call.out(), stream, 0, 1);
    else
        failUnsupported("mode " + std::string(mode) + " is neither rand nor randn");
}

void inductorRandInt(OpCall& call) { fillIntegers(call.out(), streamOf(call.tensor(3)), call.integer(0), call.integer(1)); }

}  // namespace

void registerRandom(KernelTable& t) {
    auto add = [&t](std::string_view op, KernelFn run) { t.add(op, run, ToleranceClass::Random); };
    for (const char* op : {"aten::rand", "aten::rand.generator", "aten::rand_like", "aten::rand_like.generator"}) add(op, rand);
    for (const char* op : {"aten::randn", "aten::randn.generator", "aten::randn_like", "aten::randn_like.generator"}) add(op, randn);
    for (const char* op : {"aten::randint", "aten::randint.generator"}) add(op, randIntBelow<0>);
    for (const char* op : {"aten::randint.low", "aten::randint.low_generator"}) add(op, randIntBetween<0>);
    for (const char* op : {"aten::randint_like", "aten::randint_like.generator"}) add(op, randIntBelow<1>);
    for (const char* op : {"aten::randint_like.low_dtype", "aten::randint_like.low_generator_dtype"}) add(op, randIntBetween<1>);
    for (const char* op : {"aten::uniform", "aten::uniform_"}) add(op, uniform<1>);
    for (const char* op : {"aten::normal_", "aten::normal_functional"}) add(op, normal<1>);
    add("aten::normal.float_float", normal<0>);
    for (const char* op : {"aten::exponential", "aten::exponential_"}) add(op, exponential);
    add("aten::bernoulli", bernoulli);
    for (const char* op : {"aten::bernoulli.p", "aten::bernoulli.Tensor", "aten::bernoulli_.float", "aten::bernoulli_.Tensor"}) add(op, bernoulliP);
    add("aten::native_dropout", dropout);
    for (const char* op : {"aten::randperm", "aten::randperm.generator"}) add(op, randPerm);
    for (const char* op : {"prims::inductor_seeds", "prims::inductor_seed"}) add(op, inductorSeeds);
    add("prims::inductor_lookup_seed", lookupSeed);
    add("prims::inductor_random", inductorRandom);
    add("prims::inductor_randint", inductorRandInt);
}

}  // namespace aliascope::exec
