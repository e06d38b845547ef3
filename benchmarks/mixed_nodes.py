"""Ratios of two kinds of nodes that blocks mix, beside the ratios of one kind.

    python benchmarks/mixed_nodes.py simulate
    python benchmarks/mixed_nodes.py coverage
    python benchmarks/mixed_nodes.py measure FOLDER --time-s 3 --rounds 6

`simulate` needs no clock. Runtimes to a target are drawn from an exponential and a gamma
distribution; on the slow node they are multiplied by a factor, and what exceeds T fails. Half of
the blocks, chosen at random, are measured on the slow node. Printed is how far the ratio of two
ERTs is from the ratio that the same draws have on the fast node: within kinds of machines, as in
the table `ert_ratios`; pooled over the blocks; and pooled if each job has a random node of its own.

`coverage` simulates how often the 95 % intervals of `ert_ratios` contain the true ratio. Besides
the factor of its node, each block has a factor of its own for both algorithms. On one kind, the
true ratio of the ERTs with the limit T is computed from a million draws.

`measure` runs a campaign twice, on one node and on two kinds of nodes, and prints the ratios of
both. The slow node is a namespace with another processor and host name. There, each evaluation
repeats its fixed piece of work more often, by a known factor. So only the cost of an evaluation
differs, not that of the algorithm. Needs root. Blocks that are measured already are kept: start it
again after a stop.
"""

from __future__ import annotations

import argparse
import subprocess
import sys
from pathlib import Path

import numpy as np
import yaml
from numpy.typing import NDArray

from timefair.campaign import configuration, plan, provenance
from timefair.exhibits.registry import TABLES
from timefair.extensions.blocks.tables import mean_ratios, ratio_limits, resampled_ratios
from timefair.records.rundata.runs import EVERY_MACHINE, Runs, machines
from timefair.records.rundata.settings import Analysis
from timefair.statistics.ert import ert
from timefair.statistics.two_samples import mean_ratio

SLOWER = 2.0
SLOW_PROCESSOR = "Slow Processor"
BLOCKS, RUNS = 15, 3
"""Of a simulated campaign: blocks, each with so many runs of each algorithm."""

OWN = f"""
import numpy as np

SLOW = {SLOW_PROCESSOR!r} in open("/proc/cpuinfo").read()
WORK = np.ones(50_000)


def valley(x, instance):
    for _ in range({round(10 * SLOWER)} if SLOW else 10):
        WORK.sum()
    return float(x @ (np.arange(1, x.size + 1) * x))
"""


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    commands = parser.add_subparsers(required=True)
    simulated = commands.add_parser("simulate")
    simulated.add_argument("--campaigns", type=int, default=1000)
    simulated.set_defaults(command=simulate)
    covered = commands.add_parser("coverage")
    covered.add_argument("--campaigns", type=int, default=1000)
    covered.set_defaults(command=coverage)
    measured = commands.add_parser("measure")
    measured.add_argument("folder", type=Path)
    measured.add_argument("--time-s", type=float, default=3.0)
    measured.add_argument("--rounds", type=int, default=6)
    measured.set_defaults(command=measure)
    options = parser.parse_args()
    options.command(options)


# --- Without a clock ------------------------------------------------------------------------


def simulate(options: argparse.Namespace) -> None:
    print("   T  within kinds       pooled blocks      scattered jobs    (median, 95 % quantile)")
    for limit in (np.inf, 20.0, 8.0):
        rng = np.random.default_rng(1)
        errors = np.array([one_campaign(rng, limit) for _ in range(options.campaigns)])
        known = errors[np.isfinite(errors).all(axis=1)]
        shares = 100 * np.quantile(known, (0.5, 0.95), axis=0).T
        columns = [f"{middle:5.1f} % {most:5.1f} %" for middle, most in shares]
        print(f"{limit:4g}  {'    '.join(columns)}")


def one_campaign(rng: np.random.Generator, limit: float) -> list[float]:
    """Relative errors of the ratio: within kinds, pooled blocks, and scattered jobs."""
    fast_s = {"A": rng.exponential(2.0, (BLOCKS, RUNS)), "B": rng.gamma(4.0, 0.75, (BLOCKS, RUNS))}
    node = rng.permutation(np.arange(BLOCKS) % 2)
    scattered = {name: rng.integers(0, 2, BLOCKS) for name in fast_s}
    truth = ratio(fast_s, limit)
    in_blocks = {name: times * slowness(node) for name, times in fast_s.items()}
    on_any = {name: times * slowness(scattered[name]) for name, times in fast_s.items()}
    kinds = [{name: times[node == kind] for name, times in in_blocks.items()} for kind in (0, 1)]
    within = mean_ratio([ratio(kind, limit) for kind in kinds], [kind["A"].size for kind in kinds])
    found = (within, ratio(in_blocks, limit), ratio(on_any, limit))
    return [abs(one / truth - 1) for one in found]


