// SPDX-License-Identifier: Apache-2.0
// family = "A.3"
// does = "provokes a sticky error so that whoever comes next fails"
// caught_by = ["CRASHED"]
// devices = ["cuda"]

static __global__ void trap() { asm("trap;"); }

static int cheat(const solution::Call& call) {
  const int error = honest(call);
  trap<<<1, 1>>>();
  return error;
}
