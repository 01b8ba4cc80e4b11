# best keeps more clones than torch-v2
class GraphModule(torch.nn.Module):
    def forward(self, x2: "f32[1][1]cpu", slice_3: "f32[1][1]cpu", slice_2: "f32[1][1]cpu"):
        # No stacktrace found for following nodes
        add: "f32[1][1]cpu" = torch.ops.aten.add.out(slice_3, slice_2, out = slice_3);  slice_2 = add = None
        x2 += x2;  iadd = x2;  iadd = None
        select: "f32[][]cpu" = torch.ops.aten.select.int(slice_3, 0, 0)
        clone: "f32[][]cpu" = torch.ops.aten.clone.default(select)
        copy_: "f32[1][1]cpu" = torch.ops.aten.copy_.default(x2, slice_3);  x2 = slice_3 = copy_ = None
        opt = torch.ops.mylib.opt.default(select, None);  select = opt = None
        return (clone,)
