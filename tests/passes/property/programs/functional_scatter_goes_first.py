# best copies more bytes than torch-v1
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1, 2][2, 1]cpu"):
        # No stacktrace found for following nodes
        as_strided: "f32[1, 1][1, 1]cpu" = torch.ops.aten.as_strided.default(x0, [1, 1], [1, 1], None)
        squeeze: "f32[][]cpu" = torch.ops.aten.squeeze.default(as_strided);  as_strided = None
        clone: "f32[1, 2][2, 1]cpu" = torch.ops.aten.clone.default(x0);  x0 = None
        slice_1: "f32[1, 1][2, 1]cpu" = torch.ops.aten.slice.Tensor(clone, 1, 1, None)
        squeeze += squeeze;  iadd = squeeze;  iadd = None
        add: "f32[1, 1][2, 1]cpu" = torch.ops.aten.add.out(slice_1, slice_1, out = slice_1);  slice_1 = add = None
        neg_: "f32[][]cpu" = torch.ops.aten.neg_.default(squeeze);  squeeze = neg_ = None
        return (clone,)
