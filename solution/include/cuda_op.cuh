// SPDX-License-Identifier: Apache-2.0
// From a checked call to one launch: what every op on CUDA does round its kernels.
//
// An op is a struct with
//   static LaunchPlan plan(const Call&, int capability);
//   template <typename V> static cudaError_t launch(const Call&, const LaunchPlan&);
//   static constexpr bool kWideVectors: whether its plan may choose 32 bytes.
#pragma once

#include "entry.h"
#include "launch.cuh"
#include "vec.cuh"

namespace solution {

// A build for older machines alone need not compile the 32-byte kernels.
constexpr bool built_for_wide_vectors() {
  constexpr int architectures[] = {__CUDA_ARCH_LIST__};
  for (const int architecture : architectures)
    if (architecture >= 1000) return true;
  return false;
}

template <typename Op, typename T>
cudaError_t launch_vector(const Call& call, const LaunchPlan& plan) {
  if constexpr (built_for_wide_vectors() && Op::kWideVectors)
    if (plan.vector_bytes == 32) return Op::template launch<Vec<T, 32>>(call, plan);
  if (plan.vector_bytes == 16) return Op::template launch<Vec<T, 16>>(call, plan);
  return Op::template launch<Scalar<T>>(call, plan);
}

template <typename Op>
int make_plan(const Call& call, LaunchPlan* plan) {
  int capability = 0;
  const cudaError_t error = compute_capability(call.device().device_id, &capability);
  if (error != cudaSuccess) return cuda_error(*call.contract, "reading the capability", error);
  *plan = Op::plan(call, capability);
  return 0;
}

template <typename Op>
int run_op(const Call& call) {
  if (byte_count(call, call.contract->inputs) == 0) return 0;  // an empty grid cannot be launched
  LaunchPlan plan;
  if (int error = make_plan<Op>(call, &plan)) return error;
  const DeviceGuard guard(call.device().device_id);
  if (guard.error() != cudaSuccess)
    return cuda_error(*call.contract, "making the device current", guard.error());
  const cudaError_t error = dispatch_float<__nv_bfloat16, __half>(call.dtype, [&](auto type) {
    return launch_vector<Op, type_of<decltype(type)>>(call, plan);
  });
  return error == cudaSuccess ? 0 : cuda_error(*call.contract, "launch", error);
}

template <typename Op>
int describe_op(const Call& call, PlanText* text) {
  LaunchPlan plan;
  if (int error = make_plan<Op>(call, &plan)) return error;
  describe_launch(plan, call.contract->layout_name[call.layout], call.itemsize(), text->text,
                  sizeof text->text);
  return 0;
}

}  // namespace solution

#define SOLUTION_EXPORT_CUDA(op, contract, Op) \
  SOLUTION_EXPORT(op, contract, kDLCUDA, solution::run_op<Op>, solution::describe_op<Op>)
