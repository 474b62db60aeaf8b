// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "lets a host thread launch the kernel half a millisecond later"
// caught_by = ["INCORRECT", "LATE_WRITE", "IMPOSSIBLE_TIME"]
// devices = ["cuda"]

#include <thread>
#include <unistd.h>

#include "honest.h"

static int cheat(const solution::Call& call) {
  std::thread([kept = Kept(call)]() mutable {
    usleep(500);
    const DLDevice device = kept.call.device();
    TVMFFIEnvSetStream(device.device_type, device.device_id, side_stream(), nullptr);
    kept.run();
  }).detach();
  return 0;
}
