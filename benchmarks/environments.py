"""Whether an algorithm is measured alike in an interpreter of its own: ``python environments.py``.

One campaign measures the same algorithm twice: in forks of the process that prepared it, and with
``python:`` and this interpreter, in a process of its own. Both take turns in rounds on the same
cores, and begin every other round, so that what else the machine does hits both. The seeds of the
two differ, as their labels do, so the algorithm is random search, whose work does not depend on its
seed.

It prints for each way the medians over all runs: evaluations per second of CPU time, CPU time over
wall clock, wall clock of a run, how late its last evaluation ended after T, the cost of an
evaluation with and without timefair, and memory. Then it prints the ratio of each, own over shared:
the geometric mean over rounds, with its 95 % bootstrap interval over rounds. A round counts by the
median of its runs; ``best_per_cpu_s`` by its fastest run, because other processes only slow runs.

    python benchmarks/environments.py --folder /tmp/environments --rounds 40

A stopped command goes on where it was.
"""

from __future__ import annotations

import argparse
import sys
from pathlib import Path

import numpy as np
import pandas as pd

from timefair.campaign import configuration, plan, provenance
from timefair.measure.job.cell import measure
from timefair.records.store import read_runs

COLUMNS = (
    "round", "algorithm", "wall_s", "cpu_s", "evaluations", "overshoot_s", "objective_s", "bare_s",
    "run_queue_delay_s", "peak_memory_mb",
)  # fmt: skip


def measured(folder: Path, rounds: int, runs: int, time_s: float) -> pd.DataFrame:
    """One row per run, in rounds in which both take turns; each begins every other round."""
    campaign = configuration.parse(
        {
            "name": "environments",
            "problems": {"suite": "bbob", "functions": 8, "dimensions": 10, "instances": 1},
            "algorithms": {
                "shared": {"use": "timefair:random-search"},
                "own": {"use": "timefair:random-search", "python": sys.executable},
            },
            "budget": {"time_s": time_s, "final_target": None},
            "runs": runs * rounds,
            "rounds": rounds,
        }
    )
    keys = provenance.measure_keys(campaign)
    results = folder / "results/environments"
    results.mkdir(parents=True, exist_ok=True)
    plan.write_keys(keys, results)
    jobs = sorted(
        plan.jobs(campaign), key=lambda job: (job.round, (job.round % 2) ^ (job.algorithm == "own"))
    )
    records = []
    for job in jobs:
        record = results / job.record(keys[job.algorithm, job.round])
        if not record.exists():
            record.parent.mkdir(parents=True, exist_ok=True)
            measure(campaign, job, record, keys[job.algorithm, job.round])
        records.append(record)
    return read_runs(records).select(COLUMNS).to_pandas()


def main() -> None:
    """Measure, or go on, and print."""
    parser = argparse.ArgumentParser()
    parser.add_argument("--folder", type=Path, required=True)
    parser.add_argument("--rounds", type=int, default=40)
    parser.add_argument("--runs", type=int, default=4, help="of each, in a round")
    parser.add_argument("--time", type=float, default=0.5, help="T in seconds")
    arguments = parser.parse_args()
    frame = measured(arguments.folder, arguments.rounds, arguments.runs, arguments.time)
    frame["per_cpu_s"] = frame["evaluations"] / frame["cpu_s"]
    frame["cpu_share"] = frame["cpu_s"] / frame["wall_s"]
    shown = [
        "per_cpu_s", "cpu_share", "wall_s", "overshoot_s", "objective_s", "bare_s",
        "peak_memory_mb",
    ]  # fmt: skip
    print(frame.groupby("algorithm")[shown].median().T.to_string())
    groups = frame.groupby(["round", "algorithm"])
    by_round = {name: groups[name].median().unstack() for name in shown}
    by_round["best_per_cpu_s"] = groups["per_cpu_s"].max().unstack()
    late = by_round.pop("overshoot_s")
    print(f"overshoot_s: own - shared {(late['own'] - late['shared']).median():.2g} s")
    rng = np.random.default_rng(1)
    for name, values in by_round.items():
        logs = np.log((values["own"] / values["shared"]).to_numpy())
        drawn = rng.choice(logs, size=(2000, logs.size)).mean(axis=1)
        low, high = np.exp(np.quantile(drawn, [0.025, 0.975]))
        print(f"{name}: own / shared {np.exp(logs.mean()):.4f} [{low:.4f}, {high:.4f}]")


if __name__ == "__main__":
    main()
