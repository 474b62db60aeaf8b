// SPDX-License-Identifier: Apache-2.0
// Vectors as fp32 values and back: for ops that compute in fp32 whatever their tensors hold.
#pragma once

#include "vec.cuh"

namespace solution {

__device__ inline void widen(__nv_bfloat162 lane, float* to) {
  const float2 pair = __bfloat1622float2(lane);
  to[0] = pair.x, to[1] = pair.y;
}
__device__ inline void widen(__half2 lane, float* to) {
  const float2 pair = __half22float2(lane);
  to[0] = pair.x, to[1] = pair.y;
}
__device__ inline void widen(__nv_bfloat16 lane, float* to) { *to = __bfloat162float(lane); }
__device__ inline void widen(__half lane, float* to) { *to = __half2float(lane); }
__device__ inline void widen(float lane, float* to) { *to = lane; }

__device__ inline void narrow(const float* from, __nv_bfloat162* lane) {
  *lane = __floats2bfloat162_rn(from[0], from[1]);
}
__device__ inline void narrow(const float* from, __half2* lane) {
  *lane = __floats2half2_rn(from[0], from[1]);
}
__device__ inline void narrow(const float* from, __nv_bfloat16* lane) {
  *lane = __float2bfloat16_rn(*from);
}
__device__ inline void narrow(const float* from, __half* lane) { *lane = __float2half_rn(*from); }
__device__ inline void narrow(const float* from, float* lane) { *lane = *from; }

// The elements of a vector as fp32.
template <typename V>
struct Single {
  static constexpr int kElements = V::kElements;

  float value[kElements];

  __device__ static Single of(const V& vector) {
    Single single;
#pragma unroll
    for (int i = 0; i < V::kLanes; ++i)
      widen(vector.lane(i), single.value + i * (kElements / V::kLanes));
    return single;
  }
  __device__ static Single load(const typename V::Element* array, int64_t index) {
    return of(V::load(array, index));
  }
  __device__ V rounded() const {
    V vector;
#pragma unroll
    for (int i = 0; i < V::kLanes; ++i) {
      typename V::Lane lane;
      narrow(value + i * (kElements / V::kLanes), &lane);
      vector.set_lane(i, lane);
    }
    return vector;
  }
  __device__ void store(typename V::Element* array, int64_t index) const {
    rounded().store(array, index);
  }
};

// compute(elements i of the operands) for each i.
template <typename V, typename Compute, typename... Operands>
__device__ Single<V> map_single(Compute compute, const Operands&... operands) {
  Single<V> out;
#pragma unroll
  for (int i = 0; i < V::kElements; ++i) out.value[i] = compute(operands.value[i]...);
  return out;
}

template <typename T>
__device__ float round_to(float value) {
  T rounded;
  narrow(&value, &rounded);
  widen(rounded, &value);
  return value;
}

// A result that a model's eager operations round; as it is where rounding is once.
template <typename T>
__device__ float step(float value) {
  return kRoundEachStep ? round_to<T>(value) : value;
}

}  // namespace solution
