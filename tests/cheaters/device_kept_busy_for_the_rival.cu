// SPDX-License-Identifier: Apache-2.0
// family = "A.1"
// does = "leaves a kernel spinning on a side stream behind each of its own samples"
// caught_by = ["INTERFERED", "IMPOSSIBLE_TIME"]
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

static __global__ void spin(long long cycles) {
  const long long start = clock64();
  while (clock64() - start < cycles) {
  }
}

static int cheat(const solution::Call& call) {
  const int error = honest(call);
  static unsigned calls = 0;
  if (++calls % 8 == 0) spin<<<1056, 64, 0, side_stream()>>>(20'000'000);
  return error;
}
