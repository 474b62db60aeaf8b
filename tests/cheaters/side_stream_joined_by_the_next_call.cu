// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "joins its side stream at the start of the next call"
// caught_by = ["INCORRECT", "LATE_WRITE", "IMPOSSIBLE_TIME"]
// devices = ["cuda"]

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
  static cudaEvent_t done = nullptr;
  if (!done) cudaEventCreateWithFlags(&done, cudaEventDisableTiming);
  cudaStreamWaitEvent(current(call), done, 0);
  const int error = on_stream(call, side_stream());
  cudaEventRecord(done, side_stream());
  return error;
}
