"""A campaign whose answers are known, and what it shows of the tables, the clock and this machine.

`laws` has synthetic algorithms and their answers in closed form. `staircase` and `synthetic` are
the problem and the algorithm that are measured, as files of a user are. `world` is the campaign,
`expected` what a perfect clock would record of it, and `measuring` measures it with the code of a
job. `coverage`, `clock` and `resolution` state what was found. `defects` are injected into copies
of the records, and `checks` are what has to find them.
"""
