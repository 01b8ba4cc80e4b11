# best keeps more clones than torch-v2
class GraphModule(torch.nn.Module):
    def forward(self, mul__1: "f32[1, 1, 1][1, 1, 1]cpu", transpose_2: "f32[1, 1, 1][1, 1, 1]cpu"):
        # No stacktrace found for following nodes
        clone: "f32[1, 1, 1][1, 1, 1]cpu" = torch.ops.aten.clone.default(mul__1)
        foo = torch.ops.mylib.foo.default(mul__1);  foo = None
        copy_: "f32[1, 1, 1][1, 1, 1]cpu" = torch.ops.aten.copy_.default(clone, transpose_2);  transpose_2 = copy_ = None
        lst = torch.ops.mylib.lst.default([clone, mul__1], 1.0);  clone = mul__1 = lst = None
        return ()
