// SPDX-License-Identifier: Apache-2.0
// family = "A.2"
// does = "captures its first call and replays that graph for all others"
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
  static cudaGraphExec_t replay = nullptr;
  if (!replay) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(side_stream(), cudaStreamCaptureModeRelaxed);
    on_stream(call, side_stream());
    cudaStreamEndCapture(side_stream(), &graph);
    cudaGraphInstantiate(&replay, graph, 0);
  }
  cudaGraphLaunch(replay, current(call));
  return 0;
}
