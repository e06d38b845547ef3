"""Measure a campaign of the database in pieces; each goes on where the last one stopped.

    python benchmarks/database.py config/studies/database/bbob-5.yaml [--minutes 40]
    python benchmarks/database.py config/studies/database/bbob-5.yaml --suite cec2022 --dimension 10
    python benchmarks/database.py config/studies/database/bbob-5.yaml --suite engineering [--mixed]

Start it in the folder for the results, on a machine with nothing else to do. Without `--functions`,
the odd functions of the campaign are measured first, then the others; each half is complete by
itself, so that `timefair export database` can take it. A function is measured with all algorithms,
in an order that is the same on each function, before the next one. An algorithm whose job fails
(not its runs, whose failures are results) is left out, and named at the end.
"""

from __future__ import annotations

import argparse
import json
import random
import sys
import time
from collections.abc import Callable
from functools import partial
from itertools import groupby
from pathlib import Path

from timefair.basics.errors import InputError
from timefair.campaign import collected, configuration, driver, plan, provenance
from timefair.campaign.configuration import Campaign
from timefair.extensions.database.store import entry
from timefair.measure.runner import JobFailed, measured
from timefair.problems.suites import SUITES

WIDE = [1e5, 1e4, 1e3, 316, 100, 31.6, 10, 3.16, 1, 1e-1, 1e-2, 1e-3, 1e-5, 1e-8]
"""Targets for suites whose values differ more from the best one than those of bbob."""


class Enough(Exception):
    """The minutes are over."""


def only(campaign: Campaign, functions: list[int], without: set[str]) -> Campaign:
    """The campaign on some of its functions, without some of its algorithms."""
    chosen = campaign.problems
    own = {f: d for f, d in chosen.own_dimensions.items() if f in functions}
    where = {"own_dimensions": own, "dimensions": tuple(sorted({*own.values()}))} if own else {}
    problems = chosen.model_copy(update={"functions": tuple(functions), **where})
    algorithms = {k: v for k, v in campaign.algorithms.items() if k not in without}
    return campaign.model_copy(update={"problems": problems, "algorithms": algorithms})


def elsewhere(
    campaign: Campaign, suite: str, dimension: int | None, mixed: bool = False
) -> Campaign:
    """The campaign in another suite or dimension, as ``database-cec2022-10``, on its functions
    without whole variables, or on those with them (`mixed`)."""
    content = json.loads(campaign.model_dump_json(exclude_defaults=True))
    of = SUITES[suite]
    functions = [f for f in sorted(of.functions) if (of.variables_of(f) != "continuous") == mixed]
    content["problems"] |= {"suite": suite, "functions": functions, "dimensions": dimension}
    if not dimension:  # each in a dimension of its own
        del content["problems"]["dimensions"]
    which = [str(dimension)] * bool(dimension) + ["mixed"] * mixed
    content["name"] = "-".join(["database", suite, *which])
    if suite != "bbob":  # these suites have one instance
        content["problems"]["instances"], content["runs"] = 1, content["runs"] * 3
        content["targets"] = WIDE
    made = configuration.check_keys(content, suite)
    content["algorithms"] = {
        label: {**content["algorithms"][label], **entry(made, spec.use, spec.parameters)}
        for label, spec in made.algorithms.items()
    }
    return configuration.check_keys(content, suite)


def measure(campaign: Campaign, folder: Path, cores: int, until: float) -> None:
    """Measure what is missing, and join it; `JobFailed` and `Enough` leave what is done."""
    keys = provenance.measure_keys(campaign)
    labels = list(campaign.algorithms)
    random.Random(campaign.seed).shuffle(labels)
    jobs = sorted(
        plan.jobs(campaign),
        key=lambda job: (job.round, job.dimension, job.function, labels.index(job.algorithm)),
    )
    plan.write_snapshot(campaign, folder)
    plan.write_keys(keys, folder)
    done = sum((folder / job.record(keys[job.algorithm, job.round])).is_file() for job in jobs)
    begun, before = time.monotonic(), done

    def took(job: plan.Job, seconds: float) -> None:
        nonlocal done
        done += 1
        if not done % 20:
            spent = time.monotonic() - begun
            left = spent / (done - before) * (len(jobs) - done) / 60
            print(f"{done} of {len(jobs)} jobs, about {left:.0f} min left", flush=True)
        if time.monotonic() > until:
            raise Enough

    for _, some in groupby(jobs, key=lambda job: (job.dimension, job.function)):
        measured(folder, list(some), keys, cores, took)
    for label in campaign.algorithms:
        collected.join(campaign, keys, folder, label)


def without_failing(
    made: Callable[[set[str]], Campaign], folder: Path, cores: int, until: float, without: set[str]
) -> Campaign:
    """Measure a campaign, made without the algorithms whose jobs failed, which join `without`."""
    while True:
        campaign = made(without)
        try:
            measure(campaign, folder, cores, until)
        except JobFailed as failed:
            log = Path(str(failed).partition(":")[0])
            without.add(log.parts[-3])
            print(f"left out: {failed}", flush=True)
        else:
            return campaign


def main(arguments: list[str] | None = None) -> int:
    parser = argparse.ArgumentParser(description=(__doc__ or "").splitlines()[0])
    parser.add_argument("campaign", type=Path)
    parser.add_argument("--minutes", type=float, default=float("inf"))
    parser.add_argument("--functions", help="such as 1,3,8; by default all, the odd ones first")
    parser.add_argument("--cores", type=int, default=2)
    parser.add_argument("--suite", default="bbob", help="another one, in results with its name")
    parser.add_argument("--dimension", type=int, help="likewise")
    parser.add_argument("--mixed", action="store_true", help="functions with whole variables")
    options = parser.parse_args(arguments)
    whole = configuration.load(options.campaign)
    if options.dimension or options.suite != "bbob":
        whole = elsewhere(whole, options.suite, options.dimension, options.mixed)
    every = list(whole.problems.functions)
    steps = [[f for f in every if f % 2], every]
    if options.functions:
        steps = [[int(word) for word in options.functions.split(",")]]
    folder, without = Path("results") / whole.name, set[str]()
    until = time.monotonic() + 60 * options.minutes
    status = 0
    with driver.held(folder):
        for functions in steps:
            try:
                made = partial(only, whole, functions)
                without_failing(made, folder, options.cores, until, without)
            except Enough:
                print("enough for now; the same command goes on", flush=True)
                status = 3
            except InputError as error:
                print(*error.faults, sep="\n", file=sys.stderr)
                status = 2
            if status:
                break
            print(f"complete on {len(functions)} functions", flush=True)
    print(f"left out: {', '.join(sorted(without)) or 'none'}")
    return status


if __name__ == "__main__":
    sys.exit(main())
