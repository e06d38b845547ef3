"""The time that algorithms themselves take up to each target, and which factor of it is known."""

from __future__ import annotations

from dataclasses import dataclass
from typing import NamedTuple

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits.campaign.checklist import asked
from timefair.extensions.break_even.lines import turning_factor
from timefair.records.rundata.conditions import reference_s, shares_s
from timefair.records.rundata.problems import ProblemRuns, UsedByRuns
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.ert import ert

Array = NDArray[np.float64]
NO_TARGET = -1


@dataclass(frozen=True)
class OwnTimes:
    """The time of each run up to each target, in two parts; shape (runs, targets).

    The calibrated cost of an evaluation, times the evaluations up to the event at which the run
    reached the target, is `fixed`; the rest is `own`. `final` tells the runs that would have made
    no further evaluation if their own time had been shorter: of the others, nothing is known behind
    their end. `remarks` names the algorithms that are omitted, and why.
    """

    used: UsedByRuns
    fixed: Array
    own: Array
    final: NDArray[np.bool_]
    remarks: str

    @classmethod
    def of(cls, runs: Runs, analysis: Analysis) -> OwnTimes:
        """The times of some runs; tables with the same settings share the result."""
        return runs.once((cls, repr(analysis)), lambda: cls._of(runs, analysis))

    @classmethod
    def _of(cls, runs: Runs, analysis: Analysis) -> OwnTimes:
        unknown, parallel = _uncalibrated(runs.frame), _parallel(runs)
        left = ~runs.frame["algorithm"].isin([*unknown, *parallel]).to_numpy()
        kept = runs if left.all() else runs.where(left)
        used = UsedByRuns.of(kept, analysis.model_copy(update={"workers": 1}))
        begun = np.zeros(len(used.runs.frame))
        if analysis.ancillary == "amortised":
            shares = shares_s(used.runs.frame, used.runs.origins, analysis)
            begun += used.runs.frame["algorithm"].map(shares).fillna(0.0).to_numpy()
        each = _evaluation_s(used.runs.frame, analysis)[:, np.newaxis]
        seconds = used.seconds.cost
        fixed = np.minimum(begun[:, np.newaxis] + each * used.rounds.cost, seconds)
        told = (
            ("the cost of an evaluation was not calibrated", unknown),
            ("their evaluations ran on several cores", parallel),
        )
        omitted = (f"Omitted, because {why}: {', '.join(names)}." for why, names in told if names)
        return cls(
            used, fixed, seconds - fixed, np.isinf(used.observed_rounds),
            " ".join(filter(None, (*omitted, used.remarks))),
        )  # fmt: skip

    def lines(self, problem: ProblemRuns) -> Lines:
        """The ERTs of the algorithms on a problem."""
        success = self.used.seconds.success
        rows = [problem.rows[mine] for mine in problem.algorithms.values()]
        fixed, own = (
            np.stack([ert(of[r], success[r], axis=0) for r in rows], axis=-1)
            for of in (self.fixed, self.own)
        )
        pace = [self.own[r].sum(axis=0) / self.used.rounds.cost[r].sum(axis=0) for r in rows]
        return Lines(
            tuple(problem.algorithms), fixed, own, np.stack(pace, axis=-1),
            np.stack([success[r].mean(axis=0) for r in rows], axis=-1),
            np.stack([(success[r] | self.final[r, None]).all(axis=0) for r in rows], axis=-1),
        )  # fmt: skip

    def seconds_to_know(self, rows: NDArray[np.intp], target: int, factor: float) -> float:
        """Seconds to measure the cut runs among some again, until they have used what a factor
        below 1 saves, if each run continues at its pace.
        """
        cut = rows[~(self.used.seconds.success[rows, target] | self.final[rows])]
        whole = self.used.seconds.cost[cut, target]  # a cut run's own end
        scaled = self.fixed[cut, target] + factor * self.own[cut, target]
        return float((whole**2 / np.where(scaled > 0, scaled, whole)).sum())


