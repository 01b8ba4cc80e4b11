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

}  // namespace aliascope::testing
