// SPDX-License-Identifier: Apache-2.0
// Raising a Python exception through tvm-ffi's C ABI.
#pragma once

#include <tvm/ffi/c_api.h>

#include <cstdarg>
#include <cstdio>

namespace solution {

// Returns -1, the C ABI's word for "an error was raised", so that callers write `return
// raise_error(...)`.
__attribute__((cold, noinline, format(printf, 2, 3))) inline int raise_error(const char* kind,
                                                                             const char* format,
                                                                             ...) {
  char message[1024];
  va_list arguments;
  va_start(arguments, format);
  vsnprintf(message, sizeof message, format, arguments);
  va_end(arguments);
  TVMFFIErrorSetRaisedFromCStr(kind, message);
  return -1;
}

}  // namespace solution
