# best copies more bytes than torch-v1
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1][1]cpu", x1: "f32[2, 1, 2][1, 4, 2]cpu"):
        # No stacktrace found for following nodes
        clone: "f32[2, 1, 2][1, 4, 2]cpu" = torch.ops.aten.clone.default(x1)
        fill_: "f32[2, 1, 2][1, 4, 2]cpu" = torch.ops.aten.fill_.Scalar(x1, 1.0);  fill_ = None
        unsqueeze: "f32[2, 1, 2, 1][2, 4, 1, 1]cpu" = torch.ops.aten.unsqueeze.default(x1, 3);  unsqueeze = None
        _foreach_mul_ = torch.ops.aten._foreach_mul_.Scalar([clone, x0], 1.0);  clone = x0 = _foreach_mul_ = None
        opt_read = torch.ops.mylib.opt_read.default(x1, None);  opt_read = None
        return (x1,)
