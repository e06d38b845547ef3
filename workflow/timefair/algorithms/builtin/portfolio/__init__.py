"""Several algorithms that share the budget of a run: a portfolio.

**In turn.** The members run one after the other. Each runs for its share of the budget and is then
ended. **In slices.** The members take turns in rounds. Each is paused after its share of a round
and continues in the next round with its complete state.

Within its share, a member is launched as in a run without limits: when a launch returns, another
one follows with its own random stream (Algorithm 1 of the time-fair paper). A turn ends at the
first evaluation that uses it up. A member that computes without evaluating therefore takes time
from the others. Members have no information about each other. They see the bounds of the problem,
their own evaluations, and the rest of their own share of a budget of evaluations. If there is such
a budget, the rest of it is divided by the shares, so that a trial launch tries all members.

Members that evaluate from C also do so in a portfolio, through `share.Share`. With ``threads``,
batches are evaluated on all cores as usual.

With ``time_s``, the portfolio reads the clock of the machine, which does not include a simulated
evaluation cost.

Parameters
----------
members
    A list of at least two algorithms, each ``library:name`` or ``{use: ..., parameters: ...}``.
shares
    The share of each member, numbers above 0 that add up to 1; equal shares by default.
mode
    ``in turn``, the default, or ``slices``.
evaluations
    The evaluations that the members share: with ``in turn`` all evaluations of the launch, which
    ends when they are used up; with ``slices`` those of one round.
time_s
    The same in seconds, instead of ``evaluations``.

References
----------
B. A. Huberman, R. M. Lukose and T. Hogg, An economics approach to hard computational problems,
Science 275 (1997). C. P. Gomes and B. Selman, Algorithm portfolios, Artificial Intelligence 126
(2001).
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from contextlib import ExitStack, suppress
from dataclasses import dataclass
from itertools import pairwise
from typing import Any, NamedTuple, TypeVar

import numpy as np

from timefair.algorithms.base import (
    CONTINUOUS,
    Algorithm,
    Objective,
    PausableThread,
    seed_global_generators,
)
from timefair.algorithms.builtin import Above
from timefair.algorithms.builtin.portfolio.share import Share, ShareUsed
from timefair.problems.base import Number, Variables

IN_TURN, SLICES = MODES = ("in turn", "slices")
MEMBER_KEYS = ("use", "parameters")
LEAST_TIME_S = 1e-4  # shorter times are not divided, because an evaluation may take this long


class _Turn(NamedTuple):
    """Limits of a member's turn; None for no limit."""

    evaluations: int | None
    time_ns: int | None


AnyMember = TypeVar("AnyMember", bound="Member")
Specification = tuple[str, Mapping[str, object]]  # the `use` of a member, and its parameters


def load(
    *,
    members: Sequence[object],
    shares: Sequence[float] | None = None,
    mode: str = IN_TURN,
    evaluations: int | None = None,
    time_s: float | None = None,
) -> Algorithm:
    """Load the portfolio and its members; preparing it prepares the members."""
    from timefair.algorithms import registry

    loaded = [registry.load(use, given) for use, given in specifications(members)]
    weights = np.full(len(loaded), 1 / len(loaded)) if shares is None else np.array(shares)
    portfolio = _Portfolio(loaded, weights / weights.sum(), evaluations, time_s)
    launch = portfolio.in_turn if mode == IN_TURN else portfolio.in_slices

    def prepare() -> None:
        for member in loaded:
            member.prepare()

    return Algorithm(launch, prepare)


@dataclass(frozen=True)
class _Portfolio:
    """Members with their shares of a number of evaluations or seconds."""

    members: Sequence[Algorithm]
    weights: np.ndarray[Any, np.dtype[np.float64]]
    evaluations: int | None
    time_s: float | None

    def in_turn(self, objective: Objective, rng: np.random.Generator) -> None:
        for member, turn in self._begun(Member, objective, rng):
            if turn.evaluations != 0:
                member.use_up(*turn)

    def in_slices(self, objective: Objective, rng: np.random.Generator) -> None:
        """Run the members in rounds, until no member can continue."""
        with ExitStack() as stack:
            members = [
                (stack.enter_context(member), turn)
                for member, turn in self._begun(PausingMember, objective, rng)
                if turn.evaluations != 0
            ]
            while any(not member.has_ended for member, _ in members):
                for member, turn in members:
                    if not member.has_ended:
                        member.turn(*turn)

    def _begun(
        self, kind: type[AnyMember], objective: Objective, rng: np.random.Generator
    ) -> list[tuple[AnyMember, _Turn]]:
        left = objective.evaluations_left
        turns = self._turns(left)
        told: list[int | None] = [None] * len(turns)
        if left is not None:
            in_turn = kind is Member
            told = [turn.evaluations for turn in turns] if in_turn else [*self._divided(left)]
        each = zip(self.members, rng.spawn(len(turns)), told, turns, strict=True)
        return [(kind(one, objective, stream, own), turn) for one, stream, own, turn in each]

    def _turns(self, left: int | None) -> list[_Turn]:
        """The turn of each member; together they do not exceed the evaluations that are left."""
        most = min((n for n in (self.evaluations, left) if n is not None), default=None)
        evaluations: list[int | None] = [None] * len(self.members)
        if most is not None:
            evaluations = [*self._divided(most)]
        if self.time_s is None:
            return [_Turn(count, None) for count in evaluations]
        times = (round(1e9 * self.time_s * weight) for weight in self.weights)
        return [_Turn(count, time) for count, time in zip(evaluations, times, strict=True)]

    def _divided(self, evaluations: int) -> list[int]:
        """The share of each member; the sum is the complete amount."""
        ends = [0, *np.rint(np.cumsum(self.weights) * evaluations).astype(int).tolist()]
        return [end - start for start, end in pairwise(ends)]


