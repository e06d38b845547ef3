"""Number of problems after which the search for parameters has paid off: a table, and sentences."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any

import numpy as np
import pandas as pd

from timefair.basics.words import number
from timefair.exhibits.columns import SPACE, column_names
from timefair.exhibits.exhibit import Parts, exhibit
from timefair.exhibits.layout import Layout, Points
from timefair.exhibits.questions import Question
from timefair.records.rundata.runs import Runs, searched_s
from timefair.records.rundata.settings import Analysis
from timefair.report.evidence import Evidence, Space
from timefair.statistics.samples import Floats, percentile_interval, resampled_sums


def break_even(
    spent: float,
    before: Sequence[Floats],
    after: Sequence[Floats],
    *,
    confidence: float,
    resamples: int,
    rng: np.random.Generator,
) -> dict[str, Floats]:
    """Compare an initial cost `spent` with the saving on each further problem, from the finite
    costs of runs, shape (runs, columns), before and after it was spent, for each kind of problem,
    at least one. Kinds have the same weight; bootstrap samples are drawn within each.

    ``saved_s``, negative for more cost, and the whole number of ``problems`` after which it pays,
    `inf` for never, with their limits, NaN if a sample has a single row; shape (columns,) each.
    The number of problems ceil(spent / saved) decreases as the saving increases, so its lower limit
    follows from the upper limit of the saving, and vice versa; without an upper one if the saving
    may be 0.
    """
    pairs = list(zip(before, after, strict=True))
    saved = np.mean([old.mean(axis=0) - new.mean(axis=0) for old, new in pairs], axis=0)
    if min(len(sample) for pair in pairs for sample in pair) < 2:
        low = high = np.full(saved.shape, np.nan)
    else:
        drawn = np.zeros((resamples, saved.size))
        for old, new in pairs:
            drawn += resampled_sums(old, resamples=resamples, rng=rng) / len(old)
            drawn -= resampled_sums(new, resamples=resamples, rng=rng) / len(new)
        low, high = percentile_interval(drawn / len(pairs), confidence)
    after_which = (_problems(spent, of) for of in (saved, high, low))
    names = (f"{name}{end}" for name in ("saved_s", "problems") for end in ("", "_low", "_high"))
    return dict(zip(names, (saved, low, high, *after_which), strict=True))


def _problems(spent: float, saved: Floats) -> Floats:
    """The least whole number of problems that saves what was spent; `inf` if nothing is saved."""
    needed = np.where(np.isnan(saved), np.nan, np.inf)
    np.divide(spent, saved, out=needed, where=saved > 0)
    return np.asarray(np.ceil(needed))


TUNING = Question(17, "After how many problems does tuning pay off?", "guide/tuning.md")
PAYS, NEVER, UNDECIDED = "pays", "never", "undecided"  # the verdicts
NEW, DEFAULT = "new", "default"  # what a search can choose


@exhibit(
    question=TUNING,
    layouts=Layout(
        caption="Number of problems after which tuning pays off, with the seconds that the "
        "tuned variant saves per problem. ∞: never.",
        rows=("algorithm", "target"),
        points=(Points("target", 3),),
    ),
    charged=False,
)
def tuning_pays(runs: Runs, analysis: Analysis) -> Parts:
    """Number of problems after which tuning pays off

    Number of problems after which tuning has saved the measured seconds of the search for
    parameters: the seconds of the search, divided by the seconds that the tuned variant saves per
    problem. The cost of a problem is the mean time of a run until the target, or until its own end
    if it did not reach the target; functions have equal weight, and the runs of all instances are
    pooled. Limits come from a bootstrap over the runs of each function. They hold for these
    functions and for this one search: another search may find other parameters.

    SPACE
    algorithm (text): label of the tuned variant
    default (text): label of the algorithm with its own parameters
    TARGET
    tuning_s [s] <Tuning, s>: measured seconds of the search
    chosen (text): what the search chose: `new` parameters, or those of the `default`. With those of
        the default both are the same algorithm: `saved_s` is then due to chance, and tuning never
        pays off
    runs: number of runs of the tuned variant
    success_rate: share of the runs of the tuned variant that reached the target
    default_success_rate: the same for the algorithm with its own parameters
    saved_s [s] (interval) <Saved, s; limits>: seconds that the tuned variant saves per problem
        until the target, average over the functions; negative if it needs more
    problems (interval) <Problems; limits>: number of problems after which the search has paid off:
        `tuning_s` divided by `saved_s`, rounded up; `inf`: never
    verdict (text) <Verdict>: `{PAYS}`: the interval of `saved_s` is above 0. `{NEVER}`: it is not
        above 0 anywhere, or the search chose the default. `{UNDECIDED}`: it contains 0, or a
        function has a single run
    """
    targets = analysis.targets_from_easy
    cost_s = runs.runtimes("seconds", targets)
    reached = np.isfinite(cost_s)
    cost_s = np.minimum(cost_s, runs.spent("seconds")[:, np.newaxis])
    labels, functions = runs.frame["algorithm"].to_numpy(), runs.frame["function"].to_numpy()
    for names, members in runs.groups(tuple(column_names(SPACE))):
        for variant, origin in runs.origins.items():
            if not origin.tuning:
                continue
            of = str(origin.tuning[0]["of"])
            both = [members[labels[members] == label] for label in (of, variant)]
            common = np.intersect1d(*(functions[one] for one in both))
            if not common.size:
                continue
            found = break_even(
                searched_s(origin),
                *([cost_s[one[functions[one] == function]] for function in common] for one in both),
                confidence=analysis.confidence,
                resamples=analysis.resamples,
                rng=analysis.stream(names | {"algorithm": variant}),
            )
            is_new = bool(origin.tuning[0]["result"]["parameters"])
            if not is_new:
                found |= dict.fromkeys(
                    ("problems", "problems_low", "problems_high"), np.full(len(targets), np.inf)
                )
            verdict = np.where(found["saved_s_low"] > 0, PAYS, UNDECIDED).astype(object)
            verdict[(found["saved_s_high"] <= 0) | (not is_new)] = NEVER
            yield {
                **names,
                "algorithm": variant,
                "default": of,
                "tuning_s": searched_s(origin),
                "chosen": NEW if is_new else DEFAULT,
                "runs": len(both[1]),
                "target": np.array(targets),
                "default_success_rate": reached[both[0]].mean(axis=0),
                "success_rate": reached[both[1]].mean(axis=0),
                **found,
                "verdict": verdict,
            }


LEAST_RATE = 0.5
"""Least success rate of the variant or of its algorithm for a target to be in the sentence."""


def findings(evidence: Evidence, space: Space) -> Iterator[str]:
    rows = evidence.of("tuning_pays", space)
    if rows.empty:
        return
    rates = rows[["success_rate", "default_success_rate"]].max(axis=1)
    for _, reached in rows[rates >= LEAST_RATE].groupby("algorithm", sort=False):
        yield _sentence(reached.sort_values("target").iloc[0])


def _sentence(row: pd.Series[Any]) -> str:
    took = f"Tuning {row['default']} took {number(row['tuning_s'])} s."
    if row["chosen"] == DEFAULT:
        return (
            f"{took} It never pays off: the search kept the parameters of {row['default']}, which "
            "were the best that it tried."
        )
    at = f"at the target {row['target']:g}"
    if pd.isna(row["saved_s_low"]):
        return f"{took} Whether it pays off {at} is not known: some functions have a single run."
    saved, low, high = (number(row[f"saved_s{end}"]) for end in ("", "_low", "_high"))
    saves = f"{row['algorithm']} saves {saved} [{low}, {high}] s per problem."
    n, least, most = (f"{row[f'problems{end}']:.0f}" for end in ("", "_low", "_high"))
    if row["verdict"] == PAYS:
        after = f"it has paid off after {n} [{least}, {most}] problems"
        return f"{took} {at.capitalize()}, {after}: {saves}"
    if row["verdict"] == NEVER:
        return f"{took} It never pays off {at}: {saves}"
    return (
        f"{took} Whether it pays off {at} is undecided: {saves} If it does, it takes at least "
        f"{least} problems."
    )