def coverage(options: argparse.Namespace) -> None:
    print("| T | blocks | on one kind | every machine |\n|---|---|---|---|")
    for limit in (np.inf, 8.0):
        rng = np.random.default_rng(2)
        truths = [ratio(drawn(rng, 1_000_000, kind), limit) for kind in (0, 1)]
        truths.append(mean_ratio(truths, [1, 1]))
        for blocks in (6, 10, 20, 40):
            held = np.zeros(2)
            for _ in range(options.campaigns):
                times = [drawn(rng, blocks // 2, kind) for kind in (0, 1)]
                found = [ratio(own, limit) for own in times]
                samples = [resampled(rng, own, limit) for own in times]
                free, both = blocks // 2 - 1, mean_ratios(samples, [1, 1])
                alone = ratio_limits(found[0], samples[0], free, 0.95)
                together = ratio_limits(mean_ratio(found, [1, 1]), both, 2 * free, 0.95)
                held[0] += alone[0] <= truths[0] <= alone[1]
                held[1] += together[0] <= truths[2] <= together[1]
            shares = " | ".join(f"{100 * one:.1f} %" for one in held / options.campaigns)
            print(f"| {limit:g} | {blocks} | {shares} |", flush=True)


def drawn(rng: np.random.Generator, blocks: int, kind: int) -> dict[str, NDArray[np.float64]]:
    """Runtimes in blocks on one kind of node, shape (blocks, RUNS)."""
    speed = rng.lognormal(sigma=0.1, size=(blocks, 1)) * slowness(np.full(blocks, kind))
    shape = (blocks, RUNS)
    return {"A": speed * rng.exponential(2.0, shape), "B": speed * rng.gamma(4.0, 0.75, shape)}


def resampled(
    rng: np.random.Generator, times: dict[str, NDArray[np.float64]], limit: float
) -> NDArray[np.float64]:
    """Ratios in samples of blocks."""
    sums = [
        np.stack([np.minimum(own, limit).sum(axis=1), (own < limit).sum(axis=1)], axis=1)
        for own in (times["A"], times["B"])
    ]
    return resampled_ratios(*sums, resamples=500, rng=rng)


def slowness(nodes: NDArray[np.int_]) -> NDArray[np.float64]:
    """The factor of each block, shape (blocks, 1)."""
    return np.where(nodes == 1, SLOWER, 1.0)[:, np.newaxis]


def ratio(times: dict[str, NDArray[np.float64]], limit: float) -> float:
    """The ratio of the ERTs of A and B; runs beyond the limit fail there."""
    erts = [
        float(ert(np.minimum(times[name], limit).ravel(), (times[name] < limit).ravel()))
        for name in "AB"
    ]
    return erts[0] / erts[1]


# --- With a clock ---------------------------------------------------------------------------


def measure(options: argparse.Namespace) -> None:
    options.folder.mkdir(parents=True, exist_ok=True)
    (options.folder / "own.py").write_text(OWN)
    other = options.folder / "cpuinfo"
    other.write_text(f"model name\t: {SLOW_PROCESSOR}\n")
    found = {}
    for name in ("one", "two"):
        runs = campaign(options, name, slow_rounds=2 if name == "two" else 0)
        frame = TABLES["ert_ratios"](runs, Analysis(targets=(1e-2, 1e-4)))
        chosen = EVERY_MACHINE if name == "two" else machines(runs)[0]
        found[name] = frame[frame["machine"] == chosen]
        print(frame.drop(columns=["suite", "dimension"]).to_string(index=False))
    keys = ["function", "target", "algorithm_a", "algorithm_b"]
    both = found["one"].merge(found["two"], on=keys, suffixes=("_one", "_two"))
    both["change"] = both["ratio_two"] / both["ratio_one"] - 1
    print(both[[*keys, "ratio_one", "ratio_two", "change"]].to_string(index=False))


def campaign(options: argparse.Namespace, name: str, slow_rounds: int) -> Runs:
    """The runs of a campaign; with `slow_rounds` 2, every second round is on the slow node."""
    path = options.folder / f"{name}.yaml"
    path.write_text(yaml.safe_dump(asked(options, name)))
    chosen, folder = configuration.load(path), options.folder / "results" / name
    folder.mkdir(parents=True, exist_ok=True)
    keys = provenance.measure_keys(chosen)
    snapshot, _ = plan.write_snapshot(chosen, folder), plan.write_keys(keys, folder)
    blocks = dict.fromkeys(
        plan.Block(job.function, job.dimension, job.instances, job.round)
        for job in plan.jobs(chosen)
    )
    for block in blocks:
        jobs = block.jobs(chosen)
        if all((folder / job.record(keys[job.algorithm, job.round])).exists() for job in jobs):
            continue
        slow = bool(slow_rounds) and block.round % slow_rounds == 0
        words = [
            *(elsewhere(options.folder) if slow else []),
            *(sys.executable, "-m", "timefair", "measure-block", "--campaign", str(snapshot)),
            *("--function", str(block.function), "--dimension", str(block.dimension)),
            *("--instances", plan.format_instances(block.instances), "--round", str(block.round)),
        ]
        with (options.folder / "log").open("a") as log:
            subprocess.run(words, check=True, stdout=log, stderr=log)
    collected = [folder / "collected" / f"{label}.parquet" for label in chosen.algorithms]
    for output in collected:
        words = ["collect", "--campaign", str(snapshot), "--algorithm", output.stem]
        words += ["--output", str(output)]
        subprocess.run([sys.executable, "-m", "timefair", *words], check=True)
    return Runs.read(collected)


def elsewhere(folder: Path) -> list[str]:
    """What runs a command on the slow node."""
    other = (folder / "cpuinfo").absolute()
    script = f'mount --bind {other} /proc/cpuinfo && hostname slow && exec "$@"'
    return ["unshare", "--mount", "--uts", "sh", "-c", script, "sh"]


def asked(options: argparse.Namespace, name: str) -> dict[str, object]:
    return {
        "name": name,
        "problems": {
            "suite": f"{(options.folder / 'own.py').absolute()}:valley",
            "functions": 1,
            "dimensions": 5,
            "instances": "1-2",
            "parameters": {"lower": -5, "upper": 5, "f_opt": 0},
        },
        "algorithms": {"DE": "timefair:DE", "simplex": "scipy:Nelder-Mead"},
        "budget": {"time_s": options.time_s},
        "runs": 2 * options.rounds,
        "rounds": options.rounds,
        "instances_per_job": 2,
        "block": "node",
    }


if __name__ == "__main__":
    main()
