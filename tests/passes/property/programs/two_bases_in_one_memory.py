# best/reinplace: returns other values
class GraphModule(torch.nn.Module):
    def forward(self, select_1: "f32[4][1]cpu"):
        # No stacktrace found for following nodes
        slice_1: "f32[1][1]cpu" = torch.ops.aten.slice.Tensor(select_1, 0, None, 1)
        slice_2: "f32[3][1]cpu" = torch.ops.aten.slice.Tensor(select_1, 0, 1, None)
        split_with_sizes = torch.ops.aten.split_with_sizes.default(slice_2, [2, 1])
        getitem: "f32[2][1]cpu" = split_with_sizes[0]
        getitem_1: "f32[1][1]cpu" = split_with_sizes[1];  split_with_sizes = None
        cat: "f32[3][1]cpu" = torch.ops.aten.cat.default([getitem, getitem_1]);  getitem = getitem_1 = None
        foo = torch.ops.mylib.foo.default(slice_1);  slice_1 = foo = None
        two = torch.ops.mylib.two.default(cat, select_1);  cat = select_1 = two = None
        return (slice_2,)
