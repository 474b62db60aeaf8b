// SPDX-License-Identifier: Apache-2.0
// out = residual + update * gate
//   residual, update, out [B, L, D]; gate [B, L, D] (full) or [1, 1, D] (row).
//   once: one fused multiply-add, rounded to the dtype.
//   each_step: update * gate rounded to the dtype, then the sum rounded: torch's mul, then add.
#include "cuda_op.cuh"
#include "gated_sum.cuh"

namespace {
using namespace solution;

constexpr Contract kContract = make_contract(
    "residual_gate_add", {{"residual", "B L D"}, {"update", "B L D"}, {"gate", "B L D"}},
    {{"out", "B L D"}}, {{"full", {}}, {"row", {{"gate", "1 1 D"}}}});
enum { kResidual, kUpdate, kGate, kOut };
enum { kFull, kRow };

// --- device maths
template <typename V, typename T>
__device__ void add_one(const T* residual, const T* update, const V& gate, T* out, int64_t index) {
  const V sum = map_lanes<V>(GatedSum{}, V::load(residual, index), V::load(update, index), gate);
  sum.store(out, index);
}

// --- kernels
template <typename V, typename T>
__global__ void __launch_bounds__(kMaxThreads, blocks_at_once(sizeof(V)))
    residual_gate_add_full(const T* __restrict__ residual, const T* __restrict__ update,
                           const T* __restrict__ gate, T* __restrict__ out, int64_t vectors,
                           int64_t count) {
  wait_for_previous_grid();
  const int64_t index = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index < vectors) {
    add_one(residual, update, V::load(gate, index), out, index);
  } else if (index == vectors) {
#pragma unroll 1
    for (int64_t i = vectors * V::kElements; i < count; ++i)
      add_one(residual, update, Scalar<T>::load(gate, i), out, i);
  }
}

template <typename V, typename T>
__global__ void __launch_bounds__(kMaxThreads, blocks_at_once(sizeof(V)))
    residual_gate_add_row(const T* __restrict__ residual, const T* __restrict__ update,
                          const T* __restrict__ gate, T* __restrict__ out, int64_t rows,
                          int64_t vectors) {
  wait_for_previous_grid();
  const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column >= vectors) return;
  const V shared_gate = V::load(gate, column);
#pragma unroll 1  // unrolled, its trip count is a 64-bit division: a call, for rows that are rare
  for (int64_t row = blockIdx.y; row < rows; row += gridDim.y)
    add_one(residual, update, shared_gate, out, row * vectors + column);
}

// --- launcher
struct ResidualGateAdd {
  static constexpr bool kWideVectors = true;

  static LaunchPlan plan(const Call& call, int capability) {
    const Problem problem{rows(call), call.axis('D'), call.itemsize(), common_address(call),
                          capability};
    return call.layout == kFull ? plan_flat(problem) : plan_rows(problem);
  }

  template <typename V>
  static cudaError_t launch(const Call& call, const LaunchPlan& plan) {
    using T = typename V::Element;
    const T* residual = call.data<const T>(kResidual);
    const T* update = call.data<const T>(kUpdate);
    const T* gate = call.data<const T>(kGate);
    T* out = call.data<T>(kOut);
    const int64_t count = rows(call) * call.axis('D');
    if (call.layout == kFull)
      return solution::launch<residual_gate_add_full<V, T>>(plan, call.device(), residual, update,
                                                            gate, out, count / V::kElements, count);
    return solution::launch<residual_gate_add_row<V, T>>(plan, call.device(), residual, update,
                                                         gate, out, rows(call),
                                                         call.axis('D') / V::kElements);
  }

  static int64_t rows(const Call& call) { return call.axis('B') * call.axis('L'); }
};
}  // namespace

// --- checked entry and export
SOLUTION_EXPORT_CUDA(residual_gate_add, kContract, ResidualGateAdd)
