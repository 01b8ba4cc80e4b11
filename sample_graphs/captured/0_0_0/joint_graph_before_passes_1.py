# torch version: 2.11.0+cu130

class inner_f(torch.nn.Module):
    def forward(self, primals, tangents):
        primals_1: "f32[8][1]cuda:0"; primals_2: "f32[6, 8][8, 1]cuda:0"; primals_3: "f32[16, 8][8, 1]cuda:0"; primals_4: "f32[16][1]cuda:0"; primals_5: "f32[4, 16][16, 1]cuda:0"; primals_6: "f32[4][1]cuda:0"; tangents_1: "f32[6, 4][4, 1]cuda:0"; 

        primals_1, primals_2, primals_3, primals_4, primals_5, primals_6, tangents_1, = fx_pytree.tree_flatten_spec([primals, tangents], self._in_spec)
        # File: program.py:16 in forward, code: s.seen.add_(x.detach().mean(0))
        alias: "f32[6, 8][8, 1]cuda:0" = torch.ops.aten.alias.default(primals_2)
        mean: "f32[8][1]cuda:0" = torch.ops.aten.mean.dim(alias, [0]);  alias = None
        add: "f32[8][1]cuda:0" = torch.ops.aten.add.Tensor(primals_1, mean);  mean = None

        # File: program.py:17 in forward, code: return s.b(torch.relu(s.a(x)))
        permute: "f32[8, 16][1, 8]cuda:0" = torch.ops.aten.permute.default(primals_3, [1, 0]);  primals_3 = None
        addmm: "f32[6, 16][16, 1]cuda:0" = torch.ops.aten.addmm.default(primals_4, primals_2, permute);  primals_4 = permute = None
        relu: "f32[6, 16][16, 1]cuda:0" = torch.ops.aten.relu.default(addmm);  addmm = None
        alias_1: "f32[6, 16][16, 1]cuda:0" = torch.ops.aten.alias.default(relu)
        permute_1: "f32[16, 4][1, 16]cuda:0" = torch.ops.aten.permute.default(primals_5, [1, 0]);  primals_5 = None
        addmm_1: "f32[6, 4][4, 1]cuda:0" = torch.ops.aten.addmm.default(primals_6, relu, permute_1);  primals_6 = None
        permute_2: "f32[4, 16][16, 1]cuda:0" = torch.ops.aten.permute.default(permute_1, [1, 0]);  permute_1 = None
        mm: "f32[6, 16][16, 1]cuda:0" = torch.ops.aten.mm.default(tangents_1, permute_2);  permute_2 = None
        permute_3: "f32[4, 6][1, 4]cuda:0" = torch.ops.aten.permute.default(tangents_1, [1, 0])
        mm_1: "f32[4, 16][16, 1]cuda:0" = torch.ops.aten.mm.default(permute_3, relu);  permute_3 = relu = None
        permute_4: "f32[16, 4][1, 16]cuda:0" = torch.ops.aten.permute.default(mm_1, [1, 0]);  mm_1 = None
        sum_1: "f32[1, 4][4, 1]cuda:0" = torch.ops.aten.sum.dim_IntList(tangents_1, [0], True);  tangents_1 = None
        view: "f32[4][1]cuda:0" = torch.ops.aten.view.default(sum_1, [4]);  sum_1 = None
        permute_5: "f32[4, 16][16, 1]cuda:0" = torch.ops.aten.permute.default(permute_4, [1, 0]);  permute_4 = None
        alias_2: "f32[6, 16][16, 1]cuda:0" = torch.ops.aten.alias.default(alias_1);  alias_1 = None
        le: "b8[6, 16][16, 1]cuda:0" = torch.ops.aten.le.Scalar(alias_2, 0);  alias_2 = None
        scalar_tensor: "f32[][]cuda:0" = torch.ops.aten.scalar_tensor.default(0, dtype = torch.float32, layout = torch.strided, device = device(type='cuda', index=0))
        where: "f32[6, 16][16, 1]cuda:0" = torch.ops.aten.where.self(le, scalar_tensor, mm);  le = scalar_tensor = mm = None
        permute_6: "f32[16, 6][1, 16]cuda:0" = torch.ops.aten.permute.default(where, [1, 0])
        mm_2: "f32[16, 8][8, 1]cuda:0" = torch.ops.aten.mm.default(permute_6, primals_2);  permute_6 = primals_2 = None
        permute_7: "f32[8, 16][1, 8]cuda:0" = torch.ops.aten.permute.default(mm_2, [1, 0]);  mm_2 = None
        sum_2: "f32[1, 16][16, 1]cuda:0" = torch.ops.aten.sum.dim_IntList(where, [0], True);  where = None
        view_1: "f32[16][1]cuda:0" = torch.ops.aten.view.default(sum_2, [16]);  sum_2 = None
        permute_8: "f32[16, 8][8, 1]cuda:0" = torch.ops.aten.permute.default(permute_7, [1, 0]);  permute_7 = None

        # No stacktrace found for following nodes
        copy_: "f32[8][1]cuda:0" = torch.ops.aten.copy_.default(primals_1, add);  primals_1 = add = copy_ = None
        return pytree.tree_unflatten([addmm_1, None, None, permute_8, view_1, permute_5, view], self._out_spec)
