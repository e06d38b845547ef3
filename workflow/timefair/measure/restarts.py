"""When a launch ends before the run does, and whether another follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from timefair.measure.objective import NEVER


@dataclass(frozen=True)
class RestartPolicy:
    """How the launches of a run follow each other.

    ``none``
        One launch. The run ends when the algorithm does.
    ``independent``
        Launch again, with a stream of its own, whenever the algorithm returns
        (*time-fair*, Algorithm 1).
    ``fixed``
        Each launch may use at most tau, seconds or evaluations; then the next one begins
        (*time-fair*, Algorithm 2: k = floor(T / tau) runs; what T leaves over goes to a last
        launch that is cut at T and recorded as cut).
    """

    policy: Literal["none", "independent", "fixed"] = "independent"
    tau_s: float | None = None
    tau_evaluations: int | None = None

    @property
    def again(self) -> bool:
        return self.policy != "none"

    def launch_deadline(self, now: int) -> int:
        """When a launch that begins at `now` ends, in ns of the clock."""
        return NEVER if self.tau_s is None else now + round(self.tau_s * 1e9)

    @property
    def launch_evaluations(self) -> int:
        return NEVER if self.tau_evaluations is None else self.tau_evaluations
