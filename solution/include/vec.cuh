// SPDX-License-Identifier: Apache-2.0
// Vectors of 16 or 32 bytes: one load or store instruction each where the machine has it.
#pragma once

#include <cstdint>
#include <cstring>

#include "dtype.cuh"

namespace solution {

// As words: from compute capability 10.0 an aligned 32-byte aggregate of them is one LDG.256.
template <typename T, int Bytes>
struct alignas(Bytes) Vec {
  using Element = T;
  using Lane = typename solution::Lane<T>::type;
  static constexpr int kElements = Bytes / sizeof(T);
  static constexpr int kLanes = Bytes / sizeof(Lane);

  uint32_t words[Bytes / 4];

  static_assert(sizeof(Lane) == sizeof(uint32_t));
  __device__ Lane lane(int i) const {
    Lane value;
    memcpy(&value, &words[i], sizeof value);
    return value;
  }
  __device__ void set_lane(int i, Lane value) { memcpy(&words[i], &value, sizeof value); }

  // Vector number `index` of an array; 64-bit, so right past 2^31 elements.
  __device__ static Vec load(const T* array, int64_t index) {
    return reinterpret_cast<const Vec*>(array)[index];
  }
  __device__ void store(T* array, int64_t index) const {
    reinterpret_cast<Vec*>(array)[index] = *this;
  }
  __device__ static Vec filled(T value) {
    T lane[sizeof(Lane) / sizeof(T)];
    for (T& one : lane) one = value;
    Vec all;
#pragma unroll
    for (uint32_t& word : all.words) memcpy(&word, lane, sizeof word);
    return all;
  }
};

// A single element with the interface of a vector, for operands or rows that are not aligned.
template <typename T>
struct Scalar {
  using Element = T;
  using Lane = T;
  static constexpr int kElements = 1;
  static constexpr int kLanes = 1;

  T value;

  __device__ Lane lane(int) const { return value; }
  __device__ void set_lane(int, Lane lane) { value = lane; }
  __device__ static Scalar load(const T* array, int64_t index) { return {array[index]}; }
  __device__ void store(T* array, int64_t index) const { array[index] = value; }
  __device__ static Scalar filled(T value) { return {value}; }
};

// out[i] = compute(lanes i of the operands): what every element-wise op does once it has loaded.
template <typename V, typename Compute, typename... Operands>
__device__ V map_lanes(Compute compute, const Operands&... operands) {
  V out;
#pragma unroll
  for (int i = 0; i < V::kLanes; ++i) out.set_lane(i, compute(operands.lane(i)...));
  return out;
}

}  // namespace solution
