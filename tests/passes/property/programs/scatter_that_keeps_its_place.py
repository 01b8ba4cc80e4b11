# torch-v1/decompose-functionalized: returns other values
class GraphModule(torch.nn.Module):
    def forward(self, permute_2: "f32[3, 1][1, 1]cpu"):
        # No stacktrace found for following nodes
        slice_2: "f32[2, 1][1, 1]cpu" = torch.ops.aten.slice.Tensor(permute_2, 0, 1, None);  permute_2 = None
        clone: "f32[2, 1][1, 1]cpu" = torch.ops.aten.clone.default(slice_2);  slice_2 = None
        select: "f32[1][1]cpu" = torch.ops.aten.select.int(clone, 0, 0)
        lst = torch.ops.mylib.lst.default([select], 1.0);  lst = None
        select_1: "f32[][]cpu" = torch.ops.aten.select.int(select, 0, 0);  select = None
        lst_1 = torch.ops.mylib.lst.default([select_1], 1.0);  select_1 = lst_1 = None
        return (clone,)
