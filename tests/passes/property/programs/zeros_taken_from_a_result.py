# best keeps more clones than torch-v1
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1, 1, 1][1, 1, 1]cpu"):
        # No stacktrace found for following nodes
        neg: "f32[1, 1, 1][1, 1, 1]cpu" = torch.ops.aten.neg.default(x0)
        copy_: "f32[1, 1, 1][1, 1, 1]cpu" = torch.ops.aten.copy_.default(neg, x0);  copy_ = None
        zero_: "f32[1, 1, 1][1, 1, 1]cpu" = torch.ops.aten.zero_.default(x0);  zero_ = None
        permute: "f32[1, 1, 1][1, 1, 1]cpu" = torch.ops.aten.permute.default(x0, [0, 2, 1])
        pair = torch.ops.mylib.pair.default(neg, x0);  x0 = pair = None
        sub: "f32[1, 1, 1][1, 1, 1]cpu" = torch.ops.aten.sub.Tensor(neg, permute);  neg = permute = None
        return (sub,)
