"""A classifier of estimates: the probability that the first n runs estimate a quantile well enough.

It is trained on complete samples, whose estimates can be judged by independent runs, and then used
as a stopping rule on others.
"""

from __future__ import annotations

from collections.abc import Mapping, Sequence
from dataclasses import dataclass, field

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import bdtrc

from timefair.statistics.classifier.features import FEATURES, features
from timefair.statistics.classifier.reliability import ReliabilityModel, fit_reliability
from timefair.statistics.quantiles import quantile_rank, sample_quantile
from timefair.statistics.run_count.stopping import Assessment, checked_values
from timefair.statistics.run_count.widths import is_kept_promise

SHAPE = (*FEATURES, "resampled_log_odds")
"""Names of the features of `shape`."""

THRESHOLDS = tuple(np.round(np.arange(0.5, 0.996, 0.005), 3).tolist())
"""Probabilities that are tried as the one at which the rule stops."""


@dataclass(frozen=True)
class Question:
    """What a classifier predicts, and for which numbers of runs.

    - `p`: Probability of the quantile that is estimated; 0.5 is the median.
    - `width`: An estimate is accurate if the truth is within this distance, as a share of the
      estimate.
    - `start`, `cap`: Smallest and largest number of runs of an estimate.
    """

    p: float = 0.5
    width: float = 0.5
    start: int = 10
    cap: int = 50

    @property
    def looks(self) -> range:
        """The numbers of runs."""
        return range(self.start, self.cap + 1)


def shape(samples: ArrayLike, question: Question) -> NDArray[np.float64]:
    """Features of the shape of samples of n runs.

    They are those of `features.features`, and ``resampled_log_odds``: the logarithm of the odds
    that the quantile of n values drawn from the sample with replacement is within the width of the
    sample quantile.

    - `samples`, shape (samples, n): Values in the order of the runs; `inf` for a run without a
      finite value.
    - `question`: The quantile and the width.

    Returns, shape (samples, features): In the order of `SHAPE`; finite. Raises ValueError if
    `samples` is not a matrix, or a value is NaN or ``-inf``.
    """
    values = checked_values(samples, dimensions=2)
    n = values.shape[1]
    described = features(values, np.full(len(values), n))
    return np.column_stack([described, _resampled_log_odds(values, question)])


def _resampled_log_odds(values: NDArray[np.float64], question: Question) -> NDArray[np.float64]:
    """Log-odds that a resampled quantile is within the width, shape (samples, n) to (samples,).

    The quantile of rank r is below a limit if at least r of the n draws are. Half a value is added
    to each count of values beyond a limit, so that no event is impossible.
    """
    n = values.shape[1]
    rank = quantile_rank(n, question.p)
    estimate = sample_quantile(values, question.p)[:, np.newaxis]
    safe = np.where(np.isfinite(estimate), estimate, 0.0)
    reach = question.width * np.abs(safe)
    above = np.where(np.isfinite(estimate), values > safe + reach, False).sum(axis=1)
    below = np.where(np.isfinite(estimate), values < safe - reach, np.isfinite(values)).sum(axis=1)
    miss = bdtrc(rank - 1, n, (below + 0.5) / (n + 1.0))
    miss += bdtrc(n - rank, n, (above + 0.5) / (n + 1.0))
    miss = np.clip(miss, 1e-12, 1.0 - 1e-12)
    return np.asarray(np.log(1.0 - miss) - np.log(miss))


@dataclass(frozen=True)
class Cases:
    """Complete samples with what is known of their cells, to train and to judge classifiers.

    - `values`: Shape (samples, runs): the first runs of each sample, in their order, at least the
      cap.
    - `truth`: Shape (samples,): the quantile of independent runs.
    - `known`: Shape (samples, columns): features of the problem and of the algorithm; NaN where a
      sample does not have one. May have no columns.
    - `names`: Names of those columns.
    """

    values: NDArray[np.float64]
    truth: NDArray[np.float64]
    known: NDArray[np.float64]
    names: tuple[str, ...] = ()

    def taken(self, rows: NDArray[np.intp] | NDArray[np.bool_]) -> Cases:
        """Some of the samples."""
        return Cases(self.values[rows], self.truth[rows], self.known[rows], self.names)

    def accurate(self, question: Question) -> NDArray[np.bool_]:
        """Whether the estimate of each number of runs is accurate, shape (samples, looks)."""
        found = [
            is_kept_promise(
                sample_quantile(self.values[:, :n], question.p), self.truth, question.width
            )
            for n in question.looks
        ]
        return np.stack(found, axis=1)


