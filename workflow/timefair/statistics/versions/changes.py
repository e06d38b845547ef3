"""Additional cost of a new version, compared with the old one: estimates with standard errors.

A change is on a scale on which 0 means no change and positive values mean that the new version is
worse: the logarithm of a ratio of costs, or the probability of a worse result minus 0.5.
"""

from __future__ import annotations

from collections.abc import Sequence
from dataclasses import dataclass
from math import inf, nan, sqrt
from typing import NamedTuple, TypeAlias

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.special import stdtrit

from timefair.statistics.checks import check_confidence

Jobs: TypeAlias = "tuple[ArrayLike, ArrayLike]"
"""The jobs of the runs of the baseline and of the candidate."""

LEAST_RUNS = 6
"""Runs of each version below which no change is estimated."""

LEAST_JOBS = 4
"""Jobs of a version from which on the error is that of the jobs and not of the runs."""

HALF = 0.5
"""Successes counted for a version without any; its ERT is then at least as large as computed."""

DISCORDANT = 0.5
"""Pairs that are added in which only the one version, and in which only the other one succeeds."""


@dataclass(frozen=True)
class Change:
    """An estimate with Student's distribution around it.

    Attributes
    ----------
    estimate
        NaN if there are too few runs, or nothing to compare.
    error
        Standard error; 0 if all pairs of runs agree.
    freedom
        Degrees of freedom, positive; `inf` for the normal distribution.
    """

    estimate: float
    error: float
    freedom: float

    @property
    def known(self) -> bool:
        """Whether there is an estimate with a finite error."""
        return bool(np.isfinite(self.estimate) and np.isfinite(self.error))

    def interval(self, confidence: float) -> tuple[float, float]:
        """Confidence limits, NaN if the change is not known.

        Raises
        ------
        ValueError
            If `confidence` is outside (0, 1).
        """
        check_confidence(confidence)
        if not self.known:
            return nan, nan
        reach = float(stdtrit(min(self.freedom, 1e9), (1 + confidence) / 2)) * self.error
        return self.estimate - reach, self.estimate + reach

    def less(self, other: Change) -> Change:
        """This change minus another one that was estimated from other runs, such as a drift."""
        errors = (self.error, other.error)
        freedom = _freedom(errors, (self.freedom, other.freedom))
        return Change(self.estimate - other.estimate, sqrt(sum(e**2 for e in errors)), freedom)


UNKNOWN = Change(nan, nan, inf)
"""Nothing is known."""


def log_ratio(
    baseline: tuple[ArrayLike, ArrayLike],
    candidate: tuple[ArrayLike, ArrayLike],
    *,
    paired: bool,
    jobs: Jobs | None = None,
) -> Change:
    """Logarithm of the ratio of two costs, each of which is a ratio of two sums over runs.

    With cost and success of each run, the costs are ERTs. With seconds and evaluations, they are
    seconds per evaluation. The logarithm of the ratio of ERTs in seconds is the sum of that in
    evaluations and that of the seconds per evaluation.

    Parameters
    ----------
    baseline, candidate : tuple of array_like, shape (m,) and (n,)
        Terms of the numerator and of the denominator, one per run of the version; finite and not
        negative.
    paired : bool
        Whether run i of one version belongs to run i of the other, as with equal seeds.
    jobs : tuple of array_like of int, shape (m,) and (n,), optional
        Job that measured each run: runs with equal numbers belong to one job. For pairs, the jobs
        of the baseline are used.

    Returns
    -------
    Change
        Not known for fewer than `LEAST_RUNS` runs of a version, if a numerator is 0, or if both
        denominators are 0. If one denominator is 0, it is replaced by `HALF`.

    Raises
    ------
    ValueError
        If shapes differ.

    Notes
    -----
    The standard error is that of the delta method, as in `ert.ert_interval`. For pairs, it is the
    error of the differences, so the variation that both runs of a pair share has no effect. Runs of
    one job share its perturbations, such as a slow minute. With `LEAST_JOBS` jobs or more, the
    error is therefore computed from the sums over jobs (Liang and Zeger 1986), with the degrees of
    freedom of the jobs. Two versions without pairs have Welch's degrees of freedom.

    References
    ----------
    K.-Y. Liang and S. L. Zeger, Longitudinal data analysis using generalized linear models,
    Biometrika 73 (1986), for errors of correlated observations.

    Examples
    --------
    >>> reached = np.ones(6)
    >>> baseline = np.array([1.0, 2.0, 4.0, 8.0, 3.0, 6.0])
    >>> change = log_ratio((baseline, reached), (1.1 * baseline, reached), paired=True)
    >>> round(float(np.exp(change.estimate)), 3), round(change.error, 9)
    (1.1, 0.166666667)
    >>> round(log_ratio((baseline, reached), (1.1 * baseline, reached), paired=False).error, 2)
    0.38
    """
    (above, below), (above_candidate, below_candidate) = _arrays(baseline), _arrays(candidate)
    if paired and above.size != above_candidate.size:
        raise ValueError(f"pairs need as many runs, not {above.size} and {above_candidate.size}")
    if min(above.size, above_candidate.size) < LEAST_RUNS or not (
        below.any() or below_candidate.any()
    ):
        return UNKNOWN
    if not (above.any() and above_candidate.any()):
        return UNKNOWN
    one, other = _log_mean(above, below), _log_mean(above_candidate, below_candidate)
    estimate = other.value - one.value
    if paired:
        rare = _rare(below) + _rare(below_candidate)
        varied = _of_mean(other.influence - one.influence, jobs and jobs[0])
        return Change(estimate, sqrt(varied.variance + rare), varied.freedom)
    each = [
        _of_mean(version.influence, jobs and jobs[k], version.extra)
        for k, version in enumerate((one, other))
    ]
    return _independent(estimate, each)


