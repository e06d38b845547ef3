"""Which clock repeats best: one campaign under different loads, and its ratios of ERTs.

    python benchmarks/clocks.py [--runs 10] [--time 1]

Runs the same small campaign, seeds and all, through Snakemake once for each load, on one core.
For each clock (wall, CPU, reference units) it prints how much ERTs, and ratios of the ERTs of two
algorithms, differ between the loads: geometric standard deviation and largest over smallest,
geometric means over all functions and algorithms or pairs; of all runs, and without those that
the rule calls perturbed. The target of a function is the hardest that every algorithm reached
under every load. Only the machine differs between the campaigns: close everything else.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
from itertools import combinations
from pathlib import Path

import numpy as np
import pandas as pd
import yaml
from loads import BUSY_SAME, MEMORY, SPELLS, Load, loaded

from timefair.exhibits import runtimes
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import CLOCKS, Analysis

ROOT = Path(__file__).resolve().parents[1]

LOADS: dict[str, Load | None] = {
    "none": None,
    "busy for 1 s of 3, same core": SPELLS,
    "busy loop, same core": BUSY_SAME,
    "memory traffic, other core": MEMORY,
}

ALGORITHMS = {"CMA-ES": "pycma:CMA-ES", "simplex": "scipy:Nelder-Mead", "DE": "timefair:DE"}
FUNCTIONS = [1, 8, 14]
TARGETS = [1e2, 1e1, 1e0, 1e-1, 1e-2, 1e-3, 1e-5, 1e-8]
KEYS = ["function", "algorithm"]


def campaign(folder: Path, runs: int, time_s: float) -> Runs:
    """Run the campaign in an empty folder; what it measured."""
    config = folder / "campaign.yaml"
    settings = {
        "name": "load",
        "seed": 1,
        "problems": {"suite": "bbob", "functions": FUNCTIONS, "dimensions": 10, "instances": 1},
        "algorithms": ALGORITHMS,
        "budget": {"time_s": time_s, "final_target": min(TARGETS)},
        "runs": runs,
        "targets": TARGETS,
        "timing": {"reference": True, "perturbed": "flag"},
        "tables": ["runs"],
        "figures": ["ecdf"],
    }
    config.write_text(yaml.safe_dump(settings))
    command = [
        sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"),
        "--cores", "1", "--configfile", str(config), "--quiet", "all",
    ]  # fmt: skip
    core = min(os.sched_getaffinity(0))
    subprocess.run(
        command, cwd=folder, check=True, env=os.environ | {"TIMEFAIR_LOCKS": str(folder / "locks")}
    )
    measured = Runs.read(sorted(folder.glob("results/load/collected/*.parquet")))
    if set(measured.frame["core"]) != {core}:
        raise SystemExit(f"the runs were not all on core {core}, which the load was for")
    return measured


def erts(runs: Runs) -> pd.DataFrame:
    """ln ERT of each function and algorithm (rows) to each target (columns); NaN: not reached."""
    if runs.frame.empty:
        return pd.DataFrame(index=pd.MultiIndex.from_arrays([[], []], names=KEYS), columns=TARGETS)
    told = runtimes.ert(runs, Analysis(targets=tuple(TARGETS)))
    return np.log(told.pivot(index=KEYS, columns="target", values="ert_s").replace(np.inf, np.nan))


def hardest(told: list[pd.DataFrame]) -> dict[int, float]:
    """For each function the hardest target that has an ERT everywhere."""
    reached = np.logical_and.reduce([frame.notna() for frame in told])
    common = pd.DataFrame(reached, told[0].index, told[0].columns).groupby("function").all()
    return {f: min(row.index[row]) for f, row in common.iterrows() if row.any()}


def spread(values: pd.DataFrame) -> str:
    """Geometric SD and largest over smallest between the loads (columns), mean over the rows."""
    ranges = (values.max(axis=1) - values.min(axis=1)).where(values.count(axis=1) > 1)
    sd = values.std(axis=1).mean()
    return f"{np.exp(sd):.3f} / {np.exp(ranges.mean()):.3f}"


def ratios(values: pd.DataFrame) -> pd.DataFrame:
    """The same for each function and pair of algorithms."""
    return pd.concat(
        {
            (a, b): values.xs(a, level="algorithm") - values.xs(b, level="algorithm")
            for a, b in combinations(sorted(ALGORITHMS), 2)
        }
    )


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=10, help="of a cell (%(default)s)")
    parser.add_argument("--time", type=float, default=1.0, help="T of one run (%(default)s s)")
    options = parser.parse_args()
    measured: dict[str, Runs] = {}
    for name, perturbation in LOADS.items():
        with (
            tempfile.TemporaryDirectory() as folder,
            loaded(perturbation, min(os.sched_getaffinity(0))),
        ):
            measured[name] = campaign(Path(folder), options.runs, options.time)
        print(f"{name:30}{len(measured[name].frame):5} runs, ", end="")
        print(f"{measured[name].perturbed.mean():.0%} perturbed", flush=True)
    told = [erts(runs) for runs in measured.values()]
    targets = hardest(told)
    print("targets:", ", ".join(f"f{f} {target:g}" for f, target in targets.items()))
    print(f"{'':36}{'ERT':>20}{'ratio of two':>20}")
    kept = {name: runs.where(~runs.perturbed) for name, runs in measured.items()}
    for words, parts in (("all runs", measured), ("clean runs", kept)):
        for clock in CLOCKS:
            frames = {name: erts(runs.timed_by(clock)) for name, runs in parts.items()}
            logs = pd.DataFrame(
                {
                    name: pd.Series(
                        {
                            key: frame.at[key, targets[key[0]]]
                            for key in frame.index
                            if key[0] in targets
                        },
                        dtype=float,
                    )
                    for name, frame in frames.items()
                }
            )
            logs.index.names = KEYS
            print(f"{words:24}{clock:12}{spread(logs):>20}{spread(ratios(logs)):>20}")
    with_clean = sum(not runs.frame.empty for runs in kept.values())
    print(f"loads with clean runs: {with_clean} of {len(LOADS)}")


if __name__ == "__main__":
    main()
