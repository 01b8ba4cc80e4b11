# torch-v1/functionalize: does not run: SHAPE_MISMATCH
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1, 1, 4][1, 1, 1]cpu"):
        # No stacktrace found for following nodes
        add_: "f32[1, 1, 4][1, 1, 1]cpu" = torch.ops.aten.add_.Tensor(x0, 0);  add_ = None
        transpose: "f32[4, 1, 1][1, 1, 1]cpu" = torch.ops.aten.transpose.int(x0, 0, -1);  x0 = None
        expand: "f32[2, 4, 2, 1][0, 1, 0, 1]cpu" = torch.ops.aten.expand.default(transpose, [2, -1, 2, -1]);  transpose = None
        sub: "f32[2, 4, 2, 1][8, 2, 1, 1]cpu" = torch.ops.aten.sub.Tensor(expand, expand);  expand = None
        view: "f32[16][1]cpu" = torch.ops.aten.view.default(sub, [-1]);  sub = None
        return (view,)
