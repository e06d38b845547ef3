"""How often the interval of `timefair rank` has the rank that an optimizer was recorded with.

    python benchmarks/ranked_again.py timefair-data/database-bbob-5.zip [--trials 40]

Some optimizers of a design, drawn at random, are measured again with another seed, and placed among
the others as `timefair rank` does. A trial is an optimizer and a measure: the interval should have
the rank of the recorded runs. Start it in the folder for the results, on a machine with nothing
else to do; after a stop, the same command goes on.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
from pathlib import Path

import numpy as np
from database import measure

from timefair.campaign import configuration, driver
from timefair.campaign.configuration import Campaign
from timefair.extensions.database.ranking import COSTS_S, placed
from timefair.extensions.database.standings import EVALUATIONS, ranks_of, spaces
from timefair.extensions.database.store import Design, opened

SEED, AGAIN = 2027, "-again"
MEASURES = (EVALUATIONS, 0.0, *COSTS_S)
"""In the order of `placed`."""


def again(design: Design, trials: int) -> Campaign:
    """The campaign of some optimizers of a design, with another seed."""
    content = json.loads(design.campaign.model_dump_json(exclude_defaults=True))
    recorded = {path.stem for path in design.files}
    some = random.Random(SEED).sample(sorted(recorded), min(trials, len(recorded)))
    content["algorithms"] = {f"{label}{AGAIN}": content["algorithms"][label] for label in some}
    content |= {"name": f"again-{design.name}", "seed": SEED}
    return configuration.check_keys(content, "again")


def main() -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("design", type=Path)
    parser.add_argument("--trials", type=int, default=40)
    parser.add_argument("--cores", type=int, default=2)
    options = parser.parse_args()
    found: dict[str, list[tuple[bool, float, float]]] = {}
    with opened(options.design) as design:
        campaign = again(design, options.trials)
        folder = Path("results") / campaign.name
        with driver.held(folder):
            measure(campaign, folder, options.cores, float("inf"))
        (costs,) = spaces(design.runs.timed_by(design.analysis.time), design.analysis)
        recorded = [ranks_of(costs.at(cost).gains) for cost in MEASURES]
        for label, spec in campaign.algorithms.items():
            collected = folder / f"collected/{label}.parquet"
            (now,) = placed(design, collected, spec.use, dict(spec.parameters)).placed
            place = costs.labels.index(label.removesuffix(AGAIN))
            for (words, standing), ranks in zip(now.overall.items(), recorded, strict=True):
                rank = float(ranks[place])
                inside = standing.low <= rank <= standing.high
                width, difference = standing.high - standing.low, abs(standing.rank - rank)
                found.setdefault(words, []).append((inside, width, difference))
                if not inside:
                    print(
                        f"{label}, {words}: {rank:.1f}, {standing.low:.1f} to {standing.high:.1f}"
                    )
    print("| measure | trials | inside | mean width in ranks | mean absolute difference |")
    print("|---|---|---|---|---|")
    for name, trials in found.items():
        inside, width, difference = np.mean(trials, axis=0)
        print(f"| {name} | {len(trials)} | {inside:.0%} | {width:.1f} | {difference:.1f} |")
    return 0


if __name__ == "__main__":
    sys.exit(main())
