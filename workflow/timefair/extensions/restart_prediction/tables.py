"""Whether launches of another length would have been faster: on each function, and over all."""

from __future__ import annotations

from collections.abc import Iterator, Sequence
from typing import Any, Final, NamedTuple

import numpy as np
from numpy.typing import ArrayLike, NDArray
from scipy.special import stdtrit

from timefair.basics.words import number
from timefair.exhibits.charts.chart import Picture, leaders
from timefair.exhibits.exhibit import Figure, Made, exhibit
from timefair.exhibits.layout import Layout
from timefair.exhibits.questions import Question
from timefair.records.rundata.problems import BUDGETS, KEYS, Spent, cut_off
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.report.evidence import Evidence, Space
from timefair.statistics.samples import Floats, check_confidence

LEAST_FAILURE = 1e-6
"""Least mean cost of a failure, as a share of its cutoff: what is less is rounding."""


class Launches(NamedTuple):
    """Launches of one algorithm on one function; arrays of shape (launches,).
    - `hit`: Cost of each up to the target, from its own start; `inf` if it did not reach it.
    - `length`, `ended`: Cost up to which each was observed, above 0 and finite, at least `hit`;
      whether it ended by itself there, or was cut.
    - `run`: Run of each, counted from 0.
    """

    hit: Floats
    length: Floats
    ended: NDArray[np.bool_]
    run: NDArray[np.intp]

    @property
    def known_until(self) -> float:
        """The longest cutoff observed: `inf` if the longest one ended by itself."""
        longest = self.length.max(initial=0.0)
        return float(np.inf if longest and self.ended[self.length == longest].all() else longest)


class Predicted(NamedTuple):
    """Runs whose launches end at each cutoff: expected cost up to the target or the end of the
    budget, and probability to reach the target, both of shape (samples, cutoffs).
    """

    cost: Floats
    success: Floats

    @property
    def ert(self) -> Floats:
        never = np.where(np.isnan(self.success), np.nan, np.inf)
        return np.asarray(np.divide(self.cost, self.success, out=never, where=self.success > 0))


def predicted(
    launches: Launches, strata: ArrayLike, weights: ArrayLike, cutoffs: ArrayLike, budget: float
) -> Predicted:
    """Predict runs of a budget whose launches end at each of some cutoffs, for samples of runs.
    - `strata`, shape (runs,): The instance of each run.
    - `weights`, shape (samples, runs): How often each run is in each sample.
    - `cutoffs`: Rising, positive, and at most `Launches.known_until`.

    A run has so many launches as their failures fit into the budget, at least one: with the chance
    p and the cost c of a launch, k of them succeed with P = 1 - (1 - p)^k and cost c P / p. The
    costs and successes of strata are averaged by their numbers of runs. NaN for strata without a
    launch.

    Source: M. Luby, A. Sinclair and D. Zuckerman, Optimal speedup of Las Vegas algorithms,
    Information Processing Letters 47 (1993).
    """
    at = np.asarray(cutoffs, dtype=np.float64)
    _, stratum, runs = np.unique(np.asarray(strata), return_inverse=True, return_counts=True)
    number, *sums = _run_sums(launches, at, stratum.size)
    chance, cost, failure = _law(number, sums, stratum, np.asarray(weights, np.float64))
    count = np.maximum(budget / failure, 1.0)
    success = 1.0 - (1.0 - chance) ** count
    cost = cost * np.divide(success, chance, out=count.copy(), where=chance > 0)
    if cost.shape[1] > 1:
        share = (runs / runs.sum())[:, np.newaxis]
        return Predicted((cost * share).sum(axis=1), (success * share).sum(axis=1))
    return Predicted(cost[:, 0], success[:, 0])


