"""How good and how cheap the run-count paper's rule is: its Tables 1 and 2, and the controls."""

from __future__ import annotations

from functools import partial

import numpy as np
import pandas as pd
from numpy.typing import NDArray

from timefair.statistics.run_count.evaluation import (
    Evaluation,
    Proposal,
    evaluate,
    fixed_control,
    random_control,
    rule_proposal,
)
from timefair.statistics.run_count.outliers import Outliers
from timefair.statistics.run_count.savings import savings
from timefair.statistics.run_count.skewness import SkewnessRule
from timefair.statistics.run_count.verdicts import (
    BANDS,
    Judge,
    analytic_verdicts,
    resampled_verdicts,
)
from timefair.tables.progress import Progress
from timefair.tables.run_count.samples import Samples, percent, pooled
from timefair.tables.runs import Runs
from timefair.tables.settings import Analysis, RunCount

SKEWNESS, FIXED, RANDOM = "skewness", "fixed n at the same saving", "random n"

GROUP = ["function", "algorithm"]
SETTING = ["tau", "outliers"]
KEYS = ["suite", "dimension", "rule", *SETTING]
WITHIN = [f"p{100 * band:g}" for band in BANDS]
SUMS = ["samples", "runs", "stopped", "accurate", "accurate_stopped"]
INDEPENDENT = ["samples_independent", "accurate_independent"]
JUDGED = [*KEYS, *GROUP, *SUMS, *WITHIN, *INDEPENDENT]
ACCURACY = [
    *KEYS,
    "samples",
    "true",
    *WITHIN,
    "never_stopped_percent",
    "accurate_stopped_percent",
    "samples_independent",
    "accurate_independent_percent",
]
SAVINGS = [
    *KEYS,
    "samples",
    "total_runs",
    "estimated_runs",
    "estimated_percent",
    "saved_runs",
    "saved_percent",
    "accurate_percent",
    "expected_saved_runs",
    "expected_saved_percent",
    "mean_runs",
]
GROUPS = [
    "suite",
    "dimension",
    *GROUP,
    *SETTING,
    "samples",
    "mean_runs",
    "never_stopped_percent",
    "true",
    *WITHIN,
]


