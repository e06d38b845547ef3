"""Runs the parts of the self-test, one after the other."""

from __future__ import annotations

import math
from collections.abc import Callable, Iterator, Mapping
from dataclasses import asdict, dataclass
from datetime import UTC, datetime
from functools import partial
from pathlib import Path
from typing import Any

import pandas as pd
import pyarrow as pa

from timefair import __version__
from timefair.campaign import configuration
from timefair.extensions.selftest import (
    checks,
    clock,
    coverage,
    defects,
    detectable,
    laws,
)
from timefair.extensions.selftest.checks import Copy
from timefair.extensions.selftest.detectable import AGAINST, Sample, Test
from timefair.extensions.selftest.laws import Answers, recorded
from timefair.processes.jobs import complete
from timefair.records.schema import KEYS, RUN_SCHEMA
from timefair.records.status import Perturbation
from timefair.records.store import open_record
from timefair.rundata.runs import Runs

FLOOR = 0.1
"""Slowdown that is measured if a test detects none of those that were computed."""


@dataclass(frozen=True)
class Size:
    """Number of repetitions of each part.

    - `coverage`: repetitions of the campaign whose answers are known.
    - `unslowed`, `slowed`: repetitions of the algorithm against itself, and against its slowed
      versions.
    - `attempts`: maximal number of times that a slowdown is measured; it is corrected and measured
      again if its power is not near 80 %.
    """

    coverage: int
    unslowed: int
    slowed: int
    attempts: int


FULL = Size(coverage=32, unslowed=40, slowed=100, attempts=2)
QUICK = Size(coverage=5, unslowed=12, slowed=20, attempts=1)
NAMED = (*KEYS, "seed")
"""The columns of a run from which the record of a perfect clock is computed."""

DEFECT_FUNCTIONS, DEFECT_RUNS = 2, 8
"""Number of functions and of runs of the campaign into whose records defects are injected."""


@dataclass(frozen=True)
class Bench:
    """Where and how the parts are measured.

    - `folder`: folder of the records. Records that exist are not measured again.
    - `cores`: number of runs that are measured at the same time.
    - `seed`: seed of the first campaign; the seeds of the later parts are derived from it.
    - `say`: called with the name of a part, the number of finished jobs and the number of all jobs.
    """

    folder: Path
    cores: int
    seed: int
    say: Callable[[str, int, int], None]

    def measure(self, part: str, mapping: Mapping[str, object]) -> list[Path]:
        """Measure a campaign in a folder of its own, and return its collected files."""
        campaign, say = configuration.parse(mapping), partial(self.say, part)
        return complete(campaign, self.folder / part, self.cores, say)

    def rows(self, part: str, mapping: Mapping[str, object]) -> dict[str, list[dict[str, Any]]]:
        """Measure a campaign, and return the runs of each algorithm."""
        return {
            path.stem: open_record(path).read().to_pylist() for path in self.measure(part, mapping)
        }


@dataclass(frozen=True)
class Known:
    """Results of the campaign with known answers.

    - `held`, `orders`: results of `coverage.held` and `coverage.orders`. `held` has a further
      column ``perfect``: the share of the intervals that contain the known value if a perfect clock
      records the same runs.
    - `clock`: result of `clock.table`.
    - `drift_ppm`: how much faster the clock of the measurement was than others, in parts per
      million.
    - `differences`: one line for each run whose events differ from those that were drawn.
    """

    held: pd.DataFrame
    orders: pd.DataFrame
    clock: pd.DataFrame
    drift_ppm: Mapping[str, float]
    differences: list[str]


def known_answers(bench: Bench, repetitions: int) -> Known:
    """Measure the campaign whose answers are known, and compare its tables with them."""
    mapping = laws.campaign(repetitions, bench.seed)
    before = clock.readings()
    files = bench.measure("answers", mapping)
    drift_ppm = clock.drift_ppm(before, clock.readings())
    rows = {path.stem: open_record(path).read().to_pylist() for path in files}
    biases = {label: clock.bias(rows[label], one) for label, one in laws.ALGORITHMS.items()}
    campaign = configuration.parse(mapping)
    made = coverage.tables(Runs.read(files), campaign)
    held = coverage.held(made, answers(biases))
    perfect = coverage.held(coverage.tables(_perfect(rows), campaign), answers({}))
    places = ["table", "column"]
    held = held.merge(perfect[[*places, "held"]].rename(columns={"held": "perfect"}), on=places)
    return Known(
        held,
        coverage.orders(made, answers(biases)),
        clock.table(biases),
        drift_ppm,
        list(_differences(rows)),
    )


