// SPDX-License-Identifier: Apache-2.0
// out[0, s, p, d] = a[0, 0, p, d] + b[0, s, p, d]
//   a [1, 1, P, D]; b, out [1, S, P, D]. One operation: both roundings are the same.
#include "cuda_op.cuh"

namespace {
using namespace solution;

constexpr Contract kContract =
    make_contract("broadcast_add_4d", {{"a", "1 1 P D"}, {"b", "1 S P D"}}, {{"out", "1 S P D"}},
                  {{"broadcast", {}}});
enum { kA, kB, kOut };

// --- device maths
struct Sum {
  template <typename Lane>
  __device__ Lane operator()(Lane a, Lane b) const {
    return add_rounded(a, b);
  }
};

// --- kernels
// A row is a whole [P, D] table.
template <typename V, typename T>
__global__ void __launch_bounds__(kMaxThreads, blocks_at_once(sizeof(V)))
    broadcast_add_4d_row(const T* __restrict__ a, const T* __restrict__ b, T* __restrict__ out,
                         int64_t rows, int64_t vectors) {
  wait_for_previous_grid();
  const int64_t column = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  if (column >= vectors) return;
  const V table = V::load(a, column);
#pragma unroll 1  // unrolled, its trip count is a 64-bit division: a call, for rows that are rare
  for (int64_t row = blockIdx.y; row < rows; row += gridDim.y) {
    const int64_t index = row * vectors + column;
    map_lanes<V>(Sum{}, table, V::load(b, index)).store(out, index);
  }
}

// --- launcher
struct BroadcastAdd4d {
  static constexpr bool kWideVectors = true;

  static LaunchPlan plan(const Call& call, int capability) {
    return plan_rows(
        {call.axis('S'), columns(call), call.itemsize(), common_address(call), capability});
  }

  template <typename V>
  static cudaError_t launch(const Call& call, const LaunchPlan& plan) {
    using T = typename V::Element;
    return solution::launch<broadcast_add_4d_row<V, T>>(
        plan, call.device(), call.data<const T>(kA), call.data<const T>(kB), call.data<T>(kOut),
        call.axis('S'), columns(call) / V::kElements);
  }

  static int64_t columns(const Call& call) { return call.axis('P') * call.axis('D'); }
};
}  // namespace

// --- checked entry and export
SOLUTION_EXPORT_CUDA(broadcast_add_4d, kContract, BroadcastAdd4d)
