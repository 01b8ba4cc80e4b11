# best keeps more clones than torch-v1
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1, 1, 2][2, 2, 1]cpu", x1: "f32[1, 1][1, 1]cpu"):
        # No stacktrace found for following nodes
        permute: "f32[1, 2, 1][2, 1, 2]cpu" = torch.ops.aten.permute.default(x0, [1, 2, 0])
        cos_: "f32[1, 2, 1][2, 1, 2]cpu" = torch.ops.aten.cos_.default(permute);  cos_ = None
        two = torch.ops.mylib.two.default(permute, x1);  permute = x1 = two = None
        copy_: "f32[1, 1, 2][2, 2, 1]cpu" = torch.ops.aten.copy_.default(x0, x0);  x0 = copy_ = None
        return ()
