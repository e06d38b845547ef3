"""The jobs of a campaign: who is measured on what in which round, and where the record goes."""

from __future__ import annotations

import json
import random
import re
from collections import Counter
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from math import ceil
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

from timefair.basics.atomic import atomic_file
from timefair.basics.errors import InputError, storing
from timefair.basics.ranges import format_ranges, parse_ranges

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign

RUN_OVERHEAD_S = 0.03
"""Core-seconds around a run: its process, the reference kernel, the journal."""

JOB_OVERHEAD_S = 0.25
"""Core-seconds of a job besides its runs: processes, Snakemake, the record."""

PREPARATION_S = 1.5
"""Core-seconds to prepare an algorithm, once for each dimension."""

ANALYSIS_JOB_S = 0.4
"""Core-seconds to start a job of the analysis, with its share of their prepared process."""

EXHIBIT_S, EXHIBIT_CELL_S = 0.1, 0.0014
"""Core-seconds for a table, or a figure in one format; and for each algorithm on each function and
dimension in it."""

MEASURING = "measure_cell"
"""What the names of the rules that measure begin with."""

LAST = "write_report"
"""The rule that needs all others."""

JOB_OVERHEAD_MB = 1024
"""Memory of a job besides that of its run: the process that starts it, Snakemake on a cluster."""

SPARE_MINUTES = 10
"""What a cluster is asked for beyond the time of a job's runs."""

RECORD = "records/{algorithm}/{key}/f{function}_d{dimension}_i{instances}_r{round}.parquet"
"""The record of a job, relative to ``results/<campaign>/``; the rules use the same pattern.

The key is the beginning of `provenance.measure_key`: what was measured otherwise lies elsewhere. It
is never mistaken for what is asked for, and still there when the campaign is changed back.
"""

LOG = RECORD.replace("records/", "logs/", 1).replace(".parquet", ".log")
"""What a measuring job printed, likewise."""

SNAPSHOT = "campaign.json"
"""The checked campaign, as its jobs read it, likewise."""

KEYS = "keys.json"
"""The measure keys of all algorithms and rounds of the plan, in the same folder."""

KEY_LENGTH = 12

AGAIN = "start snakemake again"
"""What mends a plan that no longer fits."""

Keys = Mapping[tuple[str, int], str]
"""The measure key of each algorithm's label and round."""

_RECORD = re.compile(
    r"records/(?P<algorithm>[^/]+)/(?P<key>[0-9a-f]+)/"
    r"f(?P<function>\d+)_d(?P<dimension>\d+)_i(?P<instances>[\d_-]+)_r(?P<round>\d+)\.parquet"
)


@dataclass(frozen=True)
class Job:
    """One algorithm on one function and dimension, a chunk of instances, in one round."""

    algorithm: str
    function: int
    dimension: int
    instances: tuple[int, ...]
    round: int  # from 1

    def record(self, key: str) -> PurePosixPath:
        """The path of its record, relative to ``results/<campaign>/``."""
        return PurePosixPath(
            RECORD.format(
                algorithm=self.algorithm,
                key=key[:KEY_LENGTH],
                function=self.function,
                dimension=self.dimension,
                instances=format_instances(self.instances),
                round=self.round,
            )
        )

    @classmethod
    def of_record(cls, path: PurePosixPath | str) -> Job:
        """The job whose record it is; ValueError for another path."""
        match = _RECORD.fullmatch(str(path))
        if match is None:
            raise ValueError(f"{path} is not the path of a record")
        return cls(
            algorithm=match["algorithm"],
            function=int(match["function"]),
            dimension=int(match["dimension"]),
            instances=parse_instances(match["instances"]),
            round=int(match["round"]),
        )


def format_instances(instances: tuple[int, ...]) -> str:
    """Instances as a part of a file name: ``1-5_71-80``."""
    return format_ranges(instances, separator="_")


def parse_instances(text: str) -> tuple[int, ...]:
    """The inverse of `format_instances`."""
    return tuple(parse_ranges(text, separator="_"))