def accuracy(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Table 1: how often the mean of the first n runs is right, for each setting of the rule.

    A sample is a cell of (suite, function, dimension, instance, algorithm) with at least
    ``run_count.cap`` runs, its values the best precision at the end; a dimension is a text, a
    number or ``all``. ``true`` is the percentage of samples with an accurate estimate, ``p0.5`` to
    ``p20`` the same with errors up to so many percent allowed. ``never_stopped_percent`` of the
    samples were ended by the cap alone, where the estimate is right by definition;
    ``accurate_stopped_percent`` is ``true`` of the others. ``accurate_independent_percent``
    compares with as many further runs, which do not contain the first n, of the
    ``samples_independent`` that have them.

    Rows of the controls: in each dimension one n for all samples that saves at least as much, and
    the rule's own numbers of runs dealt to the samples at random.
    """
    sums = pooled(_judged(runs, analysis, controls=True), KEYS)
    shares = sums[[*KEYS, "samples", "samples_independent"]].assign(
        true=percent(sums["accurate"], sums["samples"]),
        never_stopped_percent=100.0 - percent(sums["stopped"], sums["samples"]),
        accurate_stopped_percent=percent(sums["accurate_stopped"], sums["stopped"]),
        accurate_independent_percent=percent(
            sums["accurate_independent"], sums["samples_independent"]
        ),
        **{name: percent(sums[name], sums["samples"]) for name in WITHIN},
    )
    return shares[ACCURACY]


def savings_of_rule(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """Table 2: the runs that each setting of the rule saves, and the controls, as in `accuracy`.

    ``estimated_runs`` were made instead of ``total_runs``; ``expected_saved_runs`` counts only
    the share of the saved runs whose estimate is right. ``mean_runs`` is that of a sample.
    """
    sums = pooled(_judged(runs, analysis, controls=True), KEYS)
    right = percent(sums["accurate"], sums["samples"])
    found = savings(analysis.run_count.cap * sums["samples"], sums["runs"], right)
    return sums[[*KEYS, "samples"]].assign(
        total_runs=found.total.astype(np.int64),
        estimated_runs=sums["runs"],
        estimated_percent=found.estimated_percent,
        saved_runs=found.saved.astype(np.int64),
        saved_percent=found.saved_percent,
        accurate_percent=found.accuracy,
        expected_saved_runs=found.expected_saved,
        expected_saved_percent=found.expected_saved_percent,
        mean_runs=sums["runs"] / sums["samples"],
    )[SAVINGS]


def groups(runs: Runs, analysis: Analysis) -> pd.DataFrame:
    """The columns of Table 1 for each algorithm on each function: what the figures show.

    Percentages of the instances' samples; ``mean_runs`` a sample. Without the controls.
    """
    sums = _judged(runs, analysis, controls=False)
    return sums.drop(columns=WITHIN).assign(
        mean_runs=sums["runs"] / sums["samples"],
        never_stopped_percent=100.0 - percent(sums["stopped"], sums["samples"]),
        true=percent(sums["accurate"], sums["samples"]),
        **{name: percent(sums[name], sums["samples"]) for name in WITHIN},
    )[GROUPS]


def skewness_rules(settings: RunCount) -> list[SkewnessRule]:
    """Every combination of tau and technique against outliers."""
    return [
        SkewnessRule(tau, Outliers(technique), cap=settings.cap)
        for tau in sorted(settings.taus)
        for technique in settings.outliers
    ]


def judge_of(settings: RunCount, rng: np.random.Generator) -> Judge:
    """What decides whether an estimate is right."""
    if settings.judge == "analytic":
        return analytic_verdicts
    return partial(resampled_verdicts, resamples=settings.resamples, seeds=settings.seeds, rng=rng)


def evaluated_twice(
    samples: Samples,
    proposal: Proposal,
    judge: Judge,
    progress: Progress,
    groups: NDArray[np.int64] | None = None,
) -> tuple[Evaluation, Evaluation]:
    """Judged against the complete samples, and against independent runs where there are some."""
    known = np.flatnonzero(samples.has_truth)
    return evaluate(
        samples.values, proposal, judge=judge, groups=groups, progress=progress
    ), evaluate(
        samples.values[known],
        Proposal(proposal.n[known], proposal.met[known], proposal.outliers),
        judge=judge,
        truth=samples.truth[known],
        groups=None if groups is None else groups[known],
        progress=progress,
    )


def _judged(runs: Runs, analysis: Analysis, *, controls: bool) -> pd.DataFrame:
    """Sums over the samples of each group and setting, of the rule and of its controls."""
    settings = analysis.run_count
    rules = skewness_rules(settings)
    parts = []
    for names, samples in Samples.of(runs, settings.cap).strata():
        rng = analysis.stream(names)
        judge = judge_of(settings, rng)
        title = f"{names['suite']}, D = {names['dimension']}"
        counting = Progress(f"{title}, numbers of runs, samples")
        proposals = {SKEWNESS: rule_proposal(rules, samples.values, progress=counting)}
        if controls:
            proposals[FIXED] = fixed_control(proposals[SKEWNESS])
            proposals[RANDOM] = random_control(proposals[SKEWNESS], rng=rng)
        for rule, proposal in proposals.items():
            progress = Progress(f"{title}, {rule}, samples")
            part = _sums(samples, proposal, rules, judge, progress)
            parts.append(part.assign(**names, rule=rule))
    return pd.concat(parts, ignore_index=True)[JUDGED] if parts else pd.DataFrame(columns=JUDGED)


def _sums(
    samples: Samples,
    proposal: Proposal,
    rules: list[SkewnessRule],
    judge: Judge,
    progress: Progress,
) -> pd.DataFrame:
    grouped = samples.names.groupby(GROUP)
    labels = np.asarray(grouped.ngroup(), dtype=np.int64)
    nested, independent = evaluated_twice(samples, proposal, judge, progress, groups=labels)
    sums = _long(nested)
    beside = _long(independent)[["samples", "accurate"]].reindex(sums.index, fill_value=0)
    both = sums.join(beside.add_suffix("_independent")).reset_index(drop=True)
    members = grouped.size().index.to_frame(index=False)
    settings = pd.DataFrame(
        {"tau": [r.tau for r in rules], "outliers": [str(r.outliers) for r in rules]}
    )
    return members.merge(settings, how="cross").join(both)


def _long(evaluation: Evaluation) -> pd.DataFrame:
    """The sums, a row a (group, setting)."""
    shape = evaluation.runs.shape
    index = pd.MultiIndex.from_product([range(size) for size in shape])
    samples = np.broadcast_to(evaluation.samples[:, np.newaxis], shape)
    columns = {
        "samples": samples,
        **{name: getattr(evaluation, name) for name in SUMS[1:]},
        **dict(zip(WITHIN, np.moveaxis(evaluation.within, -1, 0), strict=True)),
    }
    return pd.DataFrame({name: sums.ravel() for name, sums in columns.items()}, index=index)
