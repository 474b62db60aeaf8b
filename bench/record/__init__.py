# SPDX-License-Identifier: Apache-2.0
"""What was found, and what it was found with. Each module imports only from those above it.

status      how a check or a row ended: a closed enum
schema      what a record must hold, and its one canonical line
results     results.jsonl: append, resume, read
machine     the state of GPU and host round a block of samples
toolchain   the compilers and libraries in use, by version
tree        digests of folders and files, and git's word on them
provenance  all of it in one record
headline    one number from a file's records, and its companions
lines       one line a row and the headline, for the console
tables      sentences and tables of plain text, and their Markdown
instruments  what other instruments said of judged rows
pages       what is to be read of a results file
repeats     full runs of one tree beside each other
render      docs/results.md and README's table, from results files alone

baseline_source, a command, renders the baseline's lineage for the reader.
"""
