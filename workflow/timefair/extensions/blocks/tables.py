"""Ratios of expected running times of algorithms that ran in the same blocks."""

from __future__ import annotations

from collections.abc import Sequence
from typing import Any

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy import stats

from timefair.exhibits import questions
from timefair.exhibits.columns import PAIR, column_names
from timefair.exhibits.exhibit import Made, exhibit
from timefair.exhibits.layout import Layout, Points
from timefair.records.rundata.problems import Spent, in_words, listed_by_precision, problems
from timefair.records.rundata.runs import BLOCK, EVERY_MACHINE, UNNAMED, Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.samples import Floats, sample_quantile, stratified_sums
from timefair.statistics.two_samples import mean_ratio

LEAST_BLOCKS = 2  # smallest number of blocks of a stratum for which there is an interval


def resampled_ratios(
    first: ArrayLike, second: ArrayLike, *, resamples: int, rng: np.random.Generator
) -> Floats:
    """Ratios of the ERTs of two algorithms in samples of blocks, shape (resamples,), from the cost
    of the runs in each block and the number of successes, shape (blocks, 2). A block has runs of
    both algorithms, which share the node and the time, so a sample contains all of them or none.

    0 or `inf` if only one algorithm reached the target in a sample, NaN if neither did. All are NaN
    with fewer than `LEAST_BLOCKS` blocks.
    """
    columns = np.hstack([np.asarray(first, dtype=np.float64), np.asarray(second, dtype=np.float64)])
    if len(columns) < LEAST_BLOCKS:
        return np.full(resamples, np.nan)
    one_stratum = np.zeros(len(columns))
    a, a_reached, b, b_reached = stratified_sums(
        columns, one_stratum, resamples=resamples, rng=rng
    ).T
    with np.errstate(divide="ignore", invalid="ignore"):
        return np.asarray((a * b_reached) / (b * a_reached))


def mean_ratios(ratios: Sequence[Floats], weights: ArrayLike) -> Floats:
    """Geometric mean over strata of each sample's ratios, shape (resamples,)."""
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(np.stack(ratios))
        return np.asarray(np.exp(np.average(logs, axis=0, weights=np.asarray(weights))))


def ratio_limits(
    estimate: float, ratios: Floats, degrees: int, confidence: float
) -> tuple[float, float]:
    """Interval of a ratio from its samples; `degrees`: the number of blocks minus that of strata.

    Limits of a t interval of the logarithm, with the standard deviation over the samples. If a
    ratio is 0, `inf` or NaN, limits of a percentile interval with the tails of the t distribution
    (expanded percentiles, Hesterberg 2015); NaN then counts as 0 for the lower limit, and as `inf`
    for the upper one. Both are NaN if all ratios are NaN, or if `degrees` is below 1.

    Source: T. C. Hesterberg, What teachers should know about the bootstrap, The American
    Statistician 69 (2015).
    """
    unknown = np.isnan(ratios)
    if unknown.all() or degrees < 1:
        return float("nan"), float("nan")
    t = float(stats.t.ppf((1 + confidence) / 2, degrees))
    if np.isfinite(ratios).all() and (ratios > 0).all():
        radius = t * float(np.std(np.log(ratios), ddof=1))
        return estimate * float(np.exp(-radius)), estimate * float(np.exp(radius))
    tail = float(stats.norm.sf(t))
    low = sample_quantile(np.where(unknown, 0.0, ratios), tail)
    high = sample_quantile(np.where(unknown, np.inf, ratios), 1 - tail)
    return float(low), float(high)


