class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[2, 2][1, 2]cpu"):
        # No stacktrace found for following nodes
        lst_read = torch.ops.mylib.lst_read.default([x0, x0], [x0, x0]);  lst_read = None
        mm: "f32[2, 2][2, 1]cpu" = torch.ops.aten.mm.default(x0, x0)
        select: "f32[2][1]cpu" = torch.ops.aten.select.int(x0, 1, 0)
        x0 += mm;  iadd = x0;  mm = iadd = None
        lst = torch.ops.mylib.lst.default([select], 2.0);  select = lst = None
        return (x0,)
