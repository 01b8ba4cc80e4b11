# best copies more bytes than torch-v1
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1, 2, 2][8, 4, 1]cpu"):
        # No stacktrace found for following nodes
        x0 += x0;  iadd = x0;  iadd = None
        lst = torch.ops.mylib.lst.default([x0], 1.0);  lst = None
        return (x0,)
