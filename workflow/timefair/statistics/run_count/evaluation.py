"""Evaluation of numbers of runs on complete samples, as in the paper, and controls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any, Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from timefair.statistics.checks import check_confidence
from timefair.statistics.run_count import kernels, resampling
from timefair.statistics.run_count.skewness import Outliers, SkewnessRule, skewness_counts
from timefair.statistics.run_count.stopping import StopCounts, checked_values


@dataclass(frozen=True)
class Savings:
    """Numbers of runs, and their percentages of `total`; all arrays have the same shape.

    The rule makes `estimated` runs and saves `saved` of `total` runs. `accuracy` is the percentage
    of samples with an accurate estimate. `expected_saved` is this percentage of the saved runs.
    """

    total: NDArray[np.float64]
    estimated: NDArray[np.float64]
    estimated_percent: NDArray[np.float64]
    saved: NDArray[np.float64]
    saved_percent: NDArray[np.float64]
    accuracy: NDArray[np.float64]
    expected_saved: NDArray[np.float64]
    expected_saved_percent: NDArray[np.float64]


def savings(total: ArrayLike, estimated: ArrayLike, accuracy: ArrayLike) -> Savings:
    """The columns of Table 2: arrays of the broadcast shape; percentages are NaN for a total of 0.

    - `total`: Number of runs of the complete samples, not negative.
    - `estimated`: Number of runs that the rule makes, in 0..total.
    - `accuracy`: Percentage of samples with an accurate estimate; NaN if there are no samples.

    Source: T. Eftimov and P. Korošec, GECCO 2025, Table 2.
    """
    whole, made, right = np.broadcast_arrays(
        np.asarray(total, dtype=np.float64),
        np.asarray(estimated, dtype=np.float64),
        np.asarray(accuracy, dtype=np.float64),
    )
    if not ((made >= 0) & (made <= whole)).all():
        raise ValueError("0 <= estimated <= total must hold")
    if ((right < 0) | (right > 100)).any():
        raise ValueError("accuracy is a percentage in [0, 100]")
    saved = whole - made
    expected = saved * right / 100.0
    return Savings(
        total=whole,
        estimated=made,
        estimated_percent=_percent(made, whole),
        saved=saved,
        saved_percent=_percent(saved, whole),
        accuracy=right,
        expected_saved=expected,
        expected_saved_percent=_percent(expected, whole),
    )


def _percent(part: NDArray[np.float64], whole: NDArray[np.float64]) -> NDArray[np.float64]:
    share = np.full(whole.shape, np.nan)
    np.divide(part, whole, out=share, where=whole > 0)
    return 100.0 * share


BANDS = (0.005, 0.01, 0.05, 0.10, 0.15, 0.20)
"""Errors relative to the mean of all runs, as in Table 1 of the paper."""


@dataclass(frozen=True)
class Verdicts:
    """Accuracy of the estimates from the first n runs.

    `accurate`, shape (samples, settings), is 1 if the estimate counts as accurate and 0 if not;
    with several repetitions, it is the share of those in which the estimate is accurate. `within`,
    shape (samples, settings, bands), is 1 if the estimate is accurate, and otherwise the share of
    the resamples within the band.
    """

    accurate: NDArray[np.float64]
    within: NDArray[np.float64]


class Judge(Protocol):
    """A function that judges numbers of runs: `analytic_verdicts` or `resampled_verdicts`."""

    def __call__(
        self,
        samples: ArrayLike,
        counts: ArrayLike,
        outliers: Sequence[Outliers],
        truth: ArrayLike | None = None,
    ) -> Verdicts:
        """Judge the first ``counts[s, r]`` runs of each sample under each setting."""


def analytic_verdicts(
    samples: ArrayLike,
    counts: ArrayLike,
    outliers: Sequence[Outliers],
    truth: ArrayLike | None = None,
    *,
    confidence: float = 0.95,
    bands: Sequence[float] = BANDS,
) -> Verdicts:
    """The criterion of the paper in closed form: the limit of `resampled_verdicts`.

    The quantiles of the bootstrapped difference follow from its first four moments (Cornish-Fisher
    expansion), the bias and the acceleration of BCa from its skewness, and the shares within bands
    from an Edgeworth expansion (P. Hall, The Bootstrap and Edgeworth Expansion, 1992).

    - `samples`, shape (samples, runs): Complete samples, in the order of the runs; `inf` for a run
      without a finite value.
    - `counts`, shape (samples, settings): Number of first runs that each setting uses, in 1..runs.
    - `outliers`, length settings: Outlier filter of each setting, applied to its n runs and to the
      truth.
    - `truth`, shape (samples, runs'): Independent runs to compare with; by default all runs of the
      sample, as in the paper. n = runs is then accurate by definition.
    - `bands`: Allowed errors, relative to the absolute mean of the true values that the filter
      keeps; increasing.

    Returns: A mean of `inf` agrees only with another one. Values that are constant on both sides
    agree if they are equal. OverflowError if a filter keeps no value because differences overflow.

    Source: T. Eftimov and P. Korošec, GECCO 2025, for the criterion.
    """
    return _verdicts(
        samples, counts, outliers, truth,
        _Method(confidence, bands, resamples=0, seeds=0, margin=0.0, rng=None),
    )  # fmt: skip


def resampled_verdicts(
    samples: ArrayLike,
    counts: ArrayLike,
    outliers: Sequence[Outliers],
    truth: ArrayLike | None = None,
    *,
    confidence: float = 0.95,
    bands: Sequence[float] = BANDS,
    resamples: int = 1000,
    seeds: int = 10,
    skip_clear: bool = True,
    rng: np.random.Generator,
) -> Verdicts:
    """The criterion of the paper: a bootstrap test of whether two means differ.

    Samples of the size of the complete sample are drawn from the values of the first n runs that
    the outlier filter keeps, and from those of the truth. The estimate is accurate if the
    percentile interval or the BCa interval of the difference of means contains 0.

    - `samples`, `counts`, `outliers`, `truth`, `confidence`, `bands`: As for `analytic_verdicts`.
    - `resamples`: Number of resamples in each repetition.
    - `seeds`: Number of repetitions, with different random numbers.
    - `skip_clear`: Whether to decide clear cases without resampling: those in which 0 is further
      from the analytic limits than resampling is likely to move them (3.7 standard errors of the
      percentile limit, plus 0.1 standard deviations for the expansion).
    - `rng`: Source of the draws. One word is drawn per sample and repetition. All settings with the
      same outlier filter share the draws from the truth.

    Returns: Averaged over the repetitions.

    Source: T. Eftimov and P. Korošec, GECCO 2025. BCa: B. Efron, Better bootstrap confidence
    intervals, Journal of the American Statistical Association 82 (1987), here for samples of the
    drawn size.
    """
    if resamples < 1 or seeds < 1:
        raise ValueError(f"resamples and seeds must be at least 1, not {resamples} and {seeds}")
    margin = 0.1 + 10.0 / np.sqrt(resamples) if skip_clear else np.inf
    return _verdicts(
        samples, counts, outliers, truth,
        _Method(confidence, bands, resamples=resamples, seeds=seeds, margin=margin, rng=rng),
    )  # fmt: skip


@dataclass(frozen=True)
class _Method:
    confidence: float
    bands: Sequence[float]
    resamples: int
    seeds: int
    margin: float
    rng: np.random.Generator | None

    def plan(self, samples: int, draws: int) -> resampling.Plan:
        check_confidence(self.confidence)
        if sorted([0.0, *self.bands]) != [0.0, *self.bands]:
            raise ValueError(f"bands must not be negative, and rise, got {self.bands}")
        seeds = np.empty((samples, self.seeds), dtype=np.uint64)
        if self.rng is not None:
            seeds = self.rng.integers(2**64, size=seeds.shape, dtype=np.uint64)
        halves = max(2 * self.resamples, 1)
        return resampling.Plan(
            draws=draws,
            resamples=self.resamples,
            seeds=seeds,
            normal=ndtri(np.arange(halves + 1) / halves),
            z=float(ndtri(0.5 + self.confidence / 2.0)),
            margin=float(self.margin),
            bands=np.asarray(self.bands, dtype=np.float64),
        )


def _verdicts(
    samples: ArrayLike,
    counts: ArrayLike,
    outliers: Sequence[Outliers],
    truth: ArrayLike | None,
    method: _Method,
) -> Verdicts:
    values = checked_values(samples, dimensions=2)
    true_values = values if truth is None else checked_values(truth, dimensions=2)
    numbers = np.ascontiguousarray(counts, dtype=np.int64)
    _check_shapes(values, true_values, numbers, outliers)
    plan = method.plan(values.shape[0], draws=values.shape[1])
    codes = np.array([technique.code for technique in outliers], dtype=np.int64)
    techniques, columns = np.unique(codes, return_inverse=True)
    everything = np.full((values.shape[0], techniques.size), true_values.shape[1])
    if truth is None:
        all_numbers = np.hstack([numbers, everything])
        fences = kernels.fences_all(values, all_numbers, np.append(codes, techniques))
        low, high = (np.ascontiguousarray(each[:, : codes.size]) for each in fences)
        true_low, true_high = (np.ascontiguousarray(each[:, codes.size :]) for each in fences)
    else:
        low, high = kernels.fences_all(values, numbers, codes)
        true_low, true_high = kernels.fences_all(true_values, everything, techniques)
    accurate, within = resampling.judge(
        resampling.Cases(values, numbers, columns, low, high),
        resampling.Truth(true_values, true_low, true_high, truth is None),
        plan,
    )
    return Verdicts(accurate, within)


def _check_shapes(
    values: NDArray[np.float64],
    truth: NDArray[np.float64],
    counts: NDArray[np.int64],
    outliers: Sequence[Outliers],
) -> None:
    if counts.shape != (values.shape[0], len(outliers)):
        raise ValueError(
            f"counts must have the shape (samples, settings) = {(values.shape[0], len(outliers))}, "
            f"not {counts.shape}"
        )
    if truth.shape[0] != values.shape[0] or truth.shape[1] == 0:
        raise ValueError("truth must have one row per sample, and at least one run per row")
    if counts.size and not (counts.min() >= 1 and counts.max() <= values.shape[1]):
        raise ValueError(f"counts must lie in 1..{values.shape[1]}")


BLOCK = 2048
"""Samples that are judged at a time, so that the memory for verdicts is bounded."""


@dataclass(frozen=True)
class Proposal:
    """Numbers of runs that settings propose for samples; `evaluate` judges them.

    - `n`: Number of runs, shape (samples, settings).
    - `met`: Whether the rule stopped, same shape; False if the sample ended only at the cap.
    - `outliers`: Outlier filter of each setting, applied before the mean is computed.
    """

    n: NDArray[np.int64]
    met: NDArray[np.bool_]
    outliers: tuple[Outliers, ...]


def rule_proposal(
    rules: Sequence[SkewnessRule],
    samples: ArrayLike,
    *,
    progress: Callable[[int, int], None] | None = None,
) -> Proposal:
    """Numbers of runs at which the skewness rules stop.

    - `rules`: The settings.
    - `samples`, shape (samples, runs): Complete samples in the order of their runs; `inf` for a run
      without a finite value. May be a memory map.

    Returns: One setting per rule.
    """
    shape = np.shape(samples)
    if len(shape) != 2:
        raise ValueError(f"samples must have the shape (samples, runs), not {shape}")
    rows = np.asanyarray(samples)
    n = np.empty((shape[0], len(rules)), dtype=np.int64)
    met = np.empty(n.shape, dtype=np.bool_)
    for block in _blocks(shape[0], progress):
        found = skewness_counts(rules, rows[block])
        n[block], met[block] = found.n, found.met
    return Proposal(n, met, tuple(rule.outliers for rule in rules))


def counts_proposal(counts: Sequence[StopCounts], outliers: Outliers) -> Proposal:
    """Numbers of runs at which any other rules stopped.

    - `counts`: One per rule, at least one, all on the same samples.
    - `outliers`: Outlier filter applied before the mean is computed.

    Returns: One setting per rule.
    """
    return Proposal(
        np.stack([found.n for found in counts], axis=1),
        np.stack([found.met for found in counts], axis=1),
        (outliers,) * len(counts),
    )


def fixed_control(proposal: Proposal) -> Proposal:
    """Control with the same n for all samples. It saves at least as much as each setting.

    - `proposal`: At least one sample.

    Returns: n is the mean n of the setting, rounded down. Every sample counts as stopped.
    """
    n = np.broadcast_to(np.floor(proposal.n.mean(axis=0)).astype(np.int64), proposal.n.shape)
    return Proposal(n, np.ones(n.shape, dtype=np.bool_), proposal.outliers)


def random_control(proposal: Proposal, *, rng: np.random.Generator) -> Proposal:
    """Control with the numbers of runs of each setting, assigned to the samples at random.

    - `proposal`: Any number of samples.

    Returns: Each setting has the same total number of runs, and the same number of samples that
    never stopped.
    """
    places = rng.permuted(np.indices(proposal.n.shape)[0], axis=0)
    return Proposal(
        np.take_along_axis(proposal.n, places, axis=0),
        np.take_along_axis(proposal.met, places, axis=0),
        proposal.outliers,
    )


@dataclass(frozen=True)
class Evaluation:
    """Sums over the samples of each group, from which Tables 1 and 2 and the figures are made.

    - `cap`: Size of a complete sample.
    - `samples`: Number of samples, shape (groups,).
    - `runs`, `stopped`, `accurate`, `accurate_stopped`: Number of runs made, and of samples that
      stopped, that have an accurate estimate, and that have both; shape (groups, settings).
    - `within`: Number of samples whose estimate is accurate or has an error within each band; shape
      (groups, settings, bands).
    """

    cap: int
    samples: NDArray[np.int64]
    runs: NDArray[np.int64]
    stopped: NDArray[np.int64]
    accurate: NDArray[np.float64]
    accurate_stopped: NDArray[np.float64]
    within: NDArray[np.float64]


def evaluate(
    samples: ArrayLike,
    proposal: Proposal,
    *,
    judge: Judge = analytic_verdicts,
    truth: ArrayLike | None = None,
    groups: ArrayLike | None = None,
    progress: Callable[[int, int], None] | None = None,
) -> Evaluation:
    """Determine how accurate the estimates from given numbers of runs are, on complete samples.

    - `samples`, shape (samples, runs): Complete samples in the order of their runs; `inf` for a run
      without a finite value. May be a memory map: it is read in blocks.
    - `proposal`: Numbers of runs of rules or of a control.
    - `judge`: `analytic_verdicts`, or `resampled_verdicts` with its options given by
      ``functools.partial``.
    - `truth`, shape (samples, runs'): Independent runs to compare with. By default the complete
      sample, which contains the n runs; n = runs is then accurate by definition.
    - `groups`, shape (samples,): Group of each sample, from 0. By default, all samples are in one
      group.

    Returns: One row per group; a group without samples has NaN shares.

    Source: T. Eftimov and P. Korošec, GECCO 2025, Tables 1 and 2.
    """
    rows = np.asanyarray(samples)
    others = None if truth is None else np.asanyarray(truth)
    if rows.ndim != 2 or rows.shape[0] != proposal.n.shape[0]:
        raise ValueError(f"samples must be a matrix with a row for each n, not {rows.shape}")
    labels = _labels(groups, rows.shape[0])
    count = int(labels.max(initial=0)) + 1
    accurate: Any = 0.0
    accurate_stopped: Any = 0.0
    within: Any = 0.0
    for block in _blocks(rows.shape[0], progress):
        some = None if others is None else others[block]
        found = judge(rows[block], proposal.n[block], proposal.outliers, some)
        group = labels[block]
        accurate += _sums(found.accurate, group, count)
        accurate_stopped += _sums(found.accurate * proposal.met[block], group, count)
        within += _sums(found.within, group, count)
    return Evaluation(
        cap=rows.shape[1],
        samples=np.bincount(labels, minlength=count),
        runs=_sums(proposal.n, labels, count).astype(np.int64),
        stopped=_sums(proposal.met, labels, count).astype(np.int64),
        accurate=accurate,
        accurate_stopped=accurate_stopped,
        within=within,
    )


def _labels(groups: ArrayLike | None, size: int) -> NDArray[np.int64]:
    if groups is None:
        return np.zeros(size, dtype=np.int64)
    labels = np.asarray(groups, dtype=np.int64)
    if labels.shape != (size,) or labels.min(initial=0) < 0:
        raise ValueError(f"groups must be {size} numbers from 0, one per sample")
    return labels


def _sums(values: NDArray[Any], labels: NDArray[np.int64], count: int) -> NDArray[np.float64]:
    """Sums of the values with each label, shape (count, ...)."""
    columns = values.reshape(values.shape[0], math.prod(values.shape[1:])).T
    sums = [np.bincount(labels, weights=column, minlength=count) for column in columns]
    return np.array(sums, dtype=np.float64).T.reshape(count, *values.shape[1:])


def _blocks(size: int, progress: Callable[[int, int], None] | None) -> Iterator[slice]:
    """Slices of at most `BLOCK` samples, at least one; each is reported when it is done."""
    for first in range(0, max(size, 1), BLOCK):
        last = min(first + BLOCK, size)
        yield slice(first, last)
        if progress is not None:
            progress(last, size)
