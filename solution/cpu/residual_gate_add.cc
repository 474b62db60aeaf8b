// SPDX-License-Identifier: Apache-2.0
// out = residual + update * gate
//   residual, update, out [B, L, D]; gate [B, L, D] (full) or [1, 1, D] (row).
//   once: one fused multiply-add in fp32, rounded to the dtype.
//   each_step: update * gate rounded to the dtype, then the sum rounded: torch's mul, then add.
#include "contract.h"
#include "dispatch.h"
#include "entry.h"
#include "gate.h"
#include "parallel.h"

namespace {
using namespace solution;

constexpr Contract kContract = make_contract(
    "residual_gate_add", {{"residual", "B L D"}, {"update", "B L D"}, {"gate", "B L D"}},
    {{"out", "B L D"}}, {{"full", {}}, {"row", {{"gate", "1 1 D"}}}});
enum { kResidual, kUpdate, kGate, kOut };

// A full gate is one row as long as the tensor.
template <typename T, bool Streaming>
void add_rows(const Call& call, const CpuPlan& plan, int64_t count, int64_t columns) {
  const T* residual = call.data<const T>(kResidual);
  const T* update = call.data<const T>(kUpdate);
  const T* gate = call.data<const T>(kGate);
  T* out = call.data<T>(kOut);
  for_each_share(plan, count, [=](int64_t begin, int64_t end) {
    for_each_row_segment(begin, end, columns, [=](int64_t first, int64_t column, int64_t length) {
      for_each_lanes<Streaming>(out + first, length, [=](int64_t i, auto lanes) {
        return gated_sum<T>(load(residual + first + i, lanes), load(update + first + i, lanes),
                            load(gate + column + i, lanes));
      });
    });
  });
}

bool full_gate(const Call& call) { return call.layout == 0; }

CpuPlan plan(const Call& call) {
  return plan_cpu(3 * byte_count(call, kOut) + byte_count(call, kGate), byte_count(call, kOut));
}

int run(const Call& call) {
  const int64_t count = element_count(*call.tensor[kOut]);
  const int64_t columns = full_gate(call) ? count : call.axis('D');
  const CpuPlan chosen = plan(call);
  if (count == 0) return 0;
  dispatch_float<bfloat16, float16>(call.dtype, [&](auto type) {
    using T = type_of<decltype(type)>;
    chosen.streaming ? add_rows<T, true>(call, chosen, count, columns)
                     : add_rows<T, false>(call, chosen, count, columns);
  });
  return 0;
}

int describe(const Call& call, PlanText* text) {
  const CpuPlan chosen = plan(call);
  snprintf(text->text, sizeof text->text, "%s %d threads vec%d%s",
           kContract.layout_name[call.layout], chosen.threads, kLanes,
           chosen.streaming ? " stream" : "");
  return 0;
}
}  // namespace

SOLUTION_EXPORT(residual_gate_add, kContract, kDLCPU, run, describe)
