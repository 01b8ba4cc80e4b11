#pragma once
// Attention that is written out, as a graph text: what the tests of fusion and of its command line share.

#include "tests/passes/pass_fixture.h"

namespace aliascope::testing {

struct Attention {
    std::string dtype = "f16", device = "cuda:0";
    std::string scale = "div.Tensor(view_2, 8.0)";
    std::string mask;  ///< type of an additive mask, e.g. `f16[1, 1, 16, 16][256, 256, 16, 1]`
    std::string axis = "-1";
    std::string keyDType;  ///< of the key; empty = dtype
    std::string result = "view_5";
    std::string keep;  ///< how the kept columns follow from numbers of columns and rows; empty = all are kept
};

/// softmax(Q K^T * scale + mask) V over [2, 4, 16, 64], as PyTorch traces it.
inline std::string attention(const Attention& a) {
    const bool half = a.dtype != "f32";
    const auto type = [&](const std::string& dtype, const std::string& sizes, const std::string& strides) {
        return "\"" + dtype + "[" + sizes + "][" + strides + "]" + a.device + "\"";
    };
    const std::string q = type(a.dtype, "2, 4, 16, 64", "4096, 1024, 64, 1"),
                      key = type(a.keyDType.empty() ? a.dtype : a.keyDType, "2, 4, 16, 64", "4096, 1024, 64, 1");
    const std::string score = type(a.dtype, "2, 4, 16, 16", "1024, 256, 16, 1"), wide = type("f32", "2, 4, 16, 16", "1024, 256, 16, 1"),
                      row = type("f32", "2, 4, 16, 1", "64, 16, 1, 1");
    const std::string kt = type(a.keyDType.empty() ? a.dtype : a.keyDType, "2, 4, 64, 16", "4096, 1024, 1, 64");
    std::string parameters = "q: " + q + ", k: " + key + ", v: " + q;
    if (!a.mask.empty()) parameters += ", m: \"" + a.mask + a.device + "\"";
    std::string body = "permute: " + kt +
                       " = torch.ops.aten.permute.default(k, [0, 1, 3, 2])\n"
                       "expand: " +
                       q +
                       " = torch.ops.aten.expand.default(q, [2, 4, 16, 64])\n"
                       "view: " +
                       type(a.dtype, "8, 16, 64", "1024, 64, 1") +
                       " = torch.ops.aten.view.default(expand, [8, 16, 64])\n"
                       "expand_1: " +
                       kt +
                       " = torch.ops.aten.expand.default(permute, [2, 4, 64, 16])\n"
                       "view_1: " +
                       type(a.keyDType.empty() ? a.dtype : a.keyDType, "8, 64, 16", "1024, 1, 64") +
                       " = torch.ops.aten.view.default(expand_1, [8, 64, 16])\n"
                       "bmm: " +
                       type(a.dtype, "8, 16, 16", "256, 16, 1") +
                       " = torch.ops.aten.bmm.default(view, view_1)\n"
                       "view_2: " +
                       score +
                       " = torch.ops.aten.view.default(bmm, [2, 4, 16, 16])\n"
                       "scaled: " +
                       score + " = torch.ops.aten." + a.scale + "\n";
    std::string last = "scaled";
    if (!a.mask.empty()) {
        body += "add: " + score + " = torch.ops.aten.add.Tensor(scaled, m)\n";
        last = "add";
    }
    if (!a.keep.empty()) {
        const std::string place = "device = device(type='cuda', index=0)";
        for (const char* name : {"column_numbers", "row_numbers"})
            body += std::string(name) + ": " + type("i64", "16", "1") +
                    " = torch.ops.prims.iota.default(16, start = 0, step = 1, dtype = torch.int64, " + place + ", requires_grad = False)\n";
        body += "columns: " + type("i64", "1, 16", "16, 1") +
                " = torch.ops.aten.unsqueeze.default(column_numbers, 0)\n"
                "rows: " +
                type("i64", "16, 1", "1, 1") +
                " = torch.ops.aten.unsqueeze.default(row_numbers, 1)\n"
                "keep: " +
                type("b8", "16, 16", "16, 1") + " = torch.ops.aten." + a.keep +
                "\n"
                "fill: " +
                type(a.dtype, "", "") + " = torch.ops.aten.full.default([], -inf, dtype = torch.float16, " + place +
                ", pin_memory = False)\n"
                "kept: " +
                score + " = torch.ops.aten.where.self(keep, " + last + ", fill)\n";
        last = "kept";
    }
    if (half) {
        body += "convert: " + wide + " = torch.ops.prims.convert_element_type.default(" + last + ", torch.float32)\n";
        last = "convert";
    }
    body += "amax: " + row + " = torch.ops.aten.amax.default(" + last + ", [" + a.axis +
            "], True)\n"
            "sub: " +
            wide + " = torch.ops.aten.sub.Tensor(" + last +
            ", amax)\n"
            "exp: " +
            wide +
            " = torch.ops.aten.exp.default(sub)\n"
            "sum_1: " +
            row + " = torch.ops.aten.sum.dim_IntList(exp, [" + a.axis +
            "], True)\n"
            "weights: " +
            wide + " = torch.ops.aten.div.Tensor(exp, sum_1)\n";
    last = "weights";
    if (half) {
        body += "convert_1: " + score + " = torch.ops.prims.convert_element_type.default(weights, torch." +
                (a.dtype == "f16" ? "float16" : "bfloat16") + ")\n";
        last = "convert_1";
    }
    body += "expand_2: " + score + " = torch.ops.aten.expand.default(" + last +
            ", [2, 4, 16, 16])\n"
            "view_3: " +
            type(a.dtype, "8, 16, 16", "256, 16, 1") +
            " = torch.ops.aten.view.default(expand_2, [8, 16, 16])\n"
            "expand_3: " +
            q +
            " = torch.ops.aten.expand.default(v, [2, 4, 16, 64])\n"
            "view_4: " +
            type(a.dtype, "8, 16, 64", "1024, 64, 1") +
            " = torch.ops.aten.view.default(expand_3, [8, 16, 64])\n"
            "bmm_1: " +
            type(a.dtype, "8, 16, 64", "1024, 64, 1") +
            " = torch.ops.aten.bmm.default(view_3, view_4)\n"
            "view_5: " +
            q +
            " = torch.ops.aten.view.default(bmm_1, [2, 4, 16, 64])\n"
            "return (" +
            a.result + ",)";
    return readableGraph(parameters, body);
}

}  // namespace aliascope::testing
