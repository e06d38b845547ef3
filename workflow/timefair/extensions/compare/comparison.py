"""Whether a new version is better: the runs, in pairs if the seeds are equal, and the answers."""

from __future__ import annotations

from collections import Counter
from collections.abc import Iterator, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import ceil, exp, inf, isnan, log, nan, sqrt
from typing import Any, NamedTuple, TypeAlias

import numpy as np
import pandas as pd
from numpy.typing import ArrayLike, NDArray
from scipy import stats
from scipy.special import gammaincinv, stdtr, stdtrit

from timefair.basics.words import counted
from timefair.campaign.configuration import Campaign
from timefair.records.rundata.problems import precision_at_the_end
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.rank_tests import holm_levels
from timefair.statistics.samples import Floats, check_confidence, floats
from timefair.statistics.two_samples import wins

Jobs: TypeAlias = "tuple[ArrayLike, ArrayLike]"
"""The jobs of the runs of the baseline and of the candidate."""

LEAST_RUNS = 6  # runs of each version below which no change is estimated

LEAST_JOBS = 4  # jobs of a version from which on the error is that of the jobs and not of the runs

HALF = 0.5
"""Successes counted for a version without any; its ERT is then at least as large as computed."""

DISCORDANT = 0.5
"""Pairs that are added in which only the one version, and in which only the other one succeeds."""


class Change(NamedTuple):
    """An estimate with Student's distribution around it; NaN if there are too few runs, or nothing
    to compare. `error`: standard error; 0 if all pairs of runs agree. `freedom`: degrees of
    freedom, positive; `inf` for the normal distribution.
    """

    estimate: float
    error: float
    freedom: float

    @property
    def known(self) -> bool:
        return bool(np.isfinite(self.estimate) and np.isfinite(self.error))

    def interval(self, confidence: float) -> tuple[float, float]:
        """Confidence limits, NaN if the change is not known."""
        check_confidence(confidence)
        if not self.known:
            return nan, nan
        reach = float(stdtrit(min(self.freedom, 1e9), (1 + confidence) / 2)) * self.error
        return self.estimate - reach, self.estimate + reach


UNKNOWN = Change(nan, nan, inf)  # nothing is known


def log_ratio(
    baseline: tuple[ArrayLike, ArrayLike],
    candidate: tuple[ArrayLike, ArrayLike],
    *,
    paired: bool,
    jobs: Jobs | None = None,
) -> Change:
    """Logarithm of the ratio of two costs, each of which is a ratio of two sums over runs.

    With cost and success of each run, the costs are ERTs; with seconds and evaluations, they are
    seconds per evaluation. A version has the terms of both sums, one per run; finite and not
    negative. With `paired`, run i of both have one seed. `jobs`: job that measured each run; for
    pairs, those of the baseline. Not known for fewer than `LEAST_RUNS` runs of a version, if a
    numerator is 0, or if both denominators are 0; if one is 0, it is replaced by `HALF`.

    The standard error is that of the delta method, for pairs that of the differences. Runs of one
    job share its perturbations: with `LEAST_JOBS` jobs or more, it is computed from the sums over
    jobs (K.-Y. Liang and S. L. Zeger, Biometrika 73, 1986); the freedom without pairs is Welch's.
    """
    versions = [floats(*sums) for sums in (baseline, candidate)]
    (above, below), (above_candidate, below_candidate) = versions
    enough = min(above.size, above_candidate.size) >= LEAST_RUNS
    known = above.any() and above_candidate.any() and (below.any() or below_candidate.any())
    if not (enough and known):
        return UNKNOWN
    (one, first, extra), (other, second, extra_candidate) = (_log_mean(*sums) for sums in versions)
    if paired:
        rare = _rare(below) + _rare(below_candidate)
        return Change(other - one, *_of_mean(second - first, jobs and jobs[0], rare))
    spreads = [
        _of_mean(first, jobs and jobs[0], extra),
        _of_mean(second, jobs and jobs[1], extra_candidate),
    ]
    return _independent(other - one, spreads)


