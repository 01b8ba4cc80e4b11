# torch-v2/remove-noops: returns other values
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[3, 1][1, 1]cpu"):
        # No stacktrace found for following nodes
        slice_1: "f32[1, 1][1, 1]cpu" = torch.ops.aten.slice.Tensor(x0, 0, 2, None);  x0 = None
        clone: "f32[1, 1][1, 1]cpu" = torch.ops.aten.clone.default(slice_1);  slice_1 = None
        view: "f32[1][1]cpu" = torch.ops.aten.view.default(clone, [-1]);  clone = None
        foo = torch.ops.mylib.foo.default(view);  foo = None
        return (view,)
