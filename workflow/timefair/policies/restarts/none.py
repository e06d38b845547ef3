"""No restarts."""

from __future__ import annotations

from typing import Literal

from timefair.policies.restarts.base import Launches, RestartPolicy


class NoRestart(RestartPolicy):
    """The run is one launch and ends when the algorithm returns."""

    policy: Literal["none"] = "none"

    def make(self, launches: Launches) -> None:
        launches.launch()
        launches.finish()
