# torch-v1/fold-constants: does not run: SHAPE_MISMATCH
class GraphModule(torch.nn.Module):
    def forward(self, x1: "f32[4, 4, 4][32, 8, 1]cpu", x2: "f32[1, 1, 1][1, 1, 1]cpu"):
        # No stacktrace found for following nodes
        zero_: "f32[1, 1, 1][1, 1, 1]cpu" = torch.ops.aten.zero_.default(x2);  zero_ = None
        add: "f32[4, 4, 4][16, 4, 1]cpu" = torch.ops.aten.add.Tensor(x2, x1);  x2 = x1 = None
        view_1: "f32[64][1]cpu" = torch.ops.aten.view.default(add, [-1]);  add = None
        return (view_1,)
