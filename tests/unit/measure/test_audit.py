"""The audit tells right what an algorithm does."""

import os
import time
from dataclasses import replace

import numpy as np
import pytest
from bench import solve

from timefair import cli
from timefair.algorithms.base import Algorithm
from timefair.measure.audit import (
    SLOW_S,
    AuditRow,
    AuditSettings,
    Subject,
    audit,
    look_at,
    subjects,
)

SETTING = AuditSettings(dimension=3, evaluations=120, time_s=1.3)
"""No run is shorter than a machine stalls."""


def finding(solve, **changes) -> AuditRow:
    return audit(Subject("it", "mine:solve"), Algorithm(solve), replace(SETTING, **changes))


@pytest.mark.slow
def test_a_good_algorithm():
    found = finding(solve("random_search"))
    assert (found.algorithm, found.use) == ("it", "mine:solve")
    assert (found.status, found.message, found.evaluations) == ("ok", None, 120)
    assert (found.ended_early, found.deterministic, found.inside) == (False, True, True)
    assert found.farthest == 0
    assert found.overhead > 0
    assert found.stopped_by in ("time", "time_killed")
    assert found.last_evaluation_ms >= 0
    assert found.gone_ms >= 0
    assert found.cpu_per_wall > 0


@pytest.mark.slow
def test_the_audit_says_whether_an_algorithm_asks_for_batches():
    def in_batches(objective, rng):
        while True:
            objective.batch(rng.uniform(-5, 5, (5, objective.dimension)))

    assert finding(in_batches).batches is True
    assert finding(solve("random_search")).batches is False
    assert look_at(Subject("it", "timefair:ABC"), SETTING).batches is False


@pytest.mark.slow
def test_an_algorithm_that_reads_the_clock():
    def hurries(objective, rng):
        least_s = np.inf
        for k in range(10**9):
            begin = time.perf_counter()
            random = k >= 10 and least_s < SLOW_S  # a machine does not stall ten times
            objective(rng.uniform(-5, 5, objective.dimension) * random)
            least_s = min(least_s, time.perf_counter() - begin)

    assert finding(hurries).by_the_clock is True
    assert finding(solve("random_search")).by_the_clock is False


@pytest.mark.slow
def test_an_early_end_and_at_how_many_evaluations():
    found = finding(solve("short"))
    assert (found.status, found.ended_early, found.evaluations) == ("ok", True, 50)


@pytest.mark.slow
def test_points_outside_the_bounds_and_how_far():
    def solve(objective, rng):
        objective(np.zeros(3))
        objective(np.array([0.0, -10.0, 5.5]))  # 5 and .5 of a width of 10
        objective(np.zeros(3))

    found = finding(solve)
    assert found.inside is False
    assert found.farthest == 0.5


@pytest.mark.slow
def test_runs_that_differ_in_their_values():
    def solve(objective, rng):
        for _ in range(100):
            objective(np.frombuffer(os.urandom(3), dtype=np.uint8) / 64)

    assert finding(solve).deterministic is False


def test_subjects_are_campaigns_libraries_and_names(tmp_path):
    path = tmp_path / "mine.yaml"
    path.write_text(
        "name: mine\nproblems: {suite: bbob, functions: 1, dimensions: 5, instances: 1}\n"
        "algorithms: {small: {use: pycma:BIPOP, parameters: {popsize: 6}}}\n"
        "budget: {time_s: 1}\nruns: 1\n"
    )
    found = subjects([str(path), "scipy:Powell", "pycma"])
    assert found[0] == Subject("small", "pycma:BIPOP", {"popsize": 6})
    assert found[1] == Subject("scipy:Powell", "scipy:Powell")
    assert [each.use for each in found[2:]] == [
        f"pycma:{name}" for name in ("CMA-ES", "IPOP", "BIPOP", "lq-CMA-ES")
    ]


@pytest.mark.slow
def test_the_command_prints_and_writes_the_table(tmp_path, capsys):
    outputs = [tmp_path / "audit.csv", tmp_path / "audit.md"]
    budgets = ["--dimension", "2", "--evaluations", "30", "--time", "0.02"]
    argv = ["audit", "timefair:random-search", *budgets, "--output", *map(str, outputs)]
    assert cli.main(argv) == 0
    printed = capsys.readouterr().out
    assert outputs[1].read_text() == printed
    assert printed.splitlines()[2].startswith("| timefair:random-search |")
    head, row = outputs[0].read_text().splitlines()
    assert dict(zip(head.split(","), row.split(","), strict=True))["evaluations"] == "30"
    assert cli.main(["audit", "pycma:BIPOP", "--output", "a.pdf"]) == 2
    assert cli.main(["audit", "pycma:BIPOP", "--dimension", "4"]) == 2
    assert "dimensions: 4 is not in bbob" in capsys.readouterr().err
