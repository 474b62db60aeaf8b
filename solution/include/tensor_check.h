// SPDX-License-Identifier: Apache-2.0
// Holds a call's tensors against the op's contract: every back end refuses the same with the same
// words.
#pragma once

#include "error.h"
#include "tensor_text.h"

namespace solution {

enum class Dtype { bfloat16, float16, float32 };

// A checked call: its tensors in declared order, the first declared layout that fits, its axes.
struct Call {
  const Contract* contract;
  const DLTensor* tensor[kMaxTensors];
  Dtype dtype;
  int layout;
  uint32_t live_layouts;                     // layouts that fit every tensor so far
  uint32_t bound[kMaxLayouts];               // axes bound so far, one bit a letter
  int64_t axes[kMaxLayouts]['Z' - 'A' + 1];  // valid where bound

  int64_t axis(char letter) const { return axes[layout][letter - 'A']; }
  DLDevice device() const { return tensor[0]->device; }
  uint32_t itemsize() const { return dtype == Dtype::float32 ? 4 : 2; }
  template <typename T>
  T* data(int i) const {
    return reinterpret_cast<T*>(static_cast<char*>(tensor[i]->data) + tensor[i]->byte_offset);
  }
};

inline bool supported(DLDataType dtype, Dtype* known) {
  if (dtype.lanes != 1) return false;
  if (dtype.code == kDLBfloat && dtype.bits == 16) return *known = Dtype::bfloat16, true;
  if (dtype.code == kDLFloat && dtype.bits == 16) return *known = Dtype::float16, true;
  if (dtype.code == kDLFloat && dtype.bits == 32) return *known = Dtype::float32, true;
  return false;
}

inline bool same_dtype(DLDataType a, DLDataType b) {
  return a.code == b.code && a.bits == b.bits && a.lanes == b.lanes;
}

inline int64_t element_count(const DLTensor& tensor) {
  int64_t count = 1;
  for (int i = 0; i < tensor.ndim; ++i) count *= tensor.shape[i];
  return count;
}

inline int64_t byte_count(const Call& call, int i) {
  return element_count(*call.tensor[i]) * call.itemsize();
}

// Axes of size 1 and empty tensors may have any strides; no strides at all means contiguous.
inline bool contiguous(const DLTensor& tensor) {
  if (!tensor.strides) return true;
  bool matches = true;
  int64_t step = 1;
  for (int i = tensor.ndim - 1; i >= 0; --i) {
    matches &= tensor.shape[i] == 1 || tensor.strides[i] == step;
    step *= tensor.shape[i];
  }
  return matches || step == 0;
}

inline bool fits(Call* call, int layout, int i) {
  const Dims& dims = call->contract->dims[layout][i];
  const DLTensor& tensor = *call->tensor[i];
  if (tensor.ndim != dims.rank) return false;
  for (int d = 0; d < dims.rank; ++d) {
    const char code = dims.code[d];
    if (!Dims::is_axis(code)) {
      if (tensor.shape[d] != code - '0') return false;
      continue;
    }
    const uint32_t bit = 1u << (code - 'A');
    int64_t& size = call->axes[layout][code - 'A'];
    if (!(call->bound[layout] & bit)) {
      call->bound[layout] |= bit;
      size = tensor.shape[d];
    } else if (size != tensor.shape[d]) {
      return false;
    }
  }
  return true;
}

// All addresses or-ed together: a power of two that divides it is an alignment that all have.
inline uint64_t common_address(const Call& call) {
  uint64_t bits = 0;
  for (int i = 0; i < call.contract->tensors; ++i)
    bits |= reinterpret_cast<uint64_t>(call.data<const char>(i));
  return bits;
}

// Two byte ranges that touch a common byte; contiguity has been checked by then.
inline bool share_bytes(const Call& call, int a, int b) {
  const char* first = call.data<const char>(a);
  const char* second = call.data<const char>(b);
  const int64_t first_bytes = byte_count(call, a);
  const int64_t second_bytes = byte_count(call, b);
  return first_bytes && second_bytes && first < second + second_bytes &&
         second < first + first_bytes;
}

}  // namespace solution
