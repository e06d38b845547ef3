"""The jobs of a campaign: algorithm, problems and round of each job, and the path of its record."""

from __future__ import annotations

import json
import random
import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass
from itertools import product
from math import ceil
from pathlib import Path, PurePosixPath
from typing import TYPE_CHECKING, Any, Literal

from timefair.basics.disk import atomic_file, regular
from timefair.basics.errors import InputError, storing
from timefair.basics.sections import format_ranges, parse_ranges

if TYPE_CHECKING:
    from timefair.campaign.configuration import Campaign

# Core-seconds of a run besides its budget (its process, the reference kernel, the journal); of a
# job besides its runs; to prepare an algorithm in a dimension.
RUN_OVERHEAD_S, JOB_OVERHEAD_S, PREPARATION_S = 0.03, 0.25, 1.5

# Prefixes of the names of the rules that measure, search for parameters, and measure all algorithms
# of a block; the rule that needs all others.
MEASURING, SEARCHING = "measure_cell", "tune_algorithm"
MEASURING_BLOCK = f"{MEASURING}s_of_round"
LAST = "write_report"
JOB_OVERHEAD_MB = 1024
"""Memory of a job besides that of its run: the process that starts it, on a cluster Snakemake."""
SPARE_MINUTES = 10  # time that is requested from a cluster in addition to the time of a job's runs

# Files, relative to ``results/<campaign>/``: of a job its record and output, of the search for a
# tuned variant's parameters its record and output, and of a block its log and its node's name,
# without extension. The key is the beginning of `provenance.measure_key`: records with other
# settings are in other folders, and still exist when the campaign is changed back.
RECORD = "records/{algorithm}/{key}/f{function}_d{dimension}_i{instances}_r{round}.parquet"
LOG = RECORD.replace("records/", "logs/", 1).replace(".parquet", ".log")
TUNING, TUNING_LOG = "tuning/{algorithm}/{key}.parquet", "logs/{algorithm}/{key}/tuning.log"
BLOCK = "blocks/f{function}_d{dimension}_i{instances}_r{round}"
SNAPSHOT = "campaign.json"  # the checked campaign that its jobs read
KEYS = "keys.json"  # the measure keys of all algorithms and rounds of the plan
TUNING_ROUND = 0  # the round of a search among the keys: it precedes the runs of its variant
AGAIN = "start snakemake again"  # remedy for a plan that is out of date
Keys = Mapping[tuple[str, int], str]  # the measure key of each algorithm's label and round
Span = tuple[int, int, int]
"""A round, and the numbers of its first run and of the one after its last."""


@dataclass(frozen=True)
class Job:
    """One algorithm on one function, dimension and chunk of instances in one round."""

    algorithm: str
    function: int
    dimension: int
    instances: tuple[int, ...]
    round: int  # from 1

    def record(self, key: str) -> PurePosixPath:
        """The path of its record, relative to ``results/<campaign>/``."""
        written = {"key": short_key(key), "instances": format_instances(self.instances)}
        return PurePosixPath(RECORD.format(**vars(self) | written))


@dataclass(frozen=True)
class Block:
    """All algorithms on one function, dimension and chunk of instances in a round, for one node."""

    function: int
    dimension: int
    instances: tuple[int, ...]
    round: int  # from 1

    @property
    def place(self) -> PurePosixPath:
        """The path of its files without extension, relative to ``results/<campaign>/``."""
        return PurePosixPath(
            BLOCK.format(**vars(self) | {"instances": format_instances(self.instances)})
        )

    def jobs(self, campaign: Campaign) -> list[Job]:
        """The jobs of its algorithms, in the random order in which they are measured."""
        labels = sorted(campaign.algorithms)
        random.Random(repr((campaign.seed, str(self.place)))).shuffle(labels)
        return [Job(label, **vars(self)) for label in labels]


