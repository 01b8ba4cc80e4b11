# best copies more bytes than torch-v1
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[4, 4][4, 1]cpu", x2: "f32[4, 4][4, 1]cpu"):
        # No stacktrace found for following nodes
        slice_2: "f32[4, 1][4, 1]cpu" = torch.ops.aten.slice.Tensor(x0, 1, 3, None)
        copy_: "f32[4, 4][4, 1]cpu" = torch.ops.aten.copy_.default(x2, x0);  copy_ = None
        copy__1: "f32[4, 1][4, 1]cpu" = torch.ops.aten.copy_.default(slice_2, slice_2);  slice_2 = copy__1 = None
        select: "f32[4][4]cpu" = torch.ops.aten.select.int(x0, 0, 0);  x0 = None
        opt_read = torch.ops.mylib.opt_read.default(x2, None);  x2 = opt_read = None
        as_strided: "f32[1, 1][3, 2]cpu" = torch.ops.aten.as_strided.default(select, [1, 1], [3, 2], None);  select = None
        return (as_strided,)
