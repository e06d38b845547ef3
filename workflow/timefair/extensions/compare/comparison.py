"""The answers to "is the new version better?", per function and over all functions."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from enum import StrEnum
from math import log

from timefair.extensions.compare.samples import Numbers, Sample
from timefair.statistics.versions.answers import (
    UNKNOWN,
    Answer,
    Change,
    Judged,
    average,
    judge,
    judge_family,
    log_ratio,
    worse_probability,
)


class Measure(StrEnum):
    """The measures in which two versions are compared.

    The ratio of seconds is the product of the ratios of evaluations and of seconds per evaluation.
    """

    SECONDS = "seconds"
    EVALUATIONS = "evaluations"
    SPEED = "speed"
    QUALITY = "quality"


TIMED = (Measure.SECONDS, Measure.SPEED)
"""Measures that need times, and that a drift of the machine affects."""

NEGLIGIBLE = 0.06
"""Distance of a probability from 0.5 that does not matter in quality (Vargha and Delaney 2000)."""


def margin_of(measure: Measure, ratio: float) -> float:
    """The margin in the unit of a change: the logarithm of the ratio, or `NEGLIGIBLE`."""
    return NEGLIGIBLE if measure is Measure.QUALITY else log(ratio)


def changes(sample: Sample) -> dict[Measure, Change]:
    """Changes of the cost from base to candidate on a function, in each measure; see
    `statistics.versions`.
    """
    found = dict.fromkeys(Measure, UNKNOWN)
    baseline, candidate = sample.baseline, sample.candidate
    jobs = (baseline.jobs, candidate.jobs)
    found[Measure.QUALITY] = worse_probability(
        baseline.at_the_end, candidate.at_the_end, paired=sample.paired, jobs=jobs
    )
    if sample.efforts is None:
        return found
    one, other = sample.efforts

    def ratio(above: Sequence[Numbers], below: Sequence[Numbers]) -> Change:
        pairs = tuple(zip(above, below, strict=True))
        return log_ratio(*pairs, paired=sample.paired, jobs=jobs)

    evaluations, success = (one.evaluations, other.evaluations), (one.success, other.success)
    found[Measure.EVALUATIONS] = ratio(evaluations, success)
    if one.seconds is not None and other.seconds is not None:
        seconds = one.seconds, other.seconds
        found[Measure.SECONDS] = ratio(seconds, success)
        found[Measure.SPEED] = ratio(seconds, evaluations)
    return found


@dataclass(frozen=True)
class Comparison:
    """Results of the comparison of two versions.

    Attributes
    ----------
    baseline, candidate
        Labels of the old and of the new version.
    by
        Measure of the verdict.
    ratio
        Ratio of costs above which a difference matters.
    level
        Level of the answers over all functions, and of each measure's family of functions.
    samples
        The functions.
    on_functions
        For each measure, the answers in the order of `samples`; together they are right with the
        confidence ``1 - level`` (Holm).
    overall
        For each measure, the answer over all functions: of the geometric mean of the ratios, or of
        the average probability.
    drift
        The drift that was removed from the measures in `TIMED`; None within one campaign.
    """

    baseline: str
    candidate: str
    by: Measure
    ratio: float
    level: float
    samples: tuple[Sample, ...]
    on_functions: Mapping[Measure, Sequence[Judged]]
    overall: Mapping[Measure, Judged]
    drift: Change | None = None

    @property
    def verdict(self) -> Judged:
        """The answer over all functions in the measure that counts."""
        return self.overall[self.by]

    @property
    def paired(self) -> int:
        """Number of functions on which the runs are pairs."""
        return sum(sample.paired for sample in self.samples)

    @property
    def runs(self) -> tuple[int, int]:
        """Runs of the baseline and of the candidate that were compared."""
        baseline = sum(len(sample.baseline.rows) for sample in self.samples)
        return baseline, sum(len(sample.candidate.rows) for sample in self.samples)

    @property
    def measures(self) -> tuple[Measure, ...]:
        """The measures with known results."""
        return tuple(m for m in Measure if any(one.change.known for one in self.on_functions[m]))

    @property
    def status(self) -> int:
        """Exit status: 1 for worse, 3 for undecided, else 0."""
        return {Answer.WORSE: 1, Answer.UNDECIDED: 3}.get(self.verdict.answer, 0)


def compare(
    baseline: str,
    candidate: str,
    samples: Iterable[Sample],
    *,
    by: Measure,
    ratio: float,
    level: float,
    drift: Change | None = None,
) -> Comparison:
    """Compare two versions; the arguments are the attributes of `Comparison`."""
    together = tuple(samples)
    of_samples = [changes(sample) for sample in together]
    on_functions: dict[Measure, Sequence[Judged]] = {}
    overall: dict[Measure, Judged] = {}
    for measure in Measure:
        found, margin = [one[measure] for one in of_samples], margin_of(measure, ratio)
        all_of_them = average(found)
        if drift is not None and measure in TIMED:
            found = [one.less(drift) if one.known else one for one in found]
            all_of_them = all_of_them.less(drift) if all_of_them.known else all_of_them
        on_functions[measure] = judge_family(found, margin, level)
        overall[measure] = judge(all_of_them, margin, level)
    return Comparison(baseline, candidate, by, ratio, level, together, on_functions, overall, drift)
