// SPDX-License-Identifier: Apache-2.0
// out = gate / (1 + exp(-gate)) * up
//   gate, up, out [B, L, D].
//   once: fp32 arithmetic, the result rounded to the dtype.
//   each_step: gate / (1 + exp(-gate)) rounded to the dtype before it is multiplied.
#include "cuda_op.cuh"
#include "single.cuh"

namespace {
using namespace solution;

constexpr Contract kContract = make_contract("silu_mul", {{"gate", "B L D"}, {"up", "B L D"}},
                                             {{"out", "B L D"}}, {{"full", {}}});
enum { kGate, kUp, kOut };

// --- device maths
template <typename V, typename T>
__device__ void multiply_one(const T* gate, const T* up, T* out, int64_t index) {
  // The quick quotient is within 2 units of the last place, and 0 where the true one is below
  // 2^-119.
  const auto silu_times = [](float gate, float up) {
    return step<T>(__fdividef(gate, 1 + expf(-gate))) * up;
  };
  map_single<V>(silu_times, Single<V>::load(gate, index), Single<V>::load(up, index))
      .store(out, index);
}

// --- kernels
template <typename V, typename T>
__global__ void __launch_bounds__(kMaxThreads, blocks_at_once(sizeof(V)))
    silu_mul_full(const T* __restrict__ gate, const T* __restrict__ up, T* __restrict__ out,
                  int64_t vectors, int64_t count) {
  wait_for_previous_grid();
  const int64_t index = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (index < vectors) {
    multiply_one<V>(gate, up, out, index);
  } else if (index == vectors) {
#pragma unroll 1
    for (int64_t i = vectors * V::kElements; i < count; ++i)
      multiply_one<Scalar<T>>(gate, up, out, i);
  }
}

// --- launcher
struct SiluMul {
  static constexpr bool kWideVectors = true;

  static LaunchPlan plan(const Call& call, int capability) {
    return plan_flat(
        {1, element_count(*call.tensor[kOut]), call.itemsize(), common_address(call), capability});
  }

  template <typename V>
  static cudaError_t launch(const Call& call, const LaunchPlan& plan) {
    using T = typename V::Element;
    const int64_t count = element_count(*call.tensor[kOut]);
    return solution::launch<silu_mul_full<V, T>>(plan, call.device(), call.data<const T>(kGate),
                                                 call.data<const T>(kUp), call.data<T>(kOut),
                                                 count / V::kElements, count);
  }
};
}  // namespace

// --- checked entry and export
SOLUTION_EXPORT_CUDA(silu_mul, kContract, SiluMul)
