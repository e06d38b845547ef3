"""Whether the mean of the first n runs agrees with that of all runs: the paper's criterion."""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from typing import Protocol

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import ndtri

from timefair.statistics.checks import check_confidence
from timefair.statistics.run_count import kernels, resampling
from timefair.statistics.run_count.outliers import Outliers
from timefair.statistics.run_count.stopping import checked_values

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

    The quantiles of the bootstrapped difference are computed from its first four moments
    (Cornish-Fisher expansion), the bias and the acceleration of BCa from its skewness, and the
    shares within bands by an Edgeworth expansion.

    - `samples`, shape (samples, runs): Complete samples, in the order of the runs; `inf` for a run
      without a finite value.
    - `counts`, shape (samples, settings): Number of first runs that each setting uses, in 1..runs.
    - `outliers`, length settings: Outlier filter of each setting, applied to its n runs and to the
      truth.
    - `truth`, shape (samples, runs'): Independent runs to compare with. By default all runs of the
      sample, including the first n, as in the paper; n = runs is then accurate by definition.
    - `confidence`: Confidence of the intervals, in (0, 1).
    - `bands`: Allowed errors, relative to the absolute value of the mean of the true values that
      the filter keeps; increasing.

    Returns: If a run has no finite value, the mean is `inf`, and it agrees only with another mean
    of `inf`. If the values are constant on both sides, they agree if they are equal. Raises
    ValueError if shapes or numbers do not fit, or a value is NaN or ``-inf``. Raises OverflowError
    if differences between the values overflow, so that a filter keeps none of them.

    Source: T. Eftimov and P. Korošec, GECCO 2025, for the criterion. P. Hall, The Bootstrap and
    Edgeworth Expansion, 1992, for the expansions.
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

    Returns: Averaged over the repetitions. Raises ValueError if shapes or numbers do not fit, or a
    value is NaN or ``-inf``. Raises OverflowError if differences between the values overflow, so
    that a filter keeps none of them.

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