@dataclass(frozen=True)
class Stops:
    """What happens if a rule stops at the first look with at least a threshold of probability.

    Arrays of shape (thresholds,), from samples of groups that the model had not seen.

    - `threshold`: Rising.
    - `stopped`: Share of the samples that stop before or at the cap.
    - `kept`: Share of these whose estimate is accurate. One half is added to the accurate and to
      the inaccurate ones, so that a few samples cannot show a share near 1.
    - `runs`: Mean number of runs of all samples.
    """

    threshold: NDArray[np.float64]
    stopped: NDArray[np.float64]
    kept: NDArray[np.float64]
    runs: NDArray[np.float64]

    def threshold_for(self, probability: float) -> float | None:
        """The smallest threshold from which on at least this share of estimates is accurate.

        None if no threshold keeps that share.
        """
        below = np.flatnonzero((self.kept < probability) & (self.stopped > 0.0))
        first = below[-1] + 1 if below.size else 0
        if first == self.threshold.size or self.stopped[first] == 0.0:
            return None
        return float(self.threshold[first])

    @property
    def most(self) -> float:
        """The largest probability that has a threshold; 0 if no sample stops."""
        kept = np.where(self.stopped > 0.0, self.kept, 1.0)
        from_here_on = np.minimum.accumulate(kept[::-1])[::-1]
        return float(from_here_on[self.stopped > 0.0].max(initial=0.0))


@dataclass(frozen=True)
class Classifier:
    """A trained model of the probability that an estimate is accurate.

    - `question`: Prediction task of the classifier.
    - `names`: Names of the known features, which follow those of the shape.
    - `model`: The logistic model of the features of the shape and the known features.
    - `stops`: Results of the thresholds, from samples of groups that were held out.
    """

    question: Question
    names: tuple[str, ...]
    model: ReliabilityModel
    stops: Stops

    def probability(
        self, samples: ArrayLike, known: Mapping[str, float] | None = None
    ) -> NDArray[np.float64]:
        """Probability that the estimate of each sample is accurate, (samples, n) to (samples,).

        - `samples`, shape (samples, n): Samples of one algorithm on one problem.
        - `known`: Known features of the algorithm and of the problem, by name. A missing number
          counts as average.
        """
        table = shape(samples, self.question)
        row = np.array([(known or {}).get(name, _missing(name)) for name in self.names])
        return _probability(self.model, table, np.broadcast_to(row, (len(table), row.size)))


def train(
    cases: Cases, groups: ArrayLike, question: Question, *, penalty: float = 1.0
) -> Classifier:
    """Fit a classifier to complete samples, and find what its thresholds keep.

    - `cases`: The samples.
    - `groups`, shape (samples,): Group of each sample, such as its function. To find what a
      threshold keeps, each group is held out once. At least two groups.
    - `question`: Prediction task of the classifier. Every number of runs of every sample is a case.
    - `penalty`: As for `reliability.fit_reliability`.

    Returns: Fitted to all samples. Raises ValueError if a sample has fewer runs than the cap, or
    there are fewer than two groups.
    """
    tables, accurate = described(cases, question), cases.accurate(question)
    stated = held_out(tables, cases.known, accurate, groups, penalty=penalty)
    model = _fitted(tables, cases.known, accurate, penalty)
    return Classifier(question, cases.names, model, stops(stated, accurate, question))


def described(cases: Cases, question: Question) -> NDArray[np.float64]:
    """The shape of each sample at each number of runs, (samples, looks, features)."""
    if cases.values.shape[1] < question.cap:
        raise ValueError(
            f"samples must have at least {question.cap} runs, not {cases.values.shape[1]}"
        )
    return np.stack([shape(cases.values[:, :n], question) for n in question.looks], axis=1)


def held_out(
    tables: NDArray[np.float64],
    known: NDArray[np.float64],
    accurate: NDArray[np.bool_],
    groups: ArrayLike,
    *,
    penalty: float = 1.0,
) -> NDArray[np.float64]:
    """Probabilities from models that have not seen the group of the sample.

    - `tables`, shape (samples, looks, features): From `described`.
    - `known`, shape (samples, columns): Known features; NaN where a sample does not have one.
    - `accurate`, shape (samples, looks): Whether the estimates are accurate.
    - `groups`, shape (samples,): Each group is held out once; at least two.

    Returns: shape (samples, looks)
    """
    labels = np.asarray(groups)
    names = np.unique(labels)
    if labels.shape != tables.shape[:1] or names.size < 2:
        raise ValueError("groups must have a label for each sample, and at least two groups")
    stated = np.empty(accurate.shape)
    for name in names:
        held = labels == name
        model = _fitted(tables[~held], known[~held], accurate[~held], penalty)
        for look in range(accurate.shape[1]):
            stated[held, look] = _probability(model, tables[held, look], known[held])
    return stated


def base_rates(accurate: NDArray[np.bool_], groups: ArrayLike) -> NDArray[np.float64]:
    """Share of accurate estimates at each look in the groups of the others, (samples, looks)."""
    labels = np.asarray(groups)
    rates = np.empty(accurate.shape)
    for name in np.unique(labels):
        held = labels == name
        rates[held] = accurate[~held].mean(axis=0)
    return rates


