// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "runs on a stream of its own between two events of the caller's stream"
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
  static cudaEvent_t before = nullptr, after = nullptr;
  if (!before) cudaEventCreateWithFlags(&before, cudaEventDisableTiming);
  if (!after) cudaEventCreateWithFlags(&after, cudaEventDisableTiming);
  cudaEventRecord(before, current(call));
  cudaStreamWaitEvent(side_stream(), before, 0);
  const int error = on_stream(call, side_stream());
  cudaEventRecord(after, side_stream());
  cudaStreamWaitEvent(current(call), after, 0);
  return error;
}
