"""Several algorithms that share the budget of a run, in turn or in slices of rounds.

Huberman, Lukose and Hogg, An economics approach to hard computational problems, Science 275 (1997).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from functools import partial
from itertools import pairwise
from typing import Annotated, Any

import numpy as np

import timefair.algorithms.builtin.kernels as kernels
from timefair.algorithms.algorithm import (
    CONTINUOUS,
    Algorithm,
    Objective,
    PausableThread,
    seed_global_generators,
)
from timefair.algorithms.builtin import ABOVE_0
from timefair.problems.problem import Number, Variables, Word, wrong_parameters

IN_TURN, SLICES = MODES = ("in turn", "slices")
MEMBER_KEYS = ("use", "parameters")
LEAST_TIME_S = 1e-4  # shorter times are not divided, because an evaluation may take this long

Specification = tuple[str, Mapping[str, object]]  # the `use` of a member, and its parameters


def load(
    *,
    members: Sequence[object],
    shares: Sequence[float] | None = None,
    mode: Annotated[str, Word(MODES)] = IN_TURN,
    evaluations: int | None = None,
    time_s: Annotated[float, Number(LEAST_TIME_S)] | None = None,
) -> Algorithm:
    from timefair.algorithms import libraries

    loaded = [libraries.load(use, given) for use, given in specifications(members)]
    weights = np.full(len(loaded), 1 / len(loaded)) if shares is None else np.array(shares)
    weights /= weights.sum()
    unlimited: list[int | None] = [None] * len(loaded)

    def divided(whole: int) -> list[int | None]:
        """The share of each member; the sum is the complete number."""
        ends = [0, *np.rint(np.cumsum(weights) * whole).astype(int).tolist()]
        return [end - start for start, end in pairwise(ends)]

    def launch(objective: Objective, rng: np.random.Generator) -> None:
        left = objective.evaluations_left
        most = min((n for n in (evaluations, left) if n is not None), default=None)
        turns = unlimited if most is None else divided(most)
        own = unlimited if left is None else turns if mode == IN_TURN else divided(left)
        times = unlimited
        if time_s is not None:
            times = [round(1e9 * time_s * weight) for weight in weights]
        parts = zip(loaded, rng.spawn(len(loaded)), own, turns, times, strict=True)
        with ExitStack() as stack:
            begun = [
                Member(one, objective, stream, share, turn, time_ns)
                for one, stream, share, turn, time_ns in parts
                if turn != 0
            ]
            for member in begun:
                stack.callback(member.end)
            if mode == IN_TURN:
                for member in begun:
                    member.turn()
                    member.end()
            while any(not member.share.closed for member in begun):
                for member in begun:
                    if not member.share.closed:
                        member.turn()

    def prepare() -> None:
        for member in loaded:
            member.prepare()

    return Algorithm(launch, prepare)


def specifications(members: object) -> list[Specification]:
    written = map(_parsed, members if isinstance(members, list | tuple) else ())
    return [one for one in written if not isinstance(one, str)]


def variables(*, members: Sequence[object] = (), **_: object) -> frozenset[Variables]:
    from timefair.algorithms import libraries

    kinds = [libraries.variables(use, given) for use, given in specifications(members)]
    return frozenset.intersection(*kinds) if kinds else CONTINUOUS


def faults(
    *,
    members: object,
    shares: object = None,
    evaluations: object = None,
    time_s: object = None,
    **_: object,
) -> list[str]:
    from timefair.algorithms import libraries

    lines = []
    if not isinstance(members, list | tuple) or len(members) < 2:
        lines.append(
            "'members' of timefair:portfolio is a list of at least two algorithms, each "
            f"library:name or {{use: ..., parameters: ...}}, not {members!r}"
        )
        members = (None, None)
    else:
        for k, one in enumerate(map(_parsed, members)):
            wrong = [one] if isinstance(one, str) else libraries.faults(*one)
            lines += [f"members[{k}]: {line}" for line in wrong]
    if (evaluations is None) == (time_s is None):
        lines.append("timefair:portfolio needs 'evaluations' or 'time_s', and not both")
    count = len(members)
    most = count if evaluations is None else evaluations
    allowed = {"evaluations": Number(count, whole=True)}
    lines += wrong_parameters("timefair:portfolio", allowed, {"evaluations": most})
    given = shares if isinstance(shares, list | tuple) else ()
    right = len(given) == count and all(map(ABOVE_0.has, given)) and abs(sum(given) - 1) <= 1e-6
    if shares is not None and not right:
        lines.append(
            f"'shares' of timefair:portfolio are {count} numbers above 0 that add up to 1, not "
            f"{shares!r}"
        )
    return lines


def _parsed(member: Any) -> Specification | str:
    """A member, or the fault in how it is written, but not of the algorithm that it names."""
    one = {"use": member} if isinstance(member, str) else member
    if not isinstance(one, Mapping) or not isinstance(one.get("use"), str):
        return f"{one!r} is not library:name or {{use: ..., parameters: ...}}"
    if unknown := [key for key in one if key not in MEMBER_KEYS]:
        return f"unknown key {unknown[0]!r}; known here: {', '.join(MEMBER_KEYS)}"
    given = one.get("parameters") or {}
    if not isinstance(given, Mapping):
        return f"parameters of {one['use']} are keys with values"
    return one["use"], given


class Member:
    """One algorithm with its share of an objective, in a thread that pauses when a turn is used up.

    A launch that returns is followed by another one with its own random stream, until the share is
    used up or a launch makes no evaluation.

    - `evaluations_left`: Its share of a budget of evaluations; None without such a budget.
    - `evaluations`, `time_ns`: Limits of a turn; None for no limit.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        objective: Objective,
        rng: np.random.Generator,
        evaluations_left: int | None,
        evaluations: int | None,
        time_ns: int | None,
    ) -> None:
        self._algorithm, self._rng = algorithm, rng
        self.share = kernels.Share(objective, self._hand_over, evaluations_left)
        self._grant = partial(self.share.grant, evaluations, time_ns)
        self._thread = PausableThread(self._live)

    def end(self) -> None:
        self.share.closed = True
        with suppress(Exception):  # of an algorithm that it was ended in
            self._thread.go_on()

    def turn(self) -> None:
        """Let the member run for one turn; raise its exception here, if any."""
        self._grant()
        self._thread.go_on()

    def _live(self) -> None:
        made = -1
        try:
            while not self.share.closed and self.share.evaluations != made:
                made = self.share.evaluations
                (rng,) = self._rng.spawn(1)
                seed_global_generators(rng)
                self._algorithm.solve(self.share, rng)
        except kernels.ShareUsed:
            pass
        finally:
            self.share.closed = True

    def _hand_over(self) -> None:
        self._thread.pause()
        if self.share.closed:
            raise kernels.ShareUsed
