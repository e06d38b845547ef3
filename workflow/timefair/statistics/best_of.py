"""The best of several executions: the best result of k independent runs."""

from __future__ import annotations

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.quantiles import sample_quantile


def best_of_mean(
    values: ArrayLike, k: int, axis: int = -1, *, replacement: bool = False
) -> NDArray[np.float64]:
    """Expected best (smallest) of k results, estimated from R observed results.

    - `values`: One result per run; smaller is better. `inf` means that a run has no result.
    - `k`: Number of runs of which the best counts, at least 1.
    - `axis`: The axis of the runs.
    - `replacement`: If True, the k runs are drawn with replacement. This is the plug-in estimate,
      which is too high for small R. If False, the estimate is unbiased for every distribution of
      the results.

    Returns: The shape is that of `values` with `axis` removed; the unit is that of `values`. NaN if
    there are no runs. Without replacement, also NaN for ``k > R``, because R runs do not determine
    the best of more runs. `inf` if and only if a draw of k runs without any result is possible.
    Without replacement, this requires at least k runs without a result; with replacement, one such
    run suffices. Raises ValueError if a value is NaN or ``-inf``, or `k` is below 1.

    Without replacement, the estimate is the sum of x_(i) C(R - i, k - 1)/C(R, k) over the sorted
    results. This is the mean of the best result over all subsets of k runs. With replacement, the
    weights of x_(i) are ((R - i + 1)/R)^k - ((R - i)/R)^k. The weights are computed as a product of
    ratios, so thousands of runs cause neither overflow nor a loss of digits.

    Source: J. J. Lian, "Time-Fair Benchmarking for Metaheuristics", 2025, Definition 2, where the k
    runs are drawn from a sample. The unbiased estimate is a U-statistic: W. Hoeffding, Annals of
    Mathematical Statistics 19 (1948).
    """
    x = np.moveaxis(_results(values, k), axis, -1)
    runs = x.shape[-1]
    if runs == 0 or (k > runs and not replacement):
        return np.full(x.shape[:-1], np.nan)
    weights = _weights_with_replacement(runs, k) if replacement else _weights(runs, k)
    drawn = np.sort(x, axis=-1)[..., : np.count_nonzero(weights)]
    return np.asarray((drawn * weights[: drawn.shape[-1]]).sum(axis=-1))


def best_of_quantile(values: ArrayLike, p: float, k: int, axis: int = -1) -> NDArray[np.float64]:
    """The p-quantile of the best of k runs.

    - `values`: As for `best_of_mean`; ``-inf`` is allowed.
    - `p`: Probability in [0, 1].
    - `k`: Number of runs of which the best counts, at least 1.
    - `axis`: The axis of the runs.

    Returns: The sample quantile of single runs at ``1 - (1 - p)**(1/k)``. The shape is that of
    `values` with `axis` removed. NaN if there are no runs and for ``k > R``, as in `best_of_mean`.
    Raises ValueError if a value is NaN, `p` is outside [0, 1], or `k` is below 1.

    Source: The inverse of "Probability and Certainty in the Performance of Evolutionary and Swarm
    Optimization Algorithms", Mathematics 2022, 10(22), 4364, Table 1.
    """
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    if not 0.0 <= p <= 1.0:
        raise ValueError(f"p must lie in [0, 1], not {p}")
    x = np.asarray(values, dtype=np.float64)
    single = 1.0 if p == 1.0 else float(-np.expm1(np.log1p(-p) / k))
    quantile = sample_quantile(x, single, axis=axis)
    return np.full(quantile.shape, np.nan) if k > x.shape[axis] else quantile


def affordable_runs(budget: ArrayLike, tau: ArrayLike) -> NDArray[np.float64]:
    """Number of runs of length tau that fit into a budget T: ``floor(T/tau)``.

    - `budget`: The budget T, finite and not negative.
    - `tau`: Mean length of a single run, positive, in the unit of `budget`; NaN if it is unknown.

    Returns: Whole numbers as floats. A ratio that differs from a whole number only by rounding
    counts as that number. 0 if not even one run fits; NaN if `tau` is NaN. Raises ValueError if a
    budget is negative or not finite, or a `tau` is not positive.

    Source: J. J. Lian, "Time-Fair Benchmarking for Metaheuristics", 2025, Definition 2.
    """
    time = np.asarray(budget, dtype=np.float64)
    single = np.asarray(tau, dtype=np.float64)
    if not (np.isfinite(time) & (time >= 0)).all():
        raise ValueError("budget must be finite and not negative")
    if (single <= 0).any():
        raise ValueError("tau must be positive")
    # Both numbers and their ratio are rounded: a relative error of some 2**-52.
    return np.asarray(np.floor(time / single * (1.0 + 4 * np.finfo(np.float64).eps)))


def _weights(runs: int, k: int) -> NDArray[np.float64]:
    """C(R - i, k - 1)/C(R, k) for i = 1..R."""
    i = np.arange(1, runs)
    return np.cumprod(np.concatenate([[k / runs], np.maximum(runs - i - k + 1, 0) / (runs - i)]))


def _weights_with_replacement(runs: int, k: int) -> NDArray[np.float64]:
    above = (np.arange(runs, -1, -1) / runs) ** k
    return np.asarray(-np.diff(above))


def _results(values: ArrayLike, k: int) -> NDArray[np.float64]:
    x = np.asarray(values, dtype=np.float64)
    if k < 1:
        raise ValueError(f"k must be at least 1, not {k}")
    if np.isnan(x).any() or np.isneginf(x).any():
        raise ValueError("values must be numbers or inf, not NaN or -inf")
    return x
