# best/reinplace: returns other values
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[2][1]cpu"):
        # No stacktrace found for following nodes
        slice_1: "f32[1][1]cpu" = torch.ops.aten.slice.Tensor(x0, 0, None, 1)
        clone: "f32[1][1]cpu" = torch.ops.aten.clone.default(slice_1)
        foo = torch.ops.mylib.foo.default(x0);  x0 = foo = None
        copy_: "f32[1][1]cpu" = torch.ops.aten.copy_.default(slice_1, clone);  clone = copy_ = None
        squeeze: "f32[][]cpu" = torch.ops.aten.squeeze.default(slice_1);  slice_1 = None
        return (squeeze,)