def format_instances(instances: tuple[int, ...]) -> str:
    """Instances as a part of a file name: ``1-5_71-80``."""
    return format_ranges(instances, separator="_")


def parse_instances(text: str) -> tuple[int, ...]:
    return tuple(parse_ranges(text, separator="_"))


def jobs(campaign: Campaign) -> Iterator[Job]:
    """All jobs, in an order in which the algorithms take turns."""
    rounds, chunks = range(1, campaign.rounds + 1), campaign.instance_chunks
    places = product(rounds, campaign.problems.spaces, chunks, campaign.algorithms)
    for round, space, chunk, algorithm in places:
        yield Job(algorithm, *space, chunk, round)


def priority(seed: int, **names: object) -> int:
    """A random place of a job among those of its round, 1 to 1000, determined by its names."""
    return random.Random(repr((seed, sorted(names.items())))).randint(1, 1000)


def runs_of_round(campaign: Campaign, round: int) -> range:
    """The run numbers of one round, from 0."""
    return range(*span_of(campaign.runs, campaign.rounds, round)[1:])


def span_of(runs: int, rounds: int, round: int) -> Span:
    """A round of a campaign with these numbers of runs and rounds. Sizes differ by at most one run,
    the larger rounds are first: a campaign that is extended by a round of the same size keeps its
    rounds.
    """
    if not 1 <= round <= rounds:
        raise ValueError(f"round {round}: the campaign has 1 to {rounds}")
    size, longer = divmod(runs, rounds)
    start = (round - 1) * size + min(round - 1, longer)
    return round, start, start + size + (round <= longer)


def records_by(
    attribute: Literal["algorithm", "round"], campaign: Campaign, keys: Keys, folder: Path
) -> dict[Any, list[str]]:
    """The records of each algorithm, or of each round; `folder` is ``results/<campaign>``."""
    records: dict[Any, list[str]] = {}
    for job in jobs(campaign):
        path = folder / job.record(keys[job.algorithm, job.round])
        records.setdefault(getattr(job, attribute), []).append(str(path))
    return records


def short_key(key: str) -> str:
    """The first digits of a key, which paths contain."""
    return key[:12]


def tuning_record(label: str, keys: Keys) -> PurePosixPath:
    key = short_key(keys[label, TUNING_ROUND])
    return PurePosixPath(TUNING.format(algorithm=label, key=key))


def published_files(campaign: Campaign, label: str) -> list[str]:
    path = Path(campaign.published[label].path)
    files = sorted(p for p in path.rglob("*") if p.is_file()) if path.is_dir() else [path]
    return [str(file) for file in files]


def any_of(labels: Iterable[str]) -> str:
    """A regular expression for labels; without labels, it matches nothing."""
    return "|".join(map(re.escape, labels)) or "(?!)"


def expected_runs(campaign: Campaign) -> set[tuple[int, int, int, int]]:
    """(function, dimension, instance, run) of every planned run of an algorithm."""
    problems, runs = campaign.problems, range(campaign.runs)
    every = product(problems.spaces, problems.instances, runs)
    return {(*space, instance, run) for space, instance, run in every}


def write_snapshot(campaign: Campaign, folder: Path) -> Path:
    """Write the checked campaign to the file that its jobs read, unless it is up to date."""
    return _settle(folder / SNAPSHOT, campaign.snapshot())


def write_keys(keys: Keys, folder: Path) -> Path:
    """Write the keys of the plan in the same way as `write_snapshot`; `read_keys` reads them."""
    planned: dict[str, dict[int, str]] = {label: {} for label, _ in keys}
    for (label, round), key in keys.items():
        planned[label][round] = key
    return _settle(folder / KEYS, json.dumps(planned, indent=1) + "\n")


