// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "runs on a stream of its own between two events of the caller's stream"
// devices = ["cuda"]

#include "honest.h"

static int cheat(const solution::Call& call) {
  static cudaEvent_t before = nullptr, after = nullptr;
  if (!before) cudaEventCreateWithFlags(&before, cudaEventDisableTiming);
  if (!after) cudaEventCreateWithFlags(&after, cudaEventDisableTiming);
  cudaEventRecord(before, current(call));
  cudaStreamWaitEvent(side_stream(), before, 0);
  const int error = on_stream(call, side_stream());
  cudaEventRecord(after, side_stream());
  cudaStreamWaitEvent(current(call), after, 0);
  return error;
}
