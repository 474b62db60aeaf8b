# SPDX-License-Identifier: Apache-2.0
"""A judge of kernel tasks; modules in the order of the data's flow, each importing only from above.

task     what is to be judged: config, op contracts, workloads, the device
ops      the contracts, one file each, and the table that lists them
record   provenance, machine state, results file
timing   clocks and statistics: knows no op, no side, no file
adapter  the one importer of baseline and solution; runs in players only
player   the process that loads one side
judge    the process that loads neither: memory, data, checks, comparison, sampling
commands correctness, benchmark, preflight and their kin on top
"""
