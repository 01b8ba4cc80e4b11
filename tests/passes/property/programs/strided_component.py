class GraphModule(torch.nn.Module):
    def forward(self, x0: "f32[4, 3, 1][6, 2, 1]cpu"):
        # No stacktrace found for following nodes
        unbind = torch.ops.aten.unbind.int(x0, 2);  x0 = None
        getitem: "f32[4, 3][6, 2]cpu" = unbind[0];  unbind = None
        permute: "f32[3, 4][2, 6]cpu" = torch.ops.aten.permute.default(getitem, [1, 0]);  getitem = None
        diagonal: "f32[3][8]cpu" = torch.ops.aten.diagonal.default(permute);  permute = None
        add: "f32[3][8]cpu" = torch.ops.aten.add.out(diagonal, diagonal, out = diagonal);  diagonal = add = None
        return ()
