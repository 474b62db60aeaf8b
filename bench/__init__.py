# SPDX-License-Identifier: Apache-2.0
"""A judge of kernel tasks; modules in the order of the data's flow, each importing only from above.

task         what is to be judged: config, op contracts, workloads, the device
ops          the contracts, one file each, and the table that lists them
timing       clocks and statistics: knows no op, no side, no file
record       provenance, machine state, results file
adapter      the one importer of baseline and solution; runs in players only
player       the process that loads one side
floor        what the machine does at best, loaded and called as a solution is
rivals       what a reader would compare with, loaded and called as a solution is
profiling    other instruments, on a process that does nothing but call one side
judge        the process that loads neither: memory, data, checks, comparison, sampling
bundle       from results to a bundle, and from a bundle to a verdict
run          one invocation: what is judged, against what, where
conclusion   how a benchmark ends: the headline, or why there is none
completion   how flags are read, and what a shell is told of them
commandline  what the commands share: selectors, what they resolve to, exit codes
threats      the judge under attack
reports      what people read of results: plots, pages, comparisons, rankings

correctness, benchmark, report and their kin are the commands on top.
"""
