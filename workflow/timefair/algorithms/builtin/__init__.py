"""Algorithms of this package: baselines, and algorithms that no library implements as published.

Each module holds one algorithm:

``solve(objective, rng, *, ...)``
    One launch. Its keyword-only arguments are the parameters, with their defaults.
``ALLOWED``
    Optional. The allowed values of parameters, by `timefair.problems.parameters`.
``faults(**parameters) -> list[str]``
    Optional. What else is wrong with allowed values; one line each, which begins with the key.
``prepare()``
    Optional. Called once before the clock starts.

To add an algorithm, add one module and one line in `library.MODULES`, and in `KINDS` if it is not
for continuous variables alone.
"""
