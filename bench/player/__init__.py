# SPDX-License-Identifier: Apache-2.0
"""What runs in, or is shared with, the process that loads one side.

channel      one message each way over a socket that the judge opened
marks        a cheap trace of what outputs held at one moment
memory       memory that the judge owns and a player maps
producer     calls made while their inputs are still being produced
confined     what a process gives up before it loads anything of a side
fork_server  imports torch once and forks a fresh process for each player
__main__     the player: attach, bind, sample; it knows no workload, no seed, no verdict
"""
