# SPDX-License-Identifier: Apache-2.0
"""Clocks and statistics: no op, no side, no file.

clocks        how long a list of calls took: CUDA events, CUDA graphs, wall clock
calling_core  keeps the calls on a core that runs at its own speed
statistics    pure functions of samples
"""