def jobs(campaign: Campaign) -> Iterator[Job]:
    """Every job, in an order that lets the algorithms take turns."""
    problems, size = campaign.problems, campaign.instances_per_job
    chunks = [
        problems.instances[start : start + size]
        for start in range(0, len(problems.instances), size)
    ]
    for round in range(1, campaign.rounds + 1):
        for dimension in problems.dimensions:
            for function in problems.functions:
                for chunk in chunks:
                    for algorithm in campaign.algorithms:
                        yield Job(algorithm, function, dimension, chunk, round)


def priority(seed: int, **names: object) -> int:
    """A random place for the job of these names among those of its round, 1 to 1000."""
    return random.Random(repr((seed, sorted(names.items())))).randint(1, 1000)


def runs_of_round(campaign: Campaign, round: int) -> range:
    """The numbers of the runs of one round, from 0.

    Rounds differ by one run at most, the longer ones first. Where `rounds` divides `runs`, a
    campaign that is extended by a round of the same size keeps the rounds that it has.
    """
    if not 1 <= round <= campaign.rounds:
        raise ValueError(f"round {round}: the campaign has 1 to {campaign.rounds}")
    size, longer = divmod(campaign.runs, campaign.rounds)
    start = (round - 1) * size + min(round - 1, longer)
    return range(start, start + size + (round <= longer))


def records_by(
    attribute: Literal["algorithm", "round"], campaign: Campaign, keys: Keys, folder: Path
) -> dict[Any, list[str]]:
    """The records of each algorithm, or of each round; `folder` is ``results/<campaign>``."""
    records: dict[Any, list[str]] = {}
    for job in jobs(campaign):
        path = folder / job.record(keys[job.algorithm, job.round])
        records.setdefault(getattr(job, attribute), []).append(str(path))
    return records


def published_files(campaign: Campaign, label: str) -> list[str]:
    """The files of an algorithm's published data: the archive, or all files of the folder."""
    path = Path(campaign.published[label].path)
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    return [str(file) for file in files]


def any_of(labels: Iterable[str]) -> str:
    """The regular expression of labels; of none, it matches nothing."""
    return "|".join(map(re.escape, labels)) or "(?!)"


def expected_runs(campaign: Campaign) -> set[tuple[int, int, int, int]]:
    """(function, dimension, instance, run) of every run that an algorithm has to have."""
    problems = campaign.problems
    return {
        (function, dimension, instance, run)
        for function in problems.functions
        for dimension in problems.dimensions
        for instance in problems.instances
        for run in range(campaign.runs)
    }


def write_snapshot(campaign: Campaign, folder: Path) -> Path:
    """Put the checked campaign where its jobs read it; a file that is right stays untouched."""
    return _settle(folder / SNAPSHOT, campaign.snapshot())


def write_keys(keys: Keys, folder: Path) -> Path:
    """Put the keys that were planned with beside the campaign, likewise; `read_keys` reads them."""
    planned: dict[str, dict[int, str]] = {}
    for (label, round), key in keys.items():
        planned.setdefault(label, {})[round] = key
    return _settle(folder / KEYS, json.dumps(planned, indent=1) + "\n")


def read_keys(folder: Path, campaign: Campaign) -> Keys:
    """The keys that the campaign of a folder was last planned with.

    Raises
    ------
    InputError
        If they are not there, not as `write_keys` writes them, or another campaign's: whoever ends
        snakemake while it plans may leave old ones.
    """
    path = folder / KEYS
    try:
        planned = json.loads(path.read_text(encoding="utf-8"))
        return {
            (label, round): str(planned[label][str(round)])
            for label in campaign.algorithms
            for round in range(1, campaign.rounds + 1)
        }
    except (OSError, ValueError, LookupError, TypeError):
        raise InputError(f"{path}: not the campaign's keys; {AGAIN}") from None


def _settle(path: Path, text: str) -> Path:
    with storing():
        if not path.is_file() or path.read_text(encoding="utf-8") != text:
            with atomic_file(path) as file:
                file.write(text.encode())
    return path


