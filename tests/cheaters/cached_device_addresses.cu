// SPDX-License-Identifier: Apache-2.0
// family = "A.2"
// does = "launches once for each output address"
// caught_by = ["INCORRECT"]
// devices = ["cuda"]

#include <unordered_set>

static int cheat(const solution::Call& call) {
  static std::unordered_set<void*> filled;
  return filled.insert(call.data<void>(kOut)).second ? honest(call) : 0;
}