def worse_probability(
    baseline: ArrayLike, candidate: ArrayLike, *, paired: bool, jobs: Jobs | None = None
) -> Change:
    """Probability that a run of the new version has the worse result, minus 0.5; ties count half,
    and `inf` is allowed. Not known for fewer than `LEAST_RUNS` runs of a version. `paired`, `jobs`:
    as for `log_ratio`. The standard error is DeLong's, as in `a12`; for pairs, that of the sums of
    both placements.
    """
    x, y = np.asarray(baseline, dtype=np.float64), np.asarray(candidate, dtype=np.float64)
    if min(x.size, y.size) < LEAST_RUNS:
        return UNKNOWN
    places = stats.rankdata(np.concatenate([x, y]), method="dense").astype(np.float64)
    plain = wins(places[: x.size], places[x.size :])
    ends = np.array([0.0, places.max() + 1])
    worse = wins(np.append(places[: x.size], ends), np.append(places[x.size :], ends))
    of_both, estimate = (worse.mean(axis=1), worse.mean(axis=0)), float(plain.mean()) - 0.5
    placed = [_and_ends(of) for of in jobs] if jobs else [None, None]
    if paired:
        return Change(estimate, *_of_mean(of_both[0] + of_both[1], placed[0]))
    return _independent(estimate, [*map(_of_mean, of_both, placed)])


def average(changes: Sequence[Change]) -> Change:
    known = [change for change in changes if change.known]
    if not known:
        return UNKNOWN
    count = len(known)
    parts = [(change.error / count, change.freedom) for change in known]
    return _independent(sum(change.estimate for change in known) / count, parts)


def _log_mean(above: Floats, below: Floats) -> tuple[float, Floats, float]:
    """Logarithm of a ratio of two sums, what each run adds to it, and variance besides."""
    total, count = above.sum(), below.sum()
    if count:
        influence = above / above.mean() - below / below.mean()
        return float(np.log(total / count)), influence, 0.0
    return float(np.log(total / HALF)), above / above.mean(), 1 / HALF


def _rare(success: Floats) -> float:
    """Variance from half a pair in which only this version succeeds; 0 without successes."""
    if not np.isin(success, (0.0, 1.0)).all():
        return 0.0
    return DISCORDANT / max(float(success.sum()), HALF) ** 2


def _of_mean(of_runs: Floats, jobs: ArrayLike | None, extra: float = 0.0) -> tuple[float, float]:
    """Standard error, with variance besides, and freedom of a mean; a job's runs vary together."""
    rest, count = of_runs - of_runs.mean(), of_runs.size
    places = np.arange(count) if jobs is None else np.unique(jobs, return_inverse=True)[1]
    if places.max() + 1 < LEAST_JOBS:
        places = np.arange(count)
    sums = np.bincount(places, weights=rest)
    variance = float((sums**2).sum()) * sums.size / (sums.size - 1) / count**2
    return sqrt(variance + extra), sums.size - 1


def _and_ends(jobs: ArrayLike) -> NDArray[np.int64]:
    places = np.unique(jobs, return_inverse=True)[1].astype(np.int64)
    return np.append(places, places.max() + np.array([1, 2]))


def _independent(estimate: float, parts: Sequence[tuple[float, float]]) -> Change:
    """The sum of independent estimates, from their errors and freedoms (Welch, Satterthwaite)."""
    variance = sum(error**2 for error, _ in parts)
    below = sum(error**4 / freedom for error, freedom in parts)
    return Change(estimate, sqrt(variance), variance**2 / below if below > 0 else inf)


class Answer(StrEnum):
    BETTER = "better"
    WORSE = "worse"
    EQUAL = "equal"
    UNDECIDED = "undecided"


class Judged(NamedTuple):
    """A change with its answer and the interval from which it follows, of confidence 1 - level."""

    change: Change
    answer: Answer
    level: float
    low: float
    high: float


