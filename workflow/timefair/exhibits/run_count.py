"""The run-count paper's rule and other rules for the number of runs: accuracy and savings."""

from __future__ import annotations

from collections.abc import Callable, Iterator
from dataclasses import dataclass
from functools import partial
from typing import Any

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.basics.words import ALL
from timefair.exhibits import questions
from timefair.exhibits.charts.chart import Picture
from timefair.exhibits.exhibit import Figure, Made, exhibit
from timefair.exhibits.layout import PARTS, Layout, Points
from timefair.records.rundata.problems import precision_at_the_end
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis, RunCount
from timefair.statistics.run_count import evaluation, stopping_rules, widths
from timefair.statistics.samples import sample_quantile

CELL = ["suite", "function", "dimension", "instance", "algorithm"]


@dataclass(frozen=True)
class Samples:
    """The precisions at the end of the first runs of each cell, in the order of the runs.

    - `names`: One row per sample, in their order: suite, function, dimension, instance, algorithm.
    - `values`, `truth`: Shape (samples, cap): the first runs, and as many after them; NaN for cells
      with fewer runs.
    """

    names: pd.DataFrame
    values: NDArray[np.float64]
    truth: NDArray[np.float64]

    @classmethod
    def of(cls, runs: Runs, cap: int) -> Samples:
        """The cells with at least `cap` runs; other cells are omitted."""
        best = precision_at_the_end(runs)
        first = np.flatnonzero(~runs.frame.duplicated(CELL).to_numpy())
        sizes = np.diff(np.append(first, best.size))
        complete, sizes = first[sizes >= cap], sizes[sizes >= cap]
        places = complete[:, np.newaxis] + np.arange(cap)
        truth = np.full(places.shape, np.nan)
        truth[sizes >= 2 * cap] = best[places[sizes >= 2 * cap] + cap]
        names = runs.frame[CELL].iloc[complete].reset_index(drop=True)
        return cls(names, best[places], truth)

    @property
    def has_truth(self) -> NDArray[np.bool_]:
        """Which samples have independent runs to compare with."""
        return np.asarray(~np.isnan(self.truth).any(axis=1))

    def groups(self, keys: list[str]) -> Iterator[tuple[dict[str, Any], NDArray[np.intp]]]:
        """The rows of each combination of keys, in the order of the keys' values."""
        groups = {} if self.names.empty else self.names.groupby(keys).indices
        for values, rows in sorted(groups.items()):
            names: Any = values if isinstance(values, tuple) else (values,)
            yield dict(zip(keys, names, strict=True)), np.asarray(rows, dtype=np.intp)

    @property
    def problems(self) -> list[NDArray[np.intp]]:
        """The rows of each (function, instance) with several algorithms."""
        return [rows for _, rows in self.groups(["function", "instance"]) if rows.size > 1]

    def strata(self) -> Iterator[tuple[dict[str, Any], Samples]]:
        for names, rows in self.groups(["suite", "dimension"]):
            yield names, self.taken(rows)

    def taken(self, rows: NDArray[np.intp]) -> Samples:
        names = self.names.iloc[rows].reset_index(drop=True)
        return Samples(names, self.values[rows], self.truth[rows])


def pooled(sums: pd.DataFrame, keys: list[str]) -> pd.DataFrame:
    """Sums over all dimensions, first, and over each one, with ``dimension`` as text; rows keep the
    order in which their keys first appear."""
    if sums.empty:
        return sums
    everywhere = sums.assign(dimension=ALL)
    each = sums.assign(dimension=sums["dimension"].astype(str))
    both = pd.concat([everywhere, each]).sort_values("suite", kind="stable")
    return both.groupby(keys, sort=False, as_index=False).sum(numeric_only=True)


def percent(part: pd.Series, whole: pd.Series) -> pd.Series:
    return 100.0 * part / whole.where(whole > 0)


SKEWNESS, FIXED, RANDOM = "skewness", "fixed n at the same saving", "random n"

