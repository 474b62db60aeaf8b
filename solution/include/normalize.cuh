// SPDX-License-Identifier: Apache-2.0
// Normalising rows on CUDA: a block a row, its values in registers from the load to the store.
//
// A row is a struct with
//   template <typename V> V load(int64_t row, int64_t column) const;
//   template <typename V> void store(int64_t row, int64_t column, const Single<V>& normalized)
//   const;
#pragma once

#include "cuda_op.cuh"
#include "single.cuh"

namespace solution {

constexpr float kEpsilon = 1e-6f;

// A block's warps wait for each other at each sum: where there are two, fewer and longer threads
// are quicker. One H200, cold, us with 1 / 2 / 4 vectors a thread, [1, 32640, 4096] with row
// modulation: RMSNorm 156 / 131 / 133, LayerNorm 175 / 139 / 134; [1, 4096, 3072]: 16.4 / 14.4
// / 15.1 and 18.9 / 15.7 / 15.7.
struct RmsNorm {
  static constexpr bool kCentered = false;
  static constexpr int kVectorsAThread = 2;
};
struct LayerNorm {
  static constexpr bool kCentered = true;
  static constexpr int kVectorsAThread = 4;
};

// What a row's values are turned into: (x - mean) * scale.
struct Normalizer {
  float mean, scale;
  __device__ float operator()(float x) const { return (x - mean) * scale; }
};

template <int first>
__device__ float sum_of_lanes(float value) {
#pragma unroll
  for (int distance = first; distance; distance /= 2)
    value += __shfl_xor_sync(0xffffffff, value, distance);
  return value;
}

// The sum over a block, known to every thread. `partial` is used by one sum of a kernel alone: a
// second one in it would need a barrier more.
__device__ inline float block_sum(float value, float* partial) {
  value = sum_of_lanes<16>(value);
  if (blockDim.x == 32) return value;
  const int warps = blockDim.x / 32, lane = threadIdx.x % 32;
  if (lane == 0) partial[threadIdx.x / 32] = value;
  __syncthreads();
  if (warps <= 8) return sum_of_lanes<4>(lane % 8 < warps ? partial[lane % 8] : 0);
  return sum_of_lanes<16>(lane < warps ? partial[lane] : 0);
}

// The mean first: sums of squares less a squared mean cancel where values lie far from zero.
// for_each(body) calls body(x) with every vector of the row that is this thread's.
template <typename Norm, typename V, typename ForEach>
__device__ Normalizer normalizer(ForEach for_each, float share) {
  __shared__ float partial[2][32];
  float mean = 0;
  if constexpr (Norm::kCentered) {
    float sum = 0;
    for_each([&](const Single<V>& x) {
#pragma unroll
      for (const float one : x.value) sum += one;
    });
    mean = block_sum(sum, partial[0]) * share;
  }
  float squares = 0;
  for_each([&](const Single<V>& x) {
#pragma unroll
    for (const float one : x.value) squares = __fmaf_rn(one - mean, one - mean, squares);
  });
  return {mean, rsqrtf(block_sum(squares, partial[1]) * share + kEpsilon)};
}

// kPerThread vectors a thread; the block has a thread for each of them or more. What the store
// needs is loaded by it: loaded ahead of the sums it took registers, and 3 to 5 % of the time, on
// an H200.
template <typename Norm, typename V, int kPerThread, typename Row>
__global__ void __launch_bounds__(kMaxNormThreads, 1)
    normalize_rows(Row row, int64_t vectors, float share) {
  wait_for_previous_grid();
  V loaded[kPerThread];
  const auto mine = [&](int k) { return threadIdx.x + k * blockDim.x; };
#pragma unroll
  for (int k = 0; k < kPerThread; ++k)
    if (mine(k) < vectors) loaded[k] = row.template load<V>(blockIdx.x, mine(k));
  const Normalizer normalize = normalizer<Norm, V>(
      [&](auto body) {
#pragma unroll
        for (int k = 0; k < kPerThread; ++k)
          if (mine(k) < vectors) body(Single<V>::of(loaded[k]));
      },
      share);
#pragma unroll
  for (int k = 0; k < kPerThread; ++k)
    if (mine(k) < vectors)
      row.template store<V>(blockIdx.x, mine(k),
                            map_single<V>(normalize, Single<V>::of(loaded[k])));
}

// Rows too long for registers are read again for each sum, and to be stored.
template <typename Norm, typename V, typename Row>
__global__ void __launch_bounds__(kMaxNormThreads, 1)
    normalize_long_rows(Row row, int64_t vectors, float share) {
  wait_for_previous_grid();
  const auto load = [&](int64_t column) {
    return Single<V>::of(row.template load<V>(blockIdx.x, column));
  };
  const auto for_each = [&](auto body) {
#pragma unroll 1
    for (int64_t column = threadIdx.x; column < vectors; column += blockDim.x) body(load(column));
  };
  const Normalizer normalize = normalizer<Norm, V>(for_each, share);
#pragma unroll 1
  for (int64_t column = threadIdx.x; column < vectors; column += blockDim.x)
    row.template store<V>(blockIdx.x, column, map_single<V>(normalize, load(column)));
}

// An operand of a row: as long as the row, or one value for all of it.
template <typename T>
struct RowOperand {
  const T* data;
  int64_t row_step;  // elements; 0 where all rows share it
  bool single;

