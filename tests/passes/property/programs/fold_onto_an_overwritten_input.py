# torch-v1/fold-constants: returns other values
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1, 1][1, 1]cpu"):
        # No stacktrace found for following nodes
        clone: "f32[1, 1][1, 1]cpu" = torch.ops.aten.clone.default(x0)
        zero_: "f32[1, 1][1, 1]cpu" = torch.ops.aten.zero_.default(x0);  zero_ = None
        cos: "f32[1, 1][1, 1]cpu" = torch.ops.aten.cos.default(x0);  x0 = None
        mul_: "f32[1, 1][1, 1]cpu" = torch.ops.aten.mul_.Tensor(cos, clone);  cos = clone = None
        return (mul_,)
