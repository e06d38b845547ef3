"""Algorithms of this package: baselines, and algorithms that no library implements as published.

An algorithm is a function of a module, ``solve(objective, rng, *, ...)``: one launch. Its
keyword-only arguments are the parameters, with their defaults. A module may have:

``ALLOWED``
    The allowed values of parameters, by `timefair.problems.base`.
``faults(**parameters) -> list[str]``
    What else is wrong with allowed values; one line each, which begins with the key.

To add an algorithm, add the function and a line in `library.FUNCTIONS`, and in `KINDS` if it is not
for continuous variables alone.
"""
