# torch-v2/reinplace: does not run: SHAPE_MISMATCH
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[2, 3][6, 1]cpu", mul_1: "f32[1, 1][1, 1]cpu", full_1: "i64[1][1]cpu"):
        # No stacktrace found for following nodes
        clone: "f32[2, 3][3, 1]cpu" = torch.ops.aten.clone.default(x0)
        diagonal: "f32[2][7]cpu" = torch.ops.aten.diagonal.default(x0)
        neg_: "f32[2][7]cpu" = torch.ops.aten.neg_.default(diagonal);  diagonal = neg_ = None
        t: "f32[3, 2][1, 6]cpu" = torch.ops.aten.t.default(x0)
        foo = torch.ops.mylib.foo.default(t);  t = foo = None
        cache = torch.ops.mylib.cache.default(mul_1, mul_1, clone, x0, full_1);  mul_1 = clone = x0 = full_1 = cache = None
        return ()
