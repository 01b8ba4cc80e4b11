class <lambda>(torch.nn.Module):
    def forward(self, arg0_1: "Sym(s7)", arg1_1: "f32[s7, 8][8, 1]cuda:0"):
         # File: /src/demo.py:12 in step, code: y = mix(x)  # keep; y = None
        pick_0 = self.pick_0
        blend: "f32[s7, 8][8, 1]cuda:0" = torch.ops.demo.blend.default(arg1_1, [None, 2], mode = 'so;ft');  arg1_1 = None
        cond = torch.ops.higher_order.cond(True, pick_0, pick_0, (blend, arg0_1));  pick_0 = blend = arg0_1 = None
        getitem: "f32[(s7//2), 8]" = cond[0];  cond = None
        return (getitem,)

    class pick_0(torch.nn.Module):
        def forward(self, arg0_1: "f32[s7, 8][8, 1]cuda:0", arg1_1: "Sym(s7)"):
            floordiv: "Sym((s7//2))" = arg1_1 // 2;  arg1_1 = None
            slice_1: "f32[(s7//2), 8][8, 1]cuda:0" = torch.ops.aten.slice.Tensor(arg0_1, 0, 0, floordiv);  arg0_1 = floordiv = None
            return (slice_1,)
