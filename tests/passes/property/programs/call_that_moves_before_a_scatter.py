# best keeps more clones than torch-v2
class GraphModule(torch.nn.Module):
    def forward(self, x1: "f32[1, 1][1, 1]cpu"):
        # No stacktrace found for following nodes
        clone: "f32[1, 1][1, 1]cpu" = torch.ops.aten.clone.default(x1)
        as_strided: "f32[1, 1][3, 1]cpu" = torch.ops.aten.as_strided.default(x1, [1, 1], [3, 1], None);  x1 = None
        cos_: "f32[1, 1][3, 1]cpu" = torch.ops.aten.cos_.default(as_strided);  as_strided = None
        select: "f32[1][1]cpu" = torch.ops.aten.select.int(clone, 0, 0);  clone = None
        clone_1: "f32[1][1]cpu" = torch.ops.aten.clone.default(select)
        foo_ret = torch.ops.mylib.foo_ret.default(select, clone_1);  clone_1 = foo_ret = None
        cos_ += cos_;  iadd = cos_;  cos_ = iadd = None
        view: "i32[1][1]cpu" = torch.ops.aten.view.dtype(select, torch.int32);  select = None
        return (view,)
