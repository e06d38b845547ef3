#!/usr/bin/env python3
"""Random search with a shrinking step, for timefair: `use: "external:python3 searcher.py"`."""

import random

from timefair.external import serve


def solve(objective, step=0.25, offspring=8):
    rng = random.Random(objective.seed)
    best = [rng.uniform(lo, up) for lo, up in zip(objective.lower, objective.upper, strict=True)]
    value = objective(best)
    while step > 1e-9:
        tries = [
            [
                min(max(x + step * (up - lo) * rng.uniform(-1, 1), lo), up)
                for x, lo, up in zip(best, objective.lower, objective.upper, strict=True)
            ]
            for _ in range(offspring)
        ]
        values = objective.batch(tries)
        better = min(values) < value
        if better:
            value = min(values)
            best = tries[values.index(value)]
        step *= 1.2 if better else 0.9


serve(solve)
