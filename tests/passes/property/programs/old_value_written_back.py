# torch-v2/reinplace: leaves other values in the inputs
class GraphModule(torch.nn.Module):
    def forward(self, x1: "f32[1][1]cpu", mul_1: "f32[1][1]cpu", full_1: "i64[1][1]cpu"):
        # No stacktrace found for following nodes
        clone: "f32[1][1]cpu" = torch.ops.aten.clone.default(x1)
        cache = torch.ops.mylib.cache.default(mul_1, mul_1, x1, x1, full_1);  mul_1 = full_1 = cache = None
        copy_: "f32[1][1]cpu" = torch.ops.aten.copy_.default(x1, clone);  x1 = clone = copy_ = None
        return ()
