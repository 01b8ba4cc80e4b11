# best copies more bytes than torch-v1
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1][1]cpu", mul_1: "f32[1][1]cpu"):
        # No stacktrace found for following nodes
        clone: "f32[1][1]cpu" = torch.ops.aten.clone.default(x0)
        select: "f32[][]cpu" = torch.ops.aten.select.int(x0, 0, 0)
        zero_: "f32[][]cpu" = torch.ops.aten.zero_.default(select);  select = zero_ = None
        gt: "b8[1][1]cpu" = torch.ops.aten.gt.Scalar(clone, 1.0)
        masked_fill_: "f32[1][1]cpu" = torch.ops.aten.masked_fill_.Scalar(mul_1, gt, 0);  mul_1 = gt = None
        select_1: "f32[][]cpu" = torch.ops.aten.select.int(x0, 0, 0);  x0 = None
        cos_: "f32[1][1]cpu" = torch.ops.aten.cos_.default(clone);  clone = None
        copy_: "f32[1][1]cpu" = torch.ops.aten.copy_.default(masked_fill_, select_1);  masked_fill_ = select_1 = copy_ = None
        return (cos_,)
