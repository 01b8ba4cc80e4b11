class GraphModule(torch.nn.Module):
    def forward(self, x1: "f32[4, s0][s0, 1]cpu"):
        # No stacktrace found for following nodes
        slice_1: "f32[2, s0][s0, 1]cpu" = torch.ops.aten.slice.Tensor(x1, 0, None, 2)
        slice_2: "f32[2, s0][s0, 1]cpu" = torch.ops.aten.slice.Tensor(x1, 0, 2, None);  x1 = None
        copy_: "f32[2, s0][s0, 1]cpu" = torch.ops.aten.copy_.default(slice_2, slice_1);  slice_2 = slice_1 = copy_ = None
        return ()
