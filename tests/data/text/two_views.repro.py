import torch
from torch import tensor, device
import torch.fx as fx

# torch version: 2.11.0
s7 = 6

isolate_fails_code_str = None

class Helper(torch.nn.Module):
    def forward(self, z):
        return z

class Repro(torch.nn.Module):
    def __init__(self) -> None:
        super().__init__()
        self.g = <lambda>()

    def forward(self, x_1, v_1, i_1, arg3_1, n_1):
        clone = torch.ops.aten.clone.default(x_1);  x_1 = None
        add = torch.ops.aten.add.Tensor(clone, v_1);  clone = v_1 = None
        index = torch.ops.aten.index.Tensor(add, [i_1]);  add = i_1 = None
        return (index, arg3_1)

def load_args(reader):
    buf0 = reader.storage(None, 96*s7, device=device(type='cuda', index=0))
    reader.tensor(buf0, (s7, 4), is_leaf=True)  # x_1
    reader.tensor(buf0, (s7, 4), (1, s7), storage_offset=5, requires_grad=True)  # v_1
    buf1 = reader.storage('abc', 16, dtype_hint=torch.int64)
    reader.tensor(buf1, (2,), dtype=torch.int64, is_leaf=True)  # i_1
    reader.symint(s7)  # arg3_1
    reader.const('n_1')  # n_1
load_args._version = 0
mod = Repro()
if __name__ == '__main__':
    from torch._dynamo.repro.after_aot import run_repro
    run_repro(mod, load_args, accuracy=False, command='run', save_dir=None, tracing_mode='symbolic')
