# torch-v1/reinplace: does not run: OVERLAP_REFUSED
class GraphModule(torch.nn.Module):
    def forward(self, x1: "f32[s0, 1][1, s0]cpu"):
        # No stacktrace found for following nodes
        squeeze: "f32[s0][1]cpu" = torch.ops.aten.squeeze.default(x1)
        opt = torch.ops.mylib.opt.default(x1, None);  x1 = opt = None
        opt_1 = torch.ops.mylib.opt.default(squeeze, None);  squeeze = opt_1 = None
        return ()
