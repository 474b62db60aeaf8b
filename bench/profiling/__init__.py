# SPDX-License-Identifier: Apache-2.0
"""Instruments beside the harness's own clock, run on a process that does nothing but call a side.

request   what that process is to call, as a file that it reads
trace     torch.profiler's chrome trace: kernels, their ranking, the time of each call
ncu       Nsight Compute: its command line, its CSV, a row's traffic against its least
nsys      Nsight Systems: its command lines, its tables, time by category
target    the process: own tensors, cold, one side
launch    starts it under an instrument and reads what came of it
sanitizer  compute-sanitizer round that process
census    kernels that a call launched, against those of the side's own build
levels    one record a row: kernels and trace, timeline, counters and traffic
times     the device time of every call by two instruments
cross_check  those times beside the sampler's
unguarded  what guarding costs: judged calls beside the same in processes that nobody judges
"""
