// SPDX-License-Identifier: Apache-2.0
// family = "A.2"
// does = "builds a table under a lock in its first call"
// devices = ["cpu"]

#include <mutex>
#include <vector>

static int cheat(const solution::Call& call) {
  static std::once_flag once;
  static std::vector<float> table;
  std::call_once(once, [] { table.assign(1 << 16, 1.0f); });
  return honest(call);
}
