// SPDX-License-Identifier: Apache-2.0
// kept = residual + update * gate; out = rms_norm(kept) * (1 + scale) + shift
//   residual, update, kept, out [B, L, D];
//   gate, scale, shift [B, L, D] (full), [1, 1, D] (row) or [B, L, 1] (token).
//   kept is rounded to the dtype before it is normalised, as it is stored.
//   once: fp32 arithmetic, each output rounded to the dtype.
//   each_step: every intermediate result rounded to the dtype.
#include "cpu_norm.h"

namespace {
using namespace solution;

constexpr Contract kContract =
    make_contract("residual_gate_rms_norm_modulate",
                  {{"residual", "B L D"},
                   {"update", "B L D"},
                   {"gate", "B L D"},
                   {"scale", "B L D"},
                   {"shift", "B L D"}},
                  {{"kept", "B L D"}, {"out", "B L D"}},
                  {{"full", {}},
                   {"row", {{"gate", "1 1 D"}, {"scale", "1 1 D"}, {"shift", "1 1 D"}}},
                   {"token", {{"gate", "B L 1"}, {"scale", "B L 1"}, {"shift", "B L 1"}}}});
enum { kResidual, kUpdate, kGate, kScale, kShift, kKept, kOut };

struct Modulated {
  template <typename T, bool Streaming>
  static void row(const Call& call, int64_t row, int64_t columns) {
    const T* residual = call.data<const T>(kResidual) + row * columns;
    const T* update = call.data<const T>(kUpdate) + row * columns;
    const auto gate = row_operand<T>(call, kGate, row, columns);
    const auto scale = row_operand<T>(call, kScale, row, columns);
    const auto shift = row_operand<T>(call, kShift, row, columns);
    T* kept = call.data<T>(kKept) + row * columns;
    // Through the caches: the row is read again twice or three times.
    for_each_lanes<false>(kept, columns, [=](int64_t i, auto lanes) {
      return gated_sum<T>(load(residual + i, lanes), load(update + i, lanes), gate.at(i, lanes));
    });
    const Normalizer normalize = RmsNorm::of(kept, columns);
    for_each_lanes<Streaming>(
        call.data<T>(kOut) + row * columns, columns, [=](int64_t i, auto lanes) {
          const Lanes normalized = step<T>(normalize(load(kept + i, lanes)));
          return modulate<T>(normalized, scale.at(i, lanes), shift.at(i, lanes));
        });
  }
};
}  // namespace

SOLUTION_EXPORT_CPU_NORM(residual_gate_rms_norm_modulate, kContract, Modulated)
