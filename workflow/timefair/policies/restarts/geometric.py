"""Launches whose lengths grow by a factor."""

from __future__ import annotations

import math
from typing import Annotated, Literal

from pydantic import Field

from timefair.basics.sections import Positive
from timefair.policies.restarts.base import Limit, WithTau


class Geometric(WithTau):
    """The first launch ends when it has used tau, and each later one may use `factor` times as much
    as the previous one: by default tau, 2 tau, 4 tau, 8 tau, … (Walsh 1999).

    The length that a problem needs is reached after few launches. All launches before that one
    together cost at most 1 / (factor - 1) times as much as it does. Launches that the algorithm
    itself ended count, too.

    References
    ----------
    T. Walsh, Search in a small world, IJCAI 1999: geometric restarts.
    """

    policy: Literal["geometric"] = "geometric"
    factor: Annotated[Positive, Field(gt=1)] = Field(
        default=2.0,
        description="Factor by which a launch may be longer than the previous one; above 1.",
    )

    def limit(self, launch: int) -> Limit:
        try:
            growth = self.factor**launch
        except OverflowError:
            growth = math.inf
        return self.tau.times(growth)
