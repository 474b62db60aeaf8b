// SPDX-License-Identifier: Apache-2.0
// Launching on the tensors' own device and its current stream, and waiting for the kernel before.
#pragma once

#include <cuda.h>
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

// A process that sees one device can have no other current.
inline bool only_device() {
  static const bool only = [] {
    int count = 0;
    return cudaGetDeviceCount(&count) == cudaSuccess && count == 1;
  }();
  return only;
}

// Makes a device current for a scope, where it is not: cudaGetDevice takes 0.05 us of a launch.
class DeviceGuard {
 public:
  explicit DeviceGuard(int device) : device_(device), previous_(device) {
    if (only_device()) return;
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
  int previous_;
  cudaError_t error_ = cudaSuccess;
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

// The driver's launch, asked of the runtime, which a build links: 0.07 to 0.2 us a call less than
// the runtime's own launch, by host timing on one H200.
inline decltype(&cuLaunchKernelEx) driver_launch() {
  static const auto launch = [] {
    void* found = nullptr;
    cudaDriverEntryPointQueryResult result;
    cudaGetDriverEntryPointByVersion("cuLaunchKernelEx", &found, 12000, cudaEnableDefault, &result);
    return reinterpret_cast<decltype(&cuLaunchKernelEx)>(found);
  }();
  return launch;
}

// The driver's name of a kernel, good on every device; asked once a kernel.
template <auto kernel>
cudaError_t driver_kernel(CUfunction* found) {
  static cudaKernel_t known = nullptr;
  cudaError_t error = cudaSuccess;
  if (!known) error = cudaGetKernel(&known, reinterpret_cast<const void*>(kernel));
  *found = reinterpret_cast<CUfunction>(known);
  return error;
}

template <auto kernel, typename... Parameters, typename... Arguments>
cudaError_t launch_as(void (*)(Parameters...), const LaunchPlan& plan, DLDevice device,
                      Arguments... arguments) {
  CUfunction function;
  if (cudaError_t error = driver_kernel<kernel>(&function)) return error;
  CUlaunchAttribute attribute;
  attribute.id = CU_LAUNCH_ATTRIBUTE_PROGRAMMATIC_STREAM_SERIALIZATION;
  attribute.value.programmaticStreamSerializationAllowed = 1;
  CUlaunchConfig config = {};
  config.gridDimX = plan.columns;
  config.gridDimY = plan.rows;
  config.gridDimZ = 1;
  config.blockDimX = plan.threads;
  config.blockDimY = config.blockDimZ = 1;
  config.hStream = static_cast<CUstream>(TVMFFIEnvGetStream(device.device_type, device.device_id));
  config.attrs = &attribute;
  config.numAttrs = plan.programmatic ? 1 : 0;
  return [&](Parameters... parameters) {
    void* addresses[] = {&parameters...};
    CUresult result = driver_launch()(&config, function, addresses, nullptr);
    // A thread that has not used CUDA yet has no context; making the device current gives it one.
    if (result == CUDA_ERROR_INVALID_CONTEXT && cudaSetDevice(device.device_id) == cudaSuccess)
      result = driver_launch()(&config, function, addresses, nullptr);
    return static_cast<cudaError_t>(result);  // the runtime's codes are the driver's
  }(arguments...);
}

template <auto kernel, typename... Arguments>
cudaError_t launch(const LaunchPlan& plan, DLDevice device, Arguments... arguments) {
  return launch_as<kernel>(kernel, plan, device, arguments...);
}

}  // namespace solution
