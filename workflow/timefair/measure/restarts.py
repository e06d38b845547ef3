"""When a launch ends before the run does, and whether another follows."""

from __future__ import annotations

from dataclasses import dataclass
from typing import Literal

from timefair.measure.objective import NEVER


@dataclass(frozen=True)
class Share:
    """What one launch may use: nanoseconds and evaluations, NEVER where there is no limit."""

    time_ns: int = NEVER
    evaluations: int = NEVER

    def deadline(self, now: int) -> int:
        """When a launch that begins at `now` has used its time up, in ns of the clock."""
        return NEVER if self.time_ns == NEVER else now + self.time_ns


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
    ``luby``
        Launch i may use tau times the i-th term of 1, 1, 2, 1, 1, 2, 4, ... (Luby, Sinclair and
        Zuckerman 1993): within a constant of the best sequence, whatever the distribution of the
        launches' runtimes.
    ``stagnation``
        A launch ends when it has not improved its own best value for so many evaluations or
        seconds, and the next one begins.
    ``bet-and-run``
        The first `candidates` launches may use tau each and are then paused; the best of them
        goes on with all that is left (Friedrich, Kötzing and Wagner 2017). When it returns, or
        where none is left to go on, independent launches follow.
    """

    policy: Literal["none", "independent", "fixed", "luby", "stagnation", "bet-and-run"] = (
        "independent"
    )
    tau_s: float | None = None
    tau_evaluations: int | None = None
    plateau_s: float | None = None
    plateau_evaluations: int | None = None
    candidates: int = 40

    @property
    def again(self) -> bool:
        return self.policy != "none"

    @property
    def bets(self) -> bool:
        return self.policy == "bet-and-run"

    @property
    def tau(self) -> Share:
        """The share tau: of a launch (``fixed``, ``bet-and-run``), or its unit (``luby``)."""
        return _share(self.tau_s, self.tau_evaluations)

    @property
    def plateau(self) -> Share:
        """What a launch may use without an improvement."""
        return _share(self.plateau_s, self.plateau_evaluations)

    def share(self, launch: int) -> Share:
        """What a launch, counted from 0, may use before it is ended."""
        if self.policy == "fixed":
            return self.tau
        if self.policy == "luby":
            return _times(self.tau, luby(launch + 1))
        return Share()


def luby(i: int) -> int:
    """The i-th term of Luby's sequence, from 1: 1, 1, 2, 1, 1, 2, 4, 1, ...

    2^(k-1) for i = 2^k - 1, else the term of i - 2^(k-1) + 1, for 2^(k-1) <= i < 2^k - 1 (Luby,
    Sinclair and Zuckerman 1993).

    Examples
    --------
    >>> [luby(i) for i in range(1, 16)]
    [1, 1, 2, 1, 1, 2, 4, 1, 1, 2, 1, 1, 2, 4, 8]
    """
    while (i + 1) & i:  # i + 1 is no power of 2
        i -= (1 << (i.bit_length() - 1)) - 1
    return (i + 1) >> 1


def _share(seconds: float | None, evaluations: int | None) -> Share:
    return Share(
        time_ns=NEVER if seconds is None else round(seconds * 1e9),
        evaluations=NEVER if evaluations is None else evaluations,
    )


def _times(share: Share, factor: int) -> Share:
    return Share(
        time_ns=min(share.time_ns * factor, NEVER),
        evaluations=min(share.evaluations * factor, NEVER),
    )
