// SPDX-License-Identifier: Apache-2.0
// stream: reads every input byte once and writes every output byte once, with no arithmetic worth
//         the name: what an honest kernel with these tensors cannot beat where memory is the limit.
// empty:  launches a kernel that does nothing: the same where the launch is the limit.
#include <cuda_runtime.h>

#include "flat.h"

namespace {
using namespace bench_floor;

constexpr int kArchitecture = __CUDA_ARCH_LIST__;     // a build is for one
constexpr bool kProgrammatic = kArchitecture >= 900;  // programmatic dependent launch
constexpr int kVectorBytes = kArchitecture >= 1000 ? 32 : 16;
constexpr int kMaxThreads = 256;
constexpr unsigned kEarlyReleaseBlocks = 256;
constexpr int64_t kManyVectors = 1 << 16;  // below it, smaller blocks reach more multiprocessors

struct alignas(kVectorBytes) Vector {
  uint32_t words[kVectorBytes / 4];
};

// A large grid lets the next one start at once; a small one, whose blocks would be in its way, by
// ending. One H200, us in a graph, early / late: 252 blocks 1.43 / 0.95, 9,216 blocks 20.19 / 20.26.
__device__ void wait_for_previous_grid() {
#if __CUDA_ARCH__ >= 900
  if (gridDim.x >= kEarlyReleaseBlocks)
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Whole vectors of each tensor.
struct Vectors {
  Vector* data[kTensors];
  int64_t count[kTensors];
};

__global__ void __launch_bounds__(kMaxThreads, 8) stream_kernel(const Vectors vectors) {
  wait_for_previous_grid();
  const int64_t index = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  Vector loaded[kInputs];
#pragma unroll
  for (int i = 0; i < kInputs; ++i) {
    loaded[i] = {};
    if (index < vectors.count[i]) loaded[i] = vectors.data[i][index];
  }
  Vector sum = loaded[0];
#pragma unroll
  for (int i = 1; i < kInputs; ++i)
#pragma unroll
    for (int word = 0; word < kVectorBytes / 4; ++word) sum.words[word] ^= loaded[i].words[word];
  bool stored = false;
#pragma unroll
  for (int i = kInputs; i < kTensors; ++i) {
    if (index < vectors.count[i]) {
      vectors.data[i][index] = sum;
      stored = true;
    }
  }
  // Where the inputs are longer than every output their loads must not be dropped.
  if (!stored) asm volatile("" ::"r"(sum.words[0]));
}

// The last bytes of tensors that are no whole number of vectors, by one thread: in no frozen row.
__global__ void tails_kernel(const FlatCall call) {
  wait_for_previous_grid();
  char seen = 0;
  for (int i = 0; i < kTensors; ++i) {
    const Flat& flat = call.tensor[i];
    for (int64_t at = flat.bytes / kVectorBytes * kVectorBytes; at < flat.bytes; ++at) {
      if (i < kInputs)
        seen ^= flat.data[at];
      else
        flat.data[at] = seen;
    }
  }
}

__global__ void empty_kernel() { wait_for_previous_grid(); }

struct Launch {
  uint32_t blocks, threads;
};

Launch plan_stream(const FlatCall& call) {
  const int64_t vectors = (call.longest_bytes + kVectorBytes - 1) / kVectorBytes;
  const uint32_t threads = vectors < kManyVectors ? 128 : kMaxThreads;
  return {static_cast<uint32_t>((vectors + threads - 1) / threads), threads};
}

template <typename... Parameters, typename... Arguments>
int launch(const Launch& plan, DLDevice device, void (*kernel)(Parameters...),
           const Arguments&... arguments) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(plan.blocks);
  config.blockDim = dim3(plan.threads);
  config.stream =
      static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  config.attrs = &attribute;
  config.numAttrs = kProgrammatic ? 1 : 0;
  const cudaError_t error = cudaLaunchKernelEx(&config, kernel, arguments...);
  if (error == cudaSuccess) return 0;
  cudaGetLastError();
  return raise_error("RuntimeError", "floor: launch failed: %s", cudaGetErrorString(error));
}
}  // namespace

FLOOR_EXPORT(stream) {
  FlatCall call;
  if (int error = read_call(args, count, kVectorBytes, &call)) return error;
  if (call.longest_bytes == 0) return 0;
  Vectors vectors;
  bool tails = false;
  for (int i = 0; i < kTensors; ++i) {
    vectors.data[i] = reinterpret_cast<Vector*>(call.tensor[i].data);
    vectors.count[i] = call.tensor[i].bytes / kVectorBytes;
    tails |= call.tensor[i].bytes % kVectorBytes != 0;
  }
  if (int error = launch(plan_stream(call), call.device, stream_kernel, vectors)) return error;
  return tails ? launch({1, 1}, call.device, tails_kernel, call) : 0;
}

FLOOR_EXPORT(stream_plan) {
  FlatCall call;
  if (int error = read_call(args, count, kVectorBytes, &call)) return error;
  const Launch plan = plan_stream(call);
  char text[96];
  snprintf(text, sizeof text, "stream 1-D %ux%u vec%d bytes%s", plan.threads, plan.blocks,
           kVectorBytes, kProgrammatic ? " pdl" : "");
  return return_text(text, result);
}

FLOOR_EXPORT(empty) {
  const DLTensor* first = count == kTensors ? as_tensor(args[0]) : nullptr;
  if (!first) return raise_error("TypeError", "floor: expected %d tensors", kTensors);
  return launch({1, 32}, first->device, empty_kernel);
}

FLOOR_EXPORT(empty_plan) {
  return return_text(kProgrammatic ? "empty 32x1 pdl" : "empty 32x1", result);
}
