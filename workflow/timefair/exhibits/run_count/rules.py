"""Compares rules for the number of runs: the savings and the loss of accuracy."""

from __future__ import annotations

from collections.abc import Callable
from dataclasses import dataclass, replace
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.exhibits import questions
from timefair.exhibits.charts.chart import Picture
from timefair.exhibits.columns import DIMENSION_OR_ALL, SUITE
from timefair.exhibits.exhibit import Column, Figure, column_names, columns_of, exhibit
from timefair.exhibits.layout import Layout, Value
from timefair.exhibits.run_count.accuracy import (
    MEAN_RUNS,
    NEVER_STOPPED,
    SAMPLES,
    Samples,
    evaluated_twice,
    percent,
    pooled,
    skewness_rules,
)
from timefair.records.rundata.frames import Progress
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis, RunCount
from timefair.statistics.quantiles import sample_quantile
from timefair.statistics.run_count.evaluation import counts_proposal, random_control, rule_proposal
from timefair.statistics.run_count.racing import LOOKS, Race
from timefair.statistics.run_count.skewness import Outliers
from timefair.statistics.run_count.stopping import FixedCount, StopCounts, StoppingRule, stop_counts
from timefair.statistics.run_count.widths import (
    BoundedMeanWidth,
    MeanWidth,
    QuantileWidth,
    Validity,
    is_kept_promise,
)

PRINTED_SAVED = Value("saved_percent", "Saved", decimals=1)
FIXED = (5, 10, 15, 20, 25, 30, 40)
FIRST_LOOK = 10
"""First n of the rules with a promise."""

ESTIMATES: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    "median": partial(sample_quantile, p=0.5),
    "q10": partial(sample_quantile, p=0.1),
    "q90": partial(sample_quantile, p=0.9),
    "mean": lambda values: np.asarray(values.mean(axis=-1)),
}
QUANTILES = {"median": 0.5, "q10": 0.1, "q90": 0.9}
NAMES = {"median": "the median", "q10": "Q.10", "q90": "Q.90", "mean": "the mean"}

PROBLEM = ["function", "instance"]
RULE_COLUMNS = columns_of("""
    rule (text): the rule for the number of runs
    setting (text): setting of the rule
    promises (text): the estimate that the rule promises to keep near the truth, `best algorithm`,
        or `none`
""")
RULE = column_names(RULE_COLUMNS)
KEYS = ["suite", "dimension", *RULE]
SHARES = {
    "never_stopped_percent": ("never_stopped", "samples"),
    "out_of_bounds_percent": ("out_of_bounds", "samples"),
    "accurate_percent": ("accurate", "samples"),
    "accurate_independent_percent": ("accurate_independent", "samples_independent"),
    **{f"kept_{name}_percent": (f"kept_{name}", "samples_independent") for name in ESTIMATES},
    "winner_percent": ("won", "problems"),
    "winner_independent_percent": ("won_independent", "problems_independent"),
}
"""Percentages as (part, whole)."""

COLUMNS = (
    SUITE,
    DIMENSION_OR_ALL,
    *RULE_COLUMNS,
    SAMPLES,
    Column("samples_independent", "number of samples with as many further, independent runs"),
    Column("problems", "number of (function, dimension, instance) with several algorithms"),
    Column("problems_independent", "number of these with independent runs of every algorithm"),
    MEAN_RUNS,
    Column("saved_percent", "runs that the rule saves", "%"),
    NEVER_STOPPED,
    *columns_of("""
        out_of_bounds_percent [%]: samples with a value outside the bounds of the rule
            (`statistics.run_count.bounds`), which run to the cap
        accurate_percent [%]: samples whose mean, without an outlier filter, is accurate by the
            run-count paper's criterion, compared with the complete sample
        accurate_independent_percent [%]: likewise, compared with independent runs
    """),
    *(
        Column(
            f"kept_{name}_percent",
            f"samples for which {words} of the independent runs is within `run_count.width` of "
            "that of the runs made",
            "%",
        )
        for name, words in NAMES.items()
    ),
    *columns_of("""
        winner_percent [%]: problems on which the algorithm with the least median of the runs made
            is one of those with the least median of the complete samples
        winner_independent_percent [%]: likewise, compared with independent runs
    """),
)


@dataclass(frozen=True)
class Entrant:
    """A rule, and its number of runs on each sample.

    `promises` is the estimate that it keeps near the truth, ``best algorithm``, or ``none``.
    `racing` marks the samples whose algorithms may still be the best. `out_of_bounds` is the number
    of samples that leave the rule's bounds and therefore never stop.
    """

    rule: str
    setting: str
    promises: str
    counts: StopCounts
    racing: NDArray[np.bool_]
    out_of_bounds: int = 0


