class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1][1]cpu"):
        # No stacktrace found for following nodes
        foo_1 = torch.ops.mylib.foo.default(x0);  foo_1 = None
        clone: "f32[1][1]cpu" = torch.ops.aten.clone.default(x0);  x0 = None
        return (clone,)
