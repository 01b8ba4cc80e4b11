# torch version: 2.11.0+cu130

class GraphModule(torch.nn.Module):
    def forward(self, L_cache_: "f32[2, 5, 8][40, 8, 1]cuda:0", L_k_: "f32[2, 1, 8][8, 8, 1]cuda:0", L_w_: "f32[8, 8][8, 1]cuda:0"):
        l_cache_ = L_cache_
        l_k_ = L_k_
        l_w_ = L_w_

        # File: program.py:19 in decode, code: cache[:, pos:pos + 1] = k
        l_cache_[(slice(None, None, None), slice(0, 1, None))] = l_k_;  setitem = l_cache_;  l_k_ = setitem = None

        # File: program.py:20 in decode, code: demo = cache.view(-1, 8)
        demo: "f32[10, 8][8, 1]cuda:0" = l_cache_.view(-1, 8)

        # File: program.py:21 in decode, code: torch.ops.demo.scale_(demo, 0.5)
        scale_ = torch.ops.demo.scale_(demo, 0.5);  demo = scale_ = None

        # File: program.py:22 in decode, code: y = torch.softmax(cache @ w, -1)
        matmul: "f32[2, 5, 8][40, 8, 1]cuda:0" = l_cache_ @ l_w_;  l_cache_ = l_w_ = None
        y: "f32[2, 5, 8][40, 8, 1]cuda:0" = torch.softmax(matmul, -1);  matmul = None
        return (y,)