@exhibit(
    "run_count_rules",
    question=questions.RUNS,
    title="Rules for the number of runs",
    caption="""
    Rules for the number of runs on the same samples: how many runs each rule saves, how often the
    mean is accurate, how often each estimate stays within the stated width of the independent runs,
    and how often the best algorithm is found. A rule with a width makes its promise only for the
    estimate in `promises`. With the setting `single`, the promise is valid for one look only. The
    row with the fixed n equal to the cap shows the result of all runs.
    """,
    columns=COLUMNS,
    layouts=[
        Layout(
            caption="Rules for the number of runs, in percent of the samples. Accurate: the mean "
            "of the runs made, without an outlier filter, is accurate against the complete sample "
            "and against independent runs (ind.). Kept: the median of the independent runs is "
            "within the stated width of that of the runs made. Winner: problems whose best "
            "algorithm by the median is found.",
            values=(
                Value("mean_runs", "Mean n", decimals=1),
                PRINTED_SAVED,
                Value("never_stopped_percent", "At cap", decimals=1),
                Value("accurate_percent", "Accurate", decimals=1),
                Value("accurate_independent_percent", "ind.", decimals=1),
                Value("kept_median_percent", "Kept", decimals=1),
                Value("winner_percent", "Winner", decimals=1),
                Value("winner_independent_percent", "ind.", decimals=1),
            ),
            rows=("rule", "setting"),
        ),
        Layout(
            caption="Rules for the number of runs: percentage of samples whose median, quantiles "
            "or mean of the independent runs are within the stated width of those of the runs "
            "made, and which of them the rule promises.",
            values=(
                PRINTED_SAVED,
                Value("kept_median_percent", "Median", decimals=1),
                Value("kept_q10_percent", "Q.10", decimals=1),
                Value("kept_q90_percent", "Q.90", decimals=1),
                Value("kept_mean_percent", "Mean", decimals=1),
                Value("promises", "Promised"),
            ),
            rows=("rule", "setting"),
            name="kept",
        ),
    ],
    figures=[
        Figure(
            "run_count_rules",
            "Rules for the number of runs: savings and accuracy",
            "How many runs each rule saves, and how often its result is right: by the run-count "
            "paper's criterion, by the promise that the median (or the mean) of the independent "
            "runs is within the stated width, and by the best algorithm of a problem. A rule whose "
            "mark is not above the line of the fixed numbers of runs gains nothing from the "
            "values.",
            Picture("timefair.exhibits.charts.run_count:rules"),
            needs="samples",
        )
    ],
)
def compared(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """All rules on the samples of `run_count.accuracy`, one row per rule and setting."""
    settings = analysis.run_count
    parts = []
    for names, samples in Samples.of(runs, settings.cap).strata():
        rng = analysis.stream(names)
        title = f"{names['suite']}, D = {names['dimension']}"
        entrants = [
            *_skewness(samples, settings, rng, Progress(f"{title}, skewness, samples")),
            *_fixed(samples, settings),
            *_widths(samples, analysis, title),
            _raced(samples, analysis, Progress(f"{title}, racing, problems")),
        ]
        part = _sums(samples, entrants, settings.width, Progress(f"{title}, samples"))
        parts.append(part.assign(**names))
    if not parts:
        return pd.DataFrame(columns=column_names(COLUMNS))
    sums = pooled(pd.concat(parts, ignore_index=True), KEYS)
    mean_runs = sums["runs"] / sums["samples"]
    return sums.assign(
        mean_runs=mean_runs,
        saved_percent=100.0 * (1.0 - mean_runs / settings.cap),
        **{name: percent(sums[part], sums[whole]) for name, (part, whole) in SHARES.items()},
    )[column_names(COLUMNS)]


def _skewness(
    samples: Samples, settings: RunCount, rng: np.random.Generator, progress: Progress
) -> list[Entrant]:
    """The paper's rule, and its numbers of runs assigned at random."""
    rules = skewness_rules(settings)
    proposal = rule_proposal(rules, samples.values, progress=progress)
    entrants = []
    for name, found in (("skewness", proposal), ("random n", random_control(proposal, rng=rng))):
        for k, rule in enumerate(rules):
            counts = StopCounts(found.n[:, k], found.met[:, k])
            entrants.append(_entrant(name, f"τ = {rule.tau:g}, {rule.outliers}", counts))
    return entrants


def _fixed(samples: Samples, settings: RunCount) -> list[Entrant]:
    numbers = [n for n in FIXED if n < settings.cap]
    return [
        _entrant("fixed n", f"n = {n}", stop_counts(FixedCount(n), samples.values))
        for n in (*numbers, settings.cap)
    ]


def _widths(samples: Samples, analysis: Analysis, title: str) -> list[Entrant]:
    settings = analysis.run_count
    shared: dict[str, Any] = {
        "width": settings.width,
        "confidence": analysis.confidence,
        "start": min(FIRST_LOOK, settings.cap),
        "cap": settings.cap,
    }
    rules: list[tuple[str, str, StoppingRule]] = [
        (name, str(validity), QuantileWidth(p=p, validity=validity, **shared))
        for name, p in QUANTILES.items()
        for validity in Validity
    ]
    rules.append(("mean", str(Validity.SINGLE), MeanWidth(**shared)))
    if settings.bounds is not None:
        low, high = settings.bounds
        bounded = BoundedMeanWidth(lowest=low, highest=high, **shared)
        rules.append(("mean", f"{Validity.ANYTIME}, {low:g} to {high:g}", bounded))
    entrants = []
    for name, setting, rule in rules:
        rule_name = f"width of {NAMES[name]}"
        progress = Progress(f"{title}, {rule_name}, {setting}, n")
        counts = stop_counts(rule, samples.values, progress=progress)
        entrant = _entrant(rule_name, setting, counts, promises=name)
        if isinstance(rule, BoundedMeanWidth):
            outside = rule.outside(samples.values) & ~counts.met
            entrant = replace(entrant, out_of_bounds=int(outside.sum()))
        entrants.append(entrant)
    return entrants


def _raced(samples: Samples, analysis: Analysis, progress: Progress) -> Entrant:
    cap = analysis.run_count.cap
    looks = tuple(n for n in LOOKS if n <= cap) or (cap,)
    race = Race(alpha=1.0 - analysis.confidence, looks=looks, cap=cap)
    runs = np.full(len(samples.values), cap)
    racing = np.ones(runs.shape, dtype=np.bool_)
    problems = _problems(samples)
    for done, members in enumerate(problems, start=1):
        state = race.state(list(samples.values[members]))
        runs[members], racing[members] = state.runs, state.goes_on
        progress(done, len(problems))
    counts = StopCounts(runs, runs < cap)
    return Entrant("racing", f"α = {race.alpha:g}", "best algorithm", counts, racing)


def _entrant(rule: str, setting: str, counts: StopCounts, promises: str = "none") -> Entrant:
    return Entrant(rule, setting, promises, counts, np.ones(counts.n.shape, dtype=np.bool_))


def _sums(
    samples: Samples, entrants: list[Entrant], width: float, progress: Progress
) -> pd.DataFrame:
    """Numbers of samples and problems, one row per entrant."""
    proposal = counts_proposal([entrant.counts for entrant in entrants], Outliers.NONE)
    nested, independent = evaluated_twice(samples, proposal, progress)
    estimates = {name: _at(samples.values, proposal.n, of) for name, of in ESTIMATES.items()}
    racing = np.stack([entrant.racing for entrant in entrants], axis=1)
    return pd.DataFrame(
        {
            **{key: [getattr(entrant, key) for entrant in entrants] for key in RULE},
            "samples": nested.samples[0],
            "runs": nested.runs[0],
            "never_stopped": nested.samples[0] - nested.stopped[0],
            "out_of_bounds": [entrant.out_of_bounds for entrant in entrants],
            "accurate": nested.accurate[0],
            "samples_independent": independent.samples[0],
            "accurate_independent": independent.accurate[0],
            **_kept(samples, estimates, width),
            **_winners(samples, np.where(racing, estimates["median"], np.inf)),
        }
    )


def _kept(
    samples: Samples, estimates: dict[str, NDArray[np.float64]], width: float
) -> dict[str, NDArray[np.int64]]:
    """Number of samples whose estimate from independent runs is within the width, by entrant."""
    known = np.flatnonzero(samples.has_truth)
    kept = {}
    for name, estimate in ESTIMATES.items():
        truth = estimate(samples.truth[known])[:, np.newaxis]
        kept[f"kept_{name}"] = is_kept_promise(estimates[name][known], truth, width).sum(axis=0)
    return kept


def _winners(samples: Samples, median: NDArray[np.float64]) -> dict[str, int | NDArray[np.int64]]:
    """Number of problems, and of those whose best algorithm each entrant finds, for both truths."""
    known = samples.has_truth
    problems = _problems(samples)
    with_truth = [members for members in problems if known[members].all()]
    return {
        "problems": len(problems),
        "won": _won(median, samples.values, problems),
        "problems_independent": len(with_truth),
        "won_independent": _won(median, samples.truth, with_truth),
    }


def _at(
    values: NDArray[np.float64],
    counts: NDArray[np.int64],
    estimate: Callable[[NDArray[np.float64]], NDArray[np.float64]],
) -> NDArray[np.float64]:
    """The estimate from the first n runs of each sample, shape (samples, rules)."""
    found = np.empty(counts.shape)
    for n in np.unique(counts):
        samples, rules = np.nonzero(counts == n)
        found[samples, rules] = estimate(values[:, :n])[samples]
    return found


def _won(
    median: NDArray[np.float64], truth: NDArray[np.float64], problems: list[NDArray[np.intp]]
) -> NDArray[np.int64]:
    """Number of problems whose best algorithm by each entrant is one of the truly best."""
    won = np.zeros(median.shape[1], dtype=np.int64)
    for members in problems:
        true_median = ESTIMATES["median"](truth[members])
        chosen = median[members].argmin(axis=0)
        won += true_median[chosen] == true_median.min()
    return won


def _problems(samples: Samples) -> list[NDArray[np.intp]]:
    """The samples of each problem with several algorithms, one per algorithm."""
    return [rows for _, rows in samples.groups(PROBLEM) if rows.size > 1]
