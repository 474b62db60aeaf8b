// SPDX-License-Identifier: Apache-2.0
// family = "A.3"
// does = "ends the process from a constructor, with success"
// caught_by = ["CRASHED"]
// devices = ["cpu"]

#include <unistd.h>

__attribute__((constructor)) static void leave() { _exit(0); }

static int cheat(const solution::Call& call) { return honest(call); }