def answers(biases: Mapping[str, clock.Bias]) -> dict[str, Answers]:
    """The true results of each algorithm, with the delays of the clock if they were measured."""
    delays = {label: (one.delay_s, one.each_relaunch_s) for label, one in biases.items()}
    return {
        label: Answers(one, laws.BUDGET_S, *delays.get(label, ()))
        for label, one in laws.ALGORITHMS.items()
    }


def _perfect(rows: Mapping[str, list[dict[str, Any]]]) -> Runs:
    """The same runs as a perfect clock would record them."""
    perfect = [
        recorded(laws.ALGORITHMS[label], laws.BUDGET_S, {name: row[name] for name in NAMED})
        for label, runs in rows.items()
        for row in runs
    ]
    return Runs.of(pa.Table.from_pylist(perfect, schema=RUN_SCHEMA))


def _differences(rows: Mapping[str, list[dict[str, Any]]]) -> Iterator[str]:
    for label, runs in rows.items():
        for row in runs:
            if clause := clock.difference(row, laws.ALGORITHMS[label], laws.BUDGET_S):
                yield f"{label} f{row['function']} run {row['run']}: {clause}"


def detectable_slowdown(bench: Bench, size: Size) -> dict[str, Any]:
    """Measure the minimum detectable slowdown of this machine; see `detectable`.

    Returns JSON values with the names of `timefair.machine.detectable.NAMES`. A ``delta`` is None
    if the test detects none of the slowdowns that were computed.
    """
    perturbed: list[bool] = []
    equal = _samples(bench, "unslowed", {"B": 0.0}, size.unslowed, 1, perturbed)
    level = detectable.half_way(equal[AGAINST])
    alarms = {
        test.name: detectable.false_alarms(test, equal[AGAINST], equal["B"], level)
        for test in detectable.TESTS
    }
    pools = {test.name: [(equal[AGAINST], equal["B"])] for test in detectable.TESTS}
    deltas = {test.name: _smallest(test, pools[test.name], level) for test in detectable.TESTS}
    for attempt in range(1, size.attempts + 1):
        tried = {name: delta if math.isfinite(delta) else FLOOR for name, delta in deltas.items()}
        slowed = _samples(bench, f"slowed-{attempt}", tried, size.slowed, 1 + attempt, perturbed)
        confirmed = {
            test.name: detectable.confirmed(
                test, slowed[AGAINST], slowed[test.name], level, alarms[test.name]
            )
            for test in detectable.TESTS
        }
        if all(one.is_near for one in confirmed.values()) or attempt == size.attempts:
            break
        for test in detectable.TESTS:
            pools[test.name].append((slowed[AGAINST], slowed[test.name]))
            deltas[test.name] = _smallest(test, pools[test.name], level)
    return {
        "measured_utc": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": __version__,
        "runs": detectable.RUNS,
        "budget_s": detectable.BUDGET_S,
        "perturbed": round(sum(perturbed) / len(perturbed), 3),
        **{
            name: asdict(one) | {"delta": one.delta if math.isfinite(deltas[name]) else None}
            for name, one in confirmed.items()
        },
    }


def _smallest(test: Test, pools: list[tuple[list[Sample], list[Sample]]], level: float) -> float:
    first, second = ([one for pool in pools for one in pool[side]] for side in (0, 1))
    return detectable.smallest(test, first, second, level)


def _samples(
    bench: Bench,
    part: str,
    slowed: Mapping[str, float],
    repetitions: int,
    further: int,
    perturbed: list[bool],
) -> dict[str, list[Sample]]:
    """The samples of each algorithm, in the order of the repetitions.

    For each run, whether it was perturbed is appended to `perturbed`.
    """
    mapping = detectable.campaign(slowed, repetitions, bench.seed + further)
    found: dict[str, list[Sample]] = {}
    for label, rows in bench.rows(part, mapping).items():
        cells: dict[int, list[dict[str, Any]]] = {}
        for row in rows:
            cells.setdefault(row["function"], []).append(row)
            perturbed.append(row["perturbation"] == Perturbation.PERTURBED)
        delta = slowed.get(label, 0.0)
        found[label] = [Sample.of(cells[function], delta) for function in sorted(cells)]
    return found


def defects_found(bench: Bench) -> tuple[dict[str, str], pd.DataFrame]:
    """What the checks find in sound records, and which checks find each injected defect."""
    mapping = laws.campaign(DEFECT_FUNCTIONS, bench.seed + 100, DEFECT_RUNS)
    bench.measure("defects", mapping)
    sound = Copy.of(bench.folder / "defects")
    already = checks.findings(sound)
    results = []
    for number, name in enumerate(defects.DEFECTS, start=1):
        results.append(defects.injected(name, sound, already))
        bench.say("injected", number, len(defects.DEFECTS))
    return already, defects.table(results)
