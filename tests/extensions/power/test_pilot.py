from itertools import product

import numpy as np
import pytest

from timefair.extensions.power.pilot import pilots
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.statistics.ert import ert


@pytest.fixture
def read(run, table):
    """The pilots of some runs: a time to the target 1 for each (algorithm, function, instance)."""

    def of(times, dimensions=(2,)):
        rows = [
            run(
                [(5, t, 0.5)] if t < 1 else [(5, 0.5, 2.0)],
                algorithm=name, function=function, instance=instance, run=k,
                dimension=dimension, real_s=0.5,
            )
            for dimension in dimensions
            for (name, function, instance), several in times.items()
            for k, t in enumerate(several)
        ]  # fmt: skip
        analysis = Analysis.of({"targets": (1.0,)})
        return list(pilots(Runs.of(table(*rows)), analysis, "seconds", {"A": 1, "B": 2}))

    return of


def test_cases_pool_the_instances_and_begin_with_the_smallest_spread(read):
    (pilot,) = read({("A", 1, 1): [0.1, 0.5], ("A", 1, 2): [2.0, 0.3], ("B", 1, 1): [0.2, 0.2]})
    assert [case.success for case in pilot.cases()] == [1.0, 0.75]
    assert pilot.cases()[0].spread == pytest.approx(0.0, abs=1e-12)
    assert pilot.success_rates.tolist() == [0.75]


def test_instances_of_two_algorithms_are_compared_with_each_other(read):
    """B has not run on the first instance of function 1, on which A is slow."""
    a = {("A", 1, 1): [0.9, 0.9], ("A", 1, 2): [0.2, 0.2], ("A", 2, 2): [0.4, 0.4]}
    b = {("B", 1, 2): [0.1, 0.1], ("B", 2, 2): [0.2, 0.2]}
    (pilot,) = read(a | b)
    found, comparisons = pilot.components()
    assert comparisons == 1
    assert found.functions == pytest.approx(0.0, abs=1e-12)  # twice as fast on both


def test_components_are_those_of_log_ratios(read):
    rng = np.random.default_rng(1)
    factor = {1: 0.1, 2: 0.4}
    times = {
        (name, f, i): (factor[f] if name == "A" else 0.2) * rng.uniform(0.5, 1.5, 4)
        for name, f, i in product("AB", (1, 2), (1, 2))
    }
    (pilot,) = read(times)
    found, _ = pilot.components()
    ratios = np.array(
        [
            [np.log(ert(times["A", f, i], [True] * 4) / ert(times["B", f, i], [True] * 4))
             for i in (1, 2)]
            for f in (1, 2)
        ]
    )  # fmt: skip
    between = ratios.mean(axis=1).var(ddof=1)
    within = found.instances / 2 + found.runs / 8
    assert found.functions == pytest.approx(between - within)
