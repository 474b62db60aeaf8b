// SPDX-License-Identifier: Apache-2.0
// Loads, stores and the element-wise loop: all lanes, with a partial head and tail.
#pragma once

#include "float16.h"
#include "simd.h"

namespace solution {

struct AllLanes {};
struct SomeLanes {
  int64_t count;  // 1 to kLanes - 1; the others read as zero and are not stored
};

// One vector at a time: a copy of a whole struct of them goes through the stack (fp32: 2.4x the
// time).
template <typename Vector>
Vector load_vector(const void* source) {
  Vector vector;
  memcpy(&vector, source, sizeof vector);
  return vector;
}

// Streaming needs a target aligned to the vector; it skips the read that a cached write costs.
template <bool Streaming, typename Vector>
void store_vector(void* target, Vector vector) {
#if defined(__AVX__)
  if constexpr (Streaming && sizeof vector == 32)
    return _mm256_stream_si256(static_cast<__m256i*>(target), reinterpret_cast<__m256i>(vector));
  if constexpr (Streaming && sizeof vector == 16)
    return _mm_stream_si128(static_cast<__m128i*>(target), reinterpret_cast<__m128i>(vector));
#endif
  memcpy(target, &vector, sizeof vector);
}

constexpr int64_t kStreamAlignment = 32;

// How lanes lie in memory, and the nearest values that memory can hold.
template <typename T>
struct Storage;
template <>
struct Storage<bfloat16> {
  static Lanes load(const bfloat16* p) { return from_bfloat16(load_vector<Word8>(p)); }
  template <bool Streaming>
  static void store(bfloat16* p, Lanes value) {
    store_vector<Streaming>(p, to_bfloat16(value));
  }
  static Lanes round(Lanes value) { return round_to_bfloat16(value); }
};
template <>
struct Storage<float16> {
  static Lanes load(const float16* p) {
    return {from_float16(load_vector<Short8>(p)), from_float16(load_vector<Short8>(p + 8))};
  }
  template <bool Streaming>
  static void store(float16* p, Lanes value) {
    store_vector<Streaming>(p, to_float16(value.first));
    store_vector<Streaming>(p + 8, to_float16(value.second));
  }
  static Lanes round(Lanes value) {
    return {from_float16(to_float16(value.first)), from_float16(to_float16(value.second))};
  }
};
template <>
struct Storage<float> {
  static Lanes load(const float* p) { return {load_vector<Float8>(p), load_vector<Float8>(p + 8)}; }
  template <bool Streaming>
  static void store(float* p, Lanes value) {
    store_vector<Streaming>(p, value.first);
    store_vector<Streaming>(p + 8, value.second);
  }
  static Lanes round(Lanes value) { return value; }
};

template <typename T>
Lanes round_to(Lanes value) {
  return Storage<T>::round(value);
}

template <typename T>
Lanes load(const T* source, AllLanes) {
  return Storage<T>::load(source);
}

template <typename T>
Lanes load(const T* source, SomeLanes lanes) {
  T all[kLanes] = {};
  memcpy(all, source, lanes.count * sizeof(T));
  return Storage<T>::load(all);
}

template <typename T>
void store(T* target, Lanes value, SomeLanes lanes) {
  T all[kLanes];
  Storage<T>::template store<false>(all, value);
  memcpy(target, all, lanes.count * sizeof(T));
}

// target[i] = compute(i, lanes) for i < count; compute returns the lanes that start at i.
template <bool Streaming, typename T, typename Compute>
void for_each_lanes(T* target, int64_t count, Compute compute) {
  int64_t i = 0;
  if (Streaming) {
    const int64_t unaligned = -reinterpret_cast<intptr_t>(target) & (kStreamAlignment - 1);
    const int64_t head = unaligned / static_cast<int64_t>(sizeof(T));
    i = head < count ? head : count;
    if (i) store(target, compute(0, SomeLanes{i}), SomeLanes{i});
  }
  for (; i + kLanes <= count; i += kLanes)
    Storage<T>::template store<Streaming>(target + i, compute(i, AllLanes{}));
  if (i < count) {
    const SomeLanes tail{count - i};
    store(target + i, compute(i, tail), tail);
  }
}

}  // namespace solution
