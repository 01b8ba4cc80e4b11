# torch version: 2.11.0+cu130

class GraphModule(torch.nn.Module):
    def forward(self, L_s_buffers_seen_: "f32[8][1]cuda:0", L_x_: "f32[6, 8][8, 1]cuda:0", L_s_modules_a_parameters_weight_: "f32[16, 8][8, 1]cuda:0", L_s_modules_a_parameters_bias_: "f32[16][1]cuda:0", L_s_modules_b_parameters_weight_: "f32[4, 16][16, 1]cuda:0", L_s_modules_b_parameters_bias_: "f32[4][1]cuda:0"):
        l_s_buffers_seen_ = L_s_buffers_seen_
        l_x_ = L_x_
        l_s_modules_a_parameters_weight_ = L_s_modules_a_parameters_weight_
        l_s_modules_a_parameters_bias_ = L_s_modules_a_parameters_bias_
        l_s_modules_b_parameters_weight_ = L_s_modules_b_parameters_weight_
        l_s_modules_b_parameters_bias_ = L_s_modules_b_parameters_bias_

        # File: program.py:16 in forward, code: s.seen.add_(x.detach().mean(0))
        detach: "f32[6, 8][8, 1]cuda:0" = l_x_.detach()
        mean: "f32[8][1]cuda:0" = detach.mean(0);  detach = None
        add_: "f32[8][1]cuda:0" = l_s_buffers_seen_.add_(mean);  l_s_buffers_seen_ = mean = add_ = None

        # File: program.py:17 in forward, code: return s.b(torch.relu(s.a(x)))
        linear: "f32[6, 16][16, 1]cuda:0" = torch._C._nn.linear(l_x_, l_s_modules_a_parameters_weight_, l_s_modules_a_parameters_bias_);  l_x_ = l_s_modules_a_parameters_weight_ = l_s_modules_a_parameters_bias_ = None
        relu: "f32[6, 16][16, 1]cuda:0" = torch.relu(linear);  linear = None
        linear_1: "f32[6, 4][4, 1]cuda:0" = torch._C._nn.linear(relu, l_s_modules_b_parameters_weight_, l_s_modules_b_parameters_bias_);  relu = l_s_modules_b_parameters_weight_ = l_s_modules_b_parameters_bias_ = None
        return (linear_1,)
