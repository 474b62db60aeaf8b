// SPDX-License-Identifier: Apache-2.0
// A call's tensors as flat arrays of bytes. INPUTS and OUTPUTS are the op's counts, given by the
// build.
#pragma once

#include <tvm/ffi/c_api.h>
#include <tvm/ffi/extra/c_env_api.h>

#include <cstdarg>
#include <cstdint>
#include <cstdio>
#include <cstring>

namespace bench_floor {

constexpr int kInputs = INPUTS;
constexpr int kOutputs = OUTPUTS;
constexpr int kTensors = kInputs + kOutputs;

struct Flat {
  char* data;
  int64_t bytes;
};

struct FlatCall {
  Flat tensor[kTensors];  // inputs first
  int64_t longest_bytes;
  int64_t bytes_moved;
  int64_t bytes_written;
  DLDevice device;
};

__attribute__((cold, noinline, format(printf, 2, 3))) inline int raise_error(const char* kind,
                                                                             const char* format,
                                                                             ...) {
  char message[256];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  TVMFFIErrorSetRaisedFromCStr(kind, message);
  return -1;
}

inline const DLTensor* as_tensor(const TVMFFIAny& argument) {
  if (argument.type_index == kTVMFFIDLTensorPtr) return static_cast<DLTensor*>(argument.v_ptr);
  if (argument.type_index == kTVMFFITensor) return TVMFFITensorGetDLTensorPtr(argument.v_obj);
  return nullptr;
}

inline Flat flat(const DLTensor& tensor) {
  int64_t bytes = (tensor.dtype.bits * tensor.dtype.lanes + 7) / 8;
  for (int d = 0; d < tensor.ndim; ++d) bytes *= tensor.shape[d];
  return {static_cast<char*>(tensor.data) + tensor.byte_offset, bytes};
}

// Returns 0, or -1 with the error raised. Tensors are taken as contiguous: the caller validated.
inline int read_call(const TVMFFIAny* arguments, int count, int vector_bytes, FlatCall* call) {
  if (count != kTensors)
    return raise_error("TypeError", "floor: expected %d tensors, got %d arguments", kTensors,
                       count);
  call->longest_bytes = call->bytes_moved = call->bytes_written = 0;
  for (int i = 0; i < kTensors; ++i) {
    const DLTensor* tensor = as_tensor(arguments[i]);
    if (!tensor)
      return raise_error("TypeError", "floor: argument %d: expected a tensor, got another type", i);
    const auto [data, bytes] = flat(*tensor);
    if (reinterpret_cast<uintptr_t>(data) % vector_bytes)
      return raise_error("ValueError",
                         "floor: argument %d: expected an address that is a multiple of %d, got "
                         "one that is not; place the tensor on its own allocation",
                         i, vector_bytes);
    call->tensor[i] = {data, bytes};
    call->longest_bytes = bytes > call->longest_bytes ? bytes : call->longest_bytes;
    call->bytes_moved += bytes;
    if (i >= kInputs) call->bytes_written += bytes;
    call->device = tensor->device;
  }
  return 0;
}

inline int return_text(const char* text, TVMFFIAny* result) {
  const TVMFFIByteArray bytes{text, strlen(text)};
  return TVMFFIStringFromByteArray(&bytes, result);
}

}  // namespace bench_floor

#define FLOOR_EXPORT(name)                                                         \
  extern "C" TVM_FFI_DLL_EXPORT int __tvm_ffi_##name(void*, const TVMFFIAny* args, \
                                                     int32_t count, TVMFFIAny* result)
