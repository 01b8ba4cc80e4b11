class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1][1]cpu"):
        # No stacktrace found for following nodes
        slice_1: "f32[1][1]cpu" = torch.ops.aten.slice.Tensor(x0, 0, None, None)
        clone: "f32[1][1]cpu" = torch.ops.aten.clone.default(x0)
        clone_1: "f32[1][1]cpu" = torch.ops.aten.clone.default(clone)
        pair = torch.ops.mylib.pair.default(clone, clone_1);  clone_1 = pair = None
        x0 += clone;  iadd = x0;  x0 = clone = iadd = None
        return (slice_1,)
