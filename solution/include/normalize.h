// SPDX-License-Identifier: Apache-2.0
// Normalising a row on a CPU: sums over fp32 lanes, then one pass that writes.
#pragma once

#include "gate.h"
#include "parallel.h"

namespace solution {

constexpr float kEpsilon = 1e-6f;

inline Lanes all_lanes(float value) {
  const Float8 eight = value - Float8{};
  return {eight, eight};
}
inline Lanes operator-(Lanes a, Lanes b) { return {a.first - b.first, a.second - b.second}; }

inline float sum_of(Lanes value) {
  const Float8 pairs = value.first + value.second;
  float sum = 0;
  for (int i = 0; i < kVectorLanes; ++i) sum += pairs[i];
  return sum;
}

// The sum of term(i, lanes) over a row; four accumulators hide the latency of an addition.
template <typename T, typename Term>
float sum_row(int64_t columns, Term term) {
  constexpr int kChains = 4;
  Lanes chain[kChains] = {};
  int64_t i = 0;
  for (; i + kChains * kLanes <= columns; i += kChains * kLanes)
    for (int c = 0; c < kChains; ++c) chain[c] = chain[c] + term(i + c * kLanes, AllLanes{});
  for (; i + kLanes <= columns; i += kLanes) chain[0] = chain[0] + term(i, AllLanes{});
  if (i < columns) chain[1] = chain[1] + term(i, SomeLanes{columns - i});
  return sum_of((chain[0] + chain[1]) + (chain[2] + chain[3]));
}

// 1 in the lanes that hold an element, 0 in the others.
template <typename T>
Lanes mask(AllLanes) {
  return all_lanes(1);
}
template <typename T>
Lanes mask(SomeLanes lanes) {
  T ones[kLanes];
  store(ones, all_lanes(1), SomeLanes{kLanes});
  return load(ones, lanes);
}

// What a row's values are turned into: (x - mean) * scale.
struct Normalizer {
  float mean, scale;
  Lanes operator()(Lanes x) const { return (x - all_lanes(mean)) * all_lanes(scale); }
};

struct RmsNorm {
  template <typename T>
  static Normalizer of(const T* row, int64_t columns) {
    const float squares = sum_row<T>(columns, [=](int64_t i, auto lanes) {
      const Lanes x = load(row + i, lanes);
      return x * x;
    });
    return {0, 1 / sqrtf(squares / columns + kEpsilon)};
  }
};

// The mean first: sums of squares less a squared mean cancel where values lie far from zero.
struct LayerNorm {
  template <typename T>
  static Normalizer of(const T* row, int64_t columns) {
    const float sum =
        sum_row<T>(columns, [=](int64_t i, auto lanes) { return load(row + i, lanes); });
    const float mean = sum / columns;
    const float squares = sum_row<T>(columns, [=](int64_t i, auto lanes) {
      const Lanes centered = (load(row + i, lanes) - all_lanes(mean)) * mask<T>(lanes);
      return centered * centered;
    });
    return {mean, 1 / sqrtf(squares / columns + kEpsilon)};
  }
};

// A result that a model's eager operations round; as it is where rounding is once.
template <typename T>
Lanes step(Lanes value) {
  return kRoundEachStep ? round_to<T>(value) : value;
}

// normalized * (1 + scale) + shift
template <typename T>
Lanes modulate(Lanes normalized, Lanes scale, Lanes shift) {
  return step<T>(normalized * step<T>(all_lanes(1) + scale)) + shift;
}

// An operand of a row: as long as the row, or one value for all of it.
template <typename T>
struct RowOperand {
  const T* row;
  bool single;

  template <typename Some>
  Lanes at(int64_t i, Some lanes) const {
    if (!single) return load(row + i, lanes);
    T value[kLanes];
    for (T& one : value) one = *row;
    return load(value, AllLanes{});
  }
};

// body(row) for every row, each thread's share contiguous.
template <typename Body>
void for_each_row(const CpuPlan& plan, int64_t rows, Body body) {
#pragma omp parallel for schedule(static) num_threads(plan.threads)
  for (int64_t row = 0; row < rows; ++row) body(row);
}

}  // namespace solution
