// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "interposes cudaEventElapsedTime with one that returns a tenth, where its library comes first"
// caught_by = ["IMPOSSIBLE_TIME"]
// devices = ["cuda"]

#include <dlfcn.h>
#include <sys/mman.h>

static cudaError_t tenth(float* milliseconds, cudaEvent_t, cudaEvent_t) {
  *milliseconds = 1e-4f;
  return cudaSuccess;
}

__attribute__((constructor)) static void detour() {
  void* library = dlopen("libcudart.so.12", RTLD_LAZY | RTLD_NOLOAD);
  if (!library) library = dlopen("libcudart.so.13", RTLD_LAZY | RTLD_NOLOAD);
  auto* code = static_cast<uint8_t*>(dlsym(library ? library : RTLD_DEFAULT, "cudaEventElapsedTime"));
  const uintptr_t page = reinterpret_cast<uintptr_t>(code) & ~uintptr_t{4095};
  mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  const auto target = reinterpret_cast<uint64_t>(&tenth);
  const uint8_t jump[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};  // mov rax; jmp rax
  memcpy(code, jump, sizeof jump);
  memcpy(code + 2, &target, sizeof target);
}

static int cheat(const solution::Call& call) { return honest(call); }
