// SPDX-License-Identifier: Apache-2.0
// out = gate / (1 + exp(-gate)) * up
//   gate, up, out [B, L, D].
//   once: fp32 arithmetic, the result rounded to the dtype.
//   each_step: gate / (1 + exp(-gate)) rounded to the dtype before it is multiplied.
#include "contract.h"
#include "dispatch.h"
#include "entry.h"
#include "exponential.h"
#include "lanes.h"
#include "parallel.h"
#include "rounding.h"

namespace {
using namespace solution;

constexpr Contract kContract = make_contract("silu_mul", {{"gate", "B L D"}, {"up", "B L D"}},
                                             {{"out", "B L D"}}, {{"full", {}}});
enum { kGate, kUp, kOut };

inline Float8 silu(Float8 gate) { return gate / (1.0f + exponential(-gate)); }

template <typename T>
Lanes silu_times(Lanes gate, Lanes up) {
  const Lanes value = {silu(gate.first), silu(gate.second)};
  return (kRoundEachStep ? round_to<T>(value) : value) * up;
}

template <typename T, bool Streaming>
void multiply(const Call& call, const CpuPlan& plan, int64_t count) {
  const T* gate = call.data<const T>(kGate);
  const T* up = call.data<const T>(kUp);
  T* out = call.data<T>(kOut);
  for_each_share(plan, count, [=](int64_t begin, int64_t end) {
    for_each_lanes<Streaming>(out + begin, end - begin, [=](int64_t i, auto lanes) {
      return silu_times<T>(load(gate + begin + i, lanes), load(up + begin + i, lanes));
    });
  });
}

CpuPlan plan(const Call& call) {
  return plan_cpu(3 * byte_count(call, kOut), byte_count(call, kOut));
}

int run(const Call& call) {
  const int64_t count = element_count(*call.tensor[kOut]);
  const CpuPlan chosen = plan(call);
  if (count == 0) return 0;
  dispatch_float<bfloat16, float16>(call.dtype, [&](auto type) {
    using T = type_of<decltype(type)>;
    chosen.streaming ? multiply<T, true>(call, chosen, count)
                     : multiply<T, false>(call, chosen, count);
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

SOLUTION_EXPORT(silu_mul, kContract, kDLCPU, run, describe)
