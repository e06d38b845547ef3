"""Measures a campaign whose answers are known, to test the tables, the clock and this machine.

`laws` defines synthetic algorithms and computes their answers in closed form. `staircase` and
`synthetic` contain the problems and the algorithms, which are measured like files of a user.
`world` is the campaign, `expected` computes what a perfect clock would record of it, and
`measuring` measures it with the code of a measuring job. `coverage`, `clock` and `detectable`
evaluate the records. `defects` injects defects into copies of the records, and `checks` contains
the checks that have to find them.
"""
