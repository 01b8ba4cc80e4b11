# torch version: 2.11.0+cu130

class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "f32[2, 5, 8][40, 8, 1]cuda:0", arg1_1: "f32[2, 1, 8][8, 8, 1]cuda:0", arg2_1: "f32[8, 8][8, 1]cuda:0"):
        # File: program.py:19 in decode, code: cache[:, pos:pos + 1] = k
        slice_1: "f32[2, 1, 8][40, 8, 1]cuda:0" = torch.ops.aten.slice.Tensor(arg0_1, 1, 0, 1)
        copy: "f32[2, 1, 8][40, 8, 1]cuda:0" = torch.ops.aten.copy.default(slice_1, arg1_1);  slice_1 = arg1_1 = None
        slice_scatter: "f32[2, 5, 8][40, 8, 1]cuda:0" = torch.ops.aten.slice_scatter.default(arg0_1, copy, 1, 0, 1);  copy = None

        # File: program.py:21 in decode, code: torch.ops.demo.scale_(demo, 0.5)
        auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.demo.scale_.default, by = 0.5, _x_base_index = 0, _x_size = (10, 8), _x_stride = (8, 1), _x_storage_offset = 0, _all_bases = [slice_scatter]);  slice_scatter = None
        getitem_1: "f32[2, 5, 8][40, 8, 1]cuda:0" = auto_functionalized_v2[1];  auto_functionalized_v2 = None

        # File: program.py:22 in decode, code: y = torch.softmax(cache @ w, -1)
        view_2: "f32[10, 8][8, 1]cuda:0" = torch.ops.aten.view.default(getitem_1, [10, 8])
        mm: "f32[10, 8][8, 1]cuda:0" = torch.ops.aten.mm.default(view_2, arg2_1);  view_2 = arg2_1 = None
        view_3: "f32[2, 5, 8][40, 8, 1]cuda:0" = torch.ops.aten.view.default(mm, [2, 5, 8]);  mm = None
        amax: "f32[2, 5, 1][5, 1, 1]cuda:0" = torch.ops.aten.amax.default(view_3, [-1], True)
        sub: "f32[2, 5, 8][40, 8, 1]cuda:0" = torch.ops.aten.sub.Tensor(view_3, amax);  view_3 = amax = None
        exp: "f32[2, 5, 8][40, 8, 1]cuda:0" = torch.ops.aten.exp.default(sub);  sub = None
        sum_1: "f32[2, 5, 1][5, 1, 1]cuda:0" = torch.ops.aten.sum.dim_IntList(exp, [-1], True)
        div: "f32[2, 5, 8][40, 8, 1]cuda:0" = torch.ops.aten.div.Tensor(exp, sum_1);  exp = sum_1 = None

        # File: program.py:21 in decode, code: torch.ops.demo.scale_(demo, 0.5)
        copy_: "f32[2, 5, 8][40, 8, 1]cuda:0" = torch.ops.aten.copy_.default(arg0_1, getitem_1);  arg0_1 = getitem_1 = copy_ = None
        return (div,)
