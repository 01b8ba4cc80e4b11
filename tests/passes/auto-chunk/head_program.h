#pragma once
// A language-model head with its loss and backward pass, as a joint graph: what the tests of the auto-chunker cut.

#include <string>

#include "tests/passes/pass_fixture.h"

namespace aliascope::testing {

/// Cross-entropy of `rows` x 3 hidden states, a 40 x 3 weight, and targets of which -100 is ignored. Lines can be replaced to make variants.
inline std::string headProgram(int rows = 12, const std::vector<std::pair<std::string, std::string>>& replace = {}) {
    std::string text = readableGraph(
        R"(primals_1: "f32[40, 3][3, 1]cpu", primals_2: "f32[@R, 3][3, 1]cpu", primals_3: "i64[@R][1]cpu", tangents_1: "f32[][]cpu")",
        R"(permute: "f32[3, 40][1, 3]cpu" = torch.ops.aten.permute.default(primals_1, [1, 0])
           mm: "f32[@R, 40][40, 1]cpu" = torch.ops.aten.mm.default(primals_2, permute)
           amax: "f32[@R, 1][1, 1]cpu" = torch.ops.aten.amax.default(mm, [1], True)
           sub: "f32[@R, 40][40, 1]cpu" = torch.ops.aten.sub.Tensor(mm, amax)
           exp: "f32[@R, 40][40, 1]cpu" = torch.ops.aten.exp.default(sub)
           sum_1: "f32[@R, 1][1, 1]cpu" = torch.ops.aten.sum.dim_IntList(exp, [1], True)
           log: "f32[@R, 1][1, 1]cpu" = torch.ops.aten.log.default(sum_1)
           sub_1: "f32[@R, 40][40, 1]cpu" = torch.ops.aten.sub.Tensor(sub, log)
           ne: "b8[@R][1]cpu" = torch.ops.aten.ne.Scalar(primals_3, -100)
           full: "i64[][]cpu" = torch.ops.aten.full.default([], 0, dtype = torch.int64, layout = torch.strided, device = device(type='cpu'), pin_memory = False)
           where: "i64[@R][1]cpu" = torch.ops.aten.where.self(ne, primals_3, full)
           unsqueeze: "i64[@R, 1][1, 1]cpu" = torch.ops.aten.unsqueeze.default(where, 1)
           gather: "f32[@R, 1][1, 1]cpu" = torch.ops.aten.gather.default(sub_1, 1, unsqueeze)
           squeeze: "f32[@R][1]cpu" = torch.ops.aten.squeeze.dim(gather, 1)
           neg: "f32[@R][1]cpu" = torch.ops.aten.neg.default(squeeze)
           full_1: "f32[][]cpu" = torch.ops.aten.full.default([], 0.0, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'), pin_memory = False)
           where_1: "f32[@R][1]cpu" = torch.ops.aten.where.self(ne, neg, full_1)
           sum_2: "f32[][]cpu" = torch.ops.aten.sum.default(where_1)
           sum_3: "i64[][]cpu" = torch.ops.aten.sum.default(ne)
           convert: "f32[][]cpu" = torch.ops.prims.convert_element_type.default(sum_3, torch.float32)
           div: "f32[][]cpu" = torch.ops.aten.div.Tensor(sum_2, convert)
           div_1: "f32[][]cpu" = torch.ops.aten.div.Tensor(tangents_1, convert)
           unsqueeze_1: "i64[@R, 1][1, 1]cpu" = torch.ops.aten.unsqueeze.default(primals_3, 1)
           ne_1: "b8[@R, 1][1, 1]cpu" = torch.ops.aten.ne.Scalar(unsqueeze_1, -100)
           where_2: "i64[@R, 1][1, 1]cpu" = torch.ops.aten.where.self(ne_1, unsqueeze_1, full)
           full_2: "f32[@R, 40][40, 1]cpu" = torch.ops.aten.full.default([@R, 40], 0, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'), pin_memory = False)
           scatter: "f32[@R, 40][40, 1]cpu" = torch.ops.aten.scatter.value(full_2, 1, where_2, -1.0)
           full_3: "f32[][]cpu" = torch.ops.aten.full.default([], 0.0, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'), pin_memory = False)
           ne_2: "b8[@R, 1][1, 1]cpu" = torch.ops.aten.ne.Scalar(unsqueeze_1, -100)
           where_3: "f32[@R, 1][1, 1]cpu" = torch.ops.aten.where.self(ne_2, div_1, full_3)
           mul: "f32[@R, 40][40, 1]cpu" = torch.ops.aten.mul.Tensor(scatter, where_3)
           exp_1: "f32[@R, 40][40, 1]cpu" = torch.ops.aten.exp.default(sub_1)
           sum_4: "f32[@R, 1][1, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul, [1], True)
           mul_1: "f32[@R, 40][40, 1]cpu" = torch.ops.aten.mul.Tensor(exp_1, sum_4)
           sub_2: "f32[@R, 40][40, 1]cpu" = torch.ops.aten.sub.Tensor(mul, mul_1)
           permute_1: "f32[40, @R][1, 40]cpu" = torch.ops.aten.permute.default(sub_2, [1, 0])
           mm_1: "f32[40, 3][3, 1]cpu" = torch.ops.aten.mm.default(permute_1, primals_2)
           permute_2: "f32[40, 3][3, 1]cpu" = torch.ops.aten.permute.default(permute, [1, 0])
           mm_2: "f32[@R, 3][3, 1]cpu" = torch.ops.aten.mm.default(sub_2, permute_2)
           return [div, mm_1, mm_2])");
    const auto substitute = [&](const std::string& from, const std::string& to) {
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
    };
    for (const auto& [from, to] : replace) {
        if (text.find(from) == std::string::npos) qWarning("the program has no %s", from.c_str());
        substitute(from, to);
    }
    substitute("@R", std::to_string(rows));
    return text;
}

/// The head with the logits going through a loss that drops the last position of each of 4 sequences of 3 tokens, as it is often written.
inline std::string shiftedProgram() {
    return readableGraph(
        R"(primals_1: "f32[40, 3][3, 1]cpu", primals_2: "f32[12, 3][3, 1]cpu", primals_3: "i64[8][1]cpu", tangents_1: "f32[][]cpu")",
        R"(permute: "f32[3, 40][1, 3]cpu" = torch.ops.aten.permute.default(primals_1, [1, 0])
           mm: "f32[12, 40][40, 1]cpu" = torch.ops.aten.mm.default(primals_2, permute)
           view: "f32[4, 3, 40][120, 40, 1]cpu" = torch.ops.aten.view.default(mm, [4, 3, 40])
           slice_1: "f32[4, 2, 40][120, 40, 1]cpu" = torch.ops.aten.slice.Tensor(view, 1, 0, -1)
           clone: "f32[4, 2, 40][80, 40, 1]cpu" = torch.ops.aten.clone.default(slice_1, memory_format = torch.contiguous_format)
           view_1: "f32[8, 40][40, 1]cpu" = torch.ops.aten.view.default(clone, [8, 40])
           amax: "f32[8, 1][1, 1]cpu" = torch.ops.aten.amax.default(view_1, [1], True)
           sub: "f32[8, 40][40, 1]cpu" = torch.ops.aten.sub.Tensor(view_1, amax)
           exp: "f32[8, 40][40, 1]cpu" = torch.ops.aten.exp.default(sub)
           sum_1: "f32[8, 1][1, 1]cpu" = torch.ops.aten.sum.dim_IntList(exp, [1], True)
           log: "f32[8, 1][1, 1]cpu" = torch.ops.aten.log.default(sum_1)
           sub_1: "f32[8, 40][40, 1]cpu" = torch.ops.aten.sub.Tensor(sub, log)
           unsqueeze: "i64[8, 1][1, 1]cpu" = torch.ops.aten.unsqueeze.default(primals_3, 1)
           gather: "f32[8, 1][1, 1]cpu" = torch.ops.aten.gather.default(sub_1, 1, unsqueeze)
           sum_2: "f32[][]cpu" = torch.ops.aten.sum.default(gather)
           div: "f32[][]cpu" = torch.ops.aten.div.Tensor(sum_2, -8)
           div_1: "f32[][]cpu" = torch.ops.aten.div.Tensor(tangents_1, -8)
           expand: "f32[8, 1][0, 0]cpu" = torch.ops.aten.expand.default(div_1, [8, 1])
           full: "f32[8, 40][40, 1]cpu" = torch.ops.aten.full.default([8, 40], 0, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'), pin_memory = False)
           scatter: "f32[8, 40][40, 1]cpu" = torch.ops.aten.scatter.value(full, 1, unsqueeze, 1.0)
           mul: "f32[8, 40][40, 1]cpu" = torch.ops.aten.mul.Tensor(scatter, expand)
           exp_1: "f32[8, 40][40, 1]cpu" = torch.ops.aten.exp.default(sub_1)
           sum_3: "f32[8, 1][1, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul, [-1], True)
           mul_1: "f32[8, 40][40, 1]cpu" = torch.ops.aten.mul.Tensor(exp_1, sum_3)
           sub_2: "f32[8, 40][40, 1]cpu" = torch.ops.aten.sub.Tensor(mul, mul_1)
           view_2: "f32[4, 2, 40][80, 40, 1]cpu" = torch.ops.aten.view.default(sub_2, [4, 2, -1])
           full_1: "f32[4, 3, 40][120, 40, 1]cpu" = torch.ops.aten.full.default([4, 3, 40], 0, dtype = torch.float32, layout = torch.strided, device = device(type='cpu'), pin_memory = False)
           slice_scatter: "f32[4, 3, 40][120, 40, 1]cpu" = torch.ops.aten.slice_scatter.default(full_1, view_2, 1, 0, -1)
           view_3: "f32[12, 40][40, 1]cpu" = torch.ops.aten.view.default(slice_scatter, [12, 40])
           permute_1: "f32[40, 12][1, 40]cpu" = torch.ops.aten.permute.default(view_3, [1, 0])
           mm_1: "f32[40, 3][3, 1]cpu" = torch.ops.aten.mm.default(permute_1, primals_2)
           permute_2: "f32[40, 3][3, 1]cpu" = torch.ops.aten.permute.default(permute, [1, 0])
           mm_2: "f32[12, 3][3, 1]cpu" = torch.ops.aten.mm.default(view_3, permute_2)
           return [div, mm_1, mm_2])");
}

/// With a bias: its gradient is a sum over the rows.
inline std::string biasedProgram() {
    return headProgram(12, {{"primals_3: ", "primals_4: \"f32[40][1]cpu\", primals_3: "},
                            {"torch.ops.aten.mm.default(primals_2, permute)", "torch.ops.aten.addmm.default(primals_4, primals_2, permute)"},
                            {"return [div, mm_1, mm_2]", "sum_5: \"f32[1, 40][40, 1]cpu\" = torch.ops.aten.sum.dim_IntList(sub_2, [0], True)\n"
                                                         "        return [div, mm_1, mm_2, sum_5]"}});
}

/// Soft-capped logits: tanh on the way there, its derivative on the way back.
inline std::string cappedProgram() {
    return headProgram(12, {{"amax: ", "tanh: \"f32[@R, 40][40, 1]cpu\" = torch.ops.aten.tanh.default(mm)\n        amax: "},
                            {"amax.default(mm, ", "amax.default(tanh, "},
                            {"sub.Tensor(mm, amax)", "sub.Tensor(tanh, amax)"},
                            {"permute_1: ", "mul_2: \"f32[@R, 40][40, 1]cpu\" = torch.ops.aten.mul.Tensor(tanh, tanh)\n"
                                            "        rsub: \"f32[@R, 40][40, 1]cpu\" = torch.ops.aten.rsub.Scalar(mul_2, 1)\n"
                                            "        mul_3: \"f32[@R, 40][40, 1]cpu\" = torch.ops.aten.mul.Tensor(sub_2, rsub)\n        permute_1: "},
                            {"permute.default(sub_2, ", "permute.default(mul_3, "},
                            {"mm.default(sub_2, ", "mm.default(mul_3, "}});
}

/// A product, softmax, and the sum of it: loss and backward pass.
inline std::string softmaxProgram(const std::string& m, const std::string& k, const std::string& v) {
    std::string text = readableGraph(R"(primals_1: "f32[@M, @K][@K, 1]cpu", primals_2: "f32[@K, @V][@V, 1]cpu", tangents_1: "f32[][]cpu")",
                                     R"(mm: "f32[@M, @V][@V, 1]cpu" = torch.ops.aten.mm.default(primals_1, primals_2)
                                        amax: "f32[@M, 1][1, 1]cpu" = torch.ops.aten.amax.default(mm, [1], True)
                                        sub: "f32[@M, @V][@V, 1]cpu" = torch.ops.aten.sub.Tensor(mm, amax)
                                        exp: "f32[@M, @V][@V, 1]cpu" = torch.ops.aten.exp.default(sub)
                                        sum_1: "f32[@M, 1][1, 1]cpu" = torch.ops.aten.sum.dim_IntList(exp, [1], True)
                                        div: "f32[@M, @V][@V, 1]cpu" = torch.ops.aten.div.Tensor(exp, sum_1)
                                        sum_2: "f32[][]cpu" = torch.ops.aten.sum.default(div)
                                        expand: "f32[@M, @V][0, 0]cpu" = torch.ops.aten.expand.default(tangents_1, [@M, @V])
                                        neg: "f32[@M, @V][@V, 1]cpu" = torch.ops.aten.neg.default(div)
                                        mul: "f32[@M, @V][@V, 1]cpu" = torch.ops.aten.mul.Tensor(expand, div)
                                        sum_3: "f32[@M, 1][1, 1]cpu" = torch.ops.aten.sum.dim_IntList(mul, [1], True)
                                        fma: "f32[@M, @V][@V, 1]cpu" = torch.ops.prims.fma.default(neg, sum_3, mul)
                                        permute: "f32[@V, @K][1, @V]cpu" = torch.ops.aten.permute.default(primals_2, [1, 0])
                                        mm_1: "f32[@M, @K][@K, 1]cpu" = torch.ops.aten.mm.default(fma, permute)
                                        permute_1: "f32[@K, @M][1, @K]cpu" = torch.ops.aten.permute.default(primals_1, [1, 0])
                                        mm_2: "f32[@K, @V][@V, 1]cpu" = torch.ops.aten.mm.default(permute_1, fma)
                                        return [sum_2, mm_1, mm_2])");
    for (const auto& [from, to] : {std::pair<std::string, std::string>("@M", m), {"@K", k}, {"@V", v}})
        for (std::size_t at = text.find(from); at != std::string::npos; at = text.find(from, at + to.size())) text.replace(at, from.size(), to);
    return text;
}

/// A loss of the logits themselves (z-loss) beside the cross-entropy, with a tangent of its own.
inline std::string twoLossesProgram() {
    return headProgram(
        12, {{"tangents_1: \"f32[][]cpu\"", "tangents_1: \"f32[][]cpu\", tangents_2: \"f32[][]cpu\""},
             {"return [div, mm_1, mm_2]",
              "mul_2: \"f32[@R, 40][40, 1]cpu\" = torch.ops.aten.mul.Tensor(mm, tangents_2)\n"
              "        sum_5: \"f32[][]cpu\" = torch.ops.aten.sum.default(mm)\n"
              "        permute_3: \"f32[40, @R][1, 40]cpu\" = torch.ops.aten.permute.default(mul_2, [1, 0])\n"
              "        mm_3: \"f32[40, 3][3, 1]cpu\" = torch.ops.aten.mm.default(permute_3, primals_2)\n"
              "        return [div, sum_5, mm_1, mm_2, mm_3]"}});
}

}  // namespace aliascope::testing
