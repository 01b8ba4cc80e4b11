# torch-v2/reinplace: returns other values
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[s0, s0][s0, 1]cpu"):
        # No stacktrace found for following nodes
        opt = torch.ops.mylib.opt.default(x0, x0);  opt = None
        clone: "f32[s0, s0][s0, 1]cpu" = torch.ops.aten.clone.default(x0)
        neg_: "f32[s0, s0][s0, 1]cpu" = torch.ops.aten.neg_.default(x0);  x0 = neg_ = None
        view: "f32[s0**2][1]cpu" = torch.ops.aten.view.default(clone, [-1])
        opt_read = torch.ops.mylib.opt_read.default(clone, None);  clone = opt_read = None
        return (view,)