def specifications(members: object) -> list[Specification]:
    """The `use` and the parameters of each member that is written correctly."""
    found: list[Specification] = []
    for member in members if isinstance(members, list | tuple) else ():
        one = _in_full(member)
        if not _faults_of_form(one):
            found.append((one["use"], one.get("parameters") or {}))
    return found


def variables(*, members: Sequence[object] = (), **_: object) -> frozenset[Variables]:
    from timefair.algorithms import registry

    kinds = [registry.variables(use, given) for use, given in specifications(members)]
    return frozenset.intersection(*kinds) if kinds else CONTINUOUS


def faults(
    *,
    members: object,
    shares: object = None,
    mode: object = IN_TURN,
    evaluations: object = None,
    time_s: object = None,
) -> list[str]:
    lines = _faults_of_members(members)
    if mode not in MODES:
        lines.append(f"'mode' of timefair:portfolio is one of {', '.join(MODES)}, not {mode!r}")
    if (evaluations is None) == (time_s is None):
        lines.append("timefair:portfolio needs 'evaluations' or 'time_s', and not both")
    count = len(members) if isinstance(members, list | tuple) else 2
    for key, value, allowed in (
        ("evaluations", evaluations, Number(count, whole=True)),
        ("time_s", time_s, Number(LEAST_TIME_S)),
    ):
        if value is not None and not allowed.has(value):
            lines.append(f"{key!r} of timefair:portfolio is {allowed}, not {value!r}")
    return lines + _faults_of_shares(shares, count)


def _faults_of_members(members: object) -> list[str]:
    from timefair.algorithms import registry

    if not isinstance(members, list | tuple) or len(members) < 2:
        return [
            "'members' of timefair:portfolio is a list of at least two algorithms, each "
            f"library:name or {{use: ..., parameters: ...}}, not {members!r}"
        ]
    lines = []
    for k, member in enumerate(members):
        one = _in_full(member)
        wrong = _faults_of_form(one) or registry.faults(one["use"], one.get("parameters") or {})
        lines += [f"members[{k}]: {line}" for line in wrong]
    return lines


def _in_full(member: object) -> Any:
    return {"use": member} if isinstance(member, str) else member


def _faults_of_form(member: Any) -> list[str]:
    """Faults in how a member is written, but not of the algorithm that it names."""
    if not isinstance(member, Mapping) or not isinstance(member.get("use"), str):
        return [f"{member!r} is not library:name or {{use: ..., parameters: ...}}"]
    unknown = [key for key in member if key not in MEMBER_KEYS]
    if unknown:
        return [f"unknown key {unknown[0]!r}; known here: {', '.join(MEMBER_KEYS)}"]
    if not isinstance(member.get("parameters") or {}, Mapping):
        return [f"parameters of {member['use']} are keys with values"]
    return []


def _faults_of_shares(shares: object, count: int) -> list[str]:
    if shares is None:
        return []
    if not isinstance(shares, list | tuple) or not all(map(Above(0, 1).has, shares)):
        return [f"'shares' of timefair:portfolio are numbers above 0 up to 1, not {shares!r}"]
    if len(shares) != count:
        return [f"'shares' of timefair:portfolio has {len(shares)} numbers for {count} members"]
    if abs(sum(shares) - 1) > 1e-6:
        return [f"'shares' of timefair:portfolio add up to {sum(shares):.6g}, not 1"]
    return []


class Member:
    """One algorithm with its share of an objective.

    A launch that returns is followed by another one with its own random stream, until the share is
    used up or a launch makes no evaluation. `evaluations_left` is its share of a budget of
    evaluations; None without such a budget.
    """

    def __init__(
        self,
        algorithm: Algorithm,
        objective: Objective,
        rng: np.random.Generator,
        evaluations_left: int | None,
    ) -> None:
        self._algorithm, self._rng = algorithm, rng
        self.share = Share(objective, self._hand_over, evaluations_left)

    def use_up(self, evaluations: int | None, time_ns: int | None) -> None:
        self.share.grant(evaluations, time_ns)
        self._live()

    def _live(self) -> None:
        made = -1
        try:
            while not self.share.closed and self.share.evaluations != made:
                made = self.share.evaluations
                (rng,) = self._rng.spawn(1)
                seed_global_generators(rng)
                self._algorithm.solve(self.share, rng)
        except ShareUsed:
            pass
        finally:
            self.share.closed = True

    def _hand_over(self) -> None:
        self.share.closed = True
        raise ShareUsed


class PausingMember(Member):
    """A member that is paused at the end of a turn; use it in a ``with`` block, which ends it."""

    def __init__(self, *arguments: Any) -> None:
        super().__init__(*arguments)
        self._thread = PausableThread(self._live)

    def __enter__(self) -> PausingMember:
        return self

    def __exit__(self, *_: object) -> None:
        self.share.closed = True
        with suppress(Exception):  # of an algorithm that it was ended in
            self._thread.go_on()

    @property
    def has_ended(self) -> bool:
        """Whether the member cannot make a further turn."""
        return self.share.closed

    def turn(self, evaluations: int | None, time_ns: int | None) -> None:
        """Let the member run for one turn; raise its exception here, if any."""
        self.share.grant(evaluations, time_ns)
        self._thread.go_on()

    def _hand_over(self) -> None:
        self._thread.pause()
        if self.share.closed:
            raise ShareUsed
