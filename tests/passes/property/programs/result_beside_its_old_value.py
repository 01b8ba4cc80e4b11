# best: results share memory that the program keeps apart
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1][1]cpu"):
        # No stacktrace found for following nodes
        slice_2: "f32[0][1]cpu" = torch.ops.aten.slice.Tensor(x0, 0, 1, None)
        mul: "f32[1][1]cpu" = torch.ops.aten.mul.Tensor(x0, x0)
        view: "f32[1][1]cpu" = torch.ops.aten.view.default(x0, [-1])
        mul_: "f32[1][1]cpu" = torch.ops.aten.mul_.Tensor(x0, mul);  mul_ = None
        copy_: "f32[1][1]cpu" = torch.ops.aten.copy_.default(mul, x0);  x0 = copy_ = None
        copy__1: "f32[0][1]cpu" = torch.ops.aten.copy_.default(slice_2, slice_2);  slice_2 = copy__1 = None
        return (mul, view)