def worse_probability(
    baseline: ArrayLike, candidate: ArrayLike, *, paired: bool, jobs: Jobs | None = None
) -> Change:
    """Probability that a run of the new version has the worse result, minus 0.5; ties count half.

    Parameters
    ----------
    baseline, candidate : array_like, shape (m,) and (n,)
        Results; smaller is better, `inf` allowed.
    paired, jobs
        As for `log_ratio`.

    Returns
    -------
    Change
        In [-0.5, 0.5]. Not known for fewer than `LEAST_RUNS` runs of a version.

    Notes
    -----
    The probability is 1 - A12. Its standard error is DeLong's, as in `comparison.a12`, after each
    sample got one value that is better and one that is worse than all others. For pairs, it is the
    error of the sums of the placements of both runs (DeLong's covariance).

    Examples
    --------
    >>> worse = worse_probability([1, 2, 3, 4, 5, 6], [2, 3, 4, 5, 6, 7], paired=False)
    >>> round(worse.estimate, 3)
    0.153
    """
    x, y = np.asarray(baseline, dtype=np.float64), np.asarray(candidate, dtype=np.float64)
    if paired and x.size != y.size:
        raise ValueError(f"pairs need as many runs, not {x.size} and {y.size}")
    if min(x.size, y.size) < LEAST_RUNS:
        return UNKNOWN
    places = stats.rankdata(np.concatenate([x, y]), method="dense").astype(np.float64)
    plain = _worse(places[: x.size], places[x.size :])
    ends = np.array([0.0, places.max() + 1])
    worse = _worse(np.append(places[: x.size], ends), np.append(places[x.size :], ends))
    of_candidate, of_baseline = worse.mean(axis=1), worse.mean(axis=0)
    estimate = float(plain.mean()) - 0.5
    if paired:
        varied = _of_mean(of_candidate + of_baseline, jobs and _and_ends(jobs[0]))
        return Change(estimate, sqrt(varied.variance), varied.freedom)
    each = [
        _of_mean(placed, jobs and _and_ends(jobs[k]))
        for k, placed in enumerate((of_baseline, of_candidate))
    ]
    return _independent(estimate, each)


def average(changes: Sequence[Change]) -> Change:
    """Average of the known changes. They were estimated from different runs.

    For logarithms of ratios, the average is the logarithm of the geometric mean. It applies to
    these functions, not to a population of functions.

    Returns
    -------
    Change
        Not known if no change is known.

    Examples
    --------
    >>> both = average([Change(0.1, 0.3, 9), Change(0.3, 0.4, 9), UNKNOWN])
    >>> round(both.estimate, 6), round(both.error, 6), round(both.freedom, 1)
    (0.2, 0.25, 16.7)
    """
    known = [change for change in changes if change.known]
    if not known:
        return UNKNOWN
    count = len(known)
    errors = [change.error / count for change in known]
    return Change(
        sum(change.estimate for change in known) / count,
        sqrt(sum(error**2 for error in errors)),
        _freedom(errors, [change.freedom for change in known]),
    )


