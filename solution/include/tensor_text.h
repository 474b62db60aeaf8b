// SPDX-License-Identifier: Apache-2.0
// Tensors in words, for error messages only: nothing here runs on the timed path.
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstdio>
#include <cstring>

#include "contract.h"

namespace solution {

struct Text {
  char data[256] = {};

  void add(const char* piece) { strncat(data, piece, sizeof data - strlen(data) - 1); }
  void add(int64_t number) {
    char digits[24];
    snprintf(digits, sizeof digits, "%lld", static_cast<long long>(number));
    add(digits);
  }
};

inline Text list_text(const int64_t* values, int count) {
  Text text;
  text.add("[");
  for (int i = 0; i < count; ++i) {
    if (i) text.add(", ");
    text.add(values[i]);
  }
  text.add("]");
  return text;
}

// Torch's names, which are what a Python caller reads.
inline Text dtype_text(DLDataType dtype) {
  Text text;
  switch (dtype.code) {
    case kDLFloat:
      text.add("float");
      break;
    case kDLBfloat:
      text.add("bfloat");
      break;
    case kDLInt:
      text.add("int");
      break;
    case kDLUInt:
      text.add("uint");
      break;
    case kDLComplex:
      text.add("complex");
      break;
    case kDLBool:
      text.add("bool");
      return text;
    case kDLFloat8_e4m3fn:
      text.add("float8_e4m3fn");
      return text;
    case kDLFloat8_e5m2:
      text.add("float8_e5m2");
      return text;
    default:
      text.add("unknown type of bits ");
      break;
  }
  text.add(static_cast<int64_t>(dtype.bits));
  return text;
}

inline const char* device_type_text(int device_type) {
  switch (device_type) {
    case kDLCPU:
      return "cpu";
    case kDLCUDA:
      return "cuda";
    case kDLCUDAHost:
      return "cuda_host";
    case kDLROCM:
      return "rocm";
    default:
      return "unknown device";
  }
}

inline Text device_text(DLDevice device) {
  Text text;
  text.add(device_type_text(device.device_type));
  if (device.device_type != kDLCPU) {
    text.add(":");
    text.add(static_cast<int64_t>(device.device_id));
  }
  return text;
}

inline Text contiguous_strides_text(const DLTensor& tensor) {
  int64_t strides[kMaxRank];
  int64_t step = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    strides[i] = step;
    step *= tensor.shape[i];
  }
  return list_text(strides, tensor.ndim);
}

}  // namespace solution
