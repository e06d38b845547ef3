"""The length of a launch (Max_iter) that fills the budget, from launches before any clock."""

from __future__ import annotations

from collections.abc import Callable, Mapping
from typing import Any, NamedTuple

from timefair.basics.errors import InputError
from timefair.campaign.configuration.model import USUAL_LENGTH

ENOUGH = 1 / 10
"""Least share of the budget of the longest launch; each is `LONGER` times the one before."""
LONGER = 4
FIRST = 10
LONGEST = 10**8
LEAST = 2
LONG = 1000  # above this length, the evaluations of a launch need not grow with it


class Launch(NamedTuple):
    """A launch of some length: whether it returned, its share of the budget, its evaluations."""

    length: int
    returned: bool
    failed: bool
    share: float
    evaluations: int


KEYS = ("parameter", "asked", "length", "launch_evaluations")
"""What a record says: the schedule of the campaign, and evaluations of a launch of this length."""


def of(facts: Mapping[str, Any]) -> dict[str, Any]:
    """The schedule in the facts of a job's record; empty without one."""
    return {key: one[key] for one in facts.get("schedule", [])[:1] for key in KEYS}


def find(
    schedule: Mapping[str, Any], launch: Callable[[int], Launch], place: str
) -> dict[str, Any]:
    """The `KEYS` for a schedule of a campaign, from launches that are made here.

    Empty if all launches fail, which the runs will report, or if none ends and the length is
    given. Otherwise `InputError`, after `place`, if none ends or the length makes none longer.
    """
    (name, asked), *_ = schedule.items()
    most = asked if isinstance(asked, int) else LONGEST
    length = min(FIRST, most)
    ended: list[Launch] = []
    while True:
        one = launch(length)
        if one.returned:
            ended.append(one)
            grown = one.evaluations >= 2 * ended[-2].evaluations if len(ended) > 1 else False
            # Before, the first generations are most of a launch whose length is in evaluations.
            if length in (most, LEAST) or (one.share >= ENOUGH and (grown or length > LONG)):
                break
        elif ended or length <= LEAST or (one.failed and length >= min(USUAL_LENGTH, most)):
            break
        elif not one.failed:
            length = LEAST
            continue
        length = min(LONGER * length, most)  # another parameter may not allow a short launch
    if not ended:
        if isinstance(asked, int) or one.failed:
            return {}
        raise InputError(
            f"{place}: a launch with {name}: {length} did not end within the budget of a run"
        )
    *before, last = ended
    first = before[-1] if before else Launch(0, True, False, 0.0, 0)
    share, evaluations = last.share - first.share, last.evaluations - first.evaluations
    if share <= 0 and not (one.returned or one.failed):
        most = last.length  # the first generations are most of the budget
    elif not isinstance(asked, int):
        if last.length == LONGEST or share <= 0 or evaluations <= 0:
            lengths = f"{first.length} and {last.length}"
            raise InputError(f"{place}: launches with {name}: {lengths} take equally long")
        number = 1 if asked == "fill" else asked["launches"]
        more = (1 / number - last.share) / share
        most = max(1, int(last.length + more * (last.length - first.length)))
    each = evaluations / (last.length - first.length)
    made = last.evaluations + (most - last.length) * each
    return dict(zip(KEYS, (name, asked, most, max(1, round(made))), strict=True))
