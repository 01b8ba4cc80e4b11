class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[3, 2][1, 3]cpu", slice_3: "f32[1][1]cpu", full_1: "i64[1][1]cpu"):
        # No stacktrace found for following nodes
        split = torch.ops.aten.split.Tensor(x0, 2, 0);  x0 = None
        getitem_1: "f32[2, 2][1, 3]cpu" = split[0];  split = None
        diagonal: "f32[2][4]cpu" = torch.ops.aten.diagonal.default(getitem_1);  getitem_1 = None
        index_copy_: "f32[2][4]cpu" = torch.ops.aten.index_copy_.default(diagonal, 0, full_1, slice_3);  diagonal = full_1 = slice_3 = index_copy_ = None
        return ()
