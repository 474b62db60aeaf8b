// SPDX-License-Identifier: Apache-2.0
// residual + update * gate on CUDA, in either rounding.
#pragma once

#include "dtype.cuh"

namespace solution {

struct GatedSum {
  template <typename Lane>
  __device__ Lane operator()(Lane residual, Lane update, Lane gate) const {
    if constexpr (kRoundEachStep) return add_rounded(residual, multiply_rounded(update, gate));
    return fused_multiply_add(update, gate, residual);
  }
};

}  // namespace solution