def _run_sums(launches: Launches, at: Floats, runs: int) -> tuple[Floats, Floats, Floats, Floats]:
    """Sums over the launches of each run: their number, shape (runs,), and at each cutoff, shape
    (runs, cutoffs), those that reach the target, their cost up to it, and the cost of all launches
    up to the target, the cutoff or their own end; weighted for censoring.

    Launches that were cut are weighted by Kaplan and Meier's estimate. Source: J. M. Robins and
    A. Rotnitzky, Recovery of information and adjustment for dependent censoring using surrogate
    markers, 1992.
    """
    times, weights, integrals = _weighting(launches)

    def integral(cost: Floats) -> Floats:
        place = times.searchsorted(cost, side="right") - 1
        return np.asarray(integrals[place] + (cost - times[place]) * weights[place])

    used = np.minimum(launches.hit, launches.length)
    before = weights[np.maximum(times.searchsorted(used) - 1, 0)]
    weight = np.where(np.isfinite(launches.hit), before, 0.0)
    shape = (runs, at.size + 1)
    cells = np.ravel_multi_index((launches.run, np.searchsorted(at, used)), shape)

    def until(values: Floats) -> Floats:
        added = np.bincount(cells, values, minlength=runs * (at.size + 1)).reshape(shape)
        return np.cumsum(added, axis=1)

    within = until(np.ones(used.shape))
    longer = within[:, -1:] - within[:, :-1]
    cost = until(integral(used))[:, :-1] + longer * integral(at)
    return within[:, -1], until(weight)[:, :-1], until(weight * used)[:, :-1], cost


def _weighting(launches: Launches) -> tuple[Floats, Floats, Floats]:
    """The inverse of the probability that a launch is not cut, a step function of its length: where
    each step begins, its height, and the integral up to there.
    """
    cut, cuts = np.unique(launches.length[~launches.ended], return_counts=True)
    every, ends = np.sort(launches.length), np.sort(launches.length[launches.ended])
    ended = ends.searchsorted(cut, side="right") - ends.searchsorted(cut)
    kept = 1.0 - cuts / (every.size - every.searchsorted(cut) - ended)
    if kept.size and kept[-1] <= 0:
        cut, kept = cut[:-1], kept[:-1]
    times = np.concatenate([[0.0], cut])
    weights = np.concatenate([[1.0], 1.0 / np.cumprod(kept)])
    steps = np.concatenate([[0.0], np.diff(times) * weights[:-1]])
    return times, weights, np.cumsum(steps)


def _law(
    number: Floats, sums: Sequence[Floats], stratum: NDArray[np.intp], weights: Floats
) -> tuple[Floats, Floats, Floats]:
    """A launch that ends at each cutoff, shape (samples, strata, cutoffs): its chance of success,
    its expected cost, and its expected cost if it does not succeed; from `_run_sums`.

    Strata are pooled in proportion to their similarity, the intraclass correlation of successes.
    Source: M. S. Ridout, C. G. B. Demétrio and D. Firth, Estimating intraclass correlation for
    binary data, Biometrics 55 (1999).
    """
    own = _correlation(number, sums[0], stratum)
    members = np.eye(stratum.max(initial=-1) + 1)[stratum]
    in_strata = weights[:, np.newaxis, :] * members.T
    totals = np.stack([in_strata @ one for one in sums])
    launches = (in_strata @ number)[..., np.newaxis]
    with np.errstate(divide="ignore", invalid="ignore"):
        share = launches * own / (launches * own + 1.0 - own)
        every = totals.sum(axis=2, keepdims=True) / launches.sum(axis=1, keepdims=True)
        mean = np.where(share > 0, share * (totals / launches) + (1.0 - share) * every, every)
        chance, hit_cost, cost = mean
        failure = (cost - hit_cost) / (1.0 - chance)
    least = LEAST_FAILURE * np.nanmax(cost, initial=0.0)
    failure = np.where(chance < 1.0, np.fmax(failure, least), np.fmax(cost, least))
    return np.minimum(chance, 1.0), cost, failure


