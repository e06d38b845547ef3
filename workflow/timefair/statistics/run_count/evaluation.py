"""Evaluation of numbers of runs on complete samples, as in the paper, and controls."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Sequence
from dataclasses import dataclass
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray

from timefair.statistics.run_count.outliers import Outliers
from timefair.statistics.run_count.savings import Savings, savings
from timefair.statistics.run_count.skewness import SkewnessRule, skewness_counts
from timefair.statistics.run_count.stopping import StopCounts
from timefair.statistics.run_count.verdicts import Judge, analytic_verdicts

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
    - `progress`: Called with (samples done, samples) after each block.

    Returns: One setting per rule. Raises ValueError if `samples` is not a matrix, is narrower than
    a cap, or has NaN or ``-inf``.
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
    - `rng`: Source of the permutations, one per setting.

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

    def pooled(self) -> Evaluation:
        """The sum of all groups, as one group."""
        return Evaluation(
            self.cap,
            *(
                sums.sum(axis=0, keepdims=True)
                for sums in (
                    self.samples, self.runs, self.stopped,
                    self.accurate, self.accurate_stopped, self.within,
                )
            ),
        )  # fmt: skip

    @property
    def accuracy(self) -> NDArray[np.float64]:
        """Share of samples with an accurate estimate, (groups, settings); the column "true"."""
        return _share(self.accurate, self.samples[:, np.newaxis])

    @property
    def accuracy_within(self) -> NDArray[np.float64]:
        """The same if errors within each band are allowed, (groups, settings, bands)."""
        return _share(self.within, self.samples[:, np.newaxis, np.newaxis])

    @property
    def never_stopped(self) -> NDArray[np.float64]:
        """Share of samples that ended only at the cap, (groups, settings)."""
        return 1.0 - _share(self.stopped, self.samples[:, np.newaxis])

    @property
    def accuracy_stopped(self) -> NDArray[np.float64]:
        """Accuracy among the samples that stopped, (groups, settings); NaN if none stopped."""
        return _share(self.accurate_stopped, self.stopped)

    @property
    def savings(self) -> Savings:
        """Table 2, arrays of shape (groups, settings)."""
        total = np.broadcast_to(self.cap * self.samples[:, np.newaxis], self.runs.shape)
        return savings(total, self.runs, 100.0 * self.accuracy)


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
    - `progress`: Called with (samples done, samples) after each block.

    Returns: One row per group; a group without samples has NaN shares. Raises ValueError if shapes
    do not fit or a value is NaN or ``-inf``.

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


def _share(part: NDArray[Any], whole: NDArray[Any]) -> NDArray[np.float64]:
    share = np.full(part.shape, np.nan)
    np.divide(part, whole, out=share, where=np.broadcast_to(whole > 0, part.shape))
    return share
