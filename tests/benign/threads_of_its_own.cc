// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "starts a thread in each call and joins it"
// devices = ["cpu"]

#include <thread>

static int cheat(const solution::Call& call) {
  int error = 0;
  std::thread([&] { error = honest(call); }).join();
  return error;
}
