"""Runs that are measured for a comparison, until it is sure, and what they can find."""

from __future__ import annotations

import json
import time
from collections.abc import Callable, Iterator, Sequence
from math import ceil
from pathlib import Path
from typing import Any

import numpy as np
import pandas as pd

from timefair.basics.disk import atomic_file, regular, temporary_folder
from timefair.basics.errors import InputError, storing
from timefair.campaign import configuration, driver, plan, provenance
from timefair.campaign.configuration import Campaign
from timefair.cli.arguments import entry
from timefair.extensions.compare import comparison
from timefair.extensions.compare.comparison import Comparison, Look, Measure, Pair
from timefair.measure.runner import JobFailed, measured
from timefair.records.integrity import mixed, several_hosts
from timefair.records.rundata.problems import final_target
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.status import Perturbation, Status
from timefair.records.store import read_runs


def read(folder: Path, versions: tuple[str, str]) -> Pair:
    """The runs of two algorithms in ``results/NAME``, of its present configuration. `InputError` if
    they cannot be compared, or the stopping rule has already tested them.
    """
    campaign = configuration.restore(folder / plan.SNAPSHOT)
    for label in versions:
        entry(str(folder), label, campaign.algorithms)
    if campaign.stopping.tests:
        raise InputError(
            f"{folder}: stopping.rule: {campaign.stopping.rule!r}: this rule has tested the same "
            "runs; compare versions in a campaign with another rule, such as 'fixed'"
        )
    return _pair(str(folder), campaign, list(_records(folder, campaign, versions)), versions)


def _pair(name: str, campaign: Campaign, paths: Sequence[Path], versions: tuple[str, str]) -> Pair:
    runs = Runs.read(paths)
    for label in versions:
        rows = runs.frame[runs.frame["algorithm"] == label]
        if rows.empty:
            raise InputError(f"{name}: has no runs of {label!r}; measure the campaign first")
        if not rows["evaluations"].any():
            raise InputError(f"{name}: {label} made no evaluation in any run{_message(rows)}")
    clauses = mixed(runs.origins)
    if clauses and campaign.statistics.mixed == "refuse":
        raise InputError(*(f"{name}: {clause}" for clause in clauses))
    analysis = Analysis.of(campaign.analysis_settings).suited(runs.optimum)
    runs = runs.with_targets_in_values(bool(analysis.target_values))
    known = runs.optimum == "known" and not analysis.target_values
    hardest = max(min(analysis.targets), final_target(runs)) if known else 0.0
    size = campaign.instances_per_job
    together = tuple(comparison.samples(runs, analysis, versions, hardest, size))
    if not together:
        raise InputError(f"{name}: {' and '.join(versions)} have no runs on a common function")
    cautions = [line for label in versions for line in _cautions(runs, analysis, label)]
    if text := several_hosts({f"{label} of {name}": runs.origins[label] for label in versions}):
        cautions.append(f"caution: {text}")
    return Pair(campaign, versions, together, tuple(cautions))


def _cautions(runs: Runs, analysis: Analysis, label: str) -> Iterator[str]:
    rows = runs.frame[runs.frame["algorithm"] == label]
    failed = rows[rows["status"] != Status.OK]
    if len(failed):
        by_status = failed["status"].value_counts()
        counts = ", ".join(f"{count} {status}" for status, count in by_status.items())
        yield (
            f"caution: {len(failed)} of {len(rows)} runs of {label} failed ({counts}), and "
            f"count with their results up to the failure{_message(failed)}"
        )
    if perturbed := int((rows["perturbation"] == Perturbation.PERTURBED).sum()):
        verb = "was" if perturbed == 1 else "were"
        treated = "omitted" if analysis.perturbed == "exclude" else "included"
        yield f"caution: {perturbed} of {len(rows)} runs of {label} {verb} perturbed; {treated}"


def _message(rows: pd.DataFrame) -> str:
    messages = rows["message"].dropna()
    return f": {messages.iloc[0]}" if len(messages) else ""


def _records(folder: Path, campaign: Campaign, labels: Sequence[str]) -> Iterator[Path]:
    """The planned record files of some algorithms; the collected ones where there are none."""
    there = _planned(folder, campaign)
    for label in labels:
        collected = folder / f"collected/{label}.parquet"
        paths = [path for job, path in there.items() if job.algorithm == label and path.is_file()]
        yield from paths or ([collected] if collected.is_file() else [])


def _planned(folder: Path, campaign: Campaign) -> dict[plan.Job, Path]:
    keys = plan.read_keys(folder, campaign)
    return {job: folder / job.record(keys[job.algorithm, job.round]) for job in plan.jobs(campaign)}


FILE = "comparison.json"
"""The file in the campaign's folder that names the versions and the number of planned looks."""

