# best copies more bytes than torch-v1
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1, 1][1, 1]cpu", x1: "f32[2, 1][2, 1]cpu"):
        # No stacktrace found for following nodes
        permute: "f32[1, 2][1, 2]cpu" = torch.ops.aten.permute.default(x1, [1, 0])
        fill_: "f32[1, 1][1, 1]cpu" = torch.ops.aten.fill_.Scalar(x0, 1.0);  fill_ = None
        add_: "f32[2, 1][2, 1]cpu" = torch.ops.aten.add_.Tensor(x1, 0);  x1 = add_ = None
        mul_: "f32[1, 2][1, 2]cpu" = torch.ops.aten.mul_.Tensor(permute, x0);  permute = x0 = mul_ = None
        return ()
