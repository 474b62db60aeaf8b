// SPDX-License-Identifier: Apache-2.0
// Launching on the tensors' own device and its current stream, and waiting for the kernel before.
#pragma once

#include <cuda_runtime.h>
#include <tvm/ffi/extra/c_env_api.h>

#include "dispatch.h"
#include "launch_plan.h"

namespace solution {

// Waits for the memory of the grid before: first in every kernel, ahead of any load. A large grid
// lets the next one start its launch here; a small one does so by ending.
__device__ inline void wait_for_previous_grid() {
#if __CUDA_ARCH__ >= 900
  if (gridDim.x * gridDim.y >= kEarlyReleaseBlocks)
    asm volatile("griddepcontrol.launch_dependents;" ::: "memory");
  asm volatile("griddepcontrol.wait;" ::: "memory");
#endif
}

// Makes a device current for a scope; cudaSetDevice only where it is not, which is the usual case.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device) : device_(device) {
    error_ = cudaGetDevice(&previous_);
    if (error_ == cudaSuccess && previous_ != device_) error_ = cudaSetDevice(device_);
  }
  ~DeviceGuard() {
    if (error_ == cudaSuccess && previous_ != device_) cudaSetDevice(previous_);
  }
  DeviceGuard(const DeviceGuard&) = delete;
  DeviceGuard& operator=(const DeviceGuard&) = delete;
  cudaError_t error() const { return error_; }

 private:
  int device_;
  int previous_ = -1;
  cudaError_t error_;
};

// 90 for compute capability 9.0; asked once a device. Two threads that race write the same value.
inline cudaError_t compute_capability(int device, int* capability) {
  constexpr int kRemembered = 64;
  static int remembered[kRemembered];
  if (device < kRemembered && remembered[device]) {
    *capability = remembered[device];
    return cudaSuccess;
  }
  int major = 0;
  int minor = 0;
  cudaError_t error = cudaDeviceGetAttribute(&major, cudaDevAttrComputeCapabilityMajor, device);
  if (error == cudaSuccess)
    error = cudaDeviceGetAttribute(&minor, cudaDevAttrComputeCapabilityMinor, device);
  *capability = 10 * major + minor;
  if (error == cudaSuccess && device < kRemembered) remembered[device] = *capability;
  return error;
}

inline int cuda_error(const Contract& contract, const char* doing, cudaError_t error) {
  cudaGetLastError();  // a refused launch must not come up again in the next call
  return raise_error("RuntimeError", "%s: %s failed: %s", contract.op, doing,
                     cudaGetErrorString(error));
}

template <typename... Parameters, typename... Arguments>
cudaError_t launch(const LaunchPlan& plan, DLDevice device, void (*kernel)(Parameters...),
                   Arguments... arguments) {
  cudaLaunchAttribute attribute;
  attribute.id = cudaLaunchAttributeProgrammaticStreamSerialization;
  attribute.val.programmaticStreamSerializationAllowed = 1;
  cudaLaunchConfig_t config = {};
  config.gridDim = dim3(plan.columns, plan.rows);
  config.blockDim = dim3(plan.threads);
  config.stream =
      static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  config.attrs = &attribute;
  config.numAttrs = plan.programmatic ? 1 : 0;
  return cudaLaunchKernelEx(&config, kernel, static_cast<Parameters>(arguments)...);
}

}  // namespace solution
