# torch-v1/decompose-functionalized: returns other values
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1, 1, 1][1, 1, 1]cpu", x2: "f32[2, 2][2, 1]cpu"):
        # No stacktrace found for following nodes
        select_1: "f32[1, 1][1, 1]cpu" = torch.ops.aten.select.int(x0, 0, 0);  x0 = None
        t: "f32[2, 2][1, 2]cpu" = torch.ops.aten.t.default(x2)
        mm: "f32[2, 2][2, 1]cpu" = torch.ops.aten.mm.default(x2, t)
        t += mm;  iadd = t;  mm = iadd = None
        lst = torch.ops.mylib.lst.default([select_1, t], 1.0);  select_1 = t = lst = None
        return (x2,)
