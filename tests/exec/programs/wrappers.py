class Net(torch.nn.Module):
    def forward(self, x: "f32[8, 4][4, 1]cpu", n: "Sym(s0)"):
        floordiv = n // 2
        mod = n % 3
        split = torch.ops.aten.split.Tensor(x, 3)
        getitem = split[0]
        getitem_1 = split[2]
        foo_ret = torch.ops.mylib.foo_ret.default(getitem, getitem)
        auto_functionalized_v2 = torch.ops.higher_order.auto_functionalized_v2(torch.ops.mylib.lst.default, s = 2.0, _xs_length = 2, _xs_0_base_index = 0, _xs_0_slice_dim = 0, _xs_0_slice_start = 0, _xs_0_slice_end = 4, _xs_1_base_index = 1, _xs_1_size = (2, 2), _xs_1_stride = (4, 1), _xs_1_storage_offset = 3, _all_bases = [x, foo_ret])
        getitem_2 = auto_functionalized_v2[1]
        getitem_3 = auto_functionalized_v2[2]
        auto_functionalized = torch.ops.higher_order.auto_functionalized(torch.ops.mylib.opt.default, x = getitem_2, y = None)
        getitem_4 = auto_functionalized[1]
        _foreach_add = torch.ops.aten._foreach_add.List([getitem_3, getitem_1], [getitem_3, getitem_1], alpha = 2)
        getitem_5 = _foreach_add[1]
        triton_kernel_wrapper_mutation = torch.ops.higher_order.triton_kernel_wrapper_mutation(kernel_idx = 0, constant_args_idx = 0, grid = [(1, 1, 1)], tma_descriptor_metadata = {}, kwargs = {'x_ptr': getitem_4, 'out_ptr': x})
        view = torch.ops.aten.view.default(getitem_4, [-1, 2])
        return (view, getitem_5, floordiv, mod)
