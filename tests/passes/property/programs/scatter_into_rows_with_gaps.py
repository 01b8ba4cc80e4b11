# torch-v1/decompose-functionalized: returns other values
class GraphModule(torch.nn.Module):
    def forward(self, x1: "f32[3, 2][4, 1]cpu"):
        # No stacktrace found for following nodes
        slice_1: "f32[2, 2][4, 1]cpu" = torch.ops.aten.slice.Tensor(x1, 0, None, 2)
        diagonal: "f32[2][5]cpu" = torch.ops.aten.diagonal.default(slice_1)
        neg_: "f32[2][5]cpu" = torch.ops.aten.neg_.default(diagonal);  neg_ = None
        foo = torch.ops.mylib.foo.default(slice_1);  slice_1 = foo = None
        add: "f32[3, 2][4, 1]cpu" = torch.ops.aten.add.out(x1, x1, out = x1);  add = None
        sum_1: "f32[][]cpu" = torch.ops.aten.sum.default(diagonal);  diagonal = sum_1 = None
        return (x1,)
