// SPDX-License-Identifier: Apache-2.0
// Exports `<op>` and `<op>_plan` over tvm-ffi's C ABI.
//
// tvm-ffi's C++ headers do the same in 4.6 s a .cu on two cores, against 2 s with the C ABI alone.
#pragma once

#include <tvm/ffi/extra/c_env_api.h>

#include "check_call.h"
#include "quick_check.h"

namespace solution {

// What a caller may ask to see of a launch: "row 2-D 192x(2,4096) vec8 pdl".
struct PlanText {
  char text[96];
};

inline const DLTensor* as_tensor(const TVMFFIAny& argument) {
  if (argument.type_index == kTVMFFIDLTensorPtr) return static_cast<DLTensor*>(argument.v_ptr);
  if (argument.type_index == kTVMFFITensor) return TVMFFITensorGetDLTensorPtr(argument.v_obj);
  return nullptr;
}

template <const Contract& contract>
int read_call(int device_type, const TVMFFIAny* arguments, int count, Call* call) {
  if (count != contract.tensors)
    return raise_error("TypeError", "%s: expected %d tensors, got %d arguments", contract.op,
                       contract.tensors, count);
  for (int i = 0; i < count; ++i) {
    call->tensor[i] = as_tensor(arguments[i]);
    if (!call->tensor[i])
      return raise_error("TypeError", "%s: expected a tensor, got another type",
                         contract.tensor_name[i]);
  }
  return quick_check<contract>(device_type, call) ? 0 : check_call(contract, device_type, call);
}

inline int return_text(const PlanText& plan, TVMFFIAny* result) {
  const TVMFFIByteArray bytes{plan.text, strlen(plan.text)};
  return TVMFFIStringFromByteArray(&bytes, result);
}

}  // namespace solution

// run(const Call&) and describe(const Call&, PlanText*) return 0, or -1 with the error raised.
#define SOLUTION_EXPORT(op, contract, device_type, run, describe)                             \
  extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_##op(void*, const TVMFFIAny* arguments,         \
                                                   int32_t count, TVMFFIAny*) {               \
    solution::Call call;                                                                      \
    const int error = solution::read_call<contract>(device_type, arguments, count, &call);    \
    return error ? error : run(call);                                                         \
  }                                                                                           \
  extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_##op##_plan(void*, const TVMFFIAny* arguments,  \
                                                          int32_t count, TVMFFIAny* result) { \
    solution::Call call;                                                                      \
    solution::PlanText plan;                                                                  \
    int error = solution::read_call<contract>(device_type, arguments, count, &call);          \
    if (!error) error = describe(call, &plan);                                                \
    return error ? error : solution::return_text(plan, result);                               \
  }
