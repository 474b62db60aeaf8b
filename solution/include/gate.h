// SPDX-License-Identifier: Apache-2.0
// residual + update * gate on a CPU, in either rounding.
#pragma once

#include "lanes.h"
#include "rounding.h"

namespace solution {

template <typename T>
Lanes gated_sum(Lanes residual, Lanes update, Lanes gate) {
  if constexpr (kRoundEachStep) return residual + round_to<T>(update * gate);
  return fused_multiply_add(update, gate, residual);
}

}  // namespace solution
