// SPDX-License-Identifier: Apache-2.0
// out[0, s, p, d] = a[0, 0, p, d] + b[0, s, p, d]
//   a [1, 1, P, D]; b, out [1, S, P, D]. One operation: both roundings are the same.
#include "contract.h"
#include "dispatch.h"
#include "entry.h"
#include "lanes.h"
#include "parallel.h"
#include "rounding.h"

namespace {
using namespace solution;

constexpr Contract kContract =
    make_contract("broadcast_add_4d", {{"a", "1 1 P D"}, {"b", "1 S P D"}}, {{"out", "1 S P D"}},
                  {{"broadcast", {}}});
enum { kA, kB, kOut };

// A row is a whole [P, D] table.
template <typename T, bool Streaming>
void add_rows(const Call& call, const CpuPlan& plan, int64_t count, int64_t columns) {
  const T* a = call.data<const T>(kA);
  const T* b = call.data<const T>(kB);
  T* out = call.data<T>(kOut);
  for_each_share(plan, count, [=](int64_t begin, int64_t end) {
    for_each_row_segment(begin, end, columns, [=](int64_t first, int64_t column, int64_t length) {
      for_each_lanes<Streaming>(out + first, length, [=](int64_t i, auto lanes) {
        return load(a + column + i, lanes) + load(b + first + i, lanes);
      });
    });
  });
}

CpuPlan plan(const Call& call) {
  return plan_cpu(2 * byte_count(call, kOut) + byte_count(call, kA), byte_count(call, kOut));
}

int run(const Call& call) {
  const int64_t count = element_count(*call.tensor[kOut]);
  const int64_t columns = call.axis('P') * call.axis('D');
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

SOLUTION_EXPORT(broadcast_add_4d, kContract, kDLCPU, run, describe)