  template <typename V>
  __device__ V load(int64_t row, int64_t column) const {
    const T* start = data + row * row_step;
    return single ? V::filled(*start) : V::load(start, column);
  }
};

template <typename T>
RowOperand<T> row_operand(const Call& call, int i, int64_t columns) {
  const Dims& dims = call.contract->dims[call.layout][i];
  const bool single = !Dims::is_axis(dims.code[dims.rank - 1]);
  const int64_t length = single ? 1 : columns;
  return {call.data<const T>(i), Dims::is_axis(dims.code[0]) ? length : 0, single};
}

// Normalised values times 1 + scale, plus shift, stored.
template <typename T>
struct Modulation {
  RowOperand<T> scale, shift;
  T* out;
  int64_t columns;

  template <typename V>
  __device__ void store(int64_t row, int64_t column, const Single<V>& normalized) const {
    const V by = scale.template load<V>(row, column), plus = shift.template load<V>(row, column);
    modulated(normalized, by, plus).store(out + row * columns, column);
  }

 private:
  template <typename V>
  __device__ static V modulated(const Single<V>& normalized, const V& scale, const V& shift) {
    if constexpr (kRoundEachStep) {
      const auto modulate = [](auto normal, auto scale, auto shift, auto one) {
        return add_rounded(multiply_rounded(normal, add_rounded(one, scale)), shift);
      };
      return map_lanes<V>(modulate, normalized.rounded(), scale, shift, V::filled(T(1.0f)));
    } else {
      const auto modulate = [](float normal, float scale, float shift) {
        return __fmaf_rn(normal, 1 + scale, shift);
      };
      return map_single<V>(modulate, normalized, Single<V>::of(scale), Single<V>::of(shift))
          .rounded();
    }
  }
};

// Every axis of the first tensor but its last counts rows.
inline int64_t columns_of(const Call& call) {
  return call.tensor[0]->shape[call.tensor[0]->ndim - 1];
}

template <typename Norm>
LaunchPlan plan_norm(const Call& call, int capability) {
  const int64_t columns = columns_of(call);
  const int64_t rows = columns ? element_count(*call.tensor[0]) / columns : 0;
  return plan_norm_rows({rows, columns, call.itemsize(), common_address(call), capability},
                        Norm::kVectorsAThread);
}

template <typename Norm, typename V, typename Row>
cudaError_t launch_norm(const Call& call, const LaunchPlan& plan, const Row& row) {
  const int64_t columns = columns_of(call);
  const int64_t vectors = columns / V::kElements;
  const float share = 1 / static_cast<float>(columns);  // of one element in a mean
  const DLDevice device = call.device();
  switch (vectors_per_thread(vectors, plan.threads)) {
    case 1:
      return launch<normalize_rows<Norm, V, 1, Row>>(plan, device, row, vectors, share);
    case 2:
      return launch<normalize_rows<Norm, V, 2, Row>>(plan, device, row, vectors, share);
    case 4:
      return launch<normalize_rows<Norm, V, 4, Row>>(plan, device, row, vectors, share);
    default:
      return launch<normalize_long_rows<Norm, V, Row>>(plan, device, row, vectors, share);
  }
}

}  // namespace solution
