"""The declaration of an algorithm that does what algorithms should not, with what it comes to."""

from collections.abc import Callable, Mapping
from dataclasses import dataclass, replace
from pathlib import Path
from typing import Any

Row = Mapping[str, Any]

HELD = "time_killed"
"""The reason for the end of a run that T ends, by the kernel timer."""


@dataclass(frozen=True)
class Adversary:
    """An entry of the bench: its label in campaigns, its `use`, and what its runs come to.

    The stop reason is one of `reasons`; the message contains `message` (None: there is none);
    `shows` says whether a row has what else there should be to see. If it `races`, its threads can
    make the record contradict itself, and such a run may be `inconsistent` instead.
    """

    name: str
    use: str
    status: str
    reasons: tuple[str, ...]
    message: str | None = None
    shows: Callable[[Row], bool] = lambda row: True
    races: bool = False

    @property
    def held(self) -> bool:
        return HELD in self.reasons

    def without_evaluations(self) -> "Adversary":
        """What runs come to that have a time alone, which ends those of a budget of evaluations.

        The kernel ends a run that stalls at T before the objective can.
        """
        at_t = self.held or self.reasons == ("evaluations",)
        return replace(self, reasons=("time", HELD)) if at_t else self

    def differs(self, row: Row) -> str:
        """What is otherwise than expected, for a person; empty if nothing is.

        No run of the bench is so short that a machine which stalls for a second changes this.
        """
        if self.races and row["status"] == "inconsistent":
            return ""
        seen = f"{row['status']}, {row['stop_reason']}, {row['message']}"
        right = (
            row["status"] == self.status
            and row["stop_reason"] in self.reasons
            and _is(row["message"], self.message)
        )
        if not right:
            wanted = f"{self.status}, {' or '.join(self.reasons)}, {self.message}"
            return f"{self.name}: {seen}; expected {wanted}"
        return "" if self.shows(row) else f"{self.name}: {seen}, but does not show it: {dict(row)}"


REMARKS = ("killed at T after ", "its modules were imported again")
"""Beginnings of messages on runs that are as they should be; some depend on the machine's speed."""


def _is(seen: str | None, expected: str | None) -> bool:
    if expected is None:
        return seen is None or seen.startswith(REMARKS)
    return seen is not None and expected in seen


BENCH: dict[str, Adversary] = {}
"""All that the modules imported so far have declared, by name."""


def declare(entry: Adversary) -> None:
    assert entry.name not in BENCH, f"{entry.name} is declared twice"
    BENCH[entry.name] = entry


def adversary(
    status: str, *reasons: str, message: str | None = None, **more: Any
) -> Callable[[Callable[..., object]], Callable[..., object]]:
    """Declare the decorated ``solve(objective, rng)``."""

    def declared(solve: Callable[..., object]) -> Callable[..., object]:
        name, file = solve.__name__, Path(solve.__code__.co_filename)
        ends = reasons or ("evaluations",)
        declare(Adversary(name, f"{file}:{name}", status, ends, message, **more))
        return solve

    return declared


def acts(module, name, status, message, act, *ends, **more):
    """Declare an algorithm of a module, of its globals, that evaluates once and then acts."""

    def solve(objective, rng):
        one(objective)
        return act()

    _add(module, name, solve, status, ends or ("failure",), message, **more)


def searches(module, name, act, **more):
    """Declare an algorithm of a module that acts and then evaluates for ever."""

    def solve(objective, rng):
        act()
        search(objective, rng)

    _add(module, name, solve, "ok", ("evaluations",), None, **more)


def _add(module, name, solve, *ends, **more):
    solve.__name__, module[name] = name, solve
    declare(Adversary(name, f"{module['__file__']}:{name}", *ends, **more))


def one(objective: Callable[[Any], float]) -> None:
    objective(0.5 * (objective.lower + objective.upper))


def search(objective: Callable[[Any], float], rng: Any) -> None:
    while True:
        objective(rng.uniform(objective.lower, objective.upper))
