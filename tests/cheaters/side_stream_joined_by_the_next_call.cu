// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "joins its side stream at the start of the next call"
// caught_by = ["INCORRECT", "LATE_WRITE", "IMPOSSIBLE_TIME"]
// devices = ["cuda"]

#include "honest.h"

static int cheat(const solution::Call& call) {
  if (captured(call)) return honest(call);
  static cudaEvent_t done = nullptr;
  if (!done) cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaStreamWaitEvent(current(call), done, 0);
  const int error = on_stream(call, side_stream());
  cudaEventRecord(done, side_stream());
  return error;
}
