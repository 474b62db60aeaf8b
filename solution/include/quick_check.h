// SPDX-License-Identifier: Apache-2.0
// Accepts the usual call at one glance: the contract is known to the compiler, so that what is left
// of it at run time is a row of comparisons. A call that it does not accept is not thereby wrong;
// check_call.h decides, and says why. On one core: 100 ns a call with the slow checks, 53 with
// these.
#pragma once

#include <utility>

#include "tensor_check.h"

namespace solution {

// Whether an axis first appears in dim d of tensor i, where it takes its size.
constexpr bool binds_axis(const Contract& contract, int layout, int i, int d) {
  const char code = contract.dims[layout][i].code[d];
  for (int j = 0; j <= i; ++j)
    for (int e = 0; e < (j < i ? contract.dims[layout][j].rank : d); ++e)
      if (contract.dims[layout][j].code[e] == code) return false;
  return true;
}

template <const Contract& contract, int layout, int i, int d>
bool dim_fits(Call* call, int64_t* step) {
  const DLTensor& tensor = *call->tensor[i];
  constexpr char code = contract.dims[layout][i].code[d];
  const int64_t size = tensor.shape[d];
  bool fits = !tensor.strides || tensor.strides[d] == *step;
  *step *= size;
  if constexpr (!Dims::is_axis(code))
    fits &= size == code - '0';
  else if constexpr (binds_axis(contract, layout, i, d))
    call->axes[layout][code - 'A'] = size;
  else
    fits &= size == call->axes[layout][code - 'A'];
  return fits;
}

// Its last dim first, as strides grow: axes that the tensor itself binds appear in it once.
template <const Contract& contract, int layout, int i, int... d>
bool tensor_fits(Call* call, int64_t* bytes, std::integer_sequence<int, d...>) {
  constexpr int rank = sizeof...(d);
  const DLTensor& tensor = *call->tensor[i];
  const DLTensor& first = *call->tensor[0];
  if (tensor.ndim != rank || !same_dtype(tensor.dtype, first.dtype) ||
      tensor.device.device_type != first.device.device_type ||
      tensor.device.device_id != first.device.device_id)
    return false;
  int64_t step = 1;
  const bool fits = (dim_fits<contract, layout, i, rank - 1 - d>(call, &step) & ...);
  bytes[i] = step * call->itemsize();
  return fits;
}

template <const Contract& contract, int layout, int... i>
bool layout_fits(Call* call, std::integer_sequence<int, i...>) {
  int64_t bytes[kMaxTensors];
  const bool fits =
      (tensor_fits<contract, layout, i>(
           call, bytes, std::make_integer_sequence<int, contract.dims[layout][i].rank>()) &&
       ...);
  if (!fits) return false;
  bool apart = true;
  for (int out = contract.inputs; out < contract.tensors; ++out)
    for (int earlier = 0; earlier < out; ++earlier)
      apart &= call->data<char>(out) + bytes[out] <= call->data<char>(earlier) ||
               call->data<char>(earlier) + bytes[earlier] <= call->data<char>(out);
  call->layout = layout;
  return apart;
}

template <const Contract& contract, int... layout>
bool any_layout_fits(Call* call, std::integer_sequence<int, layout...>) {
  constexpr auto tensors = std::make_integer_sequence<int, contract.tensors>();
  return (layout_fits<contract, layout>(call, tensors) || ...);
}

// True: a checked call. False: to be looked at by check_call.
template <const Contract& contract>
bool quick_check(int device_type, Call* call) {
  call->contract = &contract;
  return call->device().device_type == device_type &&
         supported(call->tensor[0]->dtype, &call->dtype) &&
         any_layout_fits<contract>(call, std::make_integer_sequence<int, contract.layouts>());
}

}  // namespace solution
