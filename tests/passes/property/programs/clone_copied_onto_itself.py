class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1, 1][1, 1]cpu"):
        # No stacktrace found for following nodes
        split = torch.ops.aten.split.Tensor(x0, 1, 0);  x0 = None
        getitem: "f32[1, 1][1, 1]cpu" = split[0]
        getitem_1: "f32[1, 1][1, 1]cpu" = split[0];  split = None
        clone: "f32[1, 1][1, 1]cpu" = torch.ops.aten.clone.default(getitem_1);  getitem_1 = None
        split_1 = torch.ops.aten.split.Tensor(getitem, 1, 0);  getitem = None
        getitem_3: "f32[1, 1][1, 1]cpu" = split_1[0];  split_1 = None
        copy_: "f32[1, 1][1, 1]cpu" = torch.ops.aten.copy_.default(clone, clone);  copy_ = None
        opt = torch.ops.mylib.opt.default(clone, getitem_3);  clone = getitem_3 = opt = None
        return ()