def judge(change: Change, margin: float, level: float) -> Judged:
    """Judge one change: its interval at a level, in (0, 1), decides.

    ``WORSE`` if the interval is above `margin`, ``BETTER`` if it is below -margin, ``EQUAL`` if it
    is within, and ``UNDECIDED`` if it contains a limit of the margin or is not known. The
    probability of a wrong claim is at most level/2 if the change is equal to a limit, and smaller
    otherwise; ``EQUAL`` is the test with two one-sided tests.

    Source: D. J. Schuirmann, Journal of Pharmacokinetics and Biopharmaceutics 15 (1987). H. Finner
    and K. Strassburger, Annals of Statistics 30 (2002).
    """
    low, high = change.interval(1 - level)
    answer = Answer.UNDECIDED
    if low > margin:
        answer = Answer.WORSE
    elif high < -margin:
        answer = Answer.BETTER
    elif low >= -margin and high <= margin:
        answer = Answer.EQUAL
    return Judged(change, answer, level if change.known else nan, low, high)


def judge_family(changes: Sequence[Change], margin: float, level: float) -> list[Judged]:
    """Judge several changes so that all answers are right with a probability of at least 1 - level:
    Holm's procedure gives each its level. Changes that are not known do not count.
    """
    levels = holm_levels([_p(change, margin) for change in changes], level)
    return [
        judge(change, margin, level if isnan(own) else float(own))
        for change, own in zip(changes, levels, strict=True)
    ]


def _p(change: Change, margin: float) -> float:
    """The smallest level at which a change is decided; NaN if it is not known."""
    if not change.known:
        return nan
    distance = abs(abs(change.estimate) - margin)
    if change.error == 0:
        return 0.0 if distance or abs(change.estimate) <= margin else 1.0
    return float(np.minimum(2 * stdtr(min(change.freedom, 1e9), -distance / change.error), 1.0))


def look_levels(level: float, looks: int) -> Floats:
    """Level at each look, in proportion to its number; they add up to the given one."""
    check_confidence(1 - level)
    if looks < 1:
        raise ValueError(f"looks must be at least 1, not {looks}")
    numbers = np.arange(1, looks + 1)
    return np.asarray(level * numbers / numbers.sum())


REACHED = 0.5  # share of the runs of the better version that reach the target at least


def common_target(baseline: ArrayLike, candidate: ArrayLike, hardest: float) -> float | None:
    """The hardest precision, at most `hardest`, that at least half of the runs of one of the
    versions reached: the smaller median of their best precisions (`inf` without one), or None if
    both are infinite.
    """
    versions = (np.sort(np.asarray(of)) for of in (baseline, candidate))
    found = min(float(precision[ceil(REACHED * precision.size) - 1]) for precision in versions)
    return max(found, hardest) if np.isfinite(found) else None


def affordable(frame: pd.DataFrame) -> Floats:
    """How many evaluations the budget of each run allows at the speed of the run; `inf` without
    budgets, and without evaluations or times if there is only T.
    """
    made, spent = frame["evaluations"].astype(float), frame["wall_s"].astype(float)
    in_time = (made * frame["budget_s"] / spent).where((made > 0) & (spent > 0)).fillna(np.inf)
    return np.asarray(np.fmin(in_time, frame["budget_evaluations"]), dtype=np.float64)


def common_budgets(baseline: Floats, candidate: Floats, *, paired: bool) -> tuple[Floats, Floats]:
    """The evaluations within which the runs of both versions have to reach the target: for pairs,
    the smaller number of each pair; else the smaller one of both medians, for all.
    """
    if paired:
        least = np.minimum(baseline, candidate)
        return least, least
    median = min(np.median(baseline), np.median(candidate))
    return np.full(baseline.shape, median), np.full(candidate.shape, median)


