# torch-v1/functionalize: does not run: SHAPE_MISMATCH
class GraphModule(torch.nn.Module):
    def forward(self, x1: "f32[s0, 1, s0][s0, s0, 1]cpu"):
        # No stacktrace found for following nodes
        expand: "f32[1, s0, 2, s0][s0**2, s0, 0, 1]cpu" = torch.ops.aten.expand.default(x1, [1, -1, 2, -1]);  x1 = None
        select: "f32[1, s0, s0][s0**2, s0, 1]cpu" = torch.ops.aten.select.int(expand, 2, 0);  expand = None
        _foreach_mul_ = torch.ops.aten._foreach_mul_.Scalar([select], 1.0);  select = _foreach_mul_ = None
        return ()
