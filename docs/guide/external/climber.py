#!/usr/bin/env python3
"""A hill climber with an adaptive step, for timefair: `use: "external:./climber.py"`.

Parameters: step (0.25), the largest move over the width of the bounds; offspring (1), points that
are tried at a time. It ends when the step has become tiny.
"""

import sys


def numbers(seed):
    """Numbers in [0, 1) by the generator xorshift128 (Marsaglia 2003), the same in any language."""
    x, y = 123456789 ^ (seed & 0xFFFFFFFF), 362436069 ^ (seed >> 32)
    z, w = 521288629, 88675123
    while True:
        t = (x ^ (x << 11)) & 0xFFFFFFFF
        x, y, z = y, z, w
        w ^= (w >> 19) ^ t ^ (t >> 8)
        yield w / 4294967296


def climb(ask, lower, upper, seed, step=0.25, offspring=1):
    """Minimize; `ask` takes points and returns their values."""
    u = numbers(seed)
    x = [lo + (up - lo) * next(u) for lo, up in zip(lower, upper, strict=True)]
    (fx,) = ask([x])
    while step > 1e-9:
        tries = [
            [
                min(max(xi + (up - lo) * step * (2 * next(u) - 1), lo), up)
                for xi, lo, up in zip(x, lower, upper, strict=True)
            ]
            for _ in range(offspring)
        ]
        better = False
        for y, fy in zip(tries, ask(tries), strict=True):
            if fy < fx:
                x, fx, better = y, fy, True
        step *= 1.5 if better else 0.9


def ask(points):
    """The values of points, by timefair."""
    if len(points) > 1:
        print("batch", len(points))
    for point in points:
        print(*point)
    sys.stdout.flush()
    return [float(next(sys.stdin)) for _ in points]


def header():
    """What timefair says first, as keyword arguments of `climb`."""
    told = {}
    for line in sys.stdin:
        match line.split():
            case ["begin"]:
                break
            case ["lower" | "upper" as key, *values]:
                told[key] = [float(value) for value in values]
            case ["seed", value]:
                told["seed"] = int(value)
            case ["parameter", "step", value]:
                told["step"] = float(value)
            case ["parameter", "offspring", value]:
                told["offspring"] = int(value)
    return told


if __name__ == "__main__":
    climb(ask, **header())
