"""Selects the improvements of a launch that are recorded, so that no algorithm fills a disk.

An improvement of the run is always an event (`schema`, ``events``). The improvements of a launch
that do not improve the best of the run are thinned twice (``launch_events``):

* Only some launches are traced, half as densely each time that their number doubles. Their index
  alone decides, so the traced launches of a run of independent launches are a sample without bias.
* A traced launch keeps the last improvement in each step of a geometric grid of its own evaluations
  and time: a step ends when either has grown by one part in `resolution`. Therefore every target is
  seen at most this much later than it was reached, whether or not the optimum is known.
"""

from __future__ import annotations

from typing import NamedTuple


class Thinning(NamedTuple):
    """How launches are thinned: `resolution` steps of the grid per factor of e, at least 1; the
    first `dense` launches, an even number, are all traced.
    """

    resolution: int = 50
    dense: int = 16

    def traces(self, launch: int) -> bool:
        """Whether a launch is traced, by its index from 0."""
        doublings: int = (launch // self.dense).bit_length()
        return launch % (1 << doublings) == 0


THINNING = Thinning()  # the thinning of every record


class VectorThinning(NamedTuple):
    """How the vectors of a run with two objectives are thinned: the first `free` vectors that no
    earlier one weakly dominates are all kept; then those that no earlier one dominates up to a
    tolerance, a share of the range between the ideal and the nadir point: `finest` at first,
    doubled with every `free` further vectors.
    """

    free: int = 1 << 16
    finest: float = 1e-8

    def tolerance(self, kept: int) -> float:
        """The tolerance after this number of vectors was kept; 0 before the thinning."""
        steps = kept // self.free
        return self.finest * 2.0 ** (steps - 1) if steps else 0.0


VECTOR_THINNING = VectorThinning()  # the thinning of the vectors of every record