def job_seconds(campaign: Campaign) -> float | None:
    """Seconds of the runs of one job at most; None if evaluations are the only budget."""
    if campaign.budget.time_s is None:
        return None
    instances = min(campaign.instances_per_job, len(campaign.problems.instances))
    return len(runs_of_round(campaign, 1)) * instances * campaign.budget.time_s


def resources(campaign: Campaign) -> dict[str, int]:
    """What a measuring job asks a cluster for: `mem_mb`, and `runtime` in minutes if it is known.

    It is the same for all jobs of a campaign: Slurm gives all jobs of an array what the first one
    asks for. A job that is ended by its time limit nevertheless goes on from its journal.
    """
    asked = {"mem_mb": campaign.limits.memory_mb + JOB_OVERHEAD_MB}
    if (seconds := job_seconds(campaign)) is not None:
        repeats = 1 + campaign.timing.most_repeats
        asked["runtime"] = SPARE_MINUTES + ceil(seconds * repeats / 60)
    return asked


def measuring_rules(campaign: Campaign) -> dict[str, tuple[int, list[str]]]:
    """The rules that measure: name -> number of cores, labels of the algorithms with so many.

    One rule a number of cores: the jobs of an array are those of a rule.
    """
    rules: dict[str, tuple[int, list[str]]] = {}
    for label in campaign.algorithms:
        cores = campaign.cores_of(label)
        name = MEASURING if cores == 1 else f"{MEASURING}_on_{cores}_cores"
        rules.setdefault(name, (cores, []))[1].append(label)
    return rules


def instance_count(campaign: Campaign) -> int:
    """The combinations of function, dimension and instance."""
    problems = campaign.problems
    return len(problems.functions) * len(problems.dimensions) * len(problems.instances)


def cell_count(campaign: Campaign) -> int:
    """The combinations of algorithm, function, dimension and instance."""
    return instance_count(campaign) * len(campaign.algorithms)


def core_seconds(campaign: Campaign) -> float | None:
    """Core-seconds of all runs at most; None if evaluations are the only budget."""
    if campaign.budget.time_s is None:
        return None
    cores = sum(map(campaign.cores_of, campaign.algorithms))
    return instance_count(campaign) * campaign.runs * campaign.budget.time_s * cores


def analysis_seconds(campaign: Campaign) -> dict[str, float]:
    """Core-seconds of each job of the analysis, about.

    The jobs are named as Snakemake does, with their wildcards: ``collect_records DE``,
    ``analyse_curves``, ``write_report``.
    """
    from timefair.exhibits.registry import FIGURES, TABLES

    cell_s = EXHIBIT_CELL_S * cell_count(campaign) / len(campaign.problems.instances)
    items = Counter(TABLES[table].room for table in campaign.made_tables)
    for figure in campaign.figure_names:
        items[FIGURES[figure].room] += len(campaign.figures.formats)
    seconds = {f"collect_records {label}": ANALYSIS_JOB_S for label in campaign.algorithms}
    seconds |= {f"import_published {label}": ANALYSIS_JOB_S for label in campaign.published}
    for room in campaign.rooms:
        seconds[f"analyse_{room}"] = ANALYSIS_JOB_S + items[room] * (EXHIBIT_S + cell_s)
    return seconds | {LAST: 4 * ANALYSIS_JOB_S}


def wall_seconds(campaign: Campaign, cores: int) -> float | None:
    """Seconds that measuring takes at most, about; None if evaluations are the only budget."""
    seconds = core_seconds(campaign)
    if seconds is None:
        return None
    prepared = len(campaign.algorithms) * len(campaign.problems.dimensions)
    runs = cell_count(campaign) * campaign.runs
    jobs_s = sum(1 for _ in jobs(campaign)) * JOB_OVERHEAD_S
    return (seconds + runs * RUN_OVERHEAD_S + jobs_s + prepared * PREPARATION_S) / cores
