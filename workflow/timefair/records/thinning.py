"""Selects the improvements of a launch that are recorded, so that no algorithm fills a disk.

An improvement of the run is always an event (`schema`, ``events``). The improvements of a launch
that do not improve the best of the run are thinned twice (``launch_events``):

* Only some launches are traced: the first `dense` of them, and half as densely each time that their
  number doubles. Their index alone decides, and not what they find, so the traced launches of a run
  of independent launches are a sample without bias.
* A traced launch keeps the last improvement in each step of a geometric grid of its own evaluations
  and time: a step ends when either has grown by one part in `resolution`. So a target is seen at
  most that much later than it was reached, whatever the target, in evaluations and in seconds.

No step depends on a precision, so problems without a known optimum are thinned alike.
"""

from __future__ import annotations

from typing import NamedTuple


class Thinning(NamedTuple):
    """How launches are thinned.

    Attributes
    ----------
    resolution
        Steps of the grid for each factor e, at least 1.
    dense
        The number of launches that are traced before they are thinned; even.
    """

    resolution: int = 50
    dense: int = 16

    def traces(self, launch: int) -> bool:
        """Whether a launch is traced, by its index from 0."""
        doublings: int = (launch // self.dense).bit_length()
        return launch % (1 << doublings) == 0


THINNING = Thinning()
"""The thinning of every record."""
