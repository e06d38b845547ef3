"""How exact ERT is from launch traces, and how many improvements of launches are kept.

    python benchmarks/launch_traces.py [--runs 5] [--time 1]

Ten algorithms run on four functions with every improvement of every launch recorded. Each run is
then replayed, evaluation by evaluation and with its own times, through an objective that thins as
usual. From both records ERT of the traced launches is computed, each launch a run of its own, in
evaluations and in seconds, for ten targets per decade from 1e2 to 1e-8. The table has the largest
and the mean relative error over functions and targets, in %.
"""

from __future__ import annotations

import argparse
import functools
from unittest.mock import patch

import numpy as np
import pandas as pd
import pyarrow as pa

from timefair.algorithms import libraries
from timefair.machine.linux import kernel
from timefair.measure.evaluation.objective import LaunchCode, Measurement
from timefair.measure.evaluation.state import State
from timefair.measure.isolation import held_cores
from timefair.measure.run import Allowance, measure_run
from timefair.problems.problem import Problem, ProblemName
from timefair.problems.suites import SUITES
from timefair.records import consistency
from timefair.records.rundata.runs import Runs
from timefair.records.schema import RUN_SCHEMA
from timefair.records.thinning import Thinning
from timefair.statistics.hitting_times import runtimes

ALGORITHMS = {
    "random search": "timefair:random-search",
    "Nelder-Mead": "scipy:Nelder-Mead",
    "Powell": "scipy:Powell",
    "L-BFGS-B": "scipy:L-BFGS-B",
    "DE (scipy)": "scipy:differential_evolution",
    "DE (timefair)": "timefair:DE",
    "OnePlusOne": "nevergrad:OnePlusOne",
    "CMA-ES": "pycma:CMA-ES",
    "BIPOP-CMA-ES": "pycma:BIPOP",
    "lq-CMA-ES": "pycma:lq-CMA-ES",
}
FUNCTIONS, DIMENSION = (1, 3, 8, 21), 2
TARGETS = np.logspace(2, -8, 101)
EVERY = Thinning(resolution=2**62, dense=2**62)
UNITS = {"evaluations": "evaluations", "seconds": "time_s"}


def measured(use: str, function: int, run: int, time_s: float) -> dict:
    """A run with every improvement of every launch."""
    problem = SUITES["bbob"].problem(function, DIMENSION, 1)
    allowance = Allowance(time_ns=round(time_s * 1e9))
    everything = functools.partial(Measurement, thinning=EVERY)
    with (
        patch("timefair.measure.evaluation.state.Measurement", everything),
        patch.object(consistency, "THINNING", EVERY),
    ):
        row = measure_run(libraries.load(use, {}), problem, allowance, seed=run)
    assert row["status"] == "ok", row
    cell = {"suite": "bbob", "function": function, "dimension": DIMENSION, "instance": 1}
    return row | cell | {"algorithm": use, "run": run, "f_opt": problem.f_opt}


def thinned(row: dict) -> dict:
    """The same run as an objective records it that thins its launches."""
    improved = {event["evaluations"]: event for event in row["events"] + row["launch_events"]}
    replay = _Replay(improved)
    state = State()
    measurement = Measurement(replay.problem, state, clock=replay.clock)
    measurement.start(0)
    for launch in row["launch_log"]:
        measurement.begin_launch(round(launch["start_s"] * 1e9))
        for _ in range(launch["evaluations"]):
            measurement.objective([0.0])
        measurement.end_launch(LaunchCode.RETURNED)
    assert state.logs().events["evaluations"].tolist() == [e["evaluations"] for e in row["events"]]
    kept = [improved[number] for number in state.logs().launch_events["evaluations"].tolist()]
    state.close()
    return row | {"launch_events": kept}


class _Replay:
    """A problem and a clock that repeat the improvements of a run."""

    def __init__(self, improved: dict[int, dict]) -> None:
        self._improved, self._made, self._now = improved, 0, 0
        self.problem = Problem(
            ProblemName("replay", 1, 1, 1),
            evaluate=self._evaluate,
            lower=np.zeros(1),
            upper=np.ones(1),
            f_opt=0.0,
        )

    def clock(self) -> int:
        return self._now

    def _evaluate(self, _: np.ndarray) -> float:
        self._made += 1
        event = self._improved.get(self._made)
        if event is None:
            return np.inf
        self._now = round(event["time_s"] * 1e9)
        return event["precision"]


def launch_ert(runs: Runs, unit: str) -> np.ndarray:
    """ERT of the traced launches, each a run of its own."""
    launches = runs.launches
    launches["launch"] = launches.groupby("row").cumcount()
    launches["seconds"] = launches["end_s"] - launches["start_s"]
    spent = launches.set_index(["row", "launch"])[unit]
    reached, whole = [], []
    for part in runs.launch_traces:
        cost = getattr(part, UNITS[unit])
        reached.append(runtimes(cost, part.precision, part.offsets, TARGETS))
        whole.append(spent.loc[list(zip(part.rows, part.launch, strict=True))].to_numpy())
    return _ert(np.concatenate(reached), np.concatenate(whole))


def _ert(cost: np.ndarray, spent: np.ndarray) -> np.ndarray:
    """Shape (targets,); NaN where no run reached the target."""
    hits = np.isfinite(cost).sum(axis=0)
    total = np.where(np.isfinite(cost), cost, spent[:, np.newaxis]).sum(axis=0)
    return np.divide(total, hits, out=np.full(hits.shape, np.nan), where=hits > 0)


def errors_of(name: str, runs: int, time_s: float) -> dict:
    row: dict = {"algorithm": name, "launches": 0, "traced": 0, "improvements": 0, "kept": 0}
    errors: dict[str, list] = {unit: [] for unit in UNITS}
    for function in FUNCTIONS:
        rows = [measured(ALGORITHMS[name], function, run, time_s) for run in range(runs)]
        short = [thinned(one) for one in rows]
        exact, thin = (Runs.of(pa.Table.from_pylist(of, RUN_SCHEMA)) for of in (rows, short))
        row["launches"] += len(exact.launches)
        row["traced"] += sum(len(part.rows) for part in thin.launch_traces)
        row["improvements"] += sum(len(one["events"] + one["launch_events"]) for one in rows)
        row["kept"] += sum(len(one["events"] + one["launch_events"]) for one in short)
        for unit in UNITS:
            of_thin, of_exact = launch_ert(thin, unit), launch_ert(exact, unit)
            errors[unit].append(of_thin / of_exact - 1)
    for unit, of_functions in errors.items():
        percent = 100 * np.abs(np.concatenate(of_functions))
        row |= {f"{unit}: largest": np.nanmax(percent), f"{unit}: mean": np.nanmean(percent)}
    return row


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--time", type=float, default=1.0, help="T of one run, in s")
    options = parser.parse_args()
    kernel.adopt_orphans()
    with held_cores(1):
        rows = [errors_of(name, options.runs, options.time) for name in ALGORITHMS]
    print(pd.DataFrame(rows).round(3).to_markdown(index=False))


if __name__ == "__main__":
    main()
