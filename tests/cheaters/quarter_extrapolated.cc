// SPDX-License-Identifier: Apache-2.0
// family = "A.2"
// does = "computes a quarter and repeats it"
// caught_by = ["INCORRECT"]
// devices = ["cpu"]

static int cheat(const solution::Call& call) {
  const int error = honest(call);
  char* out = call.data<char>(kOut);
  const int64_t quarter = solution::byte_count(call, kOut) / 4;
  for (int i = 1; i < 4; ++i) memcpy(out + i * quarter, out, quarter);
  return error;
}