TRIAL_S, TRIAL_EVALUATIONS = 0.3, 1000  # maximal budget of a trial launch

CANNOT = "algorithms.{}: cannot be launched"

Say = Callable[[str], object]


class Rounds:
    """The rounds of a comparison, measured by this process in the same way as by Snakemake.
    `InputError` if the versions or the campaign do not suit it.
    """

    def __init__(
        self, campaign: Campaign, results: Path, baseline: str, candidate: str, cores: int
    ) -> None:
        measure = (
            f"start snakemake, then timefair compare {results / campaign.name} {baseline} "
            f"{candidate}"
        )
        for option, label in (("--baseline", baseline), ("--candidate", candidate)):
            entry(option, label, campaign.algorithms)
            if label in campaign.tuned:
                raise InputError(f"{option}: {label!r}: is tuned; {measure}")
        if baseline == candidate:
            raise InputError(
                f"--candidate: {candidate!r}: is the baseline as well; name two algorithms"
            )
        if campaign.stopping.rule != "fixed":
            raise InputError(
                f"stopping.rule: {campaign.stopping.rule!r}: should be 'fixed', because the "
                "comparison itself decides when to stop"
            )
        if campaign.block is not None:
            raise InputError(
                f"block: {campaign.block!r}: versions are measured side by side, not in blocks; "
                f"write null, or {measure}"
            )
        self.campaign, self.baseline, self.candidate = campaign, baseline, candidate
        self.folder = results / campaign.name
        own = {label: campaign.algorithms[label] for label in (baseline, candidate)}
        self.of_both = campaign.model_copy(update={"algorithms": own})
        self.workers = max(1, cores // max(map(campaign.cores_of, own)))
        self.cores = cores

    def until_sure(self, by: Measure, ratio: float, say: Say) -> tuple[Comparison, Look]:
        """Measure round after round, each with a line to `say`, until the answer is decided.
        `InputError` if a job fails, runs may not begin, or another process works on the folder.
        """
        campaign, planned = self.campaign, self.campaign.rounds
        keys = provenance.measure_keys(campaign)
        levels = comparison.look_levels(1 - campaign.statistics.confidence, planned)
        driver.permit(campaign, self.folder)
        with driver.held(self.folder):
            plan.write_snapshot(campaign, self.folder)
            plan.write_keys(keys, self.folder)
            content = {"baseline": self.baseline, "candidate": self.candidate, "looks": planned}
            with storing(), atomic_file(self.folder / FILE) as file:
                file.write((json.dumps(content, indent=1) + "\n").encode())
            paths: list[Path] = []
            for number, level in enumerate(levels, 1):
                start = time.monotonic()
                paths += measured(self.folder, [*self._in_turns(number)], keys, self.workers)
                pair = _pair(str(self.folder), campaign, paths, (self.baseline, self.candidate))
                found = pair.compared(by, ratio, float(level))
                spent_s = time.monotonic() - start
                sure = found.verdict.answer is not comparison.Answer.UNDECIDED
                left_s = 0.0 if sure else (planned - number) * spent_s
                left = f"; at most about {left_s:.0f} s left" if left_s else ""
                say(
                    f"round {number} of {planned}, {spent_s:.0f} s: "
                    f"{found.verdict.answer}, {comparison.value(by, found.verdict)}{left}"
                )
                if sure:
                    break
        return found, Look(number, planned)

    def _in_turns(self, number: int) -> Iterator[plan.Job]:
        jobs = [job for job in plan.jobs(self.of_both) if job.round == number]
        for turn, pair in enumerate(zip(jobs[::2], jobs[1::2], strict=True)):
            yield from pair if (turn + number) % 2 else reversed(pair)

    def try_out(self) -> None:
        """Launch each version once on the first problem, without files, unless the first round is
        measured. `InputError` if one cannot be prepared, or makes no evaluation.
        """
        keys = provenance.measure_keys(self.campaign)
        records = (self.folder / job.record(keys[job.algorithm, 1]) for job in self._in_turns(1))
        if all(record.is_file() for record in records):
            return
        trial = _shortened(self.of_both)
        keys, jobs = provenance.measure_keys(trial), list(plan.jobs(trial))
        with temporary_folder("timefair-") as place:
            folder = Path(place) / trial.name
            plan.write_snapshot(trial, folder)
            plan.write_keys(keys, folder)
            try:
                found = measured(folder, jobs, keys, self.workers)
            except JobFailed as failed:
                raise InputError(
                    f"{CANNOT.format(jobs[failed.number].algorithm)}: {failed.why}"
                ) from None
            for job, record in zip(jobs, found, strict=True):
                (row,) = read_runs([record]).to_pylist()
                if row["status"] != Status.OK and not row["evaluations"]:
                    why = row["message"] or row["status"]
                    raise InputError(f"{CANNOT.format(job.algorithm)}: {why}")


def _shortened(campaign: Campaign) -> Campaign:
    problems, budget = campaign.problems, campaign.budget
    function, dimension = problems.spaces[0]
    first: dict[str, Any] = {"functions": (function,), "dimensions": (dimension,)}
    first |= {"own_dimensions": {function: dimension}, "instances": problems.instances[:1]}
    less: dict[str, Any] = {"evaluations_per_dimension": None}
    if budget.time_s is not None:
        less["time_s"] = min(budget.time_s, TRIAL_S)
    if (most := budget.evaluations_for(dimension)) is not None:
        less["evaluations"] = min(most, TRIAL_EVALUATIONS)
    changes: dict[str, Any] = {
        "problems": problems.model_copy(update=first),
        "budget": budget.model_copy(update=less),
    }
    return campaign.model_copy(update=changes | {"runs": 1, "rounds": 1})


def earlier_look(folder: Path, baseline: str, candidate: str) -> Look | None:
    """The look at the runs of a folder, if they were measured for this comparison, else None."""
    try:
        content = json.loads(regular(folder / FILE).read_text(encoding="utf-8"))
        planned, versions = int(content["looks"]), {content["baseline"], content["candidate"]}
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError):
        raise InputError(
            f"{folder / FILE}: not what timefair wrote; run timefair compare on the campaign again"
        ) from None
    if versions != {baseline, candidate}:
        return None
    campaign = configuration.restore(folder / plan.SNAPSHOT)
    lacking = {
        job.round
        for job, path in _planned(folder, campaign).items()
        if job.algorithm in versions and not path.is_file()
    }
    complete = min(lacking, default=planned + 1) - 1
    return Look(min(max(complete, 1), planned), planned)


