// SPDX-License-Identifier: Apache-2.0
// Which kernel runs on how many threads: a pure value, computed without CUDA and tested without a
// GPU.
#pragma once

#include <cstdint>
#include <cstdio>

namespace solution {

struct LaunchPlan {
  uint32_t columns;  // grid.x: column tiles, or all blocks of a flat launch
  uint32_t rows;     // grid.y; 1 for a flat launch
  uint32_t threads;
  uint32_t vector_bytes;  // the element size means the scalar kernel
  bool programmatic;      // programmatic dependent launch
};

// What the choice depends on: elements, and the alignment that every operand and row has.
struct Problem {
  int64_t rows;
  int64_t columns;
  uint32_t itemsize;
  uint64_t addresses;  // all operands' addresses, or-ed together
  int capability;      // 90 for compute capability 9.0
};

constexpr uint32_t kMaxThreads = 256;
// Registers for 2,048 resident threads (32 each), or for 1,024 with twice the bytes in flight (64).
constexpr uint32_t blocks_at_once(int vector_bytes) { return vector_bytes == 32 ? 4 : 8; }
constexpr uint32_t kMaxGridRows = 65535;  // beyond it the row kernel's blocks take further rows

// Blocks from which a programmatic launch releases the next grid early. One H200, us in a graph,
// early / late: 252 blocks 1.43 / 0.95, 378 blocks 1.46 / 1.15, 1,024 blocks 1.78 / 1.76; 8,192
// blocks 18.00 / 18.05, 9,216 blocks 20.19 / 20.26, 16,320 blocks 61.03 / 61.05. Without
// programmatic launch at all: 1.36, 1.63, 2.19, 18.66, 20.89, 61.66, and 0.5 us more of a
// launch-bound call.
constexpr uint32_t kEarlyReleaseBlocks = 256;

// 32-byte loads exist from compute capability 10.0; before it they would be two 16-byte ones that
// each fetch half of a sector pair.
constexpr uint32_t vector_bytes(const Problem& problem, uint64_t alignment) {
  if (problem.capability >= 100 && alignment % 32 == 0) return 32;
  return alignment % 16 == 0 ? 16 : problem.itemsize;
}

// Sizes known to the compiler, so that none of seven divisions is left at run time: 33 ns a call.
template <uint32_t... sizes>
constexpr uint32_t fewest_idle_of(int64_t vectors) {
  uint32_t best = 0;
  int64_t fewest_idle = INT64_MAX;
  const auto consider = [&](uint32_t threads, int64_t idle) {
    if (idle >= fewest_idle) return;
    best = threads;
    fewest_idle = idle;
  };
  (consider(sizes, (vectors + sizes - 1) / sizes * sizes - vectors), ...);
  return best;
}

// The block that leaves the fewest threads idle over one row; the larger of two that tie.
// 192 divides the 384 and 576 vectors of D = 3072 and 4608, of which 256 would idle a quarter.
constexpr uint32_t row_threads(int64_t vectors) {
  return fewest_idle_of<kMaxThreads, 224, 192, 160, 128, 96, 64>(vectors);
}

// Below it 128 threads: at 2 MB 256 would make fewer blocks than an H200 has multiprocessors (132).
constexpr int64_t kManyVectors = 1 << 16;

// One vector a thread over a tensor taken as one row; the tail is the last thread's.
constexpr LaunchPlan plan_flat(const Problem& problem) {
  const int64_t count = problem.rows * problem.columns;
  const uint32_t bytes = vector_bytes(problem, problem.addresses);
  const int64_t vectors = (count * problem.itemsize + bytes - 1) / bytes;
  const uint32_t threads = vectors < kManyVectors ? 128 : kMaxThreads;
  return {static_cast<uint32_t>((vectors + threads - 1) / threads), 1, threads, bytes,
          problem.capability >= 90};
}

// One vector column a thread, with its operand that all rows share in a register.
constexpr LaunchPlan plan_rows(const Problem& problem) {
  const uint64_t row_bytes = static_cast<uint64_t>(problem.columns) * problem.itemsize;
  const uint32_t bytes = vector_bytes(problem, problem.addresses | row_bytes);
  const int64_t vectors = static_cast<int64_t>(row_bytes / bytes);
  const uint32_t threads = row_threads(vectors);
  const uint32_t rows =
      problem.rows < kMaxGridRows ? static_cast<uint32_t>(problem.rows) : kMaxGridRows;
  return {static_cast<uint32_t>((vectors + threads - 1) / threads), rows, threads, bytes,
          problem.capability >= 90};
}

constexpr uint32_t kMaxNormThreads = 1024;
constexpr int64_t kTooManyBlocks = int64_t{1} << 31;  // of a grid: its launch is refused

// How many vectors of a row a thread keeps in registers: 1, 2 or 4; 0 where that is not enough.
constexpr int vectors_per_thread(int64_t vectors, uint32_t threads) {
  for (int count = 1; count <= 4; count *= 2)
    if (vectors <= static_cast<int64_t>(count) * threads) return count;
  return 0;
}

// A block a row, with as many vectors a thread as are asked for, or more where the row is longer.
constexpr LaunchPlan plan_norm_rows(const Problem& problem, int vectors_a_thread) {
  const uint64_t row_bytes = static_cast<uint64_t>(problem.columns) * problem.itemsize;
  const uint32_t bytes = (problem.addresses | row_bytes) % 16 == 0 ? 16 : problem.itemsize;
  const int64_t vectors = static_cast<int64_t>(row_bytes / bytes);
  const int64_t warps = (vectors + 32 * vectors_a_thread - 1) / (32 * vectors_a_thread);
  const uint32_t threads =
      32 * warps < kMaxNormThreads ? static_cast<uint32_t>(32 * warps) : kMaxNormThreads;
  const int64_t blocks = problem.rows < kTooManyBlocks ? problem.rows : kTooManyBlocks;
  return {static_cast<uint32_t>(blocks), 1, threads, bytes, problem.capability >= 90};
}

// "row 2-D 192x(2,4096) vec8 pdl"
inline void describe_launch(const LaunchPlan& plan, const char* layout, uint32_t itemsize,
                            char* text, size_t size) {
  char grid[32];
  if (plan.rows == 1)
    snprintf(grid, sizeof grid, "1-D %ux%u", plan.threads, plan.columns);
  else
    snprintf(grid, sizeof grid, "2-D %ux(%u,%u)", plan.threads, plan.columns, plan.rows);
  snprintf(text, size, "%s %s vec%u%s", layout, grid, plan.vector_bytes / itemsize,
           !plan.programmatic                                ? ""
           : plan.columns * plan.rows >= kEarlyReleaseBlocks ? " pdl early"
                                                             : " pdl late");
}

}  // namespace solution
