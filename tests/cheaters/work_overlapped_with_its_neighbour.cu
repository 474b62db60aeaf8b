// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "waits for the stream's past and runs beside it, joined one call late"
// caught_by = ["INCORRECT", "LATE_WRITE", "IMPOSSIBLE_TIME"]
// devices = ["cuda"]

#include "honest.h"

static int cheat(const solution::Call& call) {
  if (captured(call)) return honest(call);
  static cudaEvent_t events[2] = {};
  static unsigned calls = 0;
  for (cudaEvent_t& event : events)
    if (!event) cudaEventCreateWithFlags(&event, cudaEventDisableTiming);
  cudaStreamWaitEvent(current(call), events[(calls + 1) % 2], 0);
  const int error = on_stream(call, side_stream());
  cudaEventRecord(events[calls++ % 2], side_stream());
  return error;
}
