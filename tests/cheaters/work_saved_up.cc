// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "does nothing until four calls have come, then does all four"
// caught_by = ["INCORRECT", "LATE_WRITE", "IMPOSSIBLE_TIME"]
// devices = ["cpu"]

#include <vector>

// A call whose tensors outlive the caller's.
struct Kept {
  solution::Call call;
  DLTensor tensors[4];
  int64_t shapes[4][4];

  explicit Kept(const solution::Call& from) : call(from) {
    for (int i = 0; i < call.contract->tensors; ++i) {
      tensors[i] = *from.tensor[i];
      for (int d = 0; d < tensors[i].ndim; ++d) shapes[i][d] = tensors[i].shape[d];
    }
  }
  int run() {
    for (int i = 0; i < call.contract->tensors; ++i) {
      tensors[i].shape = shapes[i];
      tensors[i].strides = nullptr;
      call.tensor[i] = &tensors[i];
    }
    return honest(call);
  }
};

static int cheat(const solution::Call& call) {
  static std::vector<Kept> pending;
  pending.emplace_back(call);
  if (pending.size() < 4) return 0;
  for (Kept& kept : pending) kept.run();
  pending.clear();
  return 0;
}
