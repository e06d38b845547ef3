"""Whether reference kernels tell how much longer algorithms take on a slower machine.

    python benchmarks/bridge.py [--rounds 8] [--output cells.json]

In turns, four processes measure six algorithms on three functions, with a fixed number of
evaluations: as they are (`here`), stopped half of the time (`duty cycle`), with an interpreter
whose memory allocations are checked (`checked memory`), and with one that calls a function at each
call and return (`traced calls`). Before each algorithm and function, they time the kernels. One row
per machine, clock and algorithm: the ratio of seconds, here to there, on each function, the bridge
with its interval, and the functions whose ratio is in it.
"""

from __future__ import annotations

import argparse
import json
import os
import select
import signal
import subprocess
import sys
import time
from collections import defaultdict
from pathlib import Path

import numpy as np

ALGORITHMS = {
    "DE": "timefair:DE",
    "BIPOP-CMA-ES (C++)": "modcma:BIPOP",
    "PRAXIS": "nlopt:LN_PRAXIS",
    "CMA-ES": "pycma:CMA-ES",
    "scipy-DE": "scipy:differential_evolution",
    "Nelder-Mead": "scipy:Nelder-Mead",
}
FUNCTIONS, DIMENSION, SECONDS, RUNS = (1, 8, 15), 10, 0.03, 2
MACHINES = {
    "here": {},
    "duty cycle": {"DUTY": "1"},
    "checked memory": {"PYTHONMALLOC": "debug"},
    "traced calls": {"TRACED": "1"},
}
STOPPED_S = 0.005
CLOCKS = ("cpu", "wall")


class Done(BaseException):
    """The run has made its evaluations."""


class Counted:
    """An objective that ends the run after some evaluations."""

    shown, noisy, cores, changes = 1, False, 1, 0

    def __init__(self, problem, evaluations):
        self._problem, self._most, self.evaluations = problem, evaluations, 0
        self.dimension, self.integer = problem.dimension, np.zeros(problem.dimension, np.bool_)

    lower = property(lambda self: self._problem.lower.copy())
    upper = property(lambda self: self._problem.upper.copy())
    progress = property(lambda self: self.evaluations / self._most)
    evaluations_left = property(lambda self: self._most - self.evaluations)

    def recommend(self, x, /):
        """Do nothing."""

    def __call__(self, x, /):
        if self.evaluations >= self._most:
            raise Done
        self.evaluations += 1
        return self._problem.evaluate(np.asarray(x, dtype=np.float64))

    def batch(self, points, /):
        return np.array([self(x) for x in points])


def spent(algorithm, problem, evaluations, seed):
    """CPU and wall seconds of some evaluations; the algorithm is launched again if it returns."""
    objective, rng = Counted(problem, evaluations), np.random.default_rng(seed)
    wall, cpu = time.monotonic(), time.process_time()
    try:
        while True:
            algorithm.solve(objective, rng)
    except Done:
        return time.process_time() - cpu, time.monotonic() - wall


def worker() -> None:
    """Print the evaluations of each cell, then seconds and kernels for each seed that is read."""
    from timefair.algorithms import libraries
    from timefair.measure.perturbation import kernels
    from timefair.problems.suites import SUITES

    cells = [
        (label, f, libraries.load(use, {}), SUITES["bbob"].problem(f, DIMENSION, 1))
        for label, use in ALGORITHMS.items()
        for f in FUNCTIONS
    ]
    numbers = []
    for _, _, algorithm, problem in cells:
        spent(algorithm, problem, 100, 0)
        pace = min(spent(algorithm, problem, 300, k)[0] / 300 for k in range(2))
        numbers.append(max(int(SECONDS / pace), 50))
    print(json.dumps(numbers), flush=True)
    if "TRACED" in os.environ:
        sys.setprofile(lambda *_: None)
    for line in sys.stdin:
        seed, numbers = json.loads(line)
        rows = []
        for (label, function, algorithm, problem), many in zip(cells, numbers, strict=True):
            timed = kernels()
            runs = [spent(algorithm, problem, many, seed + k) for k in range(RUNS)]
            rows.append([label, function, np.mean(runs, axis=0).tolist(), timed])
        print(json.dumps(rows), flush=True)


def started(machine: str) -> subprocess.Popen:
    """A process on a machine."""
    return subprocess.Popen(
        [sys.executable, __file__, "--worker"], text=True, env={**os.environ, **MACHINES[machine]},
        stdin=subprocess.PIPE, stdout=subprocess.PIPE,
    )  # fmt: skip


def answered(process: subprocess.Popen, asked: object, *, stopping: bool) -> list:
    """What a process measures; if `stopping`, it is stopped half of the time."""
    process.stdin.write(json.dumps(asked) + "\n")
    process.stdin.flush()
    while stopping and not select.select([process.stdout], [], [], STOPPED_S)[0]:
        process.send_signal(signal.SIGSTOP)
        time.sleep(STOPPED_S)
        process.send_signal(signal.SIGCONT)
    return json.loads(process.stdout.readline())


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--rounds", type=int, default=8)
    parser.add_argument("--output", type=Path)
    parser.add_argument("--cells", type=Path, help="an earlier output: nothing is measured")
    parser.add_argument("--worker", action="store_true", help=argparse.SUPPRESS)
    options = parser.parse_args()
    if options.worker:
        worker()
        return
    if options.cells:
        rows = json.loads(options.cells.read_text())
    else:
        processes = {machine: started(machine) for machine in MACHINES}
        numbers, *_ = [json.loads(each.stdout.readline()) for each in processes.values()]
        rows = []
        for turn in range(options.rounds):
            for machine, process in processes.items():
                asked = [10 * turn, numbers]
                found = answered(process, asked, stopping=machine == "duty cycle")
                rows += [[machine, *row] for row in found]
            if options.output:
                options.output.write_text(json.dumps(rows))
        for process in processes.values():
            process.stdin.close()
            process.wait()
    report(rows)
    print(f"load: {os.getloadavg()[0]:.1f}")


def report(rows: list) -> None:
    """Print the table."""
    from timefair.algorithms.libraries import implementation
    from timefair.records.rundata.published import bridge

    seconds, kernels = defaultdict(list), defaultdict(list)
    for machine, label, function, spent_s, timed in rows:
        seconds[machine, label, function].append(spent_s)
        kernels[machine, label].append(timed)
    held = whole = algorithms = count = 0
    for machine in list(MACHINES)[1:]:
        for place, clock in enumerate(CLOCKS):
            for label, use in ALGORITHMS.items():
                found = bridge(
                    implementation(use), kernels["here", label], kernels[machine, label],
                    clock=clock,
                )  # fmt: skip
                ratios = [
                    np.median([one[place] for one in seconds["here", label, f]])
                    / np.median([one[place] for one in seconds[machine, label, f]])
                    for f in FUNCTIONS
                ]
                inside = sum(found.low <= ratio <= found.high for ratio in ratios)
                held, whole = held + inside, whole + len(ratios)
                mean = float(np.exp(np.mean(np.log(ratios))))
                algorithms, count = algorithms + (found.low <= mean <= found.high), count + 1
                shown = ", ".join(f"{ratio:.2f}" for ratio in ratios)
                print(
                    f"| {machine} | {clock} | {label} | {shown} | {found.ratio:.2f} "
                    f"[{found.low:.2f}, {found.high:.2f}] | {inside} of {len(ratios)} |"
                )
    print(f"in the interval: {held} of {whole} functions, {algorithms} of {count} means over them")


if __name__ == "__main__":
    main()
