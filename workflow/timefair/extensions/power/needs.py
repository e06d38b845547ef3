"""How many runs and functions a difference needs, in the lines that `timefair plan` prints."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from dataclasses import replace
from math import isnan, log, sqrt
from typing import TypeVar

import numpy as np
from scipy.special import ndtri

from timefair.basics.words import counted
from timefair.campaign.configuration import Campaign
from timefair.campaign.plan import RUN_OVERHEAD_S
from timefair.extensions.power.commands import Wanted
from timefair.extensions.power.design import Components, Design
from timefair.extensions.power.pilot import Pilot
from timefair.extensions.power.power import (
    MOST_FUNCTIONS,
    MOST_RUNS,
    functions_for_effect,
    runs_for_a12,
    runs_for_difference,
    runs_for_ratio,
)
from timefair.problems import registry

_QUESTIONS = {
    "a12": "A12 = {:g} at the end",
    "ratio": "a ratio of ERTs in {1} of {0:g}",
    "success": "success rates {:g} apart",
}
_NAMES = {"a12": "A12", "ratio": "ratio of ERTs", "success": "difference of success rates"}

_CASES = {"half of the cases: ": 0.5, "9 of 10 cases: ": 0.9}
"""Shares of the cases of a pilot for which the number of runs is enough."""

Value = TypeVar("Value")

MOST_IN_SUITE = 1000
"""A suite with a wider range of functions counts as unlimited."""


class Needs:
    """How many runs and functions one difference needs, in one suite and dimension of a pilot."""

    def __init__(
        self, campaign: Campaign, pilot: Pilot, wanted: Wanted, rng: np.random.Generator
    ) -> None:
        self.pilot, self.wanted, self.rng = pilot, wanted, rng
        self.design = replace(
            Design.of(campaign),
            functions=len(pilot.functions),
            instances=pilot.instances,
            runs=pilot.runs,
            algorithms=len(pilot.algorithms),
            targets=pilot.targets,
        )
        self.campaign = campaign

    def lines(self) -> Iterator[str]:
        """Yield what the difference needs."""
        pilot, wanted = self.pilot, self.wanted
        unit = self.campaign.budget.unit
        question = _QUESTIONS[wanted.effect].format(wanted.size, unit)
        yield (
            f"pilot         {pilot.suite}, D = {pilot.dimension}: "
            f"{counted(len(pilot.algorithms), 'algorithm')}, "
            f"{counted(len(pilot.functions), 'function')}, "
            f"{counted(pilot.instances, 'instance')}, {counted(pilot.runs, 'run')} each"
        )
        yield (
            f"to find       {question} with {100 * wanted.power:g} % probability, after "
            f"Bonferroni over {counted(self.design.pairs, 'pair')}"
        )
        yield from self._on_function()
        yield from self._over_functions()

    def _on_function(self) -> Iterator[str]:
        needed = self._runs_needed(self.design)
        if not needed:
            yield f"on a function unknown: {self._unknown_on_function()}"
            return
        for what, runs in needed.items():
            if runs is None:
                yield f"on a function {what}more than {counted(MOST_RUNS, 'run')} of each algorithm"
                continue
            each = -(-runs // self.design.instances)
            yield (
                f"on a function {what}{counted(runs, 'run')} of each algorithm: "
                f"{counted(self.design.instances, 'instance')} of {counted(each, 'run')}; "
                f"{self._hours(self.design.functions, self.design.instances, each)} for "
                f"{counted(self.design.functions, 'function')}"
            )

    def _runs_needed(self, design: Design) -> dict[str, int | None]:
        """Runs that an algorithm needs on a function: one number, or one per case of `_CASES`."""
        size, power = self.wanted.size, self.wanted.power
        if self.wanted.effect == "a12":
            return {"": runs_for_a12(size, design.level_on_function, power)}
        if self.wanted.effect == "ratio":
            cases, level = self.pilot.cases(), design.level_at_target
            return {
                what: runs_for_ratio(size, _at(cases, share).law, level, power, rng=self.rng)
                for what, share in _CASES.items()
                if cases
            }
        rates = self.pilot.success_rates.tolist()
        other = {p: p + size if p + size <= 1 else p - size for p in set(rates)}
        needed = {
            p: runs_for_difference(p, q, design.level_on_function, power) or MOST_RUNS + 1
            for p, q in other.items()
            if q >= 0
        }
        runs = sorted(needed[p] for p in rates if p in needed)
        picked = {what: _at(runs, share) for what, share in _CASES.items() if runs}
        return {what: most if most <= MOST_RUNS else None for what, most in picked.items()}

    def _over_functions(self) -> Iterator[str]:
        level, power = self.design.level_over_functions, self.wanted.power
        if self.wanted.effect == "success":
            return
        if self.wanted.effect == "a12":
            effect = float(ndtri(self.wanted.size))
            functions = functions_for_effect(effect, level, power, rng=self.rng)
            yield (
                f"all functions {self._functions(functions)}, for an algorithm that is better on "
                f"{100 * self.wanted.size:g} % of all possible functions"
            )
            return
        variances, comparisons = self.pilot.components()
        if why := self._unknown(variances):
            yield f"all functions unknown: {why}"
            return
        between = "unknown" if isnan(variances.instances) else f"{sqrt(variances.instances):.2f}"
        yield (
            f"spread        of the log ratio: functions {sqrt(variances.functions):.2f}, instances "
            f"{between}, runs {sqrt(variances.runs):.2f} ({counted(comparisons, 'comparison')})"
        )
        instances, runs = self.design.instances, self.design.runs
        effect = self._effect(variances, instances, runs)
        functions = functions_for_effect(effect, level, power, rng=self.rng)
        more = self._effect(variances, instances, 10 * runs)
        fewer = functions_for_effect(more, level, power, rng=self.rng)
        hours = "" if functions is None else f"; {self._hours(functions, instances, runs)}"
        yield (
            f"all functions {self._functions(functions)} with {counted(instances, 'instance')} of "
            f"{counted(runs, 'run')}{hours}; {self._functions(fewer)} with {10 * runs} runs"
        )

    def _functions(self, number: int | None) -> str:
        if number is None:
            return f"more than {counted(MOST_FUNCTIONS, 'function')}"
        beyond = f" (the suite has {self._most_functions})" if number > self._most_functions else ""
        return f"{counted(number, 'function')}{beyond}"

    def _unknown_on_function(self) -> str:
        """Why the number of runs is not known."""
        if self.pilot.runs * self.pilot.instances < 2:
            return "the pilot has one run on a function; at least 2 show how much runs differ"
        if self.wanted.effect == "ratio":
            return "no run of the pilot reached a target"
        return (
            "no target was reached by some runs of an algorithm on a function and missed by others"
        )

    def _unknown(self, variances: Components) -> str:
        """Why the number of functions is not known; empty if it is."""
        if len(self.pilot.functions) < 2:
            return "the pilot has one function; at least 2 show how much functions differ"
        if self.pilot.runs < 2:
            return "the pilot has one run on an instance; at least 2 show how much runs differ"
        if isnan(variances.functions):
            return "no two algorithms of the pilot reached the same target on two functions"
        return ""

    def _effect(self, variances: Components, instances: int, runs: int) -> float:
        return log(self.wanted.size) / max(variances.deviation(instances, runs), 1e-9)

    def _hours(self, functions: int, instances: int, runs: int) -> str:
        return f"{self._core_s(functions * instances * runs) / 3600:.3g} core-hours"

    def _core_s(self, runs: int) -> float:
        """Core-seconds of this number of runs of each algorithm, as long as the pilot's runs."""
        return runs * (self.pilot.core_s + RUN_OVERHEAD_S * len(self.pilot.algorithms))

    @property
    def _most_functions(self) -> int:
        """Number of functions of the suite; for the user's own functions, that of the pilot."""
        problems = self.campaign.problems
        there = registry.find(problems.suite, problems.parameters).functions
        return len(there) if len(there) <= MOST_IN_SUITE else len(self.pilot.functions)


def _at(values: Sequence[Value], share: float) -> Value:
    """The sorted value that has this share of the values at or below it."""
    return values[min(int(share * len(values)), len(values) - 1)]