@dataclass(frozen=True)
class Design:
    """A planned comparison: the `runs` of each version on each function are divided evenly among
    the `looks`, after which it may stop. Costs matter from a `ratio` on; `level` is that of all
    looks together. `jobs` are those of a version on a function in a round.
    """

    functions: int
    runs: int
    looks: int
    ratio: float
    level: float
    paired: bool
    jobs: int


@dataclass(frozen=True)
class Law:
    """Assumed distribution of the runs of the old version: the probability to reach the target
    within the budget, the shape of the gamma distribution of its cost, and the standard deviation
    of the logarithm of a run's speed, and of a job's.
    """

    success: float = 0.5
    shape: float = 1.0
    noise: float = 0.1
    job_noise: float = 0.035


@dataclass(frozen=True)
class Loss:
    """Seconds per evaluation relative to the old version, and the share of successes lost."""

    slowdown: float = 1.0
    lost: float = 0.0


def simulate(
    design: Design, law: Law, loss: Loss, *, samples: int, rng: np.random.Generator
) -> tuple[dict[Answer, float], float]:
    """Share of each answer in simulated comparisons of seconds to the target, and of runs used."""
    levels, margin = look_levels(design.level, design.looks), log(design.ratio)
    job = _simulated_jobs(design)
    cuts = [round(design.runs * k / design.looks) for k in range(1, design.looks + 1)]
    counted: Counter[Answer] = Counter()
    used = 0
    for _ in range(samples):
        drawn = [_drawn(design, law, loss, rng) for _ in range(design.functions)]
        answer = Answer.UNDECIDED
        for runs, level in zip(cuts, levels, strict=True):
            jobs = (job[:runs], job[:runs])
            changes = [
                log_ratio(*one[..., :runs], paired=design.paired, jobs=jobs) for one in drawn
            ]
            answer = judge(average(changes), margin, float(level)).answer
            if answer is not Answer.UNDECIDED:
                break
        counted[answer] += 1
        used += runs
    shares = {answer: counted[answer] / samples for answer in Answer}
    return shares, used / (samples * design.runs)


def _simulated_jobs(design: Design) -> NDArray[np.intp]:
    return np.arange(design.runs) * design.looks * design.jobs // design.runs


def _drawn(design: Design, law: Law, loss: Loss, rng: np.random.Generator) -> Floats:
    """Cost and success of each run of the old version and of the new one, shape (2, 2, runs)."""
    budget, runs = float(gammaincinv(law.shape, law.success)), design.runs
    path = rng.gamma(law.shape, size=runs)
    other = path if design.paired else rng.gamma(law.shape, size=runs)
    job = _simulated_jobs(design)
    noise = rng.normal(0.0, law.noise, (2, runs))
    noise += rng.normal(0.0, law.job_noise, (2, job[-1] + 1))[:, job]
    speeds = np.exp(noise) * np.array([[1.0], [loss.slowdown]])
    lost = rng.random(runs) < loss.lost
    certain = np.isinf(budget)  # then a lost run costs as much as the longest run
    budgets = common_budgets(
        *((np.max(path * speeds[0]) if certain else budget) / speeds), paired=design.paired
    )
    baseline, candidate = path < budgets[0], other < budgets[1]
    reached = (baseline | certain, (candidate | certain) & ~lost)
    spent = [
        np.where(found, steps, limit) * speed
        for found, steps, limit, speed in zip(reached, (path, other), budgets, speeds, strict=True)
    ]
    return np.stack([spent, reached], axis=1)


class Effort(NamedTuple):
    """What each run spent up to the target, or up to its common budget; `seconds` is None without
    times, and `success` 1 if it reached the target within that budget, else 0.
    """

    evaluations: Floats
    seconds: Floats | None
    success: Floats


