// SPDX-License-Identifier: Apache-2.0
// family = "A.2"
// does = "keeps notes in the bytes ahead of the output"
// caught_by = ["GUARD_OVERWRITTEN"]
// devices = ["cpu"]

static int cheat(const solution::Call& call) {
  call.data<int>(kOut)[-1] = 1;
  return honest(call);
}
