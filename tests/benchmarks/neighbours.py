"""Whether honest algorithms are as fast beside adversaries as without them, in seconds.

    python tests/benchmarks/neighbours.py [--time 0.3] [--runs 15]

Measures the two honest algorithms of `tests/adversaries` in a campaign of their own and in one with
adversaries, and prints for each: the ratio of the expected running times (with / without) to the
hardest target that all runs reach, the ratio of the evaluations made in the time, and the share of
runs that are flagged as perturbed. Close everything else: it perturbs both campaigns.
"""

from __future__ import annotations

import argparse
import sys
import tempfile
from pathlib import Path

import numpy as np
import pyarrow as pa

TESTS = Path(__file__).resolve().parents[1]
sys.path[:0] = [str(TESTS / "workflow"), str(TESTS / "adversaries")]

from bench import BENCH, HONEST  # noqa: E402
from workspace import Workspace  # noqa: E402

from timefair.records.store import read_runs  # noqa: E402

BESIDE = (
    "has_threads_that_spin", "raises_the_number_of_threads_of_blas",
    "forks_many_children_that_spin", "starts_a_program_with_threads", "floods_the_log",
    "writes_a_large_file", "allocates",
    "leaves_a_daemon", "swallows_everything", "launches_as_often_as_it_can",
)  # fmt: skip
"""Those that load the machine most."""


def measured(folder: Path, algorithms: dict[str, str], time_s: float, runs: int) -> Path:
    """Measure a campaign; the folder of its records. All algorithms take turns, in 5 rounds."""
    workspace = Workspace(folder)
    workspace.configure(
        problems={"suite": "bbob", "functions": 8, "dimensions": 10, "instances": 1},
        algorithms=algorithms,
        budget={"time_s": time_s, "final_target": None},
        limits={"memory_mb": 1000},
        runs=runs,
        rounds=min(5, runs),
    )
    workspace.complete("--until", "finish_round")
    return workspace.results / "records"


def first_hits_s(runs: pa.Table, target: float) -> list[float]:
    """When each run reached a target; inf if it did not."""
    return [
        next((e["time_s"] for e in events if e["precision"] <= target), np.inf)
        for events in runs["events"].to_pylist()
    ]


def main() -> int:
    parser = argparse.ArgumentParser(description=__doc__.partition("\n")[0])
    parser.add_argument("--time", type=float, default=0.3, help="T in seconds")
    parser.add_argument("--runs", type=int, default=15, help="of each algorithm")
    chosen = parser.parse_args()
    adversaries = {name: BENCH[name].use for name in BESIDE}
    with tempfile.TemporaryDirectory() as first, tempfile.TemporaryDirectory() as second:
        alone = measured(Path(first), HONEST, chosen.time, chosen.runs)
        beside = measured(Path(second), HONEST | adversaries, chosen.time, chosen.runs)
        print("| algorithm | ERT ratio | evaluations ratio | perturbed alone | perturbed beside |")
        print("|---|---|---|---|---|")
        for name in HONEST:
            tables = [
                read_runs(sorted(place.glob(f"{name}/*/*.parquet"))) for place in (beside, alone)
            ]
            target = max(max(table["best_precision"].to_pylist()) for table in tables)
            ert = np.divide(*(np.mean(first_hits_s(table, target)) for table in tables))
            made = np.divide(*(np.mean(table["evaluations"].to_numpy()) for table in tables))
            with_others, without = (
                np.mean([word == "perturbed" for word in table["perturbation"].to_pylist()])
                for table in tables
            )
            print(f"| {name} | {ert:.3f} | {made:.3f} | {without:.0%} | {with_others:.0%} |")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
