# best keeps more clones than torch-v1
class GraphModule(torch.nn.Module):
    def forward(self, x1: "f32[2][1]cpu"):
        # No stacktrace found for following nodes
        fill_: "f32[2][1]cpu" = torch.ops.aten.fill_.Scalar(x1, 1.0);  fill_ = None
        clone: "f32[2][1]cpu" = torch.ops.aten.clone.default(x1)
        slice_1: "f32[1][1]cpu" = torch.ops.aten.slice.Tensor(x1, 0, None, 1)
        copy__1: "f32[2][1]cpu" = torch.ops.aten.copy_.default(x1, clone);  x1 = copy__1 = None
        unsqueeze: "f32[1, 2][2, 1]cpu" = torch.ops.aten.unsqueeze.default(clone, 0);  clone = None
        unbind = torch.ops.aten.unbind.int(unsqueeze, 1);  unsqueeze = None
        getitem: "f32[1][2]cpu" = unbind[1];  unbind = None
        return (slice_1, getitem)
