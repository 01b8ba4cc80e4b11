class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1, 1][1, 1]cpu", x1: "f32[2][1]cpu"):
        # No stacktrace found for following nodes
        clone: "f32[2][1]cpu" = torch.ops.aten.clone.default(x1);  x1 = None
        unbind = torch.ops.aten.unbind.int(clone, 0);  clone = None
        getitem: "f32[][]cpu" = unbind[0];  unbind = None
        two = torch.ops.mylib.two.default(x0, getitem);  x0 = getitem = two = None
        return ()
