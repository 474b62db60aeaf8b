// SPDX-License-Identifier: Apache-2.0
// What the native cases share: calls that are made later, and calls on another stream.
// It stands behind the honest source, whose call is `honest(call)`.

#pragma once

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

#ifdef __CUDACC__

// The call as `honest` makes it, on another stream.
inline int on_stream(const solution::Call& call, cudaStream_t stream) {
  TVMFFIStreamHandle before;
  const DLDevice device = call.device();
  TVMFFIEnvSetStream(device.device_type, device.device_id, stream, &before);
  const int error = honest(call);
  TVMFFIEnvSetStream(device.device_type, device.device_id, before, nullptr);
  return error;
}

inline cudaStream_t side_stream() {
  static cudaStream_t stream = [] {
    cudaStream_t made;
    cudaStreamCreateWithFlags(&made, cudaStreamNonBlocking);
    return made;
  }();
  return stream;
}

inline cudaStream_t current(const solution::Call& call) {
  const DLDevice device = call.device();
  return static_cast<cudaStream_t>(TVMFFIEnvGetStream(device.device_type, device.device_id));
}

// A cheater that knows that it is being captured is honest there.
inline bool captured(const solution::Call& call) {
  cudaStreamCaptureStatus status = cudaStreamCaptureStatusNone;
  cudaStreamIsCapturing(current(call), &status);
  return status != cudaStreamCaptureStatusNone;
}

#endif
