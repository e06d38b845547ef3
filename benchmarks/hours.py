"""What a disturbed hour changes: the verdicts and times of a campaign that was measured twice.

    python benchmarks/hours.py results/QUIET results/DISTURBED

Measure one campaign file under two names, once on a quiet machine and once beside processes that
use its cores. The first table has the verdicts of `comparison`: how many pairs have the same one,
and how many have two algorithms that are each better once. The second has the sums of the times to
the targets that both hours reached, disturbed over quiet, by algorithm and by the quiet time.
"""

from __future__ import annotations

import argparse
from pathlib import Path

import numpy as np
import pandas as pd

from timefair.campaign import configuration
from timefair.records.rundata.runs import Runs, slowdown

PAIR = ["measure", "criterion", "function", "within", "algorithm_a", "algorithm_b"]
RUN = ["algorithm", "function", "instance", "run"]
LEAST = 5
"""Runs that reached a target in both hours, for a ratio of their times."""
STEPS_S = (0, 0.001, 0.003, 0.01, 0.03, np.inf)


def verdicts(folder: Path) -> pd.Series:
    """The better algorithm of each pair, empty for none."""
    frame = pd.read_csv(folder / "tables" / "comparison.csv", dtype={"within": str})
    return frame.assign(better=frame["better"].fillna("")).set_index(PAIR)["better"]


def times(folder: Path, *, corrected: bool) -> pd.DataFrame:
    """The seconds of each run to each target."""
    campaign = configuration.restore(folder / "campaign.json")
    runs = Runs.read(sorted((folder / "collected").glob("*.parquet")))
    if corrected:
        slow = slowdown(runs.frame, "cpu" if campaign.budget.cpu_s else "wall")
        runs = runs.costing(runs.spent("seconds") / slow)
    reached = pd.DataFrame(runs.runtimes("seconds", list(campaign.targets)), runs.frame.index)
    names = runs.frame[RUN].astype({"algorithm": str})
    return names.join(reached).melt(RUN, var_name="target", value_name="seconds")


def ratios(quiet: pd.DataFrame, disturbed: pd.DataFrame) -> pd.DataFrame:
    """For each algorithm, function and target, the ratio of times and the mean of the quiet one."""
    both = quiet.merge(disturbed, on=[*RUN, "target"], suffixes=("", "_other"))
    both = both[np.isfinite(both[["seconds", "seconds_other"]]).all(axis=1)]
    cells = both.groupby(["algorithm", "function", "target"])
    found = cells[["seconds", "seconds_other"]].sum()[cells.size() >= LEAST]
    found = found[(found > 0).all(axis=1)]
    return found.assign(
        ratio=found["seconds_other"] / found["seconds"],
        mean_s=found["seconds"] / cells.size()[found.index],
    )


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("quiet", type=Path)
    parser.add_argument("disturbed", type=Path)
    folders = parser.parse_args()
    both = pd.concat([verdicts(folders.quiet), verdicts(folders.disturbed)], axis=1).dropna()
    one, other = both.iloc[:, 0], both.iloc[:, 1]
    rows = pd.DataFrame({"pairs": 1, "same": one == other}).assign(
        contradict=(one != other) & (one != "") & (other != ""),
        over=np.where(one.index.get_level_values("function").astype(str) == "all", "all", "each"),
    )
    print(rows.groupby(["over", "measure", "criterion"]).sum().to_string(), "\n")
    for corrected in (False, True):
        found = ratios(*(times(folder, corrected=corrected) for folder in vars(folders).values()))
        print("times divided by slowdowns" if corrected else "times as measured")
        step = pd.cut(found["mean_s"], STEPS_S)
        of = found["ratio"].groupby([found.index.get_level_values(0), step], observed=True)
        print(of.describe(percentiles=[0.05, 0.5, 0.95]).round(3).to_string(), "\n")
    return 0


if __name__ == "__main__":
    raise SystemExit(main())
