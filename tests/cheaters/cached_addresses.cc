// SPDX-License-Identifier: Apache-2.0
// family = "A.2"
// does = "keeps a set of output addresses in C++, where no Python tool sees it"
// caught_by = ["INCORRECT"]
// devices = ["cpu"]

#include <unordered_set>

static int cheat(const solution::Call& call) {
  static std::unordered_set<void*> filled;
  return filled.insert(call.data<void>(kOut)).second ? honest(call) : 0;
}
