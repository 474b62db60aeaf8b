# SPDX-License-Identifier: Apache-2.0
"""The judge: owns every byte, never loads a side, decides alone what was right and how fast.

players   starts, asks and ends player processes; each failure becomes a typed status
case      where each tensor of a case lies: slots, guard bytes, alignment (pure)
data      fills, poisons, guards and fingerprints a case's memory
compare   output against oracle, element by element, with the likely cause of a difference
session   the players and memory of one run
checks    what correctness asks of both sides
sampler   paired samples whose outputs are checked
"""