class Lines(NamedTuple):
    """Of algorithms, in alphabetical order, up to each target; arrays have the shape (targets,
    algorithms).

    - `fixed`, `own`: ERT at the own-time factor α is fixed + α own; `inf` without a success.
    - `pace`: Own time per evaluation.
    - `rates`: Share of the runs that reached the target.
    - `known`: Whether factors below 1 are known: every run reached the target, or is final.
    """

    algorithms: tuple[str, ...]
    fixed: Array
    own: Array
    pace: Array
    rates: Array
    known: NDArray[np.bool_]

    def against(self, scaled: int, *, both: bool = False) -> BreakEven:
        """The break-even factors of the own time of one algorithm against each.

        - `both`: Whether factors below 1 of the other's own time have to be known, too.
        """
        either = np.maximum(self.rates, self.rates[:, [scaled]])
        wanted = _last(either >= 0.5)
        wanted = np.where(wanted == NO_TARGET, _last(either > 0), wanted)
        places = np.arange(len(self.rates))[:, np.newaxis]
        known = self.known[:, [scaled]] & (self.known if both else True)
        at = _last(known & (places <= wanted))
        others = np.arange(len(self.algorithms))
        factor = turning_factor(
            self.fixed[at, scaled], self.own[at, scaled], (self.fixed + self.own)[at, others]
        )
        with np.errstate(divide="ignore", invalid="ignore"):
            equal = self.pace[at, others] / self.pace[at, scaled]
        unknown = at == NO_TARGET
        factor, equal = (np.where(unknown, np.nan, of) for of in (factor, equal))
        return BreakEven(wanted, at, factor, equal)

    def gain(self, scaled: int, other: int, factor: float, last: int) -> float:
        """Share of the targets up to `last` to which the scaled algorithm has the smaller ERT,
        minus that of the other.
        """
        upto = slice(last + 1)
        mine = self.fixed[upto, scaled] + factor * self.own[upto, scaled]
        there = (self.fixed + self.own)[upto, other]
        known = self.known[upto, scaled]
        return float(np.sign(np.where(mine == there, 0.0, there - mine))[known].mean())


class BreakEven(NamedTuple):
    """Of one algorithm against each, shape (algorithms,).

    - `wanted`, `at`: The place of the target of the table `comparison`, and of the hardest one up
      to it at which factors below 1 are known; `NO_TARGET` for none.
    - `factor`: The own-time factor with which both have one ERT; NaN if it is not known.
    - `equal`: That with which both have one own time per evaluation; NaN if it is not known.
    """

    wanted: NDArray[np.intp]
    at: NDArray[np.intp]
    factor: Array
    equal: Array


def _last(chosen: NDArray[np.bool_]) -> NDArray[np.intp]:
    """The last chosen target of each algorithm, `NO_TARGET` for none."""
    last = len(chosen) - 1 - chosen[::-1].argmax(axis=0)
    return np.where(chosen.any(axis=0), last, NO_TARGET)


def _evaluation_s(frame: pd.DataFrame, analysis: Analysis) -> Array:
    """Calibrated and simulated cost of an evaluation on the clock of the tables, shape (runs,)."""
    count = frame["evaluations"].where(frame["evaluations"] > 0, 1)
    each = (frame["objective_s"] + frame["charged_s"].fillna(0.0) / count).to_numpy(np.float64)
    return each / reference_s(frame) if analysis.time == "reference" else each


def _uncalibrated(frame: pd.DataFrame) -> list[str]:
    known = frame["objective_s"].notna().groupby(frame["algorithm"].astype(str)).all()
    return [str(name) for name in known.index[~known.to_numpy()]]


def _parallel(runs: Runs) -> list[str]:
    """The algorithms with a campaign that gave their runs several threads."""
    given = asked(runs, lambda label, campaign: campaign["algorithms"][label].get("threads"))
    return sorted(label for label, found in given.items() if any((t or 1) > 1 for t in found))
