# best copied more bytes than torch-v1
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[4][1]cpu"):
        # No stacktrace found for following nodes
        copy_: "f32[4][1]cpu" = torch.ops.aten.copy_.default(x0, x0);  copy_ = None
        opt = torch.ops.mylib.opt.default(x0, None);  opt = None
        return (x0,)
