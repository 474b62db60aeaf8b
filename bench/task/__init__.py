# SPDX-License-Identifier: Apache-2.0
"""What is to be judged, and on what. Each module imports only from those above it.

errors       mistakes of the user, each one sentence
checkout     where this repository lies
tensor       what a tensor is and where it lies
grid         axes and offsets of the regression points
rejections   wrong calls derived from a right one
arithmetic   what an oracle computes with
op           a contract, and all that follows from it
validate     a call against its contract
parse        plain data into frozen dataclasses
tolerance    how far from the oracle an element may lie
config       config.toml: how to run
workload     workloads.json: what to run
side         one side as a player is told of it
nvml         what the driver says of the GPUs
host         what the machine says of itself
pinning      the one GPU that a pinned run may use
device_lock  one run at a time on a GPU
device       the device of a run, chosen once

freeze, a command, writes the digest of the workloads into config.toml; it reads bench.ops.
"""