def _correlation(number: Floats, hits: Floats, stratum: NDArray[np.intp]) -> Floats:
    """Of successes within strata, in [0, 1]; shape (cutoffs,)."""
    strata = stratum.max(initial=-1) + 1
    count = np.bincount(stratum, number)
    every = count.sum()
    if strata < 2 or every <= strata or (count == 0).any():
        return np.zeros(hits.shape[1])
    totals = np.stack([hits[stratum == k].sum(axis=0) for k in range(strata)])
    size = count[:, np.newaxis]
    rate = np.minimum(totals / size, 1.0)
    overall = totals.sum(axis=0) / every
    between = (size * (rate - overall) ** 2).sum(axis=0) / (strata - 1)
    within = (size * rate * (1.0 - rate)).sum(axis=0) / (every - strata)
    typical = (every - (count**2).sum() / every) / (strata - 1)
    spread = between + (typical - 1.0) * within
    own = np.divide(between - within, spread, out=np.zeros(spread.shape), where=spread > 0)
    return np.asarray(np.clip(own, 0.0, 1.0))


def best_option(gain: ArrayLike) -> int:
    """The option with the largest mean gain, (functions, options); -1 if none is known on all."""
    values = np.asarray(gain, dtype=np.float64)
    if not values.size:
        return -1
    mean = values.mean(axis=0)
    known = np.where(np.isnan(mean), -np.inf, mean)
    return int(known.argmax()) if np.isfinite(known).any() else -1


def over_functions(gain: ArrayLike, *, confidence: float) -> tuple[float, float, float]:
    """Mean gain, from logarithms of factors of shape (functions, options), on each function of the
    option that is best on all others, with Student's interval for functions like these; NaN with
    fewer than two. Without an option known on all other functions, the gain is 0: the measured
    policy is kept.
    """
    check_confidence(confidence)
    values = np.asarray(gain, dtype=np.float64)
    functions = len(values)
    if functions < 2:
        return np.nan, np.nan, np.nan
    held_out = np.zeros(functions)
    for k in range(functions):
        chosen = best_option(np.delete(values, k, axis=0))
        if chosen >= 0 and not np.isnan(values[k, chosen]):
            held_out[k] = values[k, chosen]
    mean = float(held_out.mean())
    error = float(held_out.std(ddof=1) / np.sqrt(functions))
    reach = float(stdtrit(functions - 1, (1.0 + confidence) / 2.0)) * error
    return mean, mean - reach, mean + reach


def deleted_groups(strata: ArrayLike, most: int) -> Floats:
    """Weights of the runs, shape (groups, runs), in samples that lack a group of runs each; the
    runs of a stratum are distributed over the groups, of which there are at most `most`.
    """
    of_runs = np.asarray(strata)
    groups = min(most, of_runs.size)
    group = np.empty(of_runs.size, dtype=np.intp)
    group[np.argsort(of_runs, kind="stable")] = np.arange(of_runs.size) % max(groups, 1)
    return np.asarray(group != np.arange(groups)[:, np.newaxis], dtype=np.float64)


def jackknifed(value: ArrayLike, without: ArrayLike, *, confidence: float) -> tuple[Floats, Floats]:
    """Limits of a positive number by the delete-group jackknife of its logarithm, from its values
    without each group of runs, shape (groups, ...). `high` is infinite if the number is without one
    of the groups. Both are NaN for fewer than two groups, and if the number is not finite. Source:
    J. Shao and D. Tu, The Jackknife and Bootstrap, 1995, section 2.3.
    """
    check_confidence(confidence)
    number, parts = np.asarray(value, np.float64), np.asarray(without, np.float64)
    groups = len(parts)
    if groups < 2:
        return np.full(number.shape, np.nan), np.full(number.shape, np.nan)
    t = stdtrit(groups - 1, (1.0 + confidence) / 2.0)
    with np.errstate(divide="ignore", invalid="ignore"):
        logs = np.log(parts)
        finite = np.isfinite(logs)
        count = np.maximum(finite.sum(axis=0), 1)
        mean = np.where(finite, logs, 0.0).sum(axis=0) / count
        squares = np.where(finite, (logs - mean) ** 2, 0.0).sum(axis=0)
        reach = t * np.sqrt((groups - 1) / count * squares)
        low, high = number * np.exp(-reach), number * np.exp(reach)
    high = np.where(np.isposinf(parts).any(axis=0), np.inf, high)
    known = np.isfinite(number)
    return np.where(known, low, np.nan), np.where(known, high, np.nan)


