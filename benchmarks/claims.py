"""How often `timefair reproduce --claims` says what, if nothing has changed.

    python benchmarks/claims.py [--runs 5] [--again 5] [--repeats 200] [--folder FOLDER]

Measures one campaign with a budget in evaluations, once, and keeps it in the folder: five
algorithms on eight functions of bbob in D = 3, 80 runs on each of two instances. Each repeat draws
two disjoint sets of these runs at random, `--runs` and `--again` per problem, takes the claims of
the first set, and judges them by the second. Every contradiction is a false alarm. Printed: the
share of each verdict for each kind of claim, and the share of repeats with any false alarm, with
its standard error. No result depends on a clock.
"""

from __future__ import annotations

import argparse
import subprocess
import tempfile
from collections import Counter
from pathlib import Path

import numpy as np
import yaml
from large import snakemake

from timefair.extensions.reproduce.claims import (
    KINDS,
    Verdict,
    campaign_of,
    claims,
    evidence_of,
    judge,
)
from timefair.rundata.runs import Runs

CAMPAIGN = {
    "name": "pool",
    "problems": {
        "suite": "bbob",
        "functions": [1, 2, 3, 6, 8, 10, 15, 21],
        "dimensions": 3,
        "instances": "1-2",
    },
    "algorithms": {
        "DE": "timefair:DE",
        "jDE": "timefair:jDE",
        "random": "timefair:random-search",
        "simplex": "scipy:Nelder-Mead",
        "PSO": "timefair:PSO",
    },
    "budget": {"evaluations": 1000},
    "runs": 80,
    "instances_per_job": 2,
    "targets": [10, 1, 0.1, 0.01, 0.001],
    "tables": ["runs"],
    "figures": {"names": ["ert"], "formats": ["svg"]},
    "statistics": {"resamples": 50},
}


def measured(folder: Path) -> Path:
    """``results/pool``, measured where it is not."""
    folder.mkdir(parents=True, exist_ok=True)
    (folder / "campaign.yaml").write_text(yaml.safe_dump(CAMPAIGN))
    subprocess.run(snakemake(folder, "--until", "collect_records"), cwd=folder, check=True)
    return folder / "results/pool"


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=5)
    parser.add_argument("--again", type=int, default=5)
    parser.add_argument("--repeats", type=int, default=200)
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "timefair-claims"
    )
    options = parser.parse_args()
    results = measured(options.folder)
    campaign = campaign_of(results)
    runs = Runs.read(sorted((results / "collected").glob("*.parquet")))
    number = runs.frame["run"].to_numpy()
    rng = np.random.default_rng(1)
    verdicts: dict[str, Counter[Verdict]] = {kind: Counter() for kind in KINDS}
    alarms = 0
    for _ in range(options.repeats):
        order = rng.permutation(campaign.runs)
        first = order[: options.runs]
        second = order[options.runs : options.runs + options.again]
        stated, again = (
            evidence_of(runs.where(np.isin(number, chosen)), campaign) for chosen in (first, second)
        )
        judged = judge(list(claims(stated)), again)
        for one in judged:
            verdicts[one.claim.kind][one.verdict] += 1
        alarms += any(one.verdict is Verdict.CONTRADICTED for one in judged)
    for kind, counts in verdicts.items():
        total = max(counts.total(), 1)
        shares = ", ".join(f"{each} {counts[each] / total:.3f}" for each in Verdict)
        print(f"{KINDS[kind]}: {counts.total() / options.repeats:.1f} claims; {shares}")
    share = alarms / options.repeats
    error = (share * (1 - share) / options.repeats) ** 0.5
    print(f"repeats with a false alarm: {share:.3f} (standard error {error:.3f})")


if __name__ == "__main__":
    main()
