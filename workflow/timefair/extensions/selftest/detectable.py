"""The smallest slowdown of an algorithm that can be detected on this machine.

An algorithm that does the same work in every run is compared with a version of itself that is
slowed by exactly δ. The smallest δ that a test would detect in 80 % of the repetitions is computed
from unslowed runs, and then measured in new runs.
"""

from __future__ import annotations

import math
from collections.abc import Callable, Mapping, Sequence
from dataclasses import dataclass
from datetime import UTC, datetime
from typing import Any

import numpy as np
from numpy.typing import NDArray

from timefair import __version__
from timefair.extensions.selftest.answers import Bench, Row
from timefair.extensions.selftest.laws import RAMP_LEVELS
from timefair.records.status import Perturbation
from timefair.statistics.comparison import equal_ert, mann_whitney, superiority
from timefair.statistics.probability import success_interval

BUDGET_S = 0.02
RUNS = 10
"""Budget T of a run in seconds, and number of runs per algorithm and repetition."""

LOOPS = 40
ALPHA = 0.05
POWER = 0.8
FLOOR = 0.1
"""Slowdown that is measured if a test detects none of those that were computed."""

BESIDE = 2
"""Repetitions that are compared to compute a slowdown are at most this number apart in time."""

DELTAS = np.geomspace(5e-4, 4.0, 200)
"""Slowdowns that are tried, in steps of about 5 %."""

AGAINST = "A"


def campaign(slowed: Mapping[str, float], repetitions: int, seed: int) -> dict[str, Any]:
    """The campaign of the algorithm and its slowed versions; each function is a repetition."""
    everyone = {AGAINST: 1.0} | {label: 1 + delta for label, delta in slowed.items()}
    return {
        "name": "selftest-slowdown",
        "seed": seed,
        "problems": {
            "suite": "timefair.extensions.selftest.laws:ramp",
            "functions": f"1-{repetitions}",
            "dimensions": 1,
            "instances": 1,
        },
        "algorithms": {
            label: {
                "use": "timefair.extensions.selftest.laws:work",
                "parameters": {"loops": LOOPS, "slowdown": slowdown},
            }
            for label, slowdown in everyone.items()
        },
        "budget": {"time_s": BUDGET_S},
        "restart": {"policy": "none"},
        "timing": {"reference": False},
        "runs": RUNS,
    }


@dataclass(frozen=True)
class Sample:
    """The runs of an algorithm in one repetition.

    - `level`, `time_s`: for each run, the levels of its events and the times of these events.
    - `delta`: the slowdown δ with which the algorithm was measured.
    """

    level: Sequence[NDArray[np.float64]]
    time_s: Sequence[NDArray[np.float64]]
    delta: float = 0.0

    @classmethod
    def of(cls, rows: Sequence[Row], delta: float = 0.0) -> Sample:
        """Make a sample of the runs of a cell."""
        events = [row["events"] for row in rows]
        level = [RAMP_LEVELS - np.array([e["precision"] for e in one]) for one in events]
        return cls(level, [np.array([e["time_s"] for e in one]) for one in events], delta)

    def ends(self, delta: float) -> NDArray[np.float64]:
        """Final levels if slowed by `delta`, shape (runs,); -1 for a run without events."""
        factor = (1 + delta) / (1 + self.delta)
        return np.array([np.floor(one[-1] / factor) if one.size else -1.0 for one in self.level])

    def costs(self, level: float, delta: float) -> tuple[NDArray[np.float64], NDArray[np.bool_]]:
        """Seconds until the level is reached, or T, and whether it is; each of shape (runs,)."""
        wanted = np.ceil(level * (1 + delta) / (1 + self.delta))
        cost, success = [], []
        for levels, time_s in zip(self.level, self.time_s, strict=True):
            place = int(np.searchsorted(levels, wanted))
            success.append(place < levels.size)
            cost.append(time_s[place] if place < levels.size else BUDGET_S)
        return np.array(cost), np.array(success)


def half_way(samples: Sequence[Sample]) -> float:
    """The level that half of the runs reach by T / 2."""
    reached = [
        levels[np.searchsorted(times, BUDGET_S / 2) - 1]
        for one in samples
        for levels, times in zip(one.level, one.time_s, strict=True)
        if levels.size
    ]
    return float(np.floor(np.median(reached)))


def by_seconds(first: Sample, second: Sample, level: float, delta: float) -> tuple[float, bool]:
    """The test of equal ERTs in seconds, as in `rank_reversals`: p, and whether the first wins.

    `second` is slowed by `delta`.
    """
    (a, reached_a), (b, reached_b) = first.costs(level, 0.0), second.costs(level, delta)
    better = a.sum() * max(reached_b.sum(), 1) < b.sum() * max(reached_a.sum(), 1)
    return equal_ert(a, reached_a, b, reached_b), bool(better)