SAMPLES = 400
"""Simulated comparisons of each kind; a probability of 0.9 has a standard error of 0.015."""

SLOWDOWNS = (1.1, 1.2, 1.3, 1.5, 2.0, 3.0)
"""Slow-downs that are simulated; the smallest one that is usually found is printed."""

USUALLY = 0.9
LOST = 0.2


def expectations(rounds: Rounds, by: Measure, ratio: float) -> Iterator[str]:
    campaign, problems = rounds.campaign, rounds.campaign.problems
    design = comparison.Design(
        functions=len(problems.spaces),
        runs=len(problems.instances) * campaign.runs,
        looks=campaign.rounds,
        ratio=ratio,
        level=1 - campaign.statistics.confidence,
        paired=campaign.seeds_of(rounds.baseline) == campaign.seeds_of(rounds.candidate),
        jobs=ceil(len(problems.instances) / campaign.instances_per_job),
    )
    seconds = plan.wall_seconds(rounds.of_both, rounds.cores)
    size = f"in total {design.functions * design.runs} runs of each version"
    time = "" if seconds is None else f", at most about {seconds:.0f} s on {rounds.cores} core(s)"
    seeds = "in pairs of one seed" if design.paired else "with different seeds"
    yield f"plan      {size}, {seeds}{time}, {design.looks} round(s), margin {ratio:g}"
    if by not in (Measure.SECONDS, Measure.EVALUATIONS):
        return
    law, rng = comparison.Law(), np.random.default_rng(campaign.seed)

    def chance(loss: comparison.Loss, answer: comparison.Answer = comparison.Answer.WORSE) -> float:
        return comparison.simulate(design, law, loss, samples=SAMPLES, rng=rng)[0][answer]

    unit = "seconds" if by is Measure.SECONDS else "evaluations"
    found = {}
    for slowdown in SLOWDOWNS:
        found[slowdown] = chance(comparison.Loss(slowdown=slowdown))
        if found[slowdown] >= USUALLY:
            break
    for slowdown in dict.fromkeys((SLOWDOWNS[0], max(found))):
        yield (
            f"can find  a candidate that needs {100 * (slowdown - 1):.0f} % more {unit}, "
            f"with probability {found[slowdown]:.2f}"
        )
    lost = chance(comparison.Loss(lost=LOST))
    yield (
        f"can find  a candidate that loses {100 * LOST:.0f} % of the successes, "
        f"with probability {lost:.2f}"
    )
    equal = chance(comparison.Loss(), comparison.Answer.EQUAL)
    yield f"can show  that equal versions are equal, with probability {equal:.2f}"
    yield (
        f"assumed   {100 * law.success:.0f} % of the runs reach the target, after exponentially "
        f"distributed costs; the machine adds {100 * law.noise:.0f} % of noise to a run and "
        f"{100 * law.job_noise:g} % to a job"
    )