QUESTION = Question(6, "Would another restart policy have been faster?", "guide/restarts.md")
UNIT: Final = "evaluations"
SHORTEST = 10.0  # the first cutoff; each other one is twice the one before
LEAST_HITS = 5  # launches that have to reach a target before it is used to judge policies
GROUPS = 20  # maximal number of groups of the jackknife
LEAST_SUCCESS = 0.01  # smallest success rate: lower ones are raised to it, so that gains are finite
LITTLE = 1.1  # gains below it do not count as gains

GAIN, NOTHING, UNSURE = "gain", "nothing to gain", "undecided"
NO_TRACES, NOT_JUDGED = "no launch traces", "not judged"

COMPUTED = (
    "Nothing is measured again. The cost of each length is computed from the traced launches, "
    "which are treated as a sample from one distribution per function; similar instances are "
    "pooled."
)
JUDGED = "the hardest target that at least one run and at least 5 launches reached"


class Cell(NamedTuple):
    """The runs of one algorithm on one function, all instances together.
    - `names`, `strata`: Keys of the cell; the instance of each run, shape (runs,).
    - `target`: The one by which lengths are judged; None if too few launches reached one.
    - `launches`, `spent`: The traced launches, and the cost of each run, up to the target.
    - `budget`: That of the campaign for a run, or else the median cost of the runs that were cut
      off, or else that of the longest run.
    """

    names: dict[str, Any]
    strata: NDArray[np.intp]
    target: float | None
    launches: Launches
    spent: Spent
    budget: float

    def predicted(self, weights: Floats, lengths: Floats) -> Predicted:
        """Runs with launches of some lengths, and the measured ones first; NaN where unknown."""
        cost, success = np.full((2, len(weights), 1 + lengths.size), np.nan)
        cost[:, 0] = weights @ self.spent.cost[:, 0] / weights.sum(axis=1)
        success[:, 0] = weights @ self.spent.success[:, 0] / weights.sum(axis=1)
        known = (lengths < self.budget) & (lengths <= self.launches.known_until)
        if known.any():
            found = predicted(self.launches, self.strata, weights, lengths[known], self.budget)
            cost[:, 1:][:, known], success[:, 1:][:, known] = found
        return Predicted(cost, success)


def cells_of(runs: Runs, analysis: Analysis) -> list[Cell]:
    """The cells in the order of their keys, without those in which no run spent anything."""
    targets = analysis.targets_from_easy
    owner, launch, hits = runs.launch_runtimes(targets)
    spent = Spent.until(runs.runtimes(UNIT, targets), runs.spent(UNIT))
    log = runs.launches
    of_rows = log["row"].to_numpy()
    place = np.searchsorted(of_rows, owner) + launch
    # a charge may leave no time for the last launches of a run
    left = place < np.searchsorted(of_rows, owner, side="right")
    place = np.where(left, place, 0)
    length = log["evaluations"].to_numpy(np.float64)[place]
    ended = log["unlimited"].to_numpy(np.bool_)[place]
    began = left & (length > 0) & np.isfinite(length)
    order = np.flatnonzero(began)[np.argsort(owner[began], kind="stable")]
    first = np.searchsorted(owner[order], np.arange(len(runs.frame) + 1))
    budgets = runs.frame[BUDGETS[UNIT]].to_numpy(np.float64)
    whole, cut = runs.spent(UNIT), cut_off(runs)
    instances = runs.frame["instance"].to_numpy()
    found = []
    for names, rows in runs.groups((*KEYS, "algorithm")):
        budget = whole[rows].max()
        if np.isfinite(budgets[rows]).all():
            budget = np.median(budgets[rows])
        elif cut[rows].any():
            budget = np.median(whole[rows][cut[rows]])
        if budget == 0:
            continue
        mine = np.concatenate([order[first[row] : first[row + 1]] for row in rows])
        own = np.repeat(np.arange(len(rows)), first[rows + 1] - first[rows])
        enough = np.isfinite(hits[mine]).sum(axis=0) >= LEAST_HITS
        enough &= spent.success[rows].any(axis=0)
        at = int(np.flatnonzero(enough)[-1]) if enough.any() else -1
        hit = hits[mine, at] if mine.size else np.empty(0)
        longest = np.maximum(length[mine], np.where(np.isfinite(hit), hit, 0.0))
        found.append(
            Cell(
                names,
                np.unique(instances[rows], return_inverse=True)[1],
                None if at < 0 else targets[at],
                Launches(hit, longest, ended[mine], own),
                Spent(spent.cost[rows][:, [at]], spent.success[rows][:, [at]]),
                float(budget),
            )
        )
    return found


