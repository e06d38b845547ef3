"""What the offline evaluation of stopping rules costs, beside scipy, on synthetic samples.

    python benchmarks/run_count.py [--samples 150] [--full]

One process, one thread, processor time, the same samples for all sides; timefair's side is called
once before it is timed. "Evaluation" is one (sample, setting): M = 1000 resamples by
scipy.stats.bootstrap (percentile), or the closed form here. The races are of 104 algorithms, judged
by a call of scipy.stats.mannwhitneyu a pair, and by all of a look at once. With --full the paper's
DE portfolio is evaluated at its size, 112,320 samples.

The samples are drawn from mixtures like results of optimizers: log-normal of all skewnesses, few
good runs among many bad ones, a pile-up at the precision where runs stop, near-normal values.
"""

from __future__ import annotations

import argparse
import resource
import time
from unittest import mock

import numpy as np
from scipy.stats import bootstrap, mannwhitneyu, skew

from timefair.extensions.reliability.tables import features
from timefair.statistics.run_count import stopping_rules as racing
from timefair.statistics.run_count.evaluation import evaluate, rule_proposal, verdicts
from timefair.statistics.run_count.stopping_rules import (
    Outliers,
    SkewnessRule,
    race,
    stop_counts,
)
from timefair.statistics.run_count.widths import BoundedMeanWidth, MeanWidth, QuantileWidth

RUNS, FULL = 50, 112_320
REPETITIONS = 5
RACES, FIELD = 10, 104
DESCRIBED = 10_000
RULES = [
    SkewnessRule(tau, technique)
    for technique in (Outliers.IQR, Outliers.PERCENTILE, Outliers.MAD)
    for tau in (0.05, 0.10, 0.15, 0.20)
]


def synthetic(samples: int, rng: np.random.Generator) -> np.ndarray:
    shape = (samples, RUNS)
    noise = rng.normal(size=shape)
    kinds = (
        np.exp(noise * rng.uniform(0.1, 2.5, size=(samples, 1))),
        np.where(rng.random(shape) < rng.uniform(0.02, 0.5, size=(samples, 1)), 10.0, 0.5)
        * np.exp(0.3 * noise),
        1e-8 * np.maximum(rng.beta(5, 1, size=shape), np.exp(2.0 * noise - 3.0)),
        10.0 + noise * rng.uniform(0.1, 3.0, size=(samples, 1)),
    )
    return np.choose(rng.integers(len(kinds), size=(samples, 1)), kinds)


def seconds(call, *arguments):
    start = time.process_time()
    result = call(*arguments)
    return time.process_time() - start, result


def kept(sample: np.ndarray, technique: Outliers) -> np.ndarray:
    """As one writes it with numpy."""
    if technique is Outliers.IQR:
        low, high = np.percentile(sample, [25, 75])
        reach = 1.5 * (high - low)
        return sample[(sample >= low - reach) & (sample <= high + reach)]
    if technique is Outliers.PERCENTILE:
        low, high = np.percentile(sample, [2.5, 97.5])
        return sample[(sample >= low) & (sample <= high)]
    distance = np.abs(sample - np.median(sample))
    spread = np.median(distance)
    if spread == 0:
        spread = np.mean(distance)
    return sample[0.6745 * distance <= 3.5 * spread]


def plain_rule(sample: np.ndarray, rule: SkewnessRule) -> int:
    for n in range(rule.start, rule.cap):
        some = kept(sample[:n], rule.outliers)
        if abs(skew(some - some.mean())) <= rule.tau:
            return n
    return rule.cap


def plain_rules(samples: np.ndarray) -> list[list[int]]:
    return [[plain_rule(sample, rule) for rule in RULES] for sample in samples]


def difference(x, y, axis):
    return x.mean(axis=axis) - y.mean(axis=axis)


def plain_verdicts(samples: np.ndarray, counts: np.ndarray, rng: np.random.Generator) -> None:
    """One sampling seed of all settings."""
    for sample, numbers in zip(samples, counts, strict=True):
        for n, rule in zip(numbers, RULES, strict=True):
            bootstrap(
                (kept(sample[:n], rule.outliers), kept(sample, rule.outliers)),
                difference, n_resamples=1000, method="percentile", vectorized=True, rng=rng,
            )  # fmt: skip


def repeated(call, *arguments):
    """Least of several times: this side is too quick to be timed once."""
    return min((seconds(call, *arguments) for _ in range(REPETITIONS)), key=lambda pair: pair[0])


