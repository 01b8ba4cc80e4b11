# torch-v1/reinplace: leaves other values in the inputs
class GraphModule(torch.nn.Module):
    def forward(self, x1: "f32[1, 1, 1][1, 1, 1]cpu", slice_2: "f32[1][1]cpu"):
        # No stacktrace found for following nodes
        copy_: "f32[1, 1, 1][1, 1, 1]cpu" = torch.ops.aten.copy_.default(x1, x1);  copy_ = None
        clone: "f32[1, 1, 1][1, 1, 1]cpu" = torch.ops.aten.clone.default(x1);  x1 = None
        two = torch.ops.mylib.two.default(clone, slice_2);  clone = slice_2 = two = None
        return ()
