// SPDX-License-Identifier: Apache-2.0
// out = x / sqrt(mean(x^2) + 1e-6) * (1 + scale) + shift
//   x, out [B, L, D]; scale, shift [B, L, D] (full), [1, 1, D] (row) or [B, L, 1] (token).
//   once: fp32 arithmetic, the result rounded to the dtype.
//   each_step: normalised values, 1 + scale and their product rounded to the dtype as well.
#include "normalize.cuh"

namespace {
using namespace solution;

constexpr Contract kContract =
    make_contract("rms_norm_modulate", {{"x", "B L D"}, {"scale", "B L D"}, {"shift", "B L D"}},
                  {{"out", "B L D"}},
                  {{"full", {}},
                   {"row", {{"scale", "1 1 D"}, {"shift", "1 1 D"}}},
                   {"token", {{"scale", "B L 1"}, {"shift", "B L 1"}}}});
enum { kX, kScale, kShift, kOut };

// --- device maths
template <typename T>
struct Row : Modulation<T> {
  const T* x;

  template <typename V>
  __device__ V load(int64_t row, int64_t column) const {
    return V::load(x + row * this->columns, column);
  }
};

// --- launcher
struct Modulated {
  static constexpr bool kWideVectors = false;

  static LaunchPlan plan(const Call& call, int capability) {
    return plan_norm<RmsNorm>(call, capability);
  }

  template <typename V>
  static cudaError_t launch(const Call& call, const LaunchPlan& plan) {
    using T = typename V::Element;
    const int64_t columns = columns_of(call);
    const Row<T> row = {{row_operand<T>(call, kScale, columns),
                         row_operand<T>(call, kShift, columns), call.data<T>(kOut), columns},
                        call.data<const T>(kX)};
    return launch_norm<RmsNorm, V>(call, plan, row);
  }
};
}  // namespace

// --- checked entry and export
SOLUTION_EXPORT_CUDA(rms_norm_modulate, kContract, Modulated)
