# SPDX-License-Identifier: Apache-2.0
"""The judge: owns every byte, never loads a side, decides alone what was right and how fast.

environment       what a player finds in its environment variables
orphans           ends processes that a player left behind
reply             what a player may answer; each failure becomes a typed status
forks             the fork servers that players come from
players           starts, asks and ends player processes
case              where each tensor of a case lies: slots, guard bytes, alignment (pure)
random_bits       seeded random bits as fast as memory takes them
data              fills, poisons and guards a case's memory
oracle            what an op's outputs must be
compare           output against oracle, element by element, with the likely cause of a difference
numerics          how far results lie from float64's, and to which side they lean
verify            everything that is looked at after a turn
against_baseline  the solution's outputs against the baseline's
session           the players and memory of one run
build             every op of every side built before the first row
turn              one turn of one player: poison, ask, verify
wanted            the bytes that outputs must hold before and after a sample
checker           one check on both sides, and how it ended
special           special values in every combination
refusals          calls that the contract forbids
absent_device     a back end whose device is not here: compiled, loaded, its host code asked
oracle_mutants    wrong formulas, which no row's inputs and tolerance may let pass
selftest          the judge judged: planted defects must be caught
memory_budget     how much memory a row may take
large             tensors of more than 2^31 elements
library_calls     whose kernels a solution's calls launched
suite             what correctness asks of both sides
contenders        who takes turns in a row's trials
floors            no call is faster than the device moves its bytes
turns             all contenders take a sample each
stopping          when there are trials enough
sampler           paired samples whose outputs are checked
analysis          what a row's samples say
outcome           what judging one row gave
row               one frozen row, from its checks to its record
"""
