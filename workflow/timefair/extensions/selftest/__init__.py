"""Measures a campaign whose answers are known, to test the tables, the clock and this machine.

`staircase` has the problems, and `laws` the algorithms, which are measured like files of a user,
with their answers in closed form, what a perfect clock would record of them, and their campaign.
`coverage`, `clock` and `detectable` evaluate the records. `defects` injects defects into copies of
the records, and `checks` contains the checks that have to find them.
"""

from timefair.basics.extension import Extension

EXTENSION = Extension(__name__, commands="commands", groups={"selftest": "trust"})