def by_precision(first: Sample, second: Sample, level: float, delta: float) -> tuple[float, bool]:
    """The Mann-Whitney test of the precision at the end, as in `comparison`; as `by_seconds`."""
    a, b = -first.ends(0.0), -second.ends(delta)  # small is better
    return mann_whitney(a, b), superiority(a, b) > 0.5


Test = Callable[[Sample, Sample, float, float], tuple[float, bool]]
TESTS: Mapping[str, Test] = {"seconds": by_seconds, "precision": by_precision}


def finds(test: Test, first: Sample, second: Sample, level: float, delta: float) -> bool:
    """Whether the second algorithm, slowed by `delta`, is found to be worse."""
    p, better = test(first, second, level, delta)
    return p <= ALPHA and better


def smallest(test: Test, first: Sequence[Sample], second: Sequence[Sample], level: float) -> float:
    """The smallest of `DELTAS` that a test detects with probability `POWER`; `inf` if none.

    Each repetition of the first algorithm is compared with those of the second one that are at most
    `BESIDE` repetitions apart.
    """
    pairs = [
        (a, second[j])
        for i, a in enumerate(first)
        for j in range(max(i - BESIDE, 0), min(i + BESIDE + 1, len(second)))
    ]

    def power(delta: float) -> float:
        return float(np.mean([finds(test, a, b, level, delta) for a, b in pairs]))

    low, high = 0, DELTAS.size
    while low < high:  # the power grows with the slowdown
        middle = (low + high) // 2
        if power(DELTAS[middle]) >= POWER:
            high = middle
        else:
            low = middle + 1
    return float(DELTAS[low]) if low < DELTAS.size else float("inf")


def false_alarms(
    test: Test, first: Sequence[Sample], second: Sequence[Sample], level: float
) -> float:
    """Share of the repetitions in which a test finds a difference between equal algorithms."""
    found = [test(a, b, level, 0.0)[0] <= ALPHA for a, b in zip(first, second, strict=True)]
    return float(np.mean(found))


def confirmed(
    test: Test, first: Sequence[Sample], second: Sequence[Sample], level: float
) -> dict[str, Any]:
    """How often a test detects the slowdown with which the second algorithm was measured.

    ``power`` is the share of the ``repetitions`` in which it did, with its 95 % interval
    ``power_low`` to ``power_high`` (Clopper and Pearson).
    """
    delta = second[0].delta
    found = sum(finds(test, a, b, level, delta) for a, b in zip(first, second, strict=True))
    share = success_interval(found, len(first), 0.95)
    return {
        "delta": delta,
        "power": found / len(first),
        "power_low": float(share.low),
        "power_high": float(share.high),
        "repetitions": len(first),
    }


def detectable_slowdown(bench: Bench, unslowed: int, slowed: int) -> dict[str, Any]:
    """Measure the minimum detectable slowdown of this machine.

    - `unslowed`, `slowed`: repetitions of the algorithm against itself, and against its slowed
      versions.

    Returns JSON values with the names of `timefair.machine.detectable.NAMES`. A ``delta`` is None
    if the test detects none of the slowdowns that were computed.
    """
    perturbed: list[bool] = []
    equal = _samples(bench, "unslowed", {"B": 0.0}, unslowed, perturbed)
    level = half_way(equal[AGAINST])
    both = equal[AGAINST], equal["B"]
    deltas = {name: smallest(test, *both, level) for name, test in TESTS.items()}
    tried = {name: delta if math.isfinite(delta) else FLOOR for name, delta in deltas.items()}
    slow = _samples(bench, "slowed", tried, slowed, perturbed)
    found = {}
    for name, test in TESTS.items():
        one = confirmed(test, slow[AGAINST], slow[name], level)
        one["false_alarms"] = false_alarms(test, *both, level)
        found[name] = one | ({} if math.isfinite(deltas[name]) else {"delta": None})
    return {
        "measured_utc": datetime.now(UTC).isoformat(timespec="seconds"),
        "version": __version__,
        "runs": RUNS,
        "budget_s": BUDGET_S,
        "perturbed": round(sum(perturbed) / len(perturbed), 3),
        **found,
    }


def _samples(
    bench: Bench, part: str, slowed: Mapping[str, float], repetitions: int, perturbed: list[bool]
) -> dict[str, list[Sample]]:
    """The samples of each algorithm, in the order of the repetitions.

    For each run, whether it was perturbed is appended to `perturbed`.
    """
    seed = bench.seed + (1 if part == "unslowed" else 2)
    found: dict[str, list[Sample]] = {}
    for label, rows in bench.rows(part, campaign(slowed, repetitions, seed)).items():
        cells: dict[int, list[Row]] = {}
        for row in rows:
            cells.setdefault(row["function"], []).append(row)
            perturbed.append(row["perturbation"] == Perturbation.PERTURBED)
        delta = slowed.get(label, 0.0)
        found[label] = [Sample.of(cells[function], delta) for function in sorted(cells)]
    return found
