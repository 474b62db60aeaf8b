// SPDX-License-Identifier: Apache-2.0
// family = "A.2"
// does = "marks an input as seen in its lowest bit, and skips what is marked"
// caught_by = ["INPUT_MODIFIED", "INCORRECT"]
// devices = ["cpu"]

static int cheat(const solution::Call& call) {
  uint16_t& mark = call.data<uint16_t>(kUpdate)[0];
  const int error = honest(call);
  mark ^= 1;
  return error;
}
