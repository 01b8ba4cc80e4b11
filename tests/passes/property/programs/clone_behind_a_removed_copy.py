# torch-v1/remove-noops returned other values without saying so
class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[1][1]cpu"):
        # No stacktrace found for following nodes
        view: "f32[1][1]cpu" = torch.ops.aten.view.default(x0, [-1])
        copy_: "f32[1][1]cpu" = torch.ops.aten.copy_.default(view, view);  copy_ = None
        clone: "f32[1][1]cpu" = torch.ops.aten.clone.default(view);  view = None
        zero_: "f32[1][1]cpu" = torch.ops.aten.zero_.default(x0);  x0 = zero_ = None
        return (clone,)