def drift(changes: Sequence[Sequence[Change]]) -> Change:
    """Drift between two measurements, from algorithms that are unchanged in both.

    Parameters
    ----------
    changes
        For each algorithm, its change on each function.

    Returns
    -------
    Change
        Average over the algorithms. Its error is the error within the algorithms. With two or more
        algorithms, it is at least the error from their differences, because a drift that differs
        between algorithms is less certain.

    Examples
    --------
    >>> found = drift([[Change(0.1, 0.01, 99)], [Change(0.3, 0.01, 99)]])
    >>> round(found.estimate, 6), round(found.error, 6), found.freedom
    (0.2, 0.1, 1)
    """
    each = [change for change in map(average, changes) if change.known]
    within = average(each)
    if len(each) < 2:
        return within
    between = float(np.std([change.estimate for change in each], ddof=1)) / sqrt(len(each))
    if between <= within.error:
        return within
    return Change(within.estimate, between, len(each) - 1)


@dataclass(frozen=True)
class _LogMean:
    """Logarithm of a ratio of two sums, what each run adds to it, and variance besides."""

    value: float
    influence: NDArray[np.float64]
    extra: float


def _log_mean(above: NDArray[np.float64], below: NDArray[np.float64]) -> _LogMean:
    total, count = above.sum(), below.sum()
    if count:
        influence = above / above.mean() - below / below.mean()
        return _LogMean(float(np.log(total / count)), influence, 0.0)
    return _LogMean(float(np.log(total / HALF)), above / above.mean(), 1 / HALF)


def _rare(success: NDArray[np.float64]) -> float:
    """Variance from half a pair in which only this version succeeds; 0 if values are not successes.

    Such pairs may be so rare that there is none among the runs.
    """
    if not np.isin(success, (0.0, 1.0)).all():
        return 0.0
    return DISCORDANT / max(float(success.sum()), HALF) ** 2


class _Varied(NamedTuple):
    """Variance of a mean over runs, with its degrees of freedom."""

    variance: float
    freedom: float


def _of_mean(of_runs: NDArray[np.float64], jobs: ArrayLike | None, extra: float = 0.0) -> _Varied:
    """Of the mean of a number per run; the runs of one job vary together."""
    rest, count = of_runs - of_runs.mean(), of_runs.size
    places = np.arange(count) if jobs is None else np.unique(jobs, return_inverse=True)[1]
    if places.max() + 1 < LEAST_JOBS:
        places = np.arange(count)
    sums = np.bincount(places, weights=rest)
    variance = float((sums**2).sum()) * sums.size / (sums.size - 1) / count**2
    return _Varied(variance + extra, sums.size - 1)


def _and_ends(jobs: ArrayLike) -> NDArray[np.int64]:
    """The jobs, and one each for the two added values."""
    places = np.unique(jobs, return_inverse=True)[1].astype(np.int64)
    return np.append(places, places.max() + np.array([1, 2]))


def _independent(estimate: float, each: Sequence[_Varied]) -> Change:
    errors = [sqrt(varied.variance) for varied in each]
    freedom = _freedom(errors, [varied.freedom for varied in each])
    return Change(estimate, sqrt(sum(error**2 for error in errors)), freedom)


def _arrays(sums: tuple[ArrayLike, ArrayLike]) -> tuple[NDArray[np.float64], NDArray[np.float64]]:
    above, below = (np.asarray(values, dtype=np.float64) for values in sums)
    if above.ndim != 1 or above.shape != below.shape:
        shapes = f"{above.shape} and {below.shape}"
        raise ValueError(f"a version needs two vectors of one length, not {shapes}")
    return above, below


def _worse(baseline: NDArray[np.float64], candidate: NDArray[np.float64]) -> NDArray[np.float64]:
    """1 if the candidate's value of a row is worse than the baseline's of a column; ties: 0.5."""
    rows, columns = candidate[:, np.newaxis], baseline[np.newaxis, :]
    return np.asarray((rows > columns) + 0.5 * (rows == columns))


def _freedom(errors: Sequence[float], freedoms: Sequence[float]) -> float:
    """Degrees of freedom of the sum of independent estimates (Welch and Satterthwaite)."""
    total = sum(error**2 for error in errors)
    below = sum(error**4 / freedom for error, freedom in zip(errors, freedoms, strict=True))
    return total**2 / below if below > 0 else inf
