"""What a schedule of 500 iterations costs MEALPY's optimizers, where the budget ends them earlier.

    python benchmarks/max_iter.py [--minutes 40]

Every optimizer of MEALPY in the database runs with 500 iterations and with as many as fill the
budget of 5,000 evaluations: five functions of bbob in 5 dimensions, one of each group, two
instances. Start it in the folder for the results; after a stop, the same command goes on. Times do
not count, so the machine need not be quiet. At the end, ``max_iter.csv`` has for each optimizer the
median over the problems of the logarithm of the loss (precision with 500 iterations, divided by
that with the other; the seeds differ), and the p-value of Wilcoxon's signed-rank test.
"""

from __future__ import annotations

import argparse
import csv
import json
import sys
import time
from functools import partial
from pathlib import Path

import numpy as np
from database import Enough, without_failing
from scipy import stats

from timefair.campaign import configuration, driver
from timefair.campaign.configuration import Campaign
from timefair.records.rundata.runs import Runs

DATABASE = Path(__file__).parents[1] / "config/studies/database/bbob-5.yaml"
LIBRARY, LEAST = "mealpy-", 1e-12
FUNCTIONS = (1, 3, 7, 15, 21)  # one of each group
SCHEDULES = {"500": 500, "fill": "fill"}


def campaign_of(database: Campaign, without: set[str]) -> Campaign:
    """Each optimizer of the library with both schedules."""
    content = json.loads(database.model_dump_json(exclude_defaults=True))
    content["problems"] |= {"functions": list(FUNCTIONS), "instances": [1, 2]}
    content |= {"name": "max-iter", "instances_per_job": 2, "limits": {"wall_s": 60}}
    content["budget"] = {"evaluations": 5000, "final_target": LEAST}
    content["algorithms"] = {
        f"{label}-{words}": {"use": spec.use, "schedule": {"epoch": number}}
        for label, spec in database.algorithms.items()
        if label.startswith(LIBRARY)
        if not any(f"{label}-{words}" in without for words in SCHEDULES)
        for words, number in SCHEDULES.items()
    }
    return configuration.check_keys(content, "max-iter")


def row_of(files: dict[str, Path]) -> list[float]:
    """The median loss, and the p-value."""
    logs = {}
    for words, path in files.items():
        frame = Runs.read([path]).frame
        best = np.log10(frame["best_precision"].clip(LEAST, 1e30))
        logs[words] = best.groupby([frame["function"], frame["instance"]]).median()
    losses = (logs["500"] - logs["fill"]).to_numpy()
    losses = np.where(np.abs(losses) < 1e-9, 0, losses)
    p = float(stats.wilcoxon(losses).pvalue) if losses.any() else 1.0
    return [float(np.median(losses)), p]


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    until = time.monotonic() + 60 * options.minutes
    database, without = configuration.load(DATABASE), set[str]()
    folder = Path("results/max-iter")
    with driver.held(folder):
        try:
            made = partial(campaign_of, database)
            campaign = without_failing(made, folder, options.cores, until, without)
        except Enough:
            print("enough for now; the same command goes on", flush=True)
            return 3
    with Path("max_iter.csv").open("w", encoding="utf-8", newline="") as file:
        writer = csv.writer(file, lineterminator="\n")
        writer.writerow(["label", "log10_loss", "p"])
        for label in campaign.algorithms:
            name, _, words = label.rpartition("-")
            if words == "500":
                collected = {w: folder / f"collected/{name}-{w}.parquet" for w in SCHEDULES}
                writer.writerow([name, *(f"{value:.4g}" for value in row_of(collected))])
    print(f"left out: {', '.join(sorted(without)) or 'none'}")
    return 0


if __name__ == "__main__":
    sys.exit(main())
