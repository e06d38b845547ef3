"""How often `timefair compare` finds a loss, and how often it finds one that is not there.

    python benchmarks/compare_power.py laws                    # 1 minute, needs no clock
    python benchmarks/compare_power.py short WORK              # 200 of 15 to 20 s: 1 hour
    python benchmarks/compare_power.py full WORK               # 30 of 2 minutes: 1 hour
    python benchmarks/compare_power.py record WORK             # 12 minutes
    python benchmarks/compare_power.py resampled WORK          # 2 minutes, after `record`
    python benchmarks/compare_power.py show WORK               # all results so far

The times are for two idle cores. A part goes on after a stop where it was, and ends after
``--minutes``. WORK is a folder for campaigns; every finished comparison is a line of
``WORK/done.jsonl``.

``laws`` simulates the runs from laws (`timefair.extensions.compare.comparison`). ``short`` and
``full`` measure: each comparison is a campaign of its own, with a seed of its own, run by the
command. ``record`` measures one large campaign with all versions, and ``resampled`` draws many
comparisons from its jobs.

The versions are those of `compared.py`: baseline, the same again, 10 % more own work, and a loss of
20 % of the successes. The campaign is that of `timefair init --for-optimizer`; that of ``short``
has two of its functions, 6 runs per instance, 2 rounds and a margin of 1.2.
"""

from __future__ import annotations

import argparse
import json
import math
import os
import re
import subprocess
import sys
import time
from collections import Counter, defaultdict
from collections.abc import Iterator
from dataclasses import replace
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import yaml
from scipy.stats import beta

from timefair.extensions.compare.comparison import (
    Answer,
    Design,
    Law,
    Loss,
    average,
    judge,
    log_ratio,
    look_levels,
    simulate,
)

HERE = Path(__file__).parent
USE = f"{HERE / 'compared.py'}:solve"
VERSIONS: dict[str, dict[str, float]] = {
    "same": {},
    "slower": {"slower": 1.1},
    "lossy": {"lost": 0.2},
}
CAMPAIGN: dict[str, Any] = {
    "problems": {"suite": "bbob", "functions": [1, 8, 10, 20], "dimensions": 5, "instances": "1-5"},
    "budget": {"time_s": 0.17},
    "runs": 24,
    "rounds": 4,
    "statistics": {"matters": {"ratio": 1.05}, "time": "reference"},
}
SHORT = {
    "problems": CAMPAIGN["problems"] | {"functions": [1, 8]},
    "runs": 6,
    "rounds": 2,
    "statistics": {"matters": {"ratio": 1.2}, "time": "reference"},
}
SHORT_COMPARISONS, FULL_COMPARISONS = 200, 10
RECORDED_RUNS, RUNS_PER_JOB = 60, 6
DESIGN = Design(functions=4, runs=120, looks=4, ratio=1.05, level=0.05, paired=True, jobs=5)
LAW_SAMPLES, RESAMPLED = 4000, 2000
WANTED = {
    "same": (Answer.WORSE, Answer.BETTER),
    "slower": (Answer.WORSE,),
    "lossy": (Answer.WORSE,),
}
"""The answers that are counted: a false alarm for equal versions, else a finding."""


def main() -> None:
    """Do one part."""
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("part", choices=["laws", "short", "full", "record", "resampled", "show"])
    parser.add_argument("work", type=Path, nargs="?")
    parser.add_argument("--minutes", type=float, default=math.inf)
    parser.add_argument("--most", type=int, help="comparisons or runs, instead of the usual number")
    options = parser.parse_args()
    if options.part == "laws":
        laws(options.most or LAW_SAMPLES)
        return
    if options.work is None:
        parser.error("name a folder for the campaigns")
    options.work.mkdir(parents=True, exist_ok=True)
    end = time.monotonic() + 60 * options.minutes
    if options.part == "short":
        measured(options.work, "short", SHORT, ["same"], options.most or SHORT_COMPARISONS, end)
    elif options.part == "full":
        measured(options.work, "full", {}, list(VERSIONS), options.most or FULL_COMPARISONS, end)
    elif options.part == "record":
        record(options.work, options.most or RECORDED_RUNS)
    elif options.part == "resampled":
        resampled(options.work, options.most or RESAMPLED)
    show(options.work)


