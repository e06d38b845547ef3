"""Measures a campaign whose answers are known, to test the tables, the clock and this machine.

`laws` has the problems and algorithms with their answers, and `answers` compares.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, commands="commands", groups={"selftest": "trust"})
