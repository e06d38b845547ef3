"""Algorithms of this package: baselines, and what no well-kept library has as its paper says.

Each module holds one algorithm:

``solve(objective, rng, *, ...)``
    One launch. Its keyword-only arguments are the parameters, with their defaults.
``faults(**parameters) -> list[str]``
    Optional: what is wrong with the values, one line each, beginning with the quoted key.
``variables(**parameters) -> frozenset``
    Optional: the kinds of variables that it takes; continuous ones without it.
``prepare()``
    Optional: called once before any clock starts.

A further algorithm is one module and one line in `library.MODULES`.
"""
