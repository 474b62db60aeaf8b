# SPDX-License-Identifier: Apache-2.0
"""From results to a bundle, and from a bundle of unknown origin to a verdict.

members        what a bundle may hold: names, kinds, sizes; every limit on hostile ones
archive        its bytes: a tar in one canonical form
manifest       who hands in what, with a digest of each member
files          folders and files into members, and members into a work folder
tree_match     whether records were made by this repository on this solution
requirements   what results and checks must be to be handed in
sampling_rules  the judge's own rules, asked of recorded samples
recompute      every statistic made anew from raw samples
agreement      a claimed speedup against a measured one
verdict        remarks and the verdict that follows from them
inspection     everything that can be verified without running a bundle's code
rerun          what the reviewer's own runs say of a claim
comment        a review as a Markdown comment
"""
