// SPDX-License-Identifier: Apache-2.0
// kept = residual + update * gate; out = rms_norm(kept) * (1 + scale) + shift
//   residual, update, kept, out [B, L, D];
//   gate, scale, shift [B, L, D] (full), [1, 1, D] (row) or [B, L, 1] (token).
//   kept is rounded to the dtype before it is normalised, as it is stored.
//   once: kept is one fused multiply-add, out fp32 arithmetic; each rounded to the dtype.
//   each_step: every intermediate result rounded to the dtype.
#include "gated_row.cuh"

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
    const GatedRow<T> row = {{row_operand<T>(call, kScale, columns),
                              row_operand<T>(call, kShift, columns), call.data<T>(kOut), columns},
                             call.data<const T>(kResidual),
                             call.data<const T>(kUpdate),
                             row_operand<T>(call, kGate, columns),
                             call.data<T>(kKept)};
    return launch_norm<RmsNorm, V>(call, plan, row);
  }
};
}  // namespace

// --- checked entry and export
SOLUTION_EXPORT_CUDA(residual_gate_rms_norm_modulate, kContract, Modulated)
