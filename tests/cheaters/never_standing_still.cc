// SPDX-License-Identifier: Apache-2.0
// family = "A.3"
// does = "waits for a child in a way that no signal stops, so that whoever waits for it to stop hangs"
// caught_by = ["LEFT_BEHIND"]
// devices = ["cpu"]

#include <thread>
#include <unistd.h>

static int cheat(const solution::Call& call) {
  static const bool started = [] {
    std::thread([] {
      if (vfork() == 0) {
        sleep(1000);
        _exit(0);
      }
    }).detach();
    usleep(50000);
    return true;
  }();
  return started ? honest(call) : 1;
}
