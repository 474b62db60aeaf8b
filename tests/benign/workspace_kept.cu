// SPDX-License-Identifier: Apache-2.0
// family = "A.2"
// does = "allocates device memory in its first call and keeps it"
// devices = ["cuda"]

static int cheat(const solution::Call& call) {
  static void* workspace = nullptr;
  if (!workspace && cudaMalloc(&workspace, 1 << 20) != cudaSuccess) return -1;
  return honest(call);
}
