// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "lets a host thread launch the kernel half a millisecond later"
// caught_by = ["INCORRECT", "LATE_WRITE", "IMPOSSIBLE_TIME"]
// devices = ["cuda"]

#include <thread>
#include <unistd.h>

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

// The call as `honest` makes it, on another stream.
static int on_stream(const solution::Call& call, cudaStream_t stream) {
  TVMFFIStreamHandle before;
  const DLDevice device = call.device();
  TVMFFIEnvSetStream(device.device_type, device.device_id, stream, &before);
  const int error = honest(call);
  TVMFFIEnvSetStream(device.device_type, device.device_id, before, nullptr);
  return error;
}

static cudaStream_t side_stream() {
  static cudaStream_t stream = [] {
    cudaStream_t made;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
  }();
  return stream;
}

static cudaStream_t current(const solution::Call& call) {
  const DLDevice device = call.device();
  return static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
}

static int cheat(const solution::Call& call) {
  std::thread([kept = Kept(call)]() mutable {
    usleep(500);
    const DLDevice device = kept.call.device();
    TVMFFIEnvSetStream(device.device_type, device.device_id, side_stream(), nullptr);
    kept.run();
  }).detach();
  return 0;
}
