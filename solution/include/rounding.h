// SPDX-License-Identifier: Apache-2.0
// Which of the two roundings this build computes; compiled in, so that a call stays tensors only.
#pragma once

#if defined(ROUNDING_ONCE) == defined(ROUNDING_EACH_STEP)
#error "define one of ROUNDING_ONCE and ROUNDING_EACH_STEP"
#endif

namespace solution {

#ifdef ROUNDING_EACH_STEP
constexpr bool kRoundEachStep = true;  // each intermediate result is rounded to the dtype
#else
constexpr bool kRoundEachStep = false;  // fp32 arithmetic, the result alone is rounded
#endif

}  // namespace solution
