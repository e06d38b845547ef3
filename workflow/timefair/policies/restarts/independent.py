"""Independent launches."""

from __future__ import annotations

from typing import Literal

from timefair.policies.restarts.base import RestartPolicy


class Independent(RestartPolicy):
    """A launch ends when the algorithm returns (*time-fair*, Algorithm 1)."""

    policy: Literal["independent"] = "independent"