class Sample(NamedTuple):
    """The runs of both versions on all instances of a function: the `common_target` up to which
    effort is compared, None if too few runs found any value; whether run i of both has the same
    problem, number and seed; and of both, in arrays of shape (runs,), the number of the job of each
    run, its precision at the end, 0 if it reached the final target, and the efforts, None without a
    target.
    """

    function: int
    dimension: int
    target: float | None
    paired: bool
    jobs: tuple[NDArray[np.intp], ...]
    at_the_end: tuple[Floats, ...]
    efforts: tuple[Effort, ...] | None


def samples(
    runs: Runs, analysis: Analysis, versions: Sequence[str], hardest: float, instances_per_job: int
) -> Iterator[Sample]:
    """Both versions on each common function, treated as all tables in seconds do: perturbed runs
    are omitted, and times follow the clock and the ancillary costs of the analysis. Runs are pairs
    if every run of the version with fewer runs has a partner: a run of the same number on the same
    instance with the same seed. Runs without a partner are then omitted.
    """
    runs = runs.where(runs.frame["algorithm"].isin(versions).to_numpy()).wanted(analysis)
    runs = runs.with_values(analysis.noisy_value)
    if timed := bool(runs.timed.all()):
        runs = runs.timed_by(analysis.time)
        if analysis.ancillary == "amortised":
            runs = runs.amortised(analysis)
    frame = runs.frame.assign(affordable=affordable(runs.frame))
    at_the_end, job = precision_at_the_end(runs), np.zeros(len(frame), dtype=np.intp)
    targets, limits = np.full((2, len(frame)), np.nan)
    found = []
    for names, rows in runs.groups(("suite", "dimension", "function")):
        part = frame.iloc[rows]
        both = [part[part["algorithm"] == label] for label in versions]
        if any(version.empty for version in both):
            continue
        for version in both:
            job[version.index] = _jobs(version, instances_per_job)
        one, other = (version[["instance", "run", "seed"]].reset_index() for version in both)
        pairs = one.merge(other, on=["instance", "run", "seed"])
        paired = 0 < len(pairs) == min(map(len, both))
        places = [pairs["index_x"], pairs["index_y"]] if paired else [one["index"], other["index"]]
        first, second = (version.loc[place] for version, place in zip(both, places, strict=True))
        target = common_target(first["best_precision"], second["best_precision"], hardest)
        if target is not None:
            able = (version["affordable"].to_numpy() for version in (first, second))
            for place, limit in zip(places, common_budgets(*able, paired=paired), strict=True):
                targets[place], limits[place] = target, limit
        found.append((names, target, paired, places))
    reached = runs.runtimes("evaluations", targets[:, np.newaxis])[:, 0]
    success = reached <= limits
    spent = np.where(success, reached, np.minimum(limits, frame["evaluations"]))
    seconds = runs.seconds_after(np.nan_to_num(spent)) if timed else None
    for names, target, paired, places in found:
        efforts = tuple(
            Effort(spent[k], None if seconds is None else seconds[k], success[k].astype(float))
            for k in places
        )
        function, dimension = int(names["function"]), int(names["dimension"])
        jobs, ends = tuple(job[k] for k in places), tuple(at_the_end[k] for k in places)
        known = None if target is None else efforts
        yield Sample(function, dimension, target, paired, jobs, ends, known)


def _jobs(frame: pd.DataFrame, instances_per_job: int) -> NDArray[np.intp]:
    instances = np.unique(frame["instance"], return_inverse=True)[1]
    chunks = instances // instances_per_job
    rounds = frame["round"].fillna(1).to_numpy(dtype=np.intp)
    return np.asarray(rounds * (chunks.max(initial=0) + 1) + chunks, dtype=np.intp)


class Measure(StrEnum):
    SECONDS = "seconds"
    EVALUATIONS = "evaluations"
    SPEED = "speed"
    QUALITY = "quality"


NEGLIGIBLE = 0.06
"""Distance of a probability from 0.5 that does not matter in quality (Vargha and Delaney 2000)."""


