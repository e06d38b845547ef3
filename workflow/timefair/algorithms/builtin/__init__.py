"""Algorithms of this package: baselines, and algorithms that no library implements as published.

Each module holds one algorithm:

``solve(objective, rng, *, ...)``
    One launch. Its keyword-only arguments are the parameters, with their defaults.
``faults(**parameters) -> list[str]``
    Optional. Checks the values; one line per fault, which begins with the quoted key.
``variables(**parameters) -> frozenset``
    Optional. The kinds of variables that it takes. Default: continuous variables.
``prepare()``
    Optional. Called once before the clock starts.

To add an algorithm, add one module and one line in `library.MODULES`.
"""
