// SPDX-License-Identifier: Apache-2.0
// late_copy: writes the inputs of the call that follows it, late, after letting that call's grid
//            start: a kernel that was launched to overlap and does not wait reads what was before.
#include <cuda_runtime.h>

#include "flat.h"

namespace {
using namespace bench_floor;

constexpr int kBlocks = 16;  // few, so that the next grid finds room beside them
constexpr int kThreads = 256;
constexpr uint64_t kDelayNs = 1'000'000;  // longer than any launch

constexpr int kMost = 8;

struct Copies {
  Flat source[kMost], target[kMost];
  int count;
};

__global__ void __launch_bounds__(kThreads) late_copy_kernel(const Copies copies) {
#if __CUDA_ARCH__ >= 900
  asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
#endif
  uint64_t started, now;
  asm volatile("mov.u64 %0, %globaltimer;" : "=l"(started)::"memory");
  do {
    asm volatile("mov.u64 %0, %globaltimer;" : "=l"(now)::"memory");
  } while (now - started < kDelayNs);
  const int64_t first = static_cast<int64_t>(blockIdx.x) * blockDim.x + threadIdx.x;
  for (int i = 0; i < copies.count; ++i)
    for (int64_t at = first; at < copies.target[i].bytes; at += kBlocks * kThreads)
      copies.target[i].data[at] = copies.source[i].data[at];
}
}  // namespace

// The values of as many tensors, then the tensors: contiguous, of the same sizes.
FLOOR_EXPORT(late_copy) {
  Copies copies = {};
  copies.count = count / 2;
  if (count % 2 || copies.count > kMost)
    return raise_error("TypeError", "late_copy: expected up to %d pairs of tensors, got %d", kMost,
                       count);
  DLDevice device = {};
  for (int i = 0; i < count; ++i) {
    const DLTensor* tensor = as_tensor(args[i]);
    if (!tensor) return raise_error("TypeError", "late_copy: argument %d: expected a tensor", i);
    (i < copies.count ? copies.source[i] : copies.target[i - copies.count]) = flat(*tensor);
    device = tensor->device;
  }
  const auto stream =
      static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  late_copy_kernel<<<kBlocks, kThreads, 0, stream>>>(copies);
  const cudaError_t error = cudaGetLastError();
  if (error == cudaSuccess) return 0;
  return raise_error("RuntimeError", "late_copy: launch failed: %s", cudaGetErrorString(error));
}
