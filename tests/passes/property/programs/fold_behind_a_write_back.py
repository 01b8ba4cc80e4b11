# torch-v1/fold-constants: returns other values
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1][1]cpu", sin_1: "f32[1][1]cpu", unsqueeze_2: "f32[1, 1][1, 1]cpu"):
        # No stacktrace found for following nodes
        zero_: "f32[1][1]cpu" = torch.ops.aten.zero_.default(sin_1);  zero_ = None
        unsqueeze_1: "f32[1, 1][1, 1]cpu" = torch.ops.aten.unsqueeze.default(x0, 0)
        add: "f32[1][1]cpu" = torch.ops.aten.add.out(x0, sin_1, out = sin_1);  x0 = add = None
        mul_: "f32[1, 1][1, 1]cpu" = torch.ops.aten.mul_.Tensor(unsqueeze_1, unsqueeze_2);  unsqueeze_1 = unsqueeze_2 = mul_ = None
        return (sin_1,)
