class GraphModule(torch.nn.Module):
    def forward(self, x2: "f32[1][1]cpu"):
        # No stacktrace found for following nodes
        slice_2: "f32[0][1]cpu" = torch.ops.aten.slice.Tensor(x2, 0, 1, None)
        expand: "f32[2, 1][0, 1]cpu" = torch.ops.aten.expand.default(x2, [2, -1])
        add: "f32[1][1]cpu" = torch.ops.aten.add.Tensor(x2, x2)
        copy_: "f32[1][1]cpu" = torch.ops.aten.copy_.default(x2, add);  x2 = copy_ = None
        select: "f32[][]cpu" = torch.ops.aten.select.int(add, 0, 0);  add = None
        copy__1: "f32[][]cpu" = torch.ops.aten.copy_.default(select, select);  copy__1 = None
        opt = torch.ops.mylib.opt.default(select, slice_2);  select = slice_2 = opt = None
        return (expand,)
