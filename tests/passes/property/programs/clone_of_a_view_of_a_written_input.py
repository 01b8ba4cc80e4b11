# best: results share memory that the program keeps apart
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1][1]cpu"):
        # No stacktrace found for following nodes
        opt = torch.ops.mylib.opt.default(x0, None);  opt = None
        clone: "f32[1][1]cpu" = torch.ops.aten.clone.default(x0);  x0 = None
        expand: "f32[1, 1][1, 1]cpu" = torch.ops.aten.expand.default(clone, [1, -1]);  clone = None
        clone_1: "f32[1, 1][1, 1]cpu" = torch.ops.aten.clone.default(expand);  expand = None
        return (clone_1,)
