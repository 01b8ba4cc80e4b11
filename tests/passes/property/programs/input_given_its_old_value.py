# best keeps more clones than torch-v1
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1][1]cpu", mul_1: "f32[1][1]cpu", full_1: "i64[1][1]cpu"):
        # No stacktrace found for following nodes
        clone: "f32[1][1]cpu" = torch.ops.aten.clone.default(x0)
        mul_: "f32[1][1]cpu" = torch.ops.aten.mul_.Tensor(x0, x0);  x0 = None
        squeeze: "f32[][]cpu" = torch.ops.aten.squeeze.default(mul_)
        cache = torch.ops.mylib.cache.default(mul_1, mul_1, mul_, clone, full_1);  mul_1 = full_1 = cache = None
        copy__1: "f32[1][1]cpu" = torch.ops.aten.copy_.default(mul_, clone);  mul_ = clone = copy__1 = None
        return (squeeze,)
