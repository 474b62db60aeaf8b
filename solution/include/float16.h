// SPDX-License-Identifier: Apache-2.0
// fp16 to fp32 and back, to nearest even: by F16C where the machine has it, else on the bits.
#pragma once

#include "simd.h"

namespace solution {

#if defined(__F16C__)
inline Short8 to_float16(Float8 value) {
  return reinterpret_cast<Short8>(
      _mm256_cvtps_ph(reinterpret_cast<__m256>(value), _MM_FROUND_TO_NEAREST_INT));
}
inline Float8 from_float16(Short8 bits) {
  return reinterpret_cast<Float8>(_mm256_cvtph_ps(reinterpret_cast<__m128i>(bits)));
}
#else
inline uint16_t to_float16_scalar(float value) {
  uint32_t bits;
  memcpy(&bits, &value, 4);
  const uint32_t sign = bits >> 16 & 0x8000u;
  const uint32_t magnitude = bits & 0x7fffffffu;
  if (magnitude > 0x7f800000u) return sign | 0x7e00u | (magnitude >> 13 & 0x3ffu);
  if (magnitude >= 0x47800000u) return sign | 0x7c00u;  // below 65536 rounding finds infinity
  if (magnitude < 0x38800000u) {                        // below 2^-14: a multiple of 2^-24
    float multiple;
    memcpy(&multiple, &magnitude, 4);
    return sign | static_cast<uint32_t>(std::nearbyint(multiple * 0x1p24f));
  }
  const uint32_t nearest = magnitude + 0xfffu + (magnitude >> 13 & 1u);
  return sign | (nearest - 0x38000000u) >> 13;
}
inline float from_float16_scalar(uint16_t half) {
  const uint32_t exponent = half >> 10 & 0x1fu;
  const uint32_t fraction = half & 0x3ffu;
  float value = exponent == 0 ? fraction * 0x1p-24f : 0;
  uint32_t bits;
  memcpy(&bits, &value, 4);
  if (exponent == 31)
    bits = 0x7f800000u | fraction << 13;
  else if (exponent)
    bits = (exponent + 112) << 23 | fraction << 13;
  bits |= (half & 0x8000u) << 16;
  memcpy(&value, &bits, 4);
  return value;
}
inline Short8 to_float16(Float8 value) {
  Short8 bits;
  for (int i = 0; i < kVectorLanes; ++i) bits[i] = to_float16_scalar(value[i]);
  return bits;
}
inline Float8 from_float16(Short8 bits) {
  Float8 value;
  for (int i = 0; i < kVectorLanes; ++i) value[i] = from_float16_scalar(bits[i]);
  return value;
}
#endif

}  // namespace solution