GROUP = ["function", "algorithm"]
SETTING = """
    tau: threshold τ of the absolute skewness
    outliers (text): outlier filter applied before the skewness is computed
"""
SETTINGS = """
    SUITE, DIMENSION_OR_ALL
    rule (text): `{SKEWNESS}` (the paper's rule), or a control: `{FIXED}`, or `{RANDOM}` (the rule's
        numbers of runs assigned to the samples at random)
    {SETTING}
"""
KEYS = ["suite", "dimension", "rule", "tau", "outliers"]
SAMPLES = """
    samples: number of samples: (function, dimension, instance, algorithm) with at least
        `run_count.cap` runs
"""
NEVER_STOPPED = """
    never_stopped_percent [%] <At cap; .1>: samples that the cap ended, for which the estimate is
        accurate by definition
"""
MEAN_RUNS = "mean_runs <Mean n; .2>: mean number of runs of a sample"
WITHIN = [f"p{100 * band:g}" for band in evaluation.BANDS]
ACCURATE = """
    true [%] <True; .2>: samples whose estimate, the mean of the first n runs, is accurate
""" + "\n".join(
    f"    {name} [%] <{name[1:]} %; .2>: samples with an error of at most {name[1:]} %"
    for name in WITHIN
)
SUMS = ["samples", "runs", "stopped", "accurate", "accurate_stopped"]
JUDGED = [*KEYS, *GROUP, *SUMS, *WITHIN, "samples_independent", "accurate_independent"]

TO_SETTINGS = Layout(rows=("tau", "outliers"), parts=(*PARTS, "rule"))


