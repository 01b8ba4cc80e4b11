# best copies more bytes than torch-v1
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1, 2][2, 1]cpu", x1: "f32[2][1]cpu", mul_2: "f32[1][1]cpu", full_1: "i64[1][1]cpu"):
        # No stacktrace found for following nodes
        zero_: "f32[1, 2][2, 1]cpu" = torch.ops.aten.zero_.default(x0);  zero_ = None
        squeeze: "f32[2][1]cpu" = torch.ops.aten.squeeze.default(x0);  x0 = None
        add: "f32[2][1]cpu" = torch.ops.aten.add.out(squeeze, x1, out = x1);  add = None
        cache = torch.ops.mylib.cache.default(mul_2, mul_2, x1, squeeze, full_1);  mul_2 = x1 = squeeze = full_1 = cache = None
        return ()