def _lengths(cells: Sequence[Cell]) -> Floats:
    longest = max((cell.budget for cell in cells), default=0.0)
    if longest <= SHORTEST:
        return np.empty(0)
    return SHORTEST * 2.0 ** np.arange(np.ceil(np.log2(longest / SHORTEST)))


def _refused(cells: Sequence[Cell]) -> str:
    names = {str(cell.names["algorithm"]) for cell in cells if not cell.launches.run.size}
    if not names:
        return ""
    return f"No launch traces: {', '.join(sorted(names))}; no length can be judged for them."


@exhibit(
    question=QUESTION,
    layouts=Layout(
        caption="The length of launches with the largest gain, in evaluations, and how many "
        "times as fast it is as the measured policy, on functions not used to choose it.",
        rows=("algorithm",),
    ),
    comparing=True,
    default=True,
)
def restart_advice(runs: Runs, analysis: Analysis) -> Made:
    """Which length of launches to use

    Whether launches of one length (restart policy `fixed`) would have been faster than the measured
    policy. The gain is the ratio of the expected running times in evaluations, to {JUDGED}. It is
    judged on functions that were not used to choose the length, because on the data that chose it,
    the gain is biased upwards. The interval holds for functions like these (Student). {COMPUTED}

    SPACE, ALGORITHM
    verdict (text) <Verdict>: `gain`: the lower limit of `gain` is above 1. `nothing to gain`: even
        `gain_same_runs` is below 1.1. `undecided`: neither of these. `not judged`: fewer than two
        functions have a target that enough launches reached. `no launch traces`: the records do not
        contain what each launch found
    tau [{UNIT}] <τ>: the length of launches with the largest mean gain
    gain (interval) <Gain; .2 limits>: how many times as fast launches of one length are on
        functions not used to choose it: for each function, the length is chosen on the others;
        geometric mean
    gain_same_runs: the same of `tau`, on the functions and runs that were used to choose it, which
        is too optimistic
    functions: number of functions over which the gains are averaged
    launches: number of traced launches on all functions
    """
    cells = cells_of(runs, analysis)
    lengths = _lengths(cells)
    keys = ("suite", "dimension", "algorithm")
    groups: dict[tuple[Any, ...], list[Cell]] = {}
    for cell in cells:
        groups.setdefault(tuple(cell.names[name] for name in keys), []).append(cell)
    rows = (
        dict(zip(keys, names, strict=True)) | _judged(groups[names], lengths, analysis)
        for names in sorted(groups)
    )
    return rows, {"refused": _refused(cells)}


def _judged(cells: Sequence[Cell], lengths: Floats, analysis: Analysis) -> dict[str, Any]:
    launches = sum(cell.launches.run.size for cell in cells)
    missing = dict.fromkeys(("tau", "gain", "gain_low", "gain_high", "gain_same_runs"), np.nan)
    row = {**missing, "verdict": NO_TRACES, "functions": 0, "launches": launches}
    if not launches:
        return row
    judged = [cell for cell in cells if cell.target is not None]
    row |= {"verdict": NOT_JUDGED, "functions": len(judged)}
    if len(judged) < 2:
        return row
    every = (cell.predicted(np.ones((1, len(cell.strata))), lengths) for cell in judged)
    spent = [np.log(one.cost[0] / np.maximum(one.success[0], LEAST_SUCCESS)) for one in every]
    gain = np.stack([one[0] - one[1:] for one in spent])  # logarithms, (functions, lengths)
    if (best := best_option(gain)) < 0:
        return row
    found = np.exp(over_functions(gain, confidence=analysis.confidence))
    flattered = float(np.exp(gain[:, best].mean()))
    return row | {
        "verdict": GAIN if found[1] > 1 else NOTHING if flattered < LITTLE else UNSURE,
        "tau": lengths[best],
        **dict(zip(("gain", "gain_low", "gain_high"), found, strict=True)),
        "gain_same_runs": flattered,
    }