def changes(sample: Sample) -> dict[Measure, Change]:
    found = dict.fromkeys(Measure, UNKNOWN)
    alike: dict[str, Any] = {"paired": sample.paired, "jobs": sample.jobs}
    found[Measure.QUALITY] = worse_probability(*sample.at_the_end, **alike)
    if sample.efforts is None:
        return found
    one, other = sample.efforts

    def ratio(above: Sequence[Floats], below: Sequence[Floats]) -> Change:
        return log_ratio(*zip(above, below, strict=True), **alike)

    evaluations, success = (one.evaluations, other.evaluations), (one.success, other.success)
    found[Measure.EVALUATIONS] = ratio(evaluations, success)
    if one.seconds is not None and other.seconds is not None:
        seconds = one.seconds, other.seconds
        found[Measure.SECONDS] = ratio(seconds, success)
        found[Measure.SPEED] = ratio(seconds, evaluations)
    return found


class Comparison(NamedTuple):
    """Results of the comparison of two versions.
    - `by`, `ratio`: Measure of the verdict; ratio of costs above which a difference matters.
    - `on_functions`, `overall`: For each measure, the answers in the order of the samples (Holm),
      and that over all functions: of the geometric mean of the ratios, or of the mean probability.
    """

    pair: Pair
    by: Measure
    ratio: float
    on_functions: Mapping[Measure, Sequence[Judged]]
    overall: Mapping[Measure, Judged]

    @property
    def verdict(self) -> Judged:
        return self.overall[self.by]

    @property
    def measures(self) -> tuple[Measure, ...]:
        return tuple(m for m in Measure if any(one.change.known for one in self.on_functions[m]))

    @property
    def status(self) -> int:
        return {Answer.WORSE: 1, Answer.UNDECIDED: 3}.get(self.verdict.answer, 0)


class Pair(NamedTuple):
    """Two versions of a campaign, ready to be compared, with reasons for doubts, one line each."""

    campaign: Campaign
    versions: tuple[str, str]
    samples: tuple[Sample, ...]
    cautions: tuple[str, ...]

    @property
    def runs(self) -> list[int]:
        return [sum(len(sample.jobs[k]) for sample in self.samples) for k in (0, 1)]

    def compared(self, by: Measure, ratio: float, level: float) -> Comparison:
        """`level`: of the answers over all functions, and of each measure's family of functions."""
        of_samples = [changes(sample) for sample in self.samples]
        found = {m: [one[m] for one in of_samples] for m in Measure}
        margins = dict.fromkeys(Measure, log(ratio)) | {Measure.QUALITY: NEGLIGIBLE}
        on_functions = {m: judge_family(found[m], margins[m], level) for m in Measure}
        overall = {m: judge(average(found[m]), margins[m], level) for m in Measure}
        return Comparison(self, by, ratio, on_functions, overall)


TITLES = {
    Measure.SECONDS: "seconds to the target",
    Measure.EVALUATIONS: "evaluations to the target",
    Measure.SPEED: "seconds per evaluation",
    Measure.QUALITY: "worse at the end",
}
"""Heading of each measure; all but the last are ratios, candidate to baseline."""

NOT_KNOWN = "n/a"


class Look(NamedTuple):
    """The round after which a comparison ended, and the number of planned rounds."""

    number: int
    planned: int

    def __str__(self) -> str:
        if self.number < self.planned:
            return f"stopped after round {self.number} of {self.planned}, as the answer is decided"
        return f"all {self.planned} rounds"


def verdict(found: Comparison, look: Look | None = None) -> str:
    pair, (baseline, candidate) = found.pair, found.pair.runs
    runs = f"{baseline} runs of each version"
    if baseline != candidate:
        runs = f"{baseline} runs of {pair.versions[0]} and {candidate} runs of {pair.versions[1]}"
    paired = sum(sample.paired for sample in pair.samples)
    pairs = ", in pairs of one seed" * bool(paired)
    if 0 < paired < len(pair.samples):
        pairs += f" on {paired} of them"
    margin = f"{found.ratio:g}"
    if found.by is Measure.QUALITY:
        margin = f"{50 - 100 * NEGLIGIBLE:g} to {50 + 100 * NEGLIGIBLE:g} %"
    parts = [
        f"{found.verdict.answer}: {_claim(found)}",
        f"margin {margin}",
        f"in total {runs} on {counted(len(pair.samples), 'function')}{pairs}",
        *([str(look)] if look else []),
    ]
    return "; ".join(parts)


