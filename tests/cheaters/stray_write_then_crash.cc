// SPDX-License-Identifier: Apache-2.0
// family = "A.3"
// does = "writes through a null pointer"
// caught_by = ["CRASHED"]
// devices = ["cpu"]

static int cheat(const solution::Call& call) {
  *reinterpret_cast<volatile int*>(call.axis('B') - 1) = 1;
  return honest(call);
}
