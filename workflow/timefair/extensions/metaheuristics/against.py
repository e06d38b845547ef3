"""The proposed algorithm against each of the others, as papers on metaheuristics print it."""

from __future__ import annotations

from collections.abc import Iterator
from typing import Any, NamedTuple

import numpy as np
from numpy.typing import NDArray

from timefair.basics.words import ALL
from timefair.exhibits import questions
from timefair.exhibits.comparisons.comparison import over as tested_over
from timefair.exhibits.exhibit import Made, exhibit
from timefair.exhibits.layout import Layout, own_dimensions
from timefair.extensions.metaheuristics.keys import PROPOSED
from timefair.records.rundata.problems import (
    ProblemRuns,
    known_until,
    limits,
    precision_at,
    precision_at_the_end,
    problems,
)
from timefair.records.rundata.published import with_published
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.probability import mean_of
from timefair.statistics.rank_tests import average_ranks, holm, posthoc, rank_within
from timefair.statistics.samples import Floats
from timefair.statistics.two_samples import mann_whitney, superiority

TIME, EVALUATIONS, END = "equal time", "equal evaluations", "the end of the runs"
RANK = "Friedman rank"
BETTER, EQUAL, WORSE = "+", "=", "−"


@exhibit(
    question=questions.BETTER,
    layouts=Layout(
        caption="The proposed algorithm against the others: p of the rank-sum test of the "
        "precisions, p after Holm's correction, A12, and whether the proposed algorithm is "
        "significantly better (+), worse (−) or neither (=) with {confidence} confidence after "
        "the correction. All: Wilcoxon's signed-rank test over the functions, and the numbers "
        "of +/=/−. Friedman rank: of the proposed algorithm and of the other.",
        rows=("function",),
        columns="algorithm",
        parts=("suite", "dimension", "at"),
        whole=True,
    ),
    comparing=True,
)
def against(runs: Runs, analysis: Analysis) -> Made:
    """The proposed algorithm against the others

    The proposed algorithm (`paper.proposed`, by default the first of the campaign) against each of
    the others, by the precision of the runs of all instances: at the end of the time, and after the
    evaluations that the budget allowed all runs of both. The order of two algorithms may differ
    between the two. Tests of other criteria, and of all pairs, are in the table `comparison`.

    SUITE, DIMENSION_OR_ALL
    at (text): where the runs are compared: `{TIME}`, at the end of the budget, or `{EVALUATIONS}`;
        `{END}`, if neither is known
    function (text): number of the function as text, or `all` for all functions together, or
        `{RANK}`
    evaluations: for equal evaluations, the number after which the two are compared: the smallest
        that the budget allowed a run of either; empty if all these runs had ended by themselves
    proposed (text): label of the proposed algorithm
    ALGORITHM
    proposed_value: its mean precision; for `{RANK}`, its average rank of the means
    value: the same of `algorithm`
    p <p>: p-value: on a function, of the two-sided rank-sum test of the runs (Mann-Whitney, exact
        given the ties); for `all`, of Wilcoxon's signed-rank test of the logarithms of the means on
        the functions; for `{RANK}`, of the z test of the difference
    p_adjusted <p (Holm)>: `p` after Holm's correction: for all algorithms and functions together;
        for the other rows, for all algorithms
    a12 <A12; .2>: probability that a run of the proposed algorithm is better than one of
        `algorithm`, where a tie counts half; for `all`, share of the functions with the better mean
    verdict (text) <+/=/−>: `+` if the proposed algorithm is significantly better by `p_adjusted`,
        `−` if it is worse, `=` otherwise; for `all`, their numbers, +/=/−; for `{RANK}`, both ranks
    verdict_alone (text): the same by `p`, without a correction, as most papers do
    """
    rows: list[dict[str, Any]] = []
    if runs.frame["budget_s"].notna().any():
        rows += _compared(runs, analysis, TIME)
    counted = with_published(runs)
    if np.isfinite(known_until(counted, "evaluations")).any():
        rows += _compared(counted, analysis, EVALUATIONS)
    if not rows:
        rows += _compared(counted, analysis, END)
    return rows


def _compared(runs: Runs, analysis: Analysis, at: str) -> Iterator[dict[str, Any]]:
    every, mixed = problems(runs), own_dimensions(runs.frame)
    if mixed:
        every = sorted(every, key=lambda one: (str(one.names["suite"]), one.names["function"]))
    samples = _samples(runs, every, at)
    spaces: dict[tuple[str, Any], list[_Samples]] = {}
    for one in samples:
        suite, own = one.problem.space
        spaces.setdefault((suite, ALL if mixed else own), []).append(one)
    labels = sorted({name for problem in every for name in problem.algorithms})
    proposed = analysis.added.get(PROPOSED, labels[0] if labels else "")
    for (suite, dimension), of_space in spaces.items():
        shared = {"suite": suite, "dimension": dimension, "at": at, "proposed": proposed}
        yield from _of_space(shared, of_space, 1 - analysis.confidence)


