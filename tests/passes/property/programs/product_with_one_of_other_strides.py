# torch-v1/decompose-functionalized: does not run: SHAPE_MISMATCH
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[2, 2][1, 2]cpu", x2: "f32[2, 2][2, 1]cpu"):
        # No stacktrace found for following nodes
        unbind = torch.ops.aten.unbind.int(x2, 1)
        getitem: "f32[2][2]cpu" = unbind[1];  unbind = None
        fill_: "f32[2, 2][2, 1]cpu" = torch.ops.aten.fill_.Scalar(x2, 1);  fill_ = None
        mul_: "f32[2, 2][2, 1]cpu" = torch.ops.aten.mul_.Tensor(x2, x0);  x2 = x0 = mul_ = None
        opt = torch.ops.mylib.opt.default(getitem, None);  getitem = opt = None
        return ()
