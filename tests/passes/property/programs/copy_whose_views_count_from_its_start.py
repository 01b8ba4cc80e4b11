# torch-v2/remove-noops: returns other values
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[2, 1, 1][1, 1, 1]cpu"):
        # No stacktrace found for following nodes
        select: "f32[1, 1][1, 1]cpu" = torch.ops.aten.select.int(x0, 0, 1);  x0 = None
        clone: "f32[1, 1][1, 1]cpu" = torch.ops.aten.clone.default(select);  select = None
        view: "f32[1][1]cpu" = torch.ops.aten.view.default(clone, [-1])
        foo = torch.ops.mylib.foo.default(view);  view = foo = None
        return (clone,)
