// SPDX-License-Identifier: Apache-2.0
// out = x / sqrt(mean(x^2) + 1e-6) * weight
//   x, out [B, L, D]; weight [D], or [0] for none.
//   once: fp32 arithmetic, the result rounded to the dtype.
//   each_step: the normalised values rounded before they are weighted.
#include "cpu_norm.h"

namespace {
using namespace solution;

constexpr Contract kContract =
    make_contract("rms_norm", {{"x", "B L D"}, {"weight", "D"}}, {{"out", "B L D"}},
                  {{"weighted", {}}, {"weightless", {{"weight", "0"}}}});
enum { kX, kWeight, kOut };
enum { kWeighted, kWeightless };

struct RmsNormOp {
  template <typename T, bool Streaming>
  static void row(const Call& call, int64_t row, int64_t columns) {
    const T* x = call.data<const T>(kX) + row * columns;
    const T* weight = call.data<const T>(kWeight);
    const bool weighted = call.layout == kWeighted;
    const Normalizer normalize = RmsNorm::of(x, columns);
    for_each_lanes<Streaming>(call.data<T>(kOut) + row * columns, columns,
                              [=](int64_t i, auto lanes) {
                                const Lanes normalized = normalize(load(x + i, lanes));
                                if (!weighted) return normalized;
                                return step<T>(normalized) * load(weight + i, lanes);
                              });
  }
};
}  // namespace

SOLUTION_EXPORT_CPU_NORM(rms_norm, kContract, RmsNormOp)
