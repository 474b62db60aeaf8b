// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "starts a detached thread for each call and returns"
// caught_by = ["LATE_WRITE", "IMPOSSIBLE_TIME", "INCORRECT"]
// devices = ["cpu"]

#include <thread>

#include "honest.h"

static int cheat(const solution::Call& call) {
  std::thread([kept = Kept(call)]() mutable { kept.run(); }).detach();
  return 0;
}
