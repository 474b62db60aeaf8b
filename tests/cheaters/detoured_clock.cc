// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "overwrites the C library's clock_gettime by a jump to a clock that is a thousand times slower"
// caught_by = ["IMPOSSIBLE_TIME"]
// devices = ["cpu"]

#include <dlfcn.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

static int slow_clock(clockid_t clock, timespec* time) {
  const int result = static_cast<int>(syscall(SYS_clock_gettime, clock, time));
  const int64_t nanoseconds = (time->tv_sec * 1000000000ll + time->tv_nsec) / 1000;
  time->tv_sec = nanoseconds / 1000000000;
  time->tv_nsec = nanoseconds % 1000000000;
  return result;
}

__attribute__((constructor)) static void detour() {
  auto* code = static_cast<uint8_t*>(dlsym(RTLD_DEFAULT, "clock_gettime"));
  const uintptr_t page = reinterpret_cast<uintptr_t>(code) & ~uintptr_t{4095};
  mprotect(reinterpret_cast<void*>(page), 8192, PROT_READ | PROT_WRITE | PROT_EXEC);
  const auto target = reinterpret_cast<uint64_t>(&slow_clock);
  const uint8_t jump[] = {0x48, 0xb8, 0, 0, 0, 0, 0, 0, 0, 0, 0xff, 0xe0};  // mov rax; jmp rax
  memcpy(code, jump, sizeof jump);
  memcpy(code + 2, &target, sizeof target);
}

static int cheat(const solution::Call& call) { return honest(call); }
