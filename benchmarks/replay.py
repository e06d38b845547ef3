"""How many recorded runs with a budget of evaluations repeat bit for bit.

    python benchmarks/replay.py [--evaluations 50] [--algorithms timefair:DE scipy:Powell ...]

Ten algorithms, each on five functions, in two dimensions, on two instances of bbob: 200 records of
one run. A process measures the records of an algorithm, and another one, which is started anew,
replays all of them as `timefair reproduce` does.
"""

from __future__ import annotations

import argparse
import os
import sys
import tempfile
from collections.abc import Sequence
from concurrent.futures import ProcessPoolExecutor
from multiprocessing import get_context
from pathlib import Path
from typing import Any

from timefair.campaign import configuration, plan
from timefair.cli.arguments import measuring_environment
from timefair.extensions.reproduce.verdict import campaign_of, chosen_run, replay
from timefair.measure.job import Prepared, measure_job

ALGORITHMS = (
    "timefair:DE",
    "timefair:jDE",
    "timefair:random-search",
    "scipy:Nelder-Mead",
    "scipy:L-BFGS-B",
    "scipy:differential_evolution",
    "pycma:BIPOP",
    "pycma:lq-CMA-ES",
    "nevergrad:OnePlusOne",
    "nevergrad:NGOpt14",
)
PROBLEMS = {
    "suite": "bbob",
    "functions": [1, 8, 13, 15, 21],
    "dimensions": [3, 10],
    "instances": [1, 2],
}


def campaign_for(use: str, evaluations: int) -> configuration.Campaign:
    """A record per function, dimension and instance, of one run."""
    return configuration.parse(
        {
            "name": "replay",
            "problems": PROBLEMS,
            "algorithms": {"subject": use},
            "budget": {"evaluations_per_dimension": evaluations},
            "runs": 1,
        }
    )


def measured(use: str, evaluations: int, folder: Path) -> list[Path]:
    """Measure the records of an algorithm; their paths."""
    campaign = campaign_for(use, evaluations)
    prepared, paths = Prepared(campaign), []
    for job in plan.jobs(campaign):
        key = prepared.key(job)
        path = folder / job.record(key)
        path.parent.mkdir(parents=True, exist_ok=True)
        measure_job(prepared, job, path, key)
        paths.append(path)
    return paths


def verdicts(paths: Sequence[Path]) -> list[tuple[bool, list[str]]]:
    """Replay the only run of each record: whether it is identical, and what the command prints."""
    prepared, found = None, []
    for path in paths:
        recorded = chosen_run(path, {})
        prepared = prepared or Prepared(campaign_of(recorded))
        verdict = replay(recorded, prepared)
        found.append((verdict.same and verdict.likeness.in_full, list(verdict.lines())))
    return found


def elsewhere(function: Any, *arguments: Any) -> Any:
    """The value of a function in a new interpreter."""
    with ProcessPoolExecutor(1, mp_context=get_context("spawn")) as process:
        return process.submit(function, *arguments).result()


def main() -> int:
    """Print a line per algorithm, what differed, and the total."""
    parser = argparse.ArgumentParser(description=__doc__)
    parser.add_argument("--evaluations", type=int, default=50, help="per dimension")
    parser.add_argument("--algorithms", nargs="+", default=ALGORITHMS)
    arguments = parser.parse_args()
    same = total = 0
    with tempfile.TemporaryDirectory() as folder:
        for number, use in enumerate(arguments.algorithms):
            place = Path(folder) / str(number)
            paths = elsewhere(measured, use, arguments.evaluations, place)
            found = elsewhere(verdicts, paths)
            identical = sum(each for each, _ in found)
            print(f"{use:<32}{identical:>4} of {len(found)} identical bit for bit", flush=True)
            for is_same, lines in found:
                if not is_same:
                    print(*lines, sep="\n", flush=True)
            same, total = same + identical, total + len(found)
    print(f"{'all':<32}{same:>4} of {total}, {100 * same / total:.1f} %")
    return int(same < total)


if __name__ == "__main__":
    environment = measuring_environment(threads=1)
    if environment != os.environ:
        os.execve(sys.executable, [sys.executable, *sys.argv], environment)
    sys.exit(main())
