# best keeps more clones than torch-v1
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1][1]cpu", x1: "f32[1, 1][1, 1]cpu", getitem_2: "f32[1][1]cpu"):
        # No stacktrace found for following nodes
        clone: "f32[1, 1][1, 1]cpu" = torch.ops.aten.clone.default(x1);  x1 = None
        unbind = torch.ops.aten.unbind.int(clone, 0)
        getitem_1: "f32[1][1]cpu" = unbind[0];  unbind = None
        clone_1: "f32[1][1]cpu" = torch.ops.aten.clone.default(getitem_1);  getitem_1 = None
        two = torch.ops.mylib.two.default(x0, clone);  x0 = clone = two = None
        add: "f32[1][1]cpu" = torch.ops.aten.add.Tensor(getitem_2, clone_1);  getitem_2 = clone_1 = None
        return (add,)
