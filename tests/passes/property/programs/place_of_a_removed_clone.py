class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[2][1]cpu"):
        # No stacktrace found for following nodes
        slice_5: "f32[1][1]cpu" = torch.ops.aten.slice.Tensor(x0, 0, 1, None)
        foo = torch.ops.mylib.foo.default(x0);  foo = None
        clone: "f32[1][1]cpu" = torch.ops.aten.clone.default(slice_5);  slice_5 = None
        unbind = torch.ops.aten.unbind.int(clone, 0)
        getitem_1: "f32[][]cpu" = unbind[0];  unbind = None
        add_1: "f32[2][1]cpu" = torch.ops.aten.add.out(x0, x0, out = x0);  x0 = add_1 = None
        opt_read = torch.ops.mylib.opt_read.default(getitem_1, None);  getitem_1 = opt_read = None
        return (clone,)
