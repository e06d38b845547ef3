"""Measures a campaign whose answers are known, to test the tables, the clock and this machine.

`laws` has the problems and algorithms with their answers, `answers` compares, `defects` plants
defects into copies of the records, and `detectable` finds the smallest slowdown.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, commands="commands", groups={"selftest": "trust"})
