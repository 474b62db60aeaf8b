// SPDX-License-Identifier: Apache-2.0
// A row that is gated, kept and normalised, for either norm.
#pragma once

#include "gated_sum.cuh"
#include "normalize.cuh"

namespace solution {

template <typename T>
struct GatedRow : Modulation<T> {
  const T* residual;
  const T* update;
  RowOperand<T> gate;
  T* kept;

  // The values that are normalised are those that are stored.
  template <typename V>
  __device__ V load(int64_t row, int64_t column) const {
    const int64_t start = row * this->columns;
    const V sum = map_lanes<V>(GatedSum{}, V::load(residual + start, column),
                               V::load(update + start, column), gate.template load<V>(row, column));
    sum.store(kept + start, column);
    return sum;
  }
};

}  // namespace solution
