# best keeps more clones than torch-v1
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1, 1][1, 1]cpu"):
        # No stacktrace found for following nodes
        foo = torch.ops.mylib.foo.default(x0);  foo = None
        clone: "f32[1, 1][1, 1]cpu" = torch.ops.aten.clone.default(x0)
        fill_: "f32[1, 1][1, 1]cpu" = torch.ops.aten.fill_.Scalar(x0, 0);  fill_ = None
        copy_: "f32[1, 1][1, 1]cpu" = torch.ops.aten.copy_.default(x0, clone);  x0 = copy_ = None
        foo_1 = torch.ops.mylib.foo.default(clone);  foo_1 = None
        return (clone,)
