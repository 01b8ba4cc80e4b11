# best copies more bytes than torch-v1
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1, 1][1, 1]cpu", mul_1: "f32[1, 1][1, 1]cpu", full_1: "i64[1][1]cpu"):
        # No stacktrace found for following nodes
        neg: "f32[1, 1][1, 1]cpu" = torch.ops.aten.neg.default(x0)
        foo = torch.ops.mylib.foo.default(neg);  foo = None
        select: "f32[1][1]cpu" = torch.ops.aten.select.int(neg, 0, 0)
        split = torch.ops.aten.split.Tensor(select, 1, 0);  select = None
        getitem: "f32[1][1]cpu" = split[0];  split = None
        zero_: "f32[1][1]cpu" = torch.ops.aten.zero_.default(getitem);  zero_ = None
        clone: "f32[1, 1][1, 1]cpu" = torch.ops.aten.clone.default(neg);  neg = None
        cache = torch.ops.mylib.cache.default(mul_1, mul_1, x0, clone, full_1);  mul_1 = x0 = clone = full_1 = cache = None
        return (getitem,)