def read_keys(folder: Path, campaign: Campaign) -> Keys:
    """The keys with which the campaign of a folder was last planned; `InputError` without them."""
    path = folder / KEYS
    try:
        planned = json.loads(regular(path).read_text(encoding="utf-8"))
        return {
            (label, round): str(planned[label][str(round)])
            for label in campaign.algorithms
            for round in range(TUNING_ROUND if label in campaign.tuned else 1, campaign.rounds + 1)
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
    """Maximal seconds of the runs of one job; None if evaluations are the only budget."""
    if campaign.budget.time_s is None:
        return None
    instances = min(campaign.instances_per_job, len(campaign.problems.instances))
    in_turn = 1 if campaign.block is None else len(campaign.algorithms)
    return len(runs_of_round(campaign, 1)) * instances * campaign.budget.time_s * in_turn


def resources(campaign: Campaign, *, searching: bool = False) -> dict[str, int]:
    """Resources that a measuring job, or a search, asks of a cluster: `mem_mb`; `runtime` in
    minutes if known.
    """
    asked = {"mem_mb": campaign.limits.memory_mb + JOB_OVERHEAD_MB}
    run_s, repeats = campaign.budget.time_s, campaign.timing.most_repeats
    if run_s is None:
        return asked
    seconds = (job_seconds(campaign) or 0.0) * (1 + repeats)
    if searching:
        most_s = (search.most_seconds(run_s, repeats) for search in campaign.tuned.values())
        seconds = max(most_s, default=0.0)
    return asked | {"runtime": SPARE_MINUTES + ceil(seconds / 60)}


def rules_by_cores(
    campaign: Campaign, prefix: str, labels: Iterable[str]
) -> dict[str, tuple[int, list[str]]]:
    """The rules that measure or search, one per number of cores: name -> this number, labels."""
    rules: dict[str, tuple[int, list[str]]] = {}
    for label in labels:
        cores = campaign.cores_of(label)
        name = prefix if cores == 1 else f"{prefix}_on_{cores}_cores"
        rules.setdefault(name, (cores, []))[1].append(label)
    return rules


def tuning_core_seconds(campaign: Campaign) -> float:
    tuned = campaign.tuned.items()
    return float(sum(one.seconds() * campaign.cores_of(label) for label, one in tuned))


def block_rules(campaign: Campaign, keys: Keys) -> dict[str, tuple[int, list[str]]]:
    """The rules that measure blocks, by their rounds: name -> round, patterns of all records."""
    return {
        f"{MEASURING_BLOCK}_{round}": (
            round,
            [
                RECORD.replace("{algorithm}", label).replace("{key}", short_key(keys[label, round]))
                for label in campaign.algorithms
            ],
        )
        for round in range(1, campaign.rounds + 1)
    }


def cell_count(campaign: Campaign) -> int:
    """The number of combinations of algorithm, function, dimension and instance."""
    return campaign.problems.count * len(campaign.algorithms)


def core_seconds(campaign: Campaign) -> float | None:
    """Maximal core-seconds of all runs and searches; None without T, or if its cost is simulated.

    A job holds the cores of its algorithm; in a block, the most of all algorithms.
    """
    if campaign.budget.time_s is None or campaign.budget.evaluation_cost_s:
        return None
    blocks = campaign.block is not None
    cores = sum(campaign.job_cores if blocks else campaign.cores_of(k) for k in campaign.algorithms)
    runs_s = campaign.problems.count * campaign.runs * campaign.budget.time_s * cores
    return runs_s + tuning_core_seconds(campaign)


def wall_seconds(campaign: Campaign, cores: int) -> float | None:
    """About the most seconds that measuring takes; None if `core_seconds` are unknown."""
    seconds = core_seconds(campaign)
    if seconds is None:
        return None
    prepared = len(campaign.algorithms) * len(campaign.problems.dimensions)
    runs = cell_count(campaign) * campaign.runs
    jobs_s = sum(1 for _ in jobs(campaign)) * JOB_OVERHEAD_S
    return (seconds + runs * RUN_OVERHEAD_S + jobs_s + prepared * PREPARATION_S) / cores
