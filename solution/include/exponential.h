// SPDX-License-Identifier: Apache-2.0
// exp of fp32 lanes on a CPU, within 2 units of the last place between its under- and overflow.
#pragma once

#include "simd.h"

namespace solution {

// x = n ln 2 + r with |r| <= ln 2 / 2: a polynomial of r, scaled by 2^n in two steps, so that
// neither leaves fp32's exponents before the result does.
inline Float8 exponential(Float8 x) {
  using Integer8 = int32_t __attribute__((vector_size(32)));
  const Float8 zero = {};
  const Float8 low = zero - 150.0f;  // exp of less is 0, of more than high infinity
  const Float8 high = zero + 150.0f;
  const Float8 known = x == x ? x : zero;
  const Float8 bounded = known < low ? low : known > high ? high : known;
  constexpr float kRound = 0x1.8p23f;  // added and taken off again: to the nearest integer
  const Float8 shifted = bounded * 0x1.715476p+0f + kRound;
  const Float8 n = shifted - kRound;
  const Float8 r = bounded - n * 0x1.62e4p-1f - n * 0x1.7f7d1cp-20f;
  Float8 p = zero + 0x1.a01a02p-13f;  // 1 / 7!
  p = p * r + 0x1.6c16c2p-10f;
  p = p * r + 0x1.111112p-7f;
  p = p * r + 0x1.555556p-5f;
  p = p * r + 0x1.555556p-3f;
  p = p * r + 0.5f;
  p = p * r * r + r + 1.0f;
  const Integer8 power = __builtin_convertvector(n, Integer8);
  const Integer8 half = power >> 1;
  const Float8 first = reinterpret_cast<Float8>((half + 127) << 23);
  const Float8 second = reinterpret_cast<Float8>((power - half + 127) << 23);
  const Float8 value = p * first * second;
  return x == x ? value : x;
}

}  // namespace solution
