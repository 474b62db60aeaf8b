# SPDX-License-Identifier: Apache-2.0
"""The judge under attack: cases that must be caught, and honest ones that must not be.

case     what a case declares, and where its files lie
folder   the solution folder that a case becomes
trial    one case through the production judge: what caught it, if anything did
table    outcomes as records, counts and the document's table
"""
