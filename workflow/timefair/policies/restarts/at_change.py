"""Launches that end when the problem changes."""

from __future__ import annotations

from typing import Literal

from timefair.policies.restarts.base import Launches, RestartPolicy


class AtChange(RestartPolicy):
    """A launch ends when the problem changes, or when the algorithm returns. Only for suites whose
    problems change, such as `moving`.

    The algorithm is thus informed of each change, and forgets what it has found before.
    """

    policy: Literal["at_change"] = "at_change"

    def make(self, launches: Launches) -> None:
        while True:
            launches.launch_until_change()