@exhibit(question=questions.RUNS, layouts=TO_SETTINGS)
def run_count_accuracy(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Accuracy of the skewness rule

    Table 1 of the run-count paper on this campaign: percentage of samples for which the mean of the
    first n runs, with n chosen by the skewness rule, is accurate, and the same with errors of 0.5,
    1, 5, 10, 15 and 20 % allowed. Two controls (one fixed n that saves at least as much, and the
    rule's numbers of runs assigned to the samples at random) and a comparison with independent runs
    are added to the paper's columns.

    {SETTINGS}
    {SAMPLES}
    {ACCURATE}
    {NEVER_STOPPED}
    accurate_stopped_percent [%] <Others; .2>: `true` among the samples that the rule stopped
    samples_independent: number of samples with as many further, independent runs
    accurate_independent_percent [%] <Independent; .2>: samples whose estimate is accurate compared
        with the independent runs, which do not contain the first n
    """
    sums = pooled(_judged(runs, analysis, controls=True), KEYS)
    independent = percent(sums["accurate_independent"], sums["samples_independent"])
    return _accurate(sums).assign(
        accurate_stopped_percent=percent(sums["accurate_stopped"], sums["stopped"]),
        accurate_independent_percent=independent,
    )


def _accurate(sums: pd.DataFrame) -> pd.DataFrame:
    return sums.assign(
        true=percent(sums["accurate"], sums["samples"]),
        never_stopped_percent=100.0 - percent(sums["stopped"], sums["samples"]),
        mean_runs=sums["runs"] / sums["samples"],
        **{name: percent(sums[name], sums["samples"]) for name in WITHIN},
    )


@exhibit(question=questions.RUNS, layouts=TO_SETTINGS)
def run_count_savings(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Savings of the skewness rule

    Table 2 of the run-count paper on this campaign: the runs that the skewness rule makes and
    saves, the percentage of samples whose estimate is accurate, and the product of savings and
    accuracy. The same controls as in `run_count_accuracy` are added.

    {SETTINGS}
    {SAMPLES}
    total_runs <Total>: runs of the complete samples
    estimated_runs <Estimated>: runs that the rule makes instead
    estimated_percent [%] <%; .2>: `estimated_runs` as a share of `total_runs`
    saved_runs <Saved>: runs that the rule saves
    saved_percent [%] <%; .2>: `saved_runs` as a share of `total_runs`
    accurate_percent [%] <Accurate, %; .2>: samples whose estimate is accurate
    expected_saved_runs <Expected saved; .0>: `saved_runs` times `accurate_percent`
    expected_saved_percent [%] <%; .2>: `expected_saved_runs` as a share of `total_runs`
    {MEAN_RUNS}
    """
    sums = pooled(_judged(runs, analysis, controls=True), KEYS)
    right = percent(sums["accurate"], sums["samples"])
    total = analysis.run_count.cap * sums["samples"]
    found: dict[str, Any] = evaluation.savings(total, sums["runs"], right)
    whole = {name: found[name].astype(np.int64) for name in ("total_runs", "saved_runs")}
    found |= {**whole, "estimated_runs": sums["runs"], "mean_runs": sums["runs"] / sums["samples"]}
    return sums[[*KEYS, "samples"]].assign(**found)


FIGURES = {
    "configurations": (
        "Accuracy of the skewness rule over the algorithms",
        "Distribution over the algorithms of the accuracy of the skewness rule: accurate estimates "
        "(true), and estimates with errors up to 0.5, 1, 5, 10, 15 and 20 %. Box: quartiles and "
        "median; whiskers: range; one dot per algorithm. One column of panels per outlier filter, "
        "one row for each of two thresholds τ",
    ),
    "dimensions": (
        "Inaccurate estimates per dimension",
        "Share of the samples whose estimate by the skewness rule is inaccurate, in each "
        "dimension: median and quartiles over the algorithms, for each threshold τ. One panel per "
        "outlier filter",
    ),
    "problems": (
        "Inaccurate estimates per function and dimension",
        "Percentage of samples whose estimate by the skewness rule is inaccurate, for each "
        "function and dimension. Darker is worse. One panel for each outlier filter and each of "
        "two thresholds τ",
    ),
    "algorithms": (
        "Accuracy of the skewness rule per algorithm",
        "Percentage of samples of each algorithm whose estimate by the skewness rule is accurate "
        "(true), and with errors up to 0.5, 1, 5, 10, 15 and 20 %. Darker is worse. One row of "
        "panels per threshold τ, one column per outlier filter",
    ),
}
"""Titles and captions of the figures of the run-count paper, in their order."""


@exhibit(
    question=questions.RUNS,
    layouts=Layout(
        parts=(*PARTS, "tau", "outliers"), points=(Points("tau", 1), Points("outliers", 1))
    ),
    figures=[
        Figure(
            f"run_count_{name}",
            title,
            f"{caption} (figure {number} of the run-count paper).",
            Picture(f"timefair.exhibits.charts.sample_sizes:{name}"),
            needs="samples",
        )
        for number, (name, (title, caption)) in enumerate(FIGURES.items(), start=1)
    ],
)
def run_count_groups(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Accuracy of the skewness rule per algorithm and function

    The columns of Table 1 of the run-count paper for each algorithm on each function, in percent of
    the samples of its instances. The figures on the skewness rule are drawn from this table.

    SUITE, DIMENSION, FUNCTION, ALGORITHM
    {SETTING}
    {SAMPLES}
    {MEAN_RUNS}
    {NEVER_STOPPED}
    {ACCURATE}
    """
    return _accurate(_judged(runs, analysis, controls=False))


def skewness_rules(settings: RunCount) -> list[stopping_rules.SkewnessRule]:
    return [
        stopping_rules.SkewnessRule(tau, stopping_rules.Outliers(technique), cap=settings.cap)
        for tau in sorted(settings.taus)
        for technique in settings.outliers
    ]


def evaluated(
    samples: Samples,
    stops: stopping_rules.StopCounts,
    outliers: list[stopping_rules.Outliers],
    groups: NDArray[np.int64] | None = None,
) -> pd.DataFrame:
    """Sums over the samples of each group, one row for each setting: compared with the complete
    samples, and with independent runs if there are any."""
    labels = np.zeros(len(samples.values), np.int64) if groups is None else groups
    known = np.flatnonzero(samples.has_truth)
    some = stopping_rules.StopCounts(stops.n[known], stops.met[known])
    nested = evaluation.evaluate(samples.values, stops, outliers, groups=labels)
    independent = evaluation.evaluate(
        samples.values[known],
        some,
        outliers,
        truth=samples.truth[known],
        groups=labels[known],
    )
    found = pd.DataFrame(nested["within"].reshape(-1, len(WITHIN)), columns=WITHIN)
    of_both = ("", nested, SUMS), ("_independent", independent, ("samples", "accurate"))
    for end, one, names in of_both:  # there may be groups without independent runs, the last ones
        for name in names:
            sums = np.zeros(nested["runs"].shape, dtype=one[name].dtype)
            groups_known = len(one["runs"])
            sums[:groups_known] = np.reshape(one[name], (groups_known, -1))
            found[f"{name}{end}"] = sums.ravel()
    return found


def _judged(runs: Runs, analysis: Analysis, *, controls: bool) -> pd.DataFrame:
    rules, parts = skewness_rules(analysis.run_count), []
    settings = pd.DataFrame([(r.tau, str(r.outliers)) for r in rules], columns=["tau", "outliers"])
    for names, samples in Samples.of(runs, analysis.run_count.cap).strata():
        rng = analysis.stream(names)
        proposals = {SKEWNESS: evaluation.rule_proposal(rules, samples.values)}
        if controls:
            proposals[FIXED] = evaluation.fixed_control(proposals[SKEWNESS])
            proposals[RANDOM] = evaluation.random_control(proposals[SKEWNESS], rng=rng)
        grouped = samples.names.groupby(GROUP)
        rows = grouped.size().index.to_frame(index=False).merge(settings, how="cross")
        labels = np.asarray(grouped.ngroup(), dtype=np.int64)
        for rule, proposal in proposals.items():
            sums = evaluated(samples, proposal, [one.outliers for one in rules], labels)
            parts.append(rows.join(sums).assign(**names, rule=rule))
    return pd.concat(parts, ignore_index=True)[JUDGED] if parts else pd.DataFrame(columns=JUDGED)


FIXED_COUNTS = (5, 10, 15, 20, 25, 30, 40)
FIRST_LOOK = 10  # first n of the rules with a promise

QUANTILES = {"median": 0.5, "q10": 0.1, "q90": 0.9}
ESTIMATES: dict[str, Callable[[NDArray[np.float64]], NDArray[np.float64]]] = {
    **{name: partial(sample_quantile, p=p) for name, p in QUANTILES.items()},
    "mean": lambda values: np.asarray(values.mean(axis=-1)),
}
NAMES = {"median": "the median", "q10": "Q.10", "q90": "Q.90", "mean": "the mean"}

RULE = ["rule", "setting", "promises"]
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


@dataclass(frozen=True)
class Entrant:
    """A rule, its number of runs on each sample, and the estimate that it keeps near the truth.

    `racing` marks the samples whose algorithms may still be the best, None for all; `out_of_bounds`
    counts those that leave the rule's bounds and therefore never stop.
    """

    rule: str
    setting: str
    counts: stopping_rules.StopCounts
    promises: str = "none"
    racing: NDArray[np.bool_] | None = None
    out_of_bounds: int = 0


@exhibit(
    question=questions.RUNS,
    layouts=Layout(rows=("rule", "setting")),
    figures=Figure(
        "run_count_rules",
        "Rules for the number of runs: savings and accuracy",
        "How many runs each rule saves, and how often its result is right: by the run-count "
        "paper's criterion, by the promise that it makes, and by the best algorithm of a problem. "
        "A rule whose mark is not above the line of fixed numbers gains nothing from the values.",
        Picture("timefair.exhibits.charts.sample_sizes:rules"),
        needs="samples",
    ),
)
def run_count_rules(runs: Runs, analysis: Analysis) -> Made:
    """Rules for the number of runs

    Rules for the number of runs on the same samples: how many runs each rule saves, how often the
    mean is accurate, how often each estimate stays within the stated width of the independent runs,
    and how often the best algorithm is found. A rule with a width makes its promise only for the
    estimate in `promises`. With the setting `single`, the promise is valid for one look only. The
    row with the fixed n equal to the cap shows the result of all runs.

    SUITE, DIMENSION_OR_ALL
    rule (text): the rule for the number of runs
    setting (text): setting of the rule
    promises (text) <Promised>: the estimate that the rule promises to keep near the truth, `best
        algorithm`, or `none`
    {SAMPLES}
    samples_independent: number of samples with as many further, independent runs
    problems: number of (function, dimension, instance) with several algorithms
    problems_independent: number of these with independent runs of every algorithm
    {MEAN_RUNS}
    saved_percent [%] <Saved; .1>: runs that the rule saves
    {NEVER_STOPPED}
    out_of_bounds_percent [%]: samples with a value outside the bounds of the rule
        (`statistics.run_count.bounds`), which run to the cap
    accurate_percent [%] <Accurate; .1>: samples whose mean, without an outlier filter, is accurate
        by the run-count paper's criterion, compared with the complete sample
    accurate_independent_percent [%] <ind.; .1>: likewise, compared with independent runs
    kept_median_percent [%] <Kept, median; .1>: samples for which the median of the independent runs
        is within `run_count.width` of that of the runs made
    kept_q10_percent [%] <Q.10; .1>: the same for Q.10
    kept_q90_percent [%] <Q.90; .1>: the same for Q.90
    kept_mean_percent [%] <mean; .1>: the same for the mean
    winner_percent [%] <Winner; .1>: problems on which the algorithm with the least median of the
        runs made is one of those with the least median of the complete samples
    winner_independent_percent [%] <ind.; .1>: likewise, compared with independent runs
    """
    settings = analysis.run_count
    parts = []
    for names, samples in Samples.of(runs, settings.cap).strata():
        entrants = list(_entrants(samples, analysis, analysis.stream(names)))
        parts.append(_sums_of_entrants(samples, entrants, settings.width).assign(**names))
    if not parts:
        return []
    sums = pooled(pd.concat(parts, ignore_index=True), ["suite", "dimension", *RULE])
    mean_runs = sums["runs"] / sums["samples"]
    return sums.assign(
        mean_runs=mean_runs,
        saved_percent=100.0 * (1.0 - mean_runs / settings.cap),
        **{name: percent(sums[part], sums[whole]) for name, (part, whole) in SHARES.items()},
    )


def _entrants(samples: Samples, analysis: Analysis, rng: np.random.Generator) -> Iterator[Entrant]:
    settings, skewness = analysis.run_count, skewness_rules(analysis.run_count)
    proposal = evaluation.rule_proposal(skewness, samples.values)
    control = evaluation.random_control(proposal, rng=rng)
    for name, found in (("skewness", proposal), ("random n", control)):
        for k, one in enumerate(skewness):
            counts = stopping_rules.StopCounts(found.n[:, k], found.met[:, k])
            yield Entrant(name, f"τ = {one.tau:g}, {one.outliers}", counts)
    cells = len(samples.values)
    for n in (*(n for n in FIXED_COUNTS if n < settings.cap), settings.cap):
        counts = stopping_rules.StopCounts(np.full(cells, n), np.full(cells, True))
        yield Entrant("fixed n", f"n = {n}", counts)
    for name, setting, rule in _widths(analysis):
        counts = stopping_rules.stop_counts(rule, samples.values)
        outside = 0
        if isinstance(rule, widths.BoundedMeanWidth):
            outside = int((rule.outside(samples.values) & ~counts.met).sum())
        yield Entrant(f"width of {NAMES[name]}", setting, counts, name, out_of_bounds=outside)
    yield _raced(samples, analysis)


def _widths(analysis: Analysis) -> Iterator[tuple[str, str, stopping_rules.StoppingRule]]:
    """The estimate, the setting and the rule of each stopping rule with a width."""
    settings = analysis.run_count
    shared: dict[str, Any] = {
        "width": settings.width,
        "confidence": analysis.confidence,
        "start": min(FIRST_LOOK, settings.cap),
        "cap": settings.cap,
    }
    for name, p in QUANTILES.items():
        for validity in widths.Validity:
            yield name, str(validity), widths.QuantileWidth(p=p, validity=validity, **shared)
    yield "mean", str(widths.Validity.SINGLE), widths.MeanWidth(**shared)
    if settings.bounds is not None:
        low, high = settings.bounds
        rule = widths.BoundedMeanWidth(lowest=low, highest=high, **shared)
        yield "mean", f"{widths.Validity.ANYTIME}, {low:g} to {high:g}", rule


def _raced(samples: Samples, analysis: Analysis) -> Entrant:
    cap = analysis.run_count.cap
    looks = tuple(n for n in stopping_rules.LOOKS if n <= cap) or (cap,)
    alpha = 1.0 - analysis.confidence
    runs = np.full(len(samples.values), cap)
    racing = np.ones(runs.shape, dtype=np.bool_)
    for members in samples.problems:
        values = list(samples.values[members])
        state = stopping_rules.race(values, alpha=alpha, looks=looks, cap=cap)
        runs[members], racing[members] = state.runs, state.goes_on
    counts = stopping_rules.StopCounts(runs, runs < cap)
    return Entrant("racing", f"α = {alpha:g}", counts, "best algorithm", racing)


def _sums_of_entrants(samples: Samples, entrants: list[Entrant], width: float) -> pd.DataFrame:
    n, met = (
        np.stack([getattr(one.counts, of) for one in entrants], axis=1) for of in ("n", "met")
    )
    no_filters = [stopping_rules.Outliers.NONE] * len(entrants)
    sums = evaluated(samples, stopping_rules.StopCounts(n, met), no_filters)
    estimates = {name: _at(samples.values, n, of) for name, of in ESTIMATES.items()}
    known = samples.has_truth
    for name, estimate in ESTIMATES.items():
        truth = estimate(samples.truth[known])[:, np.newaxis]
        right = widths.is_kept_promise(estimates[name][known], truth, width)
        sums[f"kept_{name}"] = right.sum(axis=0)
    everyone = np.ones(known.shape, dtype=np.bool_)
    racing = [everyone if one.racing is None else one.racing for one in entrants]
    median = np.where(np.stack(racing, axis=1), estimates["median"], np.inf)
    problems = samples.problems
    with_truth = [members for members in problems if known[members].all()]
    return sums.assign(
        **{key: [getattr(entrant, key) for entrant in entrants] for key in RULE},
        never_stopped=sums["samples"] - sums["stopped"],
        out_of_bounds=[entrant.out_of_bounds for entrant in entrants],
        problems=len(problems),
        won=_won(median, samples.values, problems),
        problems_independent=len(with_truth),
        won_independent=_won(median, samples.truth, with_truth),
    )


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
    won = np.zeros(median.shape[1], dtype=np.int64)
    for members in problems:
        true_median = ESTIMATES["median"](truth[members])
        chosen = median[members].argmin(axis=0)
        won += true_median[chosen] == true_median.min()
    return won
