"""CEC's complexity of an algorithm: T0, T1 and T2, and (T2 - T1) / T0. N. H. Awad, M. Z. Ali, J. J.
Liang, B. Y. Qu and P. N. Suganthan, *Problem Definitions and Evaluation Criteria for the CEC 2017
Special Session on Single Objective Real-Parameter Numerical Optimization*, technical report, 2016.
"""

from __future__ import annotations

import json
import math
import time
from collections.abc import Callable, Iterator, Mapping
from pathlib import Path
from typing import Any

import numpy as np

from timefair.basics.disk import atomic_file
from timefair.basics.errors import InputError
from timefair.campaign.configuration import Campaign
from timefair.exhibits import questions
from timefair.exhibits.exhibit import Made, exhibit
from timefair.exhibits.layout import Layout
from timefair.extensions.metaheuristics.keys import COMPLEXITY
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

FILE = "complexity.json"
LOOPS, REPEATS = 1_000_000, 5  # turns of the loop for T0, and runs for T2
USUAL_FUNCTION = {"cec2017": 18}
"""The function of the report; of other suites, it is the first of the campaign."""


@exhibit(
    question=questions.MEASUREMENT,
    layouts=Layout(rows=("algorithm",), parts=("suite", "function", "dimension")),
    charged=False,
    complete=True,
)
def complexity(runs: Runs, analysis: Analysis) -> Made:
    """Complexity by the protocol of CEC

    The complexity (T2 − T1) / T0 of each algorithm by the protocol of the CEC competitions,
    measured by `timefair complexity`; no rows without it. It is the algorithm's own time in units
    of a loop of arithmetic, on one function. The table `overhead` has it in seconds per evaluation,
    on every function and in every run.

    SUITE, DIMENSION
    function: number of the function that is evaluated
    ALGORITHM
    evaluations: number of evaluations; CEC's is 200000
    t0_s [s] <T0, s>: time of {LOOPS} turns of CEC's loop of arithmetic, in Python
    t1_s [s] <T1, s>: time of these evaluations alone, of one point
    t2_s [s] <T2, s>: mean time of {REPEATS} runs of the algorithm with these evaluations
    t2_s_low [s]: time of the fastest of these runs
    t2_s_high [s]: time of the slowest
    complexity <(T2 − T1)/T0; low>: (`t2_s` − `t1_s`) / `t0_s`
    """
    rows, labels = [], set(runs.frame["algorithm"])
    for row in analysis.added.get(COMPLEXITY, ()):
        if row["algorithm"] in labels:
            times, t2 = row["t2_s"], float(np.mean(row["t2_s"]))
            found = {"t2_s": t2, "t2_s_low": min(times), "t2_s_high": max(times)}
            rows.append(row | found | {"complexity": (t2 - row["t1_s"]) / row["t0_s"]})
    return rows


def files(campaign: Campaign, folder: Path) -> Iterator[str]:
    if (folder / FILE).exists():
        yield FILE


def measured(folder: Path) -> list[dict[str, Any]]:
    try:
        found: list[dict[str, Any]] = json.loads((folder / FILE).read_text("utf-8"))
        return found
    except FileNotFoundError:
        return []
    except ValueError:
        raise InputError(f"{folder / FILE}: damaged; run timefair complexity again") from None


def measure(
    campaign: Campaign,
    function: int | None,
    evaluations: int,
    folder: Path,
    say: Callable[[Mapping[str, Any]], None],
) -> None:
    """Measure all algorithms in all dimensions, each time in a new process, and write the file.
    `InputError` if the function does not exist, or an algorithm fails.
    """
    from timefair.measure.runner import in_new_interpreter
    from timefair.problems.suites import find

    chosen = campaign.problems
    suite = find(chosen.suite, chosen.parameters)
    if suite.task != "one objective":
        raise InputError(f"problems.suite: {chosen.suite}: has {suite.kind.said}, CEC's has none")
    number = function or USUAL_FUNCTION.get(chosen.suite, chosen.functions[0])
    if faults := suite.faults([number], list(chosen.dimensions), [chosen.instances[0]]):
        raise InputError(*faults)
    rows = []
    for dimension in chosen.dimensions:
        place = (chosen.suite, dict(chosen.parameters), number, dimension, chosen.instances[0])
        t0 = loop()
        (t1,) = in_new_interpreter(timed, f"{__name__}:evaluate", {}, place, evaluations, 1)
        for label, spec in campaign.algorithms.items():
            arguments = spec.use, dict(spec.arguments), place, evaluations, REPEATS
            found = in_new_interpreter(timed, *arguments)
            names = {"suite": chosen.suite, "dimension": dimension, "function": number}
            row = {**names, "algorithm": label, "evaluations": evaluations}
            row |= {"t0_s": t0, "t1_s": t1, "t2_s": found}
            rows.append(row)
            say(row)
    with atomic_file(folder / FILE) as file:
        file.write((json.dumps(rows, indent=1) + "\n").encode())


def loop(turns: int = LOOPS) -> float:
    begun = time.perf_counter()
    for i in range(1, turns + 1):
        x = 0.55 + i
        x = x + x
        x = x / 2
        x = x * x
        x = math.sqrt(x)
        x = math.log(x)
        x = math.exp(x)
        x = x / (x + 2)
    return time.perf_counter() - begun


def evaluate(objective: Any, rng: np.random.Generator) -> None:
    x = (objective.lower + objective.upper) / 2
    while True:
        objective(x)


def timed(
    use: str,
    parameters: dict[str, Any],
    place: tuple[str, dict[str, Any], int, int, int],
    evaluations: int,
    repeats: int,
) -> list[float]:
    from timefair.algorithms import libraries
    from timefair.machine.linux import kernel
    from timefair.measure.run import Allowance, measure_run
    from timefair.measure.trial import run_seed
    from timefair.problems.suites import find

    kernel.adopt_orphans()
    suite, options, *numbers = place
    problem = find(suite, options).problem(*numbers)
    algorithm = libraries.load(use, parameters)
    algorithm.prepare()
    seconds = []
    for repeat in range(repeats):
        seed = run_seed(1, problem.name, use, repeat)
        row = measure_run(algorithm, problem, Allowance(evaluations=evaluations), seed)
        if row["evaluations"] < evaluations:
            raise InputError(f"{use}: {row['message'] or row['stop_reason']}")
        seconds.append(float(row["real_s"]))
    return seconds
