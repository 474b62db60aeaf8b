// SPDX-License-Identifier: Apache-2.0
// From a checked call to its rows on a CPU: what every op that normalises does round its formula.
//
// An op is a struct with
//   template <typename T, bool Streaming> static void row(const Call&, int64_t row, int64_t
//   columns);
#pragma once

#include "contract.h"
#include "dispatch.h"
#include "entry.h"
#include "normalize.h"

namespace solution {

// Every axis but the last counts rows.
inline int64_t columns_of(const Call& call) {
  return call.tensor[0]->shape[call.tensor[0]->ndim - 1];
}

// What a row reads of an operand that may be full, one row for all, or one value a row.
template <typename T>
RowOperand<T> row_operand(const Call& call, int i, int64_t row, int64_t columns) {
  const Dims& dims = call.contract->dims[call.layout][i];
  const bool each_row = Dims::is_axis(dims.code[0]);
  const bool single = !Dims::is_axis(dims.code[dims.rank - 1]);
  return {call.data<const T>(i) + (each_row ? row * (single ? 1 : columns) : 0), single};
}

inline CpuPlan norm_plan(const Call& call) {
  int64_t moved = 0;
  int64_t written = 0;
  for (int i = 0; i < call.contract->tensors; ++i) {
    moved += byte_count(call, i);
    if (i >= call.contract->inputs) written += byte_count(call, i);
  }
  return plan_cpu(moved, written);
}

template <typename Op>
int run_norm(const Call& call) {
  const int64_t count = element_count(*call.tensor[0]);
  if (count == 0) return 0;
  const int64_t columns = columns_of(call);
  const CpuPlan plan = norm_plan(call);
  dispatch_float<bfloat16, float16>(call.dtype, [&](auto type) {
    using T = type_of<decltype(type)>;
    for_each_row(plan, count / columns, [&](int64_t row) {
      plan.streaming ? Op::template row<T, true>(call, row, columns)
                     : Op::template row<T, false>(call, row, columns);
    });
  });
  return 0;
}

inline int describe_norm(const Call& call, PlanText* text) {
  const CpuPlan plan = norm_plan(call);
  snprintf(text->text, sizeof text->text, "%s %d threads vec%d%s",
           call.contract->layout_name[call.layout], plan.threads, kLanes,
           plan.streaming ? " stream" : "");
  return 0;
}

}  // namespace solution

#define SOLUTION_EXPORT_CPU_NORM(op, contract, Op) \
  SOLUTION_EXPORT(op, contract, kDLCPU, solution::run_norm<Op>, solution::describe_norm)
