# torch-v1/decompose-functionalized: returns other values
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[2, 1, 1][1, 2, 2]cpu"):
        # No stacktrace found for following nodes
        add_: "f32[2, 1, 1][1, 2, 2]cpu" = torch.ops.aten.add_.Tensor(x0, 1.0);  x0 = None
        expand: "f32[2, 2, 2, 1][0, 1, 0, 2]cpu" = torch.ops.aten.expand.default(add_, [2, -1, 2, -1]);  add_ = None
        mul: "f32[2, 2, 2, 1][4, 1, 2, 4]cpu" = torch.ops.aten.mul.Tensor(expand, 1);  expand = None
        select: "f32[2, 2, 2][4, 1, 2]cpu" = torch.ops.aten.select.int(mul, 3, 0)
        lst = torch.ops.mylib.lst.default([select], 1.0);  select = lst = None
        return (mul,)
