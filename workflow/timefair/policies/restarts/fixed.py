"""Launches of a fixed length."""

from __future__ import annotations

from typing import Literal

from timefair.policies.restarts.base import Limit, WithTau


class FixedLength(WithTau):
    """A launch ends when it has used tau (*time-fair*, Algorithm 2). If no launch returns earlier,
    the budget T contains ⌊T/tau⌋ complete launches.

    The rest of T is used by a last launch, which is cut at T and recorded as cut.
    """

    policy: Literal["fixed"] = "fixed"

    def limit(self, launch: int) -> Limit:
        return self.tau
