// SPDX-License-Identifier: Apache-2.0
// out = x / sqrt(mean(x^2) + 1e-6) * weight
//   x, out [B, L, D]; weight [D], or [0] for none.
//   once: fp32 arithmetic, the result rounded to the dtype.
//   each_step: the normalised values rounded before they are weighted.
#include "normalize.cuh"

namespace {
using namespace solution;

constexpr Contract kContract =
    make_contract("rms_norm", {{"x", "B L D"}, {"weight", "D"}}, {{"out", "B L D"}},
                  {{"weighted", {}}, {"weightless", {{"weight", "0"}}}});
enum { kX, kWeight, kOut };
enum { kWeighted, kWeightless };

// --- device maths
template <typename T>
struct Row {
  const T* x;
  const T* weight;  // null for none
  T* out;
  int64_t columns;

  template <typename V>
  __device__ V load(int64_t row, int64_t column) const {
    return V::load(x + row * columns, column);
  }
  template <typename V>
  __device__ void store(int64_t row, int64_t column, const Single<V>& normalized) const {
    const auto weigh = [](float normal, float weight) { return step<T>(normal) * weight; };
    const Single<V> result =
        weight ? map_single<V>(weigh, normalized, Single<V>::load(weight, column)) : normalized;
    result.store(out + row * columns, column);
  }
};

// --- launcher
struct RmsNormOp {
  static constexpr bool kWideVectors = false;

  static LaunchPlan plan(const Call& call, int capability) {
    return plan_norm<RmsNorm>(call, capability);
  }

  template <typename V>
  static cudaError_t launch(const Call& call, const LaunchPlan& plan) {
    using T = typename V::Element;
    const T* weight = call.layout == kWeighted ? call.data<const T>(kWeight) : nullptr;
    const Row<T> row = {call.data<const T>(kX), weight, call.data<T>(kOut), columns_of(call)};
    return launch_norm<RmsNorm, V>(call, plan, row);
  }
};
}  // namespace

// --- checked entry and export
SOLUTION_EXPORT_CUDA(rms_norm, kContract, RmsNormOp)
