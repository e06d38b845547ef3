"""The same number of runs for every problem."""

from __future__ import annotations

from typing import Literal

from timefair.policies.stopping.base import StoppingPolicy


class FixedNumber(StoppingPolicy):
    """All `runs` are made.

    Promise: none.
    """

    rule: Literal["fixed"] = "fixed"
