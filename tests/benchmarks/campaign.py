"""The share of core-seconds of the default campaign that were spent inside timed runs.

    python tests/benchmarks/campaign.py [--config config/default.yaml] [--cores 2]

Runs the whole campaign, from nothing to its figures, in an empty folder. Also printed: what an
evaluation of each algorithm costs, and how many times the dearest costs the cheapest.
"""

from __future__ import annotations

import argparse
import os
import subprocess
import sys
import tempfile
import time
from pathlib import Path

from timefair.records.store import read_runs

ROOT = Path(__file__).resolve().parents[2]


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--config", type=Path, default=ROOT / "config" / "default.yaml")
    parser.add_argument("--cores", type=int, default=len(os.sched_getaffinity(0)))
    options = parser.parse_args()
    with tempfile.TemporaryDirectory() as folder:
        command = [
            sys.executable, "-m", "snakemake", "--snakefile", str(ROOT / "Snakefile"),
            "--cores", str(options.cores), "--configfile", str(options.config.resolve()),
            "--quiet", "all",
        ]  # fmt: skip
        start = time.monotonic()
        subprocess.run(command, cwd=folder, check=True)
        elapsed = time.monotonic() - start
        runs = read_runs(sorted(Path(folder).glob("results/*/collected/*.parquet"))).to_pandas()
    measured = runs["wall_s"].sum()
    first, last = runs["started_utc"].min(), runs["started_utc"].max()
    phase = (last - first).total_seconds() + runs["wall_s"].iloc[-1]
    print(f"whole campaign        {elapsed:.0f} s on {options.cores} cores")
    print(f"inside timed runs     {measured:.0f} core-seconds in {len(runs)} runs")
    print(f"share of all          {measured / (elapsed * options.cores):.3f}")
    print(f"share while measuring {measured / (phase * options.cores):.3f}")
    cost = runs.groupby("algorithm").apply(
        lambda group: group["wall_s"].sum() / max(group["evaluations"].sum(), 1)
    )
    for name, seconds in cost.sort_values().items():
        print(f"  {name:24}{seconds * 1e6:12.2f} us an evaluation")
    print(f"dearest / cheapest    {cost.max() / cost.min():.0f}")


if __name__ == "__main__":
    main()
