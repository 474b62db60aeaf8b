// SPDX-License-Identifier: Apache-2.0
// out = x / sqrt(mean(x^2) + 1e-6) * (1 + scale) + shift
//   x, out [B, L, D]; scale, shift [B, L, D] (full), [1, 1, D] (row) or [B, L, 1] (token).
//   once: fp32 arithmetic, the result rounded to the dtype.
//   each_step: normalised values, 1 + scale and their product rounded to the dtype as well.
#include "cpu_norm.h"

namespace {
using namespace solution;

constexpr Contract kContract =
    make_contract("rms_norm_modulate", {{"x", "B L D"}, {"scale", "B L D"}, {"shift", "B L D"}},
                  {{"out", "B L D"}},
                  {{"full", {}},
                   {"row", {{"scale", "1 1 D"}, {"shift", "1 1 D"}}},
                   {"token", {{"scale", "B L 1"}, {"shift", "B L 1"}}}});
enum { kX, kScale, kShift, kOut };

struct Modulated {
  template <typename T, bool Streaming>
  static void row(const Call& call, int64_t row, int64_t columns) {
    const T* x = call.data<const T>(kX) + row * columns;
    const auto scale = row_operand<T>(call, kScale, row, columns);
    const auto shift = row_operand<T>(call, kShift, row, columns);
    const Normalizer normalize = RmsNorm::of(x, columns);
    for_each_lanes<Streaming>(
        call.data<T>(kOut) + row * columns, columns, [=](int64_t i, auto lanes) {
          const Lanes normalized = step<T>(normalize(load(x + i, lanes)));
          return modulate<T>(normalized, scale.at(i, lanes), shift.at(i, lanes));
        });
  }
};
}  // namespace

SOLUTION_EXPORT_CPU_NORM(rms_norm_modulate, kContract, Modulated)