class _Samples(NamedTuple):
    """The runs on a problem: the evaluations that all runs of each algorithm were allowed (`limits`
    of `rundata.problems`; `inf` at equal time), and precisions after some of them, (runs, points).
    """

    problem: ProblemRuns
    until: dict[str, float]
    points: Floats
    best: Floats

    def within(self, limit: float, name: str) -> Floats:
        """The precisions of an algorithm after so many evaluations, at least 0."""
        place = int(np.searchsorted(self.points, limit))
        return np.asarray(np.maximum(self.best[self.problem.algorithms[name], place], 0.0))

    def ranks(self) -> dict[str, float]:
        """The rank of each algorithm by the means, each pair within what both were allowed."""
        names = list(self.until)

        def means(limit: float, places: NDArray[np.intp]) -> Floats:
            return np.array([[mean_of(self.within(limit, names[place]))] for place in places])

        ranks = rank_within(list(self.until.values()), means)
        return dict(zip(names, ranks[:, 0].tolist(), strict=True))


def _samples(runs: Runs, every: list[ProblemRuns], at: str) -> list[_Samples]:
    if at != EVALUATIONS:
        best = precision_at_the_end(runs)
        return [
            _Samples(problem, dict.fromkeys(problem.algorithms, np.inf), np.array([np.inf]),
                     best[problem.rows, np.newaxis])
            for problem in every
        ]  # fmt: skip
    allowed = known_until(runs, "evaluations")
    until = [limits(problem, allowed) for problem in every]
    points = [np.unique(list(of.values())) for of in until]
    found = precision_at(runs, list(zip(every, points, strict=True)))
    return [_Samples(*one) for one in zip(every, until, points, found, strict=True)]


def _of_space(
    shared: dict[str, Any], samples: list[_Samples], alpha: float
) -> Iterator[dict[str, Any]]:
    proposed = shared["proposed"]
    tested = []
    for one in samples:
        until = one.until
        for name in sorted(until.keys() - {proposed} if proposed in until else ()):
            limit = min(until[proposed], until[name])
            first, second = (one.within(limit, each) for each in (proposed, name))
            tested.append(
                {
                    **shared,
                    "function": str(one.problem.names["function"]),
                    "evaluations": limit if np.isfinite(limit) else np.nan,
                    "algorithm": name,
                    "proposed_value": mean_of(first),
                    "value": mean_of(second),
                    "p": mann_whitney(first, second),
                    "a12": superiority(first, second),
                }
            )
    _decide(tested, alpha)
    yield from tested
    over = []
    for name in sorted({row["algorithm"] for row in tested}):
        of_name = [row for row in tested if row["algorithm"] == name]
        both = np.array([[row["proposed_value"], row["value"]] for row in of_name])
        with np.errstate(divide="ignore"):
            logs = np.log10(both).T
        gains = np.subtract(logs[1], logs[0], out=np.zeros(len(both)), where=logs[0] != logs[1])
        row = {**shared, "function": ALL, "algorithm": name}
        test = tested_over(gains)
        row |= {"p": test["p"], "a12": test["a12"]}
        for kind in ("verdict", "verdict_alone"):
            signs = [one[kind] for one in of_name]
            row[kind] = "/".join(str(signs.count(sign)) for sign in (BETTER, EQUAL, WORSE))
        over.append(row)
    for rows in (over, _ranks(shared, [one.ranks() for one in samples])):
        _adjust(rows)
        yield from rows


def _adjust(rows: list[dict[str, Any]]) -> None:
    for row, p in zip(rows, holm([row["p"] for row in rows]), strict=True):
        row["p_adjusted"] = float(p)


def _decide(rows: list[dict[str, Any]], alpha: float) -> None:
    _adjust(rows)
    for row in rows:
        sign = BETTER if row["a12"] > 0.5 else WORSE if row["a12"] < 0.5 else EQUAL
        for kind, level in (("verdict", row["p_adjusted"]), ("verdict_alone", row["p"])):
            row[kind] = sign if level <= alpha else EQUAL


def _ranks(shared: dict[str, Any], ranks: list[dict[str, float]]) -> list[dict[str, Any]]:
    names = sorted({name for of in ranks for name in of})
    table = [[of[name] for name in names] for of in ranks if len(of) == len(names)]
    if shared["proposed"] not in names or len(names) < 2 or not table:
        return []
    found, mine = posthoc(np.array(table)), names.index(shared["proposed"])
    average = average_ranks(table)
    rows = []
    for first, second, p in zip(found.first, found.second, found.p, strict=True):
        if mine in (first, second):
            other = int(first + second - mine)
            both = f"{average[mine]:.2f} : {average[other]:.2f}"
            row = {**shared, "function": RANK, "algorithm": names[other], "p": float(p)}
            row |= {"proposed_value": average[mine], "value": average[other]}
            rows.append(row | {"verdict": both, "verdict_alone": both})
    return rows
