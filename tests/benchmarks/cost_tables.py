"""What the tables on evaluation costs take, in units of the table `ert` on the same runs.

    python tests/benchmarks/cost_tables.py [--folder /tmp/timefair-analysis] [--repeats 5]

The data are those of `analysis.py` (1.5 million events), which are measured once. All tables are
made in one process that has imported everything and holds the events in memory. Printed is the
least CPU time of several repeats: of `ert`, of each table alone, and of all five in turn for the
same runs, as an analysis job makes them. Ratios hold on a loaded machine too, times do not.
"""

from __future__ import annotations

import argparse
import tempfile
import time
from collections.abc import Sequence
from dataclasses import replace
from pathlib import Path

from analysis import elsewhere, make_data

FAMILY = ("cost_ert", "cost_crossovers", "cost_map", "cost_lines", "cost_winners")


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument(
        "--folder", type=Path, default=Path(tempfile.gettempdir()) / "timefair-analysis"
    )
    parser.add_argument("--repeats", type=int, default=5)
    options = parser.parse_args()
    folder = options.folder.resolve()
    folder.mkdir(parents=True, exist_ok=True)
    elsewhere(make_data, folder)

    from timefair.campaign import configuration
    from timefair.cli.common import one_thread

    one_thread()
    from timefair.exhibits.registry import TABLES
    from timefair.rundata.runs import Runs
    from timefair.rundata.settings import Analysis

    campaign = configuration.load(folder / "campaign.yaml")
    runs = Runs.read(sorted((folder / "collected").glob("*.parquet")))
    events = sum(part.precision.size for part in runs.traces)
    print(f"{len(runs.frame)} runs, {events} events")

    def cpu_s(names: Sequence[str]) -> float:
        shared, start = replace(runs), time.process_time()  # runs that no table has seen
        for name in names:
            TABLES[name](shared, Analysis.of(campaign.settings_of(name)))
        return time.process_time() - start

    cases = {"ert": ("ert",), **{name: (name,) for name in FAMILY}, "all five": FAMILY}
    best = dict.fromkeys(cases, float("inf"))
    for repeat in range(options.repeats + 1):
        for label, names in cases.items():
            spent = cpu_s(names)
            if repeat:  # the first one imports
                best[label] = min(best[label], spent)
    print(f"{'table':18}{'CPU s':>8}{'/ ert':>8}")
    for label, spent in best.items():
        print(f"{label:18}{spent:8.3f}{spent / best['ert']:8.2f}")


if __name__ == "__main__":
    main()
