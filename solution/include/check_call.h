// SPDX-License-Identifier: Apache-2.0
// The checks in their order, and the sentence that each one raises.
#pragma once

#include "tensor_check.h"

namespace solution {

// "[1, 128, 4096] or [1, 1, 4096]": what tensor i may be, given the axes bound before it.
__attribute__((cold)) inline Text shape_alternatives(const Call& call, int i) {
  Text alternatives[kMaxLayouts];
  Text all;
  int count = 0;
  for (int l = 0; l < call.contract->layouts; ++l) {
    if (!(call.live_layouts & 1u << l)) continue;
    Text text;
    const Dims& dims = call.contract->dims[l][i];
    for (int d = 0; d < dims.rank; ++d) {
      text.add(d ? ", " : "[");
      const char code[2] = {dims.code[d], 0};
      const bool number = Dims::is_axis(*code) && call.bound[l] & 1u << (*code - 'A');
      number ? text.add(call.axes[l][*code - 'A']) : text.add(code);
    }
    text.add("]");
    bool repeated = false;
    for (int j = 0; j < count; ++j) repeated |= !strcmp(alternatives[j].data, text.data);
    if (repeated) continue;
    if (count) all.add(" or ");
    all.add(text.data);
    alternatives[count++] = text;
  }
  return all;
}

inline int check_shape(Call* call, int i) {
  uint32_t before[kMaxLayouts];
  uint32_t fitting = 0;
  for (int l = 0; l < call->contract->layouts; ++l) {
    before[l] = call->bound[l];
    if (call->live_layouts & 1u << l && fits(call, l, i)) fitting |= 1u << l;
  }
  if (fitting) {
    call->live_layouts = fitting;
    return 0;
  }
  for (int l = 0; l < call->contract->layouts; ++l) call->bound[l] = before[l];
  return raise_error("ValueError", "%s: expected shape %s, got %s", call->contract->tensor_name[i],
                     shape_alternatives(*call, i).data,
                     list_text(call->tensor[i]->shape, call->tensor[i]->ndim).data);
}

inline int check_tensor(Call* call, int i, int device_type) {
  const DLTensor& tensor = *call->tensor[i];
  const DLTensor& first = *call->tensor[0];
  const char* name = call->contract->tensor_name[i];
  const char* first_name = call->contract->tensor_name[0];
  if (i == 0 && tensor.device.device_type != device_type)
    return raise_error("ValueError", "%s: expected a %s tensor, got %s", name,
                       device_type_text(device_type), device_text(tensor.device).data);
  if (i == 0 && !supported(tensor.dtype, &call->dtype))
    return raise_error("TypeError", "%s: expected dtype bfloat16, float16 or float32, got %s", name,
                       dtype_text(tensor.dtype).data);
  if (!same_dtype(tensor.dtype, first.dtype))
    return raise_error("TypeError", "%s: expected dtype %s like %s, got %s", name,
                       dtype_text(first.dtype).data, first_name, dtype_text(tensor.dtype).data);
  if (tensor.device.device_type != first.device.device_type ||
      tensor.device.device_id != first.device.device_id)
    return raise_error("ValueError", "%s: expected device %s like %s, got %s", name,
                       device_text(first.device).data, first_name, device_text(tensor.device).data);
  if (int error = check_shape(call, i)) return error;
  if (!contiguous(tensor))
    return raise_error(
        "ValueError", "%s: expected contiguous strides %s, got %s; call .contiguous() on it first",
        name, contiguous_strides_text(tensor).data, list_text(tensor.strides, tensor.ndim).data);
  return 0;
}

// Returns 0, or -1 with the error raised; call->tensor holds the contract's tensors on entry.
inline int check_call(const Contract& contract, int device_type, Call* call) {
  call->contract = &contract;
  call->live_layouts = (1u << contract.layouts) - 1;
  for (int l = 0; l < contract.layouts; ++l) call->bound[l] = 0;
  for (int i = 0; i < contract.tensors; ++i)
    if (int error = check_tensor(call, i, device_type)) return error;
  for (int out = contract.inputs; out < contract.tensors; ++out)
    for (int earlier = 0; earlier < out; ++earlier)
      if (share_bytes(*call, out, earlier))
        return raise_error("ValueError",
                           "%s: expected memory of its own, got bytes shared with %s; "
                           "allocate a separate output",
                           contract.tensor_name[out], contract.tensor_name[earlier]);
  call->layout = __builtin_ctz(call->live_layouts);
  return 0;
}

}  // namespace solution