def ratios(samples: np.ndarray, rng: np.random.Generator) -> None:
    """All sides on the same samples, because an n near the cap is dear for some of them only."""
    cases = len(samples) * len(RULES)
    outliers = [each.outliers for each in RULES]
    stops = rule_proposal(RULES, samples)
    verdicts(samples[:2], stops.n[:2], outliers)
    slow_rule, plain = seconds(plain_rules, samples)
    fast_rule, stops = repeated(rule_proposal, RULES, samples)
    different = int((stops.n != np.array(plain)).sum())
    slow, _ = seconds(plain_verdicts, samples, stops.n, rng)
    closed, _ = repeated(verdicts, samples, stops.n, outliers)
    print(
        f"{len(samples)} samples, mean n {stops.n.mean():.1f}, never stopped "
        f"{1 - stops.met.mean():.1%}; n that differ from scipy + numpy: {different} of {cases}"
    )
    print(f"{'':48}{'us each':>10}{'ratio':>8}")
    row("the rule, scipy + numpy", slow_rule / cases, slow_rule / cases)
    row("the rule, here", fast_rule / cases, slow_rule / cases)
    row("evaluation, scipy percentile", slow / cases, slow / cases)
    row("evaluation, closed form", closed / cases, slow / cases)


def row(name: str, each: float, reference: float) -> None:
    print(f"{name:48}{each * 1e6:10.3f}{reference / each:8.0f}")


def plain_p_worse(field: np.ndarray, leader: int) -> np.ndarray:
    """A call of scipy for each pair."""
    p = np.ones(len(field))
    for row, values in enumerate(field):
        both = np.unique(np.concatenate([values, field[leader]]))
        if row != leader and both.size > 1:
            method = "exact" if both.size == 2 * values.size else "asymptotic"
            found = mannwhitneyu(values, field[leader], alternative="greater", method=method)
            p[row] = found.pvalue
    return p


def raced(fields: list[np.ndarray]) -> np.ndarray:
    return np.array([race(list(field)).dropped_at for field in fields])


def races(rng: np.random.Generator) -> None:
    fields = [synthetic(FIELD, rng) for _ in range(RACES)]
    raced(fields[:1])
    fast, here = repeated(raced, fields)
    with mock.patch.object(racing, "p_worse", plain_p_worse):
        slow, plain = seconds(raced, fields)
    print(
        f"{RACES} races of {FIELD}; decisions that differ: {(here != plain).sum()} of {here.size}"
    )
    row("a race, scipy for each pair", slow / RACES, slow / RACES)
    row("a race, here", fast / RACES, slow / RACES)


def offline(rng: np.random.Generator) -> None:
    """What a sample costs in the tables on rules and reliability. The bounds are made to hold."""
    samples = synthetic(DESCRIBED, rng)
    highest = float(samples.max())
    rules = {
        "width of the median": QuantileWidth(0.5),
        "width of the mean": MeanWidth(0.5),
        "width of the mean, bounded": BoundedMeanWidth(0.5, 0.0, highest),
    }
    print(f"{DESCRIBED} samples, processor seconds:")
    print(f"features of 20 runs {seconds(features, samples[:, :20])[0]:.2f}")
    for name, rule in rules.items():
        print(f"{name} {seconds(stop_counts, rule, samples)[0]:.1f}")


def full_size(rng: np.random.Generator) -> None:
    samples = np.empty((FULL, RUNS))
    for first in range(0, FULL, 2000):
        part = samples[first : first + 2000]
        part[:] = synthetic(len(part), rng)
    before = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    rule_s, trial = seconds(rule_proposal, RULES, samples)
    print(f"\n{FULL} samples x {len(RULES)} settings, processor seconds:")
    print(f"the rule {rule_s:.1f}")
    outliers = [each.outliers for each in RULES]
    spent, found = seconds(evaluate, samples, trial, outliers)
    shares = found["accurate"][0] / found["samples"][0]
    print(f"closed form {spent:.1f}; accuracy {shares.min():.3f} to {shares.max():.3f}")
    after = resource.getrusage(resource.RUSAGE_SELF).ru_maxrss / 1024
    print(
        f"peak memory {after:.0f} MB, {after - before:.0f} MB more than before, of which "
        f"{trial.n.nbytes / 2**20:.0f} MB are the n; "
        f"the samples are {samples.nbytes / 2**20:.0f} MB"
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--samples", type=int, default=150)
    parser.add_argument("--full", action="store_true", help="also at the paper's size")
    options = parser.parse_args()
    rng = np.random.default_rng(1)
    ratios(synthetic(options.samples, rng), rng)
    races(np.random.default_rng(2))
    offline(np.random.default_rng(3))
    if options.full:
        full_size(rng)


if __name__ == "__main__":
    main()
