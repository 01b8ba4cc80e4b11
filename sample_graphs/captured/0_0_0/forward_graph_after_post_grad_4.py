# torch version: 2.11.0+cu130

class GraphModule(torch.nn.Module):
    def forward(self, primals_1: "f32[8][1]cuda:0", primals_2: "f32[6, 8][8, 1]cuda:0", primals_3: "f32[16, 8][8, 1]cuda:0", primals_4: "f32[16][1]cuda:0", primals_5: "f32[4, 16][16, 1]cuda:0", primals_6: "f32[4][1]cuda:0"):
        # File: program.py:16 in forward, code: s.seen.add_(x.detach().mean(0))
        mean: "f32[8][1]cuda:0" = torch.ops.aten.mean.dim(primals_2, [0])
        add: "f32[8][1]cuda:0" = torch.ops.aten.add.Tensor(primals_1, mean);  mean = None

        # File: program.py:17 in forward, code: return s.b(torch.relu(s.a(x)))
        permute: "f32[8, 16][1, 8]cuda:0" = torch.ops.aten.permute.default(primals_3, [1, 0]);  primals_3 = None
        mm_default: "f32[6, 16][16, 1]cuda:0" = torch.ops.aten.mm.default(primals_2, permute);  permute = None
        add_tensor: "f32[6, 16][16, 1]cuda:0" = torch.ops.aten.add.Tensor(primals_4, mm_default);  primals_4 = mm_default = None
        relu: "f32[6, 16][16, 1]cuda:0" = torch.ops.aten.relu.default(add_tensor);  add_tensor = None
        permute_1: "f32[16, 4][1, 16]cuda:0" = torch.ops.aten.permute.default(primals_5, [1, 0])
        addmm_1: "f32[6, 4][4, 1]cuda:0" = torch.ops.aten.addmm.default(primals_6, relu, permute_1);  primals_6 = permute_1 = None

        # No stacktrace found for following nodes
        copy_: "f32[8][1]cuda:0" = torch.ops.aten.copy_.default(primals_1, add);  primals_1 = add = copy_ = None
        return (addmm_1, primals_2, primals_5, relu)