# --- From laws ------------------------------------------------------------------------------------


def laws(samples: int) -> None:
    """Print what simulated comparisons answer."""
    print("pairs  success  version    better  worse  equal  undecided  runs used")
    for paired in (True, False):
        for success in (0.5, 0.8, 0.95):
            for name, loss in {
                "same": Loss(),
                "at margin": Loss(slowdown=1.05),
                "10 % slower": Loss(slowdown=1.1),
                "20 % lost": Loss(lost=0.2),
            }.items():
                design = replace(DESIGN, paired=paired)
                rng = np.random.default_rng(1)
                law = Law(success=success)
                found, used = simulate(design, law, loss, samples=samples, rng=rng)
                shares = "  ".join(f"{found[answer]:.4f}" for answer in Answer)
                print(f"{paired!s:5}  {success:7}  {name:11}  {shares}  {used:.2f}")


# --- Measured -------------------------------------------------------------------------------------


def measured(
    work: Path, part: str, changes: dict[str, Any], versions: list[str], most: int, end: float
) -> None:
    """Run comparisons that are not done, version by version in turn."""
    done = {(one["part"], one["version"], one.get("number")) for one in results(work)}
    for number in range(1, most + 1):
        for version in versions:
            if (part, version, number) in done:
                continue
            if time.monotonic() > end:
                return
            start = time.monotonic()
            status, verdict = compared(work, f"{part}-{version}-{number}", version, number, changes)
            keep(
                work, part=part, version=version, number=number, status=status, verdict=verdict,
                seconds=time.monotonic() - start,
            )  # fmt: skip


def compared(
    work: Path, name: str, version: str, seed: int, changes: dict[str, Any]
) -> tuple[int, str]:
    """Run the command on a campaign: its exit status and its last line."""
    algorithms = {"baseline": {"use": USE}, "candidate": version_of(version)}
    campaign = CAMPAIGN | changes | {"name": name, "seed": seed, "algorithms": algorithms}
    file = work / f"{name}.yaml"
    file.write_text(yaml.safe_dump(campaign, sort_keys=False))
    command = [sys.executable, "-m", "timefair", "compare", file.name, "--quiet"]
    done = subprocess.run(command, cwd=work, capture_output=True, text=True, check=False)
    if done.returncode not in (0, 1, 3):
        sys.exit(f"{file}: {done.stderr}")
    return done.returncode, done.stdout.strip().splitlines()[-1]


def version_of(version: str) -> dict[str, Any]:
    """The candidate of a campaign."""
    return {"use": USE, "parameters": VERSIONS[version], "seed_as": "baseline"}


# --- Resampled ------------------------------------------------------------------------------------