def stops(stated: NDArray[np.float64], accurate: NDArray[np.bool_], question: Question) -> Stops:
    """What each threshold keeps, from probabilities and outcomes of shape (samples, looks)."""
    found = [stop_at(stated, threshold, question) for threshold in THRESHOLDS]
    kept, stopped, runs = [], [], []
    for n, met in found:
        right = accurate[np.arange(len(n)), n - question.start]
        stopped.append(met.mean())
        kept.append((right[met].sum() + 0.5) / (met.sum() + 1.0))
        runs.append(n.mean())
    return Stops(np.array(THRESHOLDS), np.array(stopped), np.array(kept), np.array(runs))


def stop_at(
    stated: NDArray[np.float64], threshold: float, question: Question
) -> tuple[NDArray[np.int64], NDArray[np.bool_]]:
    """The number of runs of each sample, and whether it stopped with at least the threshold."""
    enough = stated >= threshold
    met = np.asarray(enough.any(axis=1))
    return np.where(met, question.start + enough.argmax(axis=1), question.cap), met


def _fitted(
    tables: NDArray[np.float64],
    known: NDArray[np.float64],
    accurate: NDArray[np.bool_],
    penalty: float,
) -> ReliabilityModel:
    looks = tables.shape[1]
    filled = np.repeat(_filled(known, _means(known)), looks, axis=0)
    flat = tables.reshape(-1, tables.shape[2])
    return fit_reliability(np.hstack([flat, filled]), accurate.ravel(), penalty=penalty * looks)


def _probability(
    model: ReliabilityModel, table: NDArray[np.float64], known: NDArray[np.float64]
) -> NDArray[np.float64]:
    means = np.asarray(model.centre[table.shape[1] :])
    return model.probability(np.hstack([table, _filled(known, means)]))


def _means(known: NDArray[np.float64]) -> NDArray[np.float64]:
    """Mean of each column without NaN; 0 for a column without a number."""
    there = np.isfinite(known)
    return np.asarray(np.where(there, known, 0.0).sum(axis=0) / np.maximum(there.sum(axis=0), 1))


def _filled(known: NDArray[np.float64], means: NDArray[np.float64]) -> NDArray[np.float64]:
    return np.asarray(np.where(np.isfinite(known), known, means))


def parameter_features(use: str, parameters: Mapping[str, object]) -> dict[str, float]:
    """Features of an algorithm: what it is, and its parameters.

    A number x gives ``name`` with ``sign(x) log10(1 + |x|)``; a word or a truth value gives
    ``name=value`` with 1, as does ``use``. Other values give nothing.

    - `use`: Name of the algorithm, such as ``timefair:DE``; "" if it is unknown.
    - `parameters`: Parameters that differ from its defaults.
    """
    found = {f"use={use}": 1.0} if use else {}
    for name, value in parameters.items():
        if isinstance(value, bool | str):
            found[f"{name}={value}"] = 1.0
        elif isinstance(value, int | float) and np.isfinite(value):
            found[name] = float(np.sign(value) * np.log10(1.0 + abs(value)))
    return found


def known_table(rows: Sequence[Mapping[str, float]]) -> tuple[NDArray[np.float64], tuple[str, ...]]:
    """Known features of samples as a table, and the names of its columns, sorted.

    A missing number is NaN. A missing word (``name=value``) is 0: the sample has another one.
    """
    names = tuple(sorted({name for row in rows for name in row}))
    table = [[row.get(name, _missing(name)) for name in names] for row in rows]
    return np.array(table, dtype=np.float64).reshape(len(rows), len(names)), names


def _missing(name: str) -> float:
    return 0.0 if "=" in name else np.nan


@dataclass(frozen=True)
class ClassifierRule:
    """Stop when the classifier is sure enough that the estimate is accurate.

    - `classifier`: The trained classifier.
    - `threshold`: Probability at which the rule stops; from `Stops.threshold_for`.
    - `known`: Features of the problem and of the algorithm, by name.
    - `start`, `cap`: First and last number of runs, within those of the classifier.

    The share of accurate estimates where the rule stops is not the threshold. Most samples stop at
    a probability above the threshold. This probability is too high on average, because it selects
    the n. `Stops` therefore has the share for each threshold, from groups that the model had not
    seen.
    """

    classifier: Classifier
    threshold: float
    known: Mapping[str, float] = field(default_factory=dict)
    start: int = 10
    cap: int = 50

    def look(self, samples: NDArray[np.float64]) -> Assessment:
        """Probability that the estimate is accurate."""
        flat = samples.reshape(-1, samples.shape[-1])
        value = self.classifier.probability(flat, self.known).reshape(samples.shape[:-1])
        met = value >= self.threshold
        constant = samples.min(axis=-1) == samples.max(axis=-1)
        return Assessment(value, met, constant & met)
