// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "starts a detached thread for each call and returns"
// caught_by = ["LATE_WRITE", "IMPOSSIBLE_TIME", "INCORRECT"]
// devices = ["cpu"]

#include <thread>

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
  std::thread([kept = Kept(call)]() mutable { kept.run(); }).detach();
  return 0;
}