def record(work: Path, runs: int) -> None:
    """Measure all versions in one campaign, which snakemake runs without looking at it."""
    folder = work / "recorded"
    if not folder.exists():
        subprocess.run([sys.executable, "-m", "timefair", "init", folder], check=True)
    algorithms = {"baseline": {"use": USE}} | {name: version_of(name) for name in VERSIONS}
    campaign = CAMPAIGN | {"name": "recorded", "algorithms": algorithms, "tables": ["runs"]}
    campaign |= {"figures": ["ert"], "runs": runs, "rounds": max(1, runs // RUNS_PER_JOB)}
    (folder / "campaign.yaml").write_text(yaml.safe_dump(campaign, sort_keys=False))
    command = ["snakemake", "--cores", "all", "--configfile", "campaign.yaml"]
    subprocess.run(command, cwd=folder, check=True)


class Pool(NamedTuple):
    """The recorded pairs of runs on a function: cost and success of each, and their jobs."""

    baseline: tuple[Any, Any]
    candidate: tuple[Any, Any]
    jobs: Any


def resampled(work: Path, samples: int) -> None:
    """Draw comparisons from the recorded pairs and judge them at each look."""
    from timefair.extensions.compare.rounds import read

    results_of = work / "recorded/results/recorded"
    for version in VERSIONS:
        pair = read(results_of, ("baseline", version))
        pools = []
        for sample in pair.samples:
            if sample.efforts is None:
                sys.exit(f"f{sample.function}: no run found a value")
            sums = [(one.seconds, one.success) for one in sample.efforts]
            pools.append(Pool(*sums, sample.jobs[0]))
        rng = np.random.default_rng(1)
        answers = Counter(str(drawn(pools, version == "same", rng)) for _ in range(samples))
        keep(work, part="resampled", version=version, samples=samples, answers=dict(answers))


def drawn(pools: list[Pool], exchanged: bool, rng: np.random.Generator) -> Answer:
    """The answer of a comparison whose jobs are drawn from the recorded ones, with replacement.

    The runs of a job stay together. If `exchanged`, baseline and candidate change places in half of
    the jobs, so that the versions are equal whatever the record is.
    """
    jobs = DESIGN.looks * DESIGN.jobs
    chosen = [_chosen(pool, jobs, exchanged, rng) for pool in pools]
    for number, level in enumerate(look_levels(DESIGN.level, DESIGN.looks), 1):
        changes = []
        for baseline, candidate, job in chosen:
            some = job < DESIGN.jobs * number
            versions = [(cost[some], reached[some]) for cost, reached in (baseline, candidate)]
            changes.append(log_ratio(*versions, paired=True, jobs=(job[some], job[some])))
        answer = judge(average(changes), math.log(DESIGN.ratio), float(level)).answer
        if answer is not Answer.UNDECIDED:
            return answer
    return Answer.UNDECIDED


def _chosen(pool: Pool, jobs: int, exchanged: bool, rng: np.random.Generator) -> Pool:
    """The pairs of some jobs, which are numbered in the order in which they are drawn."""
    parts = []
    for number, job in enumerate(rng.choice(np.unique(pool.jobs), size=jobs)):
        rows = pool.jobs == job
        one, other = ([values[rows] for values in side] for side in (pool.baseline, pool.candidate))
        if exchanged and rng.random() < 0.5:
            one, other = other, one
        parts.append([*one, *other, np.full(rows.sum(), number)])
    columns = [np.concatenate(column) for column in zip(*parts, strict=True)]
    return Pool((columns[0], columns[1]), (columns[2], columns[3]), columns[4])


# --- Results --------------------------------------------------------------------------------------


def results(work: Path) -> Iterator[dict[str, Any]]:
    """All finished comparisons."""
    file = work / "done.jsonl"
    if file.is_file():
        yield from map(json.loads, file.read_text().splitlines())


def keep(work: Path, **found: Any) -> None:
    """Add a line to the results, complete or not at all."""
    with (work / "done.jsonl").open("a") as file:
        file.write(json.dumps(found) + "\n")
        file.flush()
        os.fsync(file.fileno())


def show(work: Path) -> None:
    """Print the shares of each part and version, with exact intervals."""
    counts: defaultdict[tuple[str, str], Counter[str]] = defaultdict(Counter)
    seconds: defaultdict[tuple[str, str], list[float]] = defaultdict(list)
    for one in results(work):
        key = (one["part"], one["version"])
        if one["part"] == "resampled":
            counts[key] = Counter(one["answers"])
        else:
            answer = re.match(r"\w+", one["verdict"])
            assert answer
            counts[key][answer[0]] += 1
            seconds[key].append(one["seconds"])
    print("part       version  comparisons  counted (95 %)          equal  undecided  median s")
    for (part, version), found in counts.items():
        total, hits = found.total(), sum(found[str(answer)] for answer in WANTED[version])
        low = beta.ppf(0.025, hits, total - hits + 1) if hits else 0.0
        high = beta.ppf(0.975, hits + 1, total - hits) if hits < total else 1.0
        took = f"{np.median(seconds[part, version]):.0f}" if seconds[part, version] else ""
        print(
            f"{part:9}  {version:7}  {total:11}  {hits / total:.3f} [{low:.3f}, {high:.3f}]  "
            f"{found['equal'] / total:9.3f}  {found['undecided'] / total:9.3f}  {took:>8}"
        )


if __name__ == "__main__":
    main()
