// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "launches on a stream that nothing is ordered behind"
// caught_by = ["INCORRECT", "LATE_WRITE", "IMPOSSIBLE_TIME"]
// devices = ["cuda"]

#include "honest.h"

static int cheat(const solution::Call& call) {
  return captured(call) ? honest(call) : on_stream(call, side_stream());
}