@exhibit(
    question=questions.TARGET,
    layouts=Layout(
        rows=("function", *column_names(PAIR), "machine"),
        columns="target",
        points=(Points("target", 3),),
    ),
    comparing=True,
)
def ert_ratios(runs: Runs, analysis: Analysis) -> Made:
    """Ratios of expected running times

    Ratio of the expected running times (ERT) of each pair of algorithms to each target, in
    {seconds}; below 1 if the first is faster. If blocks mix several kinds of machines, the ratio is
    computed on each kind, and `{EVERY_MACHINE}` is the geometric mean of these ratios. The seconds
    of a row are those of one kind of machine. Intervals are from a bootstrap of whole blocks. For
    more than 12 algorithms, only pairs with the best one are listed; `statistics.pairs` selects
    other pairs.

    PROBLEM, TARGET, PAIR
    machine (text): kind of machine; `{UNNAMED}` without blocks, and `{EVERY_MACHINE}` for the mean
        over the kinds
    n_a: runs of `algorithm_a` there
    n_b: runs of `algorithm_b` there
    ert_a_s [{SECONDS}]: ERT of `algorithm_a` there in seconds; `inf` if no run reached the target,
        empty for `{EVERY_MACHINE}`
    ert_b_s [{SECONDS}]: the same for `algorithm_b`
    ratio <Ratio; .2 limits>: `ert_a_s` divided by `ert_b_s`: below 1 if `algorithm_a` is faster;
        for `{EVERY_MACHINE}`, the geometric mean over the kinds of machines, weighted by their
        runs. Empty if neither algorithm reached the target
    ratio_low: lower limit of the interval of `ratio`, from a bootstrap of whole blocks; empty
        without blocks, with one block of a kind, or if no sample has a ratio
    ratio_high: its upper limit
    """
    targets = analysis.targets_from_easy
    spent = Spent.until(runs.runtimes("seconds", targets), runs.spent("seconds"))
    machine = runs.frame["machine"].to_numpy(dtype=object)
    block = _blocks(runs)
    listed_in = listed_by_precision(runs, analysis)
    rows: list[dict[str, Any]] = []
    for problem in problems(runs):
        members = problem.samples(np.arange(len(runs.frame)))
        here = {
            (name, kind): mine[machine[mine] == kind]
            for name, mine in members.items()
            for kind in set(machine[mine])
        }
        erts = {names: spent.of(mine).ert for names, mine in here.items()}
        for a, b in listed_in[problem.space].pairs(list(members)):
            kinds = sorted(kind for name, kind in erts if name == a and (b, kind) in erts)
            sums = [_in_blocks(spent, block, here[a, kind], here[b, kind]) for kind in kinds]
            sizes = np.array([[here[name, kind].size for name in (a, b)] for kind in kinds])
            weights, degrees = sizes.sum(axis=-1), [of_kind.shape[1] - 1 for of_kind in sums]
            for place, target in enumerate(targets):
                names = {**problem.names, "target": target}
                names |= dict(zip(column_names(PAIR), (a, b), strict=True))
                rng = analysis.stream(names)
                found = []
                for kind, n, of_kind, free in zip(kinds, sizes, sums, degrees, strict=True):
                    seconds = erts[a, kind][place], erts[b, kind][place]
                    drawn = resampled_ratios(
                        *of_kind[..., place], resamples=analysis.resamples, rng=rng
                    )
                    found.append((kind or UNNAMED, n, seconds, _ratio(*seconds), drawn, free))
                if len(kinds) > 1:
                    *_, ratios, samples, _ = zip(*found, strict=True)
                    mean, every = mean_ratio(ratios, weights), mean_ratios(samples, weights)
                    unknown = np.nan, np.nan
                    of_all = EVERY_MACHINE, sizes.sum(axis=0), unknown, mean, every, sum(degrees)
                    found.append(of_all)
                for kind, (n_a, n_b), (ert_a_s, ert_b_s), ratio, drawn, free in found:
                    low, high = ratio_limits(ratio, drawn, free, analysis.confidence)
                    row = {**names, "machine": kind, "n_a": n_a, "n_b": n_b, "ratio": ratio}
                    row |= {"ert_a_s": ert_a_s, "ert_b_s": ert_b_s}
                    rows.append(row | {"ratio_low": low, "ratio_high": high})
    return rows, {"pairs": in_words(listed_in)}


def _ratio(first: float, second: float) -> float:
    with np.errstate(divide="ignore", invalid="ignore"):
        return 1.0 if first == second == 0 else float(np.divide(first, second))


def _blocks(runs: Runs) -> NDArray[np.intp]:
    """The block of each run, shape (runs,); runs without blocks share one, never resampled."""
    alone = runs.frame["machine"] == ""
    block = runs.frame.groupby(BLOCK, observed=True, dropna=False).ngroup()
    return np.asarray(block.where(block.notna() & ~alone, -1), dtype=np.intp)


def _in_blocks(spent: Spent, block: NDArray[np.intp], *pair: NDArray[np.intp]) -> Floats:
    """Cost of the runs of a pair in each block in which either has a run, and the number of them
    that reached each target, shape (algorithms, blocks, 2, targets).
    """
    blocks, place = np.unique(block[np.concatenate(pair)], return_inverse=True)
    sums = np.zeros((len(pair), blocks.size, 2, spent.cost.shape[1]))
    of_each = np.split(place, [pair[0].size])
    for of_algorithm, mine, here in zip(sums, pair, of_each, strict=True):
        np.add.at(of_algorithm, here, np.stack([spent.cost[mine], spent.success[mine]], axis=1))
    return sums
