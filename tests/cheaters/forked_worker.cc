// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "forks, lets the child write the shared output, and returns"
// caught_by = ["LATE_WRITE", "IMPOSSIBLE_TIME", "LEFT_BEHIND", "INCORRECT"]
// devices = ["cpu"]

#include <signal.h>
#include <unistd.h>

static int cheat(const solution::Call& call) {
  signal(SIGCHLD, SIG_IGN);
  if (fork() == 0) {
    usleep(500);
    honest(call);
    _exit(0);
  }
  return 0;
}
