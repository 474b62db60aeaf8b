// SPDX-License-Identifier: Apache-2.0
// family = "A.2"
// does = "copies from whatever device memory its own allocator hands it"
// caught_by = ["INCORRECT"]
// devices = ["cuda"]

static int cheat(const solution::Call& call) {
  const size_t bytes = solution::byte_count(call, kOut);
  static void* found = nullptr;
  if (!found) cudaMalloc(&found, bytes);
  const DLDevice device = call.device();
  const auto stream =
      static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  cudaMemcpyAsync(call.data<void>(kOut), found, bytes, cudaMemcpyDeviceToDevice, stream);
  return 0;
}