@exhibit(
    question=QUESTION,
    layouts=Layout(
        caption="Expected running time (ERT) with launches of some lengths, divided by the "
        "measured one. ∞: never reached; empty: no launch was observed for long enough.",
        rows=("function", "algorithm", "tau"),
    ),
    figures=Figure(
        "restart_what_if",
        "Expected running time over the length of launches",
        "Expected running time (ERT) in evaluations over the length of launches (the number of "
        "evaluations after which every launch ends), divided by the ERT of the measured "
        f"policy. The target is {JUDGED}. Below the line at 1, restarts after this length are "
        f"faster than the measured policy. Bands are limits from a jackknife over runs. "
        f"{COMPUTED}",
        Picture(
            "timefair.extensions.restart_prediction.figure:what_if",
            panels="functions",
            on_paper="A line ends where no launch was observed for long enough. An overview has "
            "one row per algorithm, with a dot at the best cutoff of each function and a bar "
            "at their median. With fewer than 6 runs, there is no band. "
            + leaders("with the largest gain"),
        ),
    ),
    comparing=True,
)
def restart_what_if(runs: Runs, analysis: Analysis) -> Made:
    """What launches of other lengths would have cost

    Expected running time (ERT) in evaluations if every launch ends after tau evaluations, to
    {JUDGED}, and the probability that a run reaches it within the budget. {COMPUTED} Limits come
    from a jackknife over runs.

    CELL, TARGET
    tau [{UNIT}]: number of evaluations after which every launch ends (policy `fixed`)
    ert [{UNIT}]: expected running time to the target if each run has the budget. `inf`: never
        reached; empty: no launch was observed for long enough
    success_rate: probability that a run reaches the target within the budget
    factor (interval) <Factor; low .2 limits>: `ert` divided by that of the measured runs; empty if
        that is infinite
    RUNS
    launches: number of launches from which the row is computed
    budget [{UNIT}]: assumed budget of a run
    observed_until [{UNIT}]: longest cutoff for which the launches were observed; `inf`: every
        cutoff
    """
    cells = cells_of(runs, analysis)
    lengths = _lengths(cells)
    parts = (_part(cell, lengths, analysis) for cell in cells if cell.target is not None)
    return parts, {"refused": _refused(cells)}


def _part(cell: Cell, lengths: Floats, analysis: Analysis) -> dict[str, Any]:
    every = np.ones((1, len(cell.strata)))
    found = cell.predicted(np.concatenate([every, deleted_groups(cell.strata, GROUPS)]), lengths)
    ert = found.ert
    with np.errstate(invalid="ignore", divide="ignore"):
        factor = ert / np.where(np.isfinite(ert[:, :1]), ert[:, :1], np.nan)
    low, high = jackknifed(factor[0], factor[1:], confidence=analysis.confidence)
    return cell.names | {
        "target": cell.target,
        "tau": lengths,
        "ert": ert[0, 1:],
        "success_rate": found.success[0, 1:],
        "factor": factor[0, 1:],
        "factor_low": low[1:],
        "factor_high": high[1:],
        "runs": len(cell.strata),
        "launches": cell.launches.run.size,
        "budget": cell.budget,
        "observed_until": cell.launches.known_until,
    }


def findings(evidence: Evidence, space: Space) -> Iterator[str]:
    from timefair.report.evidence import NOTICEABLE

    rows = evidence.of("restart_advice", space)
    if rows.empty:
        return
    gains = rows[(rows["verdict"] == GAIN) & (rows["gain"] >= NOTICEABLE)]
    for _, row in gains.sort_values("gain", ascending=False, kind="stable").iterrows():
        yield (
            f"Restart {row['algorithm']} after {row['tau']:,.0f} evaluations: "
            f"{number(row['gain'], digits=2)} times as fast on the functions not used to choose it."
        )
