class inner_f(torch.nn.Module):
    def forward(
        self,
        primals,
        tangents,
    ):
        primals_1: "f32[16, 8][8, 1]cuda:0"  # PlainAOTInput(idx=0)
        tangents_1: "f32[8, 16][1, 8]cuda:0"  # TangentAOTInput(output=PlainAOTOutput(idx=0))
        primals_1, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)
        # No stacktrace found for following nodes
        permute: "f32[8, 16][1, 8]cuda:0" = torch.ops.aten.permute.default(primals_1, [1, 0]);  primals_1 = None
        permute_1: "f32[16, 8][8, 1]cuda:0" = torch.ops.aten.permute.default(tangents_1, [1, 0]);  tangents_1 = None
        return pytree.tree_unflatten([
            permute,  # PlainAOTOutput(idx=0)
            permute_1,  # GradAOTOutput(grad_of=PlainAOTInput(idx=0))
            None,  # None
        ], self._out_spec)
