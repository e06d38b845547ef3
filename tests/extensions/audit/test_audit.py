"""The behaviour of an algorithm in five runs, and its biases: known ones are found."""

import json
import os
import time
from pathlib import Path
from types import SimpleNamespace

import numpy as np
import pytest
from bench import solve

from timefair import cli
from timefair.algorithms import libraries
from timefair.algorithms.algorithm import Algorithm
from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.extensions.audit import behaviour, commands
from timefair.extensions.audit.probe import PAIRS, Finding, _of_pair, _on_noise

SETTING = behaviour.AuditSettings(dimension=3, evaluations=120, time_s=1.3)
"""No run is shorter than a machine stalls."""


def finding(solve) -> SimpleNamespace:
    subject = behaviour.Subject("it", "mine:solve")
    return SimpleNamespace(**behaviour.audit(subject, Algorithm(solve), SETTING))


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
def test_the_audit_of_early_ends_of_the_clock_and_of_batches():
    found = finding(solve("short"))
    assert (found.status, found.ended_early, found.evaluations) == ("ok", True, 50)

    def hurries(objective, rng):
        least_s = np.inf
        for k in range(10**9):
            begin = time.perf_counter()
            random = k >= 10 and least_s < behaviour.SLOW_S  # a machine does not stall ten times
            objective(rng.uniform(-5, 5, objective.dimension) * random)
            least_s = min(least_s, time.perf_counter() - begin)

    assert finding(hurries).by_the_clock is True
    assert finding(solve("random_search")).by_the_clock is False

    def in_batches(objective, rng):
        while True:
            objective.batch(rng.uniform(-5, 5, (5, objective.dimension)))

    assert finding(in_batches).batches is True
    assert finding(solve("random_search")).batches is False
    assert behaviour.look_at(behaviour.Subject("it", "timefair:ABC"), SETTING)["batches"] is False


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
    found = behaviour.subjects([str(path), "scipy:Powell", "pycma"])
    assert found[0] == behaviour.Subject("small", "pycma:BIPOP", {"popsize": 6})
    assert found[1] == behaviour.Subject("scipy:Powell", "scipy:Powell")
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


BIASED = str(Path(__file__).with_name("biased.py"))
"""The file of algorithms with known biases; each has the name of its bias."""


@pytest.mark.thinned(2)
@pytest.mark.slow
@pytest.mark.parametrize("kind", PAIRS)
def test_a_known_bias_is_found(kind):
    algorithm = libraries.load(f"{BIASED}:{kind}", {})
    found = _of_pair(kind, algorithm, kind, 1, 0.05 / 7)
    assert found.found
    assert found.factor > 10
    unbiased = _of_pair(kind, libraries.load("timefair:random-search", {}), "random", 1, 0.05 / 7)
    assert not unbiased.found
    assert 0.2 < unbiased.factor < 5


@pytest.mark.slow
def test_noise_shows_where_an_algorithm_looks():
    found = {
        one.kind: one for one in _on_noise(libraries.load(f"{BIASED}:origin", {}), "c", 1, 0.05 / 7)
    }
    assert found["origin"].found
    assert not found["centre"].found
    assert not found["bounds"].found


def test_the_audit_of_a_campaign_is_kept_beside_its_runs(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    path = tmp_path / "c.yaml"
    path.write_text(
        "name: c\nproblems: {suite: bbob, functions: 1, dimensions: 2, instances: 1}\n"
        "algorithms: {A: timefair:DE, B: timefair:PSO}\nbudget: {evaluations: 10}\nruns: 1\n"
    )
    rows = [
        {"algorithm": "A", **vars(Finding("origin", "pair", 4.2e7, 1e-8, True))},
        {"algorithm": "A", **vars(Finding("bounds", "noise", 0.0, 1.0, False))},
        {"algorithm": "B", **vars(Finding("origin", "pair", 1.1, 0.9, False))},
    ]
    commands.keep(path, rows)
    campaign, folder = configuration.load(path), tmp_path / "results/c"
    assert list(commands.files(campaign, folder)) == ["bias.json"]
    ((key, found),) = commands.settings(campaign, folder)
    (part,) = commands.checklist(None, SimpleNamespace(added={key: found}))
    assert part.evidence == "A profits from origin (factor 4.2e+07); no bias found in B"
    path.write_text(path.read_text().replace("timefair:DE", "timefair:jDE"))
    ((_, left),) = commands.settings(configuration.load(path), folder)
    assert {row["algorithm"] for row in left} == {"B"}
    (folder / "bias.json").write_text(json.dumps([1]))
    with pytest.raises(InputError, match="damaged; delete it, and audit again"):
        list(commands.settings(campaign, folder))
