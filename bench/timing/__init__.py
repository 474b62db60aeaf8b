# SPDX-License-Identifier: Apache-2.0
"""Clocks and statistics: no op, no side, no file.

clocks      how long a list of calls took: CUDA events, CUDA graphs, wall clock
statistics  pure functions of samples
"""
