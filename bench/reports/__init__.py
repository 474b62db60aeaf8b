# SPDX-License-Identifier: Apache-2.0
"""What people read of results: plots, pages, comparisons, rankings. Nothing here measures.

chart     a drawing as inline SVG in the page's colours
speedups  every row's ratio with its interval
roofline  each row under launch cost and bandwidth
samples   every sample of every process of a row
clocks    the machine through the run
ulps      distances from the oracle
caution   what must not be missed when a number is quoted
gauntlet  the judge's own score, from reports of the gauntlet
html      templates filled with text that is always escaped
page      report.html
console   sections as tables in a terminal
alike     what two runs must have in common to be compared
comparison  two runs row by row
ranking   reviewed bundles in order
"""
