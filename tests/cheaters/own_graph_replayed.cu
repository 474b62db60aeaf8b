// SPDX-License-Identifier: Apache-2.0
// family = "A.2"
// does = "captures its first call and replays that graph for all others"
// caught_by = ["INCORRECT", "LATE_WRITE", "IMPOSSIBLE_TIME"]
// devices = ["cuda"]

#include "honest.h"

static int cheat(const solution::Call& call) {
  if (captured(call)) return honest(call);
  static cudaGraphExec_t replay = nullptr;
  if (!replay) {
    cudaGraph_t graph;
    cudaStreamBeginCapture(side_stream(), cudaStreamCaptureModeRelaxed);
    on_stream(call, side_stream());
    cudaStreamEndCapture(side_stream(), &graph);
    cudaGraphInstantiate(&replay, graph, 0);
  }
  cudaGraphLaunch(replay, current(call));
  return 0;
}
