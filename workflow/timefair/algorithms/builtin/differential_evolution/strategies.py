"""How the strategies of differential evolution make a mutant, and how they cross it over.

A mutant is a base vector plus F times a sum of differences:

| strategy | mutant |
|---|---|
| ``rand/1`` | r0 + F (r1 - r2) |
| ``rand/2`` | r0 + F ((r1 - r2) + (r3 - r4)) |
| ``best/1`` | best + F (r0 - r1) |
| ``best/2`` | best + F ((r0 - r1) + (r2 - r3)) |
| ``best/3`` | best + F ((r0 - r1) + (r2 - r3) + (r4 - r5)) |
| ``rand-to-best/1`` | x_i + F ((best - x_i) + (r0 - r1)) |
| ``rand/rand`` | r0 + z (r1 - r2), with one z ~ N(0, 1) for each trial |

``rand-to-best/1`` is often called current-to-best/1.
"""

from __future__ import annotations

from dataclasses import dataclass


@dataclass(frozen=True)
class Strategy:
    """One strategy.

    - `vectors`: The vectors of the mutant, one letter per vector: the base, then minuend and
      subtrahend of each difference. ``r``: a random point; ``b``: the best point; ``x``: the point
      that is challenged.
    - `exponential`: Whether crossover is exponential; else it is binomial.
    - `normal_factor`: Whether each trial's factor is drawn from N(0, 1); else it is F.
    """

    vectors: str
    exponential: bool
    normal_factor: bool = False

    @property
    def least_population(self) -> int:
        """Number of the random vectors and of the point from which they have to differ."""
        return 1 + self.vectors.count("r")


STRATEGIES = {
    "rand/1/bin": Strategy("rrr", exponential=False),
    "rand/1/exp": Strategy("rrr", exponential=True),
    "rand/2/bin": Strategy("rrrrr", exponential=False),
    "rand/2/exp": Strategy("rrrrr", exponential=True),
    "best/1/bin": Strategy("brr", exponential=False),
    "best/1/exp": Strategy("brr", exponential=True),
    "best/2/bin": Strategy("brrrr", exponential=False),
    "best/2/exp": Strategy("brrrr", exponential=True),
    "best/3/bin": Strategy("brrrrrr", exponential=False),
    "rand/rand/bin": Strategy("rrr", exponential=False, normal_factor=True),
    "rand-to-best/1/bin": Strategy("xbxrr", exponential=False),
    "rand-to-best/1/exp": Strategy("xbxrr", exponential=True),
}
