# torch-v1/decompose-functionalized: returns other values
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[2, 1][1, 1]cpu"):
        # No stacktrace found for following nodes
        slice_1: "f32[1, 1][1, 1]cpu" = torch.ops.aten.slice.Tensor(x0, 0, 1, None);  x0 = None
        clone: "f32[1, 1][1, 1]cpu" = torch.ops.aten.clone.default(slice_1);  slice_1 = None
        foo = torch.ops.mylib.foo.default(clone);  foo = None
        as_strided: "f32[1, 1][1, 1]cpu" = torch.ops.aten.as_strided.default(clone, [1, 1], [1, 1], 0);  clone = None
        return (as_strided,)
