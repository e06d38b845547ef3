"""How exactly a run ends: events after T, the last evaluation, the reaped process, lost events.

    python benchmarks/deadline.py [--runs 200] [--time 0.2]

Three algorithms: a cooperative one, one that swallows every exception, and one that hangs between
two evaluations. Each keeps a log of its own in shared memory, of every improvement that it has
seen and when; what it logged before T and the record lacks is a lost event.
"""

from __future__ import annotations

import argparse
import mmap
import struct
import time

import numpy as np

from timefair.algorithms.algorithm import Algorithm
from timefair.machine.linux import kernel
from timefair.measure.isolation import held_cores
from timefair.measure.run import Allowance, measure_run
from timefair.problems.suites import SUITES

ENTRY = struct.Struct("<qd")


class Witness:
    """An independent log of improvements, in memory that outlives the process."""

    def __init__(self) -> None:
        self.memory = mmap.mmap(-1, 2**22)

    def clear(self) -> None:
        self.memory[:8] = bytes(8)

    def watch(self, objective):
        best, count, memory = np.inf, 0, self.memory

        def call(x):
            nonlocal best, count
            value = objective(x)
            if value < best:
                best = value
                ENTRY.pack_into(memory, 8 + ENTRY.size * count, time.monotonic_ns(), value)
                count += 1
                struct.pack_into("<q", memory, 0, count)
            return value

        return call

    def values(self) -> list[float]:
        (count,) = struct.unpack_from("<q", self.memory, 0)
        return [ENTRY.unpack_from(self.memory, 8 + ENTRY.size * k)[1] for k in range(count)]


def algorithms(witness: Witness, time_s: float) -> dict:
    def walk(objective, rng, seconds=np.inf):
        """A (1+1) search: it improves for as long as the run lasts."""
        call, end = witness.watch(objective), time.monotonic() + seconds
        x, step = rng.uniform(-5, 5, 5), 1.0
        fx = call(x)
        while time.monotonic() < end:
            y = x + step * rng.standard_normal(5)
            fy = call(y)
            step *= 1.5 if fy < fx else 0.9
            step = max(step, 1e-9)
            if fy < fx:
                x, fx = y, fy

    def swallow(objective, rng):
        def safe(x):
            try:
                return objective(x)
            except BaseException:
                return 0.0

        safe.__dict__.update(dimension=objective.dimension)
        walk(safe, rng)

    def hang(objective, rng):
        walk(objective, rng, seconds=time_s * rng.uniform(0.5, 0.95))
        time.sleep(1000)

    return {"cooperative": walk, "swallows the stop": swallow, "hangs": hang}


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--runs", type=int, default=200)
    parser.add_argument("--time", type=float, default=0.2, help="T of one run, in s")
    options = parser.parse_args()
    kernel.adopt_orphans()
    problem = SUITES["bbob"].problem(8, 5, 1)
    allowance = Allowance(time_ns=round(options.time * 1e9))
    witness = Witness()
    print(f"{options.runs} runs of T = {options.time} s each; times in ms after T")
    print(
        f"{'':20}{'events >= T':>12}{'lost':>6}{'last evaluation p50/p99/max':>30}"
        f"{'reaped p50/p99/max':>26}{'events a run':>14}"
    )
    with held_cores(1):
        for name, solve in algorithms(witness, options.time).items():
            late, lost, over, reaped, events = 0, 0, [], [], []
            for seed in range(options.runs):
                witness.clear()
                row = measure_run(Algorithm(solve), problem, allowance, seed)
                assert row["status"] == "ok", row
                late += sum(event["time_s"] >= options.time for event in row["events"])
                recorded = {event["precision"] for event in row["events"]}
                # What the witness saw was returned by the objective, so it ended before T.
                lost += sum(max(v - problem.f_opt, 0.0) not in recorded for v in witness.values())
                over.append(row["overshoot_s"] * 1e3)
                reaped.append((row["reaped_s"] - options.time) * 1e3)
                events.append(len(row["events"]))
            print(
                f"{name:20}{late:12}{lost:6}{_spread(over):>30}{_spread(reaped):>26}"
                f"{np.median(events):14.0f}",
                flush=True,
            )


def _spread(values: list[float]) -> str:
    return " / ".join(f"{v:.3f}" for v in (*np.percentile(values, [50, 99]), max(values)))


if __name__ == "__main__":
    main()
