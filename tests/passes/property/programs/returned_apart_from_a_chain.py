class GraphModule(torch.nn.Module):
    def forward(self, x1: "f32[1, 2, 2][2, 1, 2]cpu"):
        # No stacktrace found for following nodes
        fill_: "f32[1, 2, 2][2, 1, 2]cpu" = torch.ops.aten.fill_.Scalar(x1, 1.0);  fill_ = None
        foo = torch.ops.mylib.foo.default(x1);  foo = None
        clone: "f32[1, 2, 2][2, 1, 2]cpu" = torch.ops.aten.clone.default(x1);  x1 = None
        return (clone,)
