# torch-v1/fold-constants: returns other values
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1, 1][1, 1]cpu"):
        # No stacktrace found for following nodes
        zero_: "f32[1, 1][1, 1]cpu" = torch.ops.aten.zero_.default(x0);  zero_ = None
        mul: "f32[1, 1][1, 1]cpu" = torch.ops.aten.mul.Tensor(x0, x0)
        view: "i32[1, 1][1, 1]cpu" = torch.ops.aten.view.dtype(x0, torch.int32)
        neg_: "f32[1, 1][1, 1]cpu" = torch.ops.aten.neg_.default(x0);  x0 = None
        neg_ += mul;  iadd = neg_;  neg_ = iadd = None
        return (mul, view)
