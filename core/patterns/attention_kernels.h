#pragma once
// Which attention kernel PyTorch 2.11 runs for given tensors, and how it is called. CUDA devices are taken to be of compute capability 9.0 with
// cuDNN 9, those of the reference corpus: 16-bit floats go to cuDNN, f32 to the memory-efficient kernel, CPU tensors to flash attention for the CPU.

#include "core/patterns/program.h"

namespace aliascope::patterns {

enum class AttentionKernel : std::uint8_t { Cudnn, Efficient, FlashCpu };

/// Throws TraceError when no kernel but the composed form fits.
AttentionKernel chooseKernel(const Program& program, const Program::Attention& call);

}  // namespace aliascope::patterns
