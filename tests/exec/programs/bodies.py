class Net(torch.nn.Module):
    def forward(self, x: "f32[2, 3][3, 1]cpu"):
        body = self.body
        add = torch.ops.aten.add.Tensor(x, 1)
        invoke_subgraph = torch.ops.higher_order.invoke_subgraph(body, 'body', add, 4)
        getitem = invoke_subgraph[0]
        getitem_1 = invoke_subgraph[1]
        scan = torch.ops.higher_order.scan(body, [getitem], [x], ())
        getitem_2 = scan[1]
        return (getitem_1, getitem_2)

    class body(torch.nn.Module):
        def forward(self, a, b):
            mul = torch.ops.aten.mul.Tensor(a, b)
            zero_ = torch.ops.aten.zero_.default(a)
            t = torch.ops.aten.t.default(mul)
            return (mul, t)