def _claim(found: Comparison) -> str:
    judged, (old, new) = found.verdict, found.pair.versions
    if not judged.change.known:
        return f"too few runs, or no target reached, to compare {new} with {old}"
    confidence, said = f"{100 * (1 - judged.level):.4g} % confidence", value(found.by, judged)
    if found.by is Measure.QUALITY:
        return f"{new} ends worse than {old} in {said}, {confidence}"
    middle, _, interval = said.partition(" ")
    unit, _, rest = TITLES[found.by].partition(" ")
    return f"{new} needs {middle} times the {unit} of {old} {rest} {interval}, {confidence}"


def reasons(found: Comparison) -> Iterator[str]:
    if found.overall[Measure.SECONDS].change.known:
        seconds, speed, count = (
            _ratio(found.overall[measure].change.estimate)
            for measure in (Measure.SECONDS, Measure.SPEED, Measure.EVALUATIONS)
        )
        yield (
            f"ratio of seconds {seconds} = {speed} (seconds per evaluation) x {count} (evaluations)"
        )
    for measure in found.measures:
        if measure is not found.by:
            judged = found.overall[measure]
            yield f"{TITLES[measure]}: {value(measure, judged)}, {judged.answer}"


def table(found: Comparison) -> list[list[str]]:
    rows = [["function", "target", *(TITLES[measure] for measure in found.measures)]]
    for k, sample in enumerate(found.pair.samples):
        cells = [cell(measure, found.on_functions[measure][k]) for measure in found.measures]
        target = NOT_KNOWN if sample.target is None else f"{sample.target:.3g}"
        rows.append([f"f{sample.function} D={sample.dimension}", target, *cells])
    overall = [cell(measure, found.overall[measure]) for measure in found.measures]
    return [*rows, ["all", "", *overall]]


def cell(measure: Measure, judged: Judged) -> str:
    return f"{value(measure, judged)} {judged.answer}" if judged.change.known else NOT_KNOWN


def value(measure: Measure, judged: Judged) -> str:
    if not judged.change.known:
        return NOT_KNOWN
    numbers = judged.change.estimate, judged.low, judged.high
    if measure is Measure.QUALITY:
        middle, low, high = (f"{100 * min(max(0.5 + x, 0.0), 1.0):.0f}" for x in numbers)
        return f"{middle} % [{low}, {high}]"
    middle, low, high = map(_ratio, numbers)
    return f"{middle} [{low}, {high}]"


def _ratio(logarithm: float) -> str:
    ratio = exp(min(logarithm, 700.0))
    if 1000 <= ratio < 1e6:
        return f"{ratio:,.0f}"
    return f"{ratio:.3g}" if ratio < 1000 else f"{ratio:.2g}"


def markdown(found: Comparison, lines: list[str]) -> str:
    """The verdict, which is the last of the printed `lines`, its reasons and the table."""
    (baseline, candidate), (heading, *rows) = found.pair.versions, table(found)
    rows = [heading, ["---"] * len(heading), *rows]
    body = "\n".join(f"| {' | '.join(map(_escaped, row))} |" for row in rows)
    reasons = "\n".join(f"- {_escaped(line)}" for line in lines[:-1])
    return (
        f"### timefair: {_escaped(candidate)} against {_escaped(baseline)}\n\n"
        f"**{_escaped(lines[-1])}**\n\n{reasons}\n\n{body}\n"
    )


def _escaped(text: str) -> str:
    return "".join(f"\\{c}" if c in "\\`*_|<>" else c for c in text)
