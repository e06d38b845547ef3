"""Folders of campaigns whose runs follow a law, and the command that compares them."""

from collections.abc import Mapping
from itertools import product
from pathlib import Path
from typing import Any

import numpy as np
import pytest

from timefair import cli
from timefair.campaign import configuration, plan
from timefair.extensions.compare import rounds
from timefair.records.store import write_record

FUNCTIONS, INSTANCES, RUNS = (1, 2), (1, 2), 20
CAMPAIGN: dict[str, Any] = {
    "name": "mine",
    "problems": {"suite": "bbob", "functions": [1, 2], "dimensions": 2, "instances": [1, 2]},
    "algorithms": {
        "baseline": "timefair:random-search",
        "candidate": {"use": "timefair:random-search", "seed_as": "baseline"},
        "other": "timefair:DE",
    },
    "budget": {"time_s": 1},
    "runs": RUNS,
    "rounds": 4,
    "targets": [1, 0.1],
}
MACHINE = {"cpu": "Z80", "cores": 2, "memory_mb": 2000.0, "python": "3.11.2", "versions": {}}

Law = tuple[float, float]
"""Times as many seconds per evaluation, and times as many evaluations."""


def _rows(
    run: Any, label: str, law: Law, seed: int, paths: np.random.Generator, stuck: int
) -> list[Any]:
    """The runs of an algorithm: 0.2 s and 200 evaluations on average to the hard target.

    Every run whose number is divisible by `stuck` spends 1 s without reaching it.
    """
    slower, more = law
    noise = np.random.default_rng(seed)
    rows = []
    for function, instance, number in product(FUNCTIONS, INSTANCES, range(RUNS)):
        steps = int(1 + more * 200 * paths.gamma(4.0) / 4)
        seconds = slower * steps / 1000 * float(np.exp(noise.normal(0, 0.01)))
        events = [(1, 0.0005, 2.0), (steps, seconds, 0.05)]
        if stuck and number % stuck == 0:
            steps, seconds = int(steps / seconds), 1.0
            events = events[:1]
        own = {"function": function, "instance": instance, "run": number, "algorithm": label}
        own |= dict.fromkeys(("wall_s", "real_s"), min(seconds, 1.0)) | {"evaluations": steps}
        own |= {"seed": 1000 * number + instance, "perturbation": "clean"}
        rows.append(run([event for event in events if event[1] < 1], **own))
    return rows


@pytest.fixture(autouse=True)
def few_samples(monkeypatch):
    """What a comparison can find is simulated less exactly: it takes longer than its runs here."""
    monkeypatch.setattr(rounds, "SAMPLES", 40)


@pytest.fixture
def folder(tmp_path, run, table):
    """Makes the folder of a campaign: the laws of its algorithms; changes of it and of facts."""

    def make(
        name: str,
        laws: Mapping[str, Law],
        *,
        machine: Mapping[str, Any] = MACHINE,
        code: Mapping[str, str] | None = None,
        paired: bool = True,
        stuck: int = 0,
        **changes: Any,
    ) -> Path:
        asked = CAMPAIGN | {"name": name} | changes
        own = {label: spec for label, spec in CAMPAIGN["algorithms"].items() if label in laws}
        asked["algorithms"] = changes.get("algorithms", own)
        campaign = configuration.parse(asked)
        place = tmp_path / "results" / name
        plan.write_snapshot(campaign, place)
        plan.write_keys(
            {(label, k): "ab" * 32 for label in laws for k in range(1, campaign.rounds + 1)}, place
        )
        (place / "collected").mkdir()
        for k, (label, law) in enumerate(laws.items()):
            paths = np.random.default_rng(5 if paired else 50 + k)
            rows = _rows(run, label, law, len(name) + k, paths, stuck)
            if not paired:
                rows = [row | {"seed": row["seed"] + 10**6 * k} for row in rows]
            facts = {
                "campaign": campaign.model_dump(mode="json"),
                "code": (code or {}).get(label, label),
                "machine": dict(machine),
            }
            write_record(place / f"collected/{label}.parquet", table(*rows).to_batches(), facts)
        return place

    return make


@pytest.fixture
def compare(capsys):
    def run(*words: object) -> tuple[int, list[str]]:
        status = cli.main(["compare", *map(str, words)])
        printed = capsys.readouterr()
        return status, (printed.err or printed.out).splitlines()

    return run
