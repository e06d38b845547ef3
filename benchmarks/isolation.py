"""What a run costs beside its time, with private views of folders, with shared ones, and with none.

    python benchmarks/isolation.py [--runs 100] [--memory-mb 4096]

The runs take turns and have one evaluation each, in a process with the libraries of a campaign.
Printed are the medians of CPU time, of wall clock, and of the part after the run's end. Compare
lines of one call only: other work on the machine adds to all of them.
"""

from __future__ import annotations

import argparse
import gc
import importlib
import resource
import statistics
import time

from timefair.algorithms import libraries
from timefair.machine.linux import kernel
from timefair.measure.isolation import Views, views
from timefair.measure.run import Allowance, measure_run
from timefair.problems.suites import SUITES
from timefair.records.status import Isolation

LIBRARIES = ("nevergrad", "scipy.optimize", "cma")


def cpu_s() -> float:
    """CPU time of this process and of those that it has waited for."""
    spent = (resource.getrusage(who) for who in (resource.RUSAGE_SELF, resource.RUSAGE_CHILDREN))
    return sum(usage.ru_utime + usage.ru_stime for usage in spent)


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=100)
    parser.add_argument("--memory-mb", type=float, default=4096)
    options = parser.parse_args()
    for name in LIBRARIES:
        importlib.import_module(name)
    kernel.adopt_orphans()
    problem = SUITES["bbob"].problem(8, 10, 1)
    algorithm = libraries.load("timefair:random-search", {})
    private = views(Isolation.PRIVATE, [], options.memory_mb)
    kinds = {
        "neither": Views(watched=()),
        str(private.isolation): private,
        "shared": views(Isolation.SHARED, []),
    }
    gc.collect()
    gc.freeze()
    spent: dict[str, list[tuple[float, float, float]]] = {name: [] for name in kinds}
    for _ in range(options.runs):
        for name, its_views in kinds.items():
            cpu, start = cpu_s(), time.monotonic()
            row = measure_run(algorithm, problem, Allowance(evaluations=1, views=its_views), 1)
            wall_s = time.monotonic() - start
            spent[name].append((cpu_s() - cpu, wall_s, row["reaped_s"] - row["wall_s"]))
    print(f"{'':10}{'CPU, ms':>10}{'wall, ms':>10}{'end, ms':>10}")
    for name, rows in spent.items():
        medians = [1e3 * statistics.median(column) for column in zip(*rows, strict=True)]
        print(f"{name:10}" + "".join(f"{value:10.2f}" for value in medians))
    print(f"private: {', '.join(str(step.folder) for step in private.steps if step.private)}")


if __name__ == "__main__":
    main()
