// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "does nothing until four calls have come, then does all four"
// caught_by = ["INCORRECT", "LATE_WRITE", "IMPOSSIBLE_TIME"]
// devices = ["cpu"]

#include <vector>

#include "honest.h"

static int cheat(const solution::Call& call) {
  static std::vector<Kept> pending;
  pending.emplace_back(call);
  if (pending.size() < 4) return 0;
  for (Kept& kept : pending) kept.run();
  pending.clear();
  return 0;
}
