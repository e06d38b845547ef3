"""A tuning job: what it measures, charges and writes, and how it goes on after a kill."""

import os
from pathlib import Path

import pytest
from campaigns import SMALL

from timefair import cli
from timefair.basics.errors import InputError
from timefair.campaign import configuration, plan, provenance
from timefair.extensions.tuning import job, tuners
from timefair.extensions.tuning.job import tune
from timefair.machine.linux import kernel
from timefair.records.integrity import machine_kind
from timefair.records.store import Journal, journal_path, open_record

OWN = """
def solve(objective, rng, step=0.01):
    x = rng.uniform(objective.lower, objective.upper)
    best = objective(x)
    while True:
        y = x + step * rng.standard_normal(objective.dimension)
        value = objective(y)
        if value < best:
            x, best = y, value
"""


PROGRAM = """
import random

from timefair.external import serve


def solve(objective, step=0.01):
    rng = random.Random(objective.seed)
    x = [rng.uniform(-5, 5) for _ in objective.lower]
    best = objective(x)
    while True:
        y = [each + step * rng.gauss(0, 1) for each in x]
        value = objective(y)
        if value < best:
            x, best = y, value


serve(solve)
"""


class Tuning:
    label = "mine-tuned"

    def __init__(
        self,
        folder: Path,
        use: str = "own.py:solve",
        isolation: str | None = None,
        **changes: object,
    ) -> None:
        (folder / "own.py").write_text(OWN)
        (folder / "program.py").write_text(PROGRAM)
        section = {
            "space": {"step": {"log": [0.01, 2]}},
            "tuner": "random",
            "budget_s": 0.6,
            "on": {"functions": 1, "dimensions": 2, "instances": "51-52"},
        }
        self.campaign = configuration.parse(
            SMALL
            | {
                "algorithms": {
                    "mine": {"use": use, "isolation": isolation, "tune": section | changes}
                },
                "budget": {"evaluations": 200},
                "targets": [10, 1, 0.1],
            }
        )
        self.folder = folder / "results/test"
        keys = provenance.measure_keys(self.campaign)
        self.snapshot = plan.write_snapshot(self.campaign, self.folder)
        plan.write_keys(keys, self.folder)
        self.key = keys[self.label, plan.TUNING_ROUND]
        self.record = self.folder / plan.tuning_record(self.label, keys)

    def run(self) -> dict:
        tune(self.campaign, self.label, self.record, self.key, self.folder)
        return open_record(self.record).facts["tuning"]


@pytest.fixture(autouse=True)
def in_a_folder(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    kernel.adopt_orphans()
    yield
    os.sched_setaffinity(0, range(os.cpu_count() or 1))


@pytest.mark.slow
def test_every_evaluation_is_a_run_on_record_and_all_seconds_are_charged(tmp_path):
    tuning = Tuning(tmp_path)
    search = tuning.run()
    record = open_record(tuning.record)
    rows = record.read().to_pylist()
    assert [row["run"] for row in rows] == list(range(search["evaluations"]))
    assert {row["status"] for row in rows} == {"ok"}
    assert {row["instance"] for row in rows} == {51, 52}
    assert {row["evaluations"] for row in rows} <= set(range(1, 201))
    assert record.facts["key"] == tuning.key
    assert search["tuner"] == "random"
    assert search["of"] == "mine"
    assert (search["overlap"], search["problems"]) == ([], "f1 D=2 instances 51-52")
    assert not journal_path(tuning.record).exists()
    same_block = [row["seed"] for row in rows if row["instance"] == 51]
    assert len(set(same_block)) == 1  # candidates are compared with the same random numbers
    runs_s = sum(one["seconds"] for one in search["trace"])
    assert sum(row["wall_s"] for row in rows) < runs_s <= search["seconds"]
    assert search["budget_s"] < search["seconds"]


@pytest.mark.thinned(2)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("use", "isolation", "found"),
    [("own.py:solve", "strict", "strict"), ("external:python3 program.py", None, "private")],
    ids=["strict", "program"],
)
def test_an_algorithm_outside_of_this_process_is_tuned_too(tmp_path, use, isolation, found):
    tuning = Tuning(tmp_path, use, isolation, budget_s=3)
    search = tuning.run()
    rows = open_record(tuning.record).read().to_pylist()
    assert {(row["status"], row["isolation"]) for row in rows} == {("ok", found)}
    assert len({one["loss"] for one in search["trace"]}) > 2  # the parameters arrive


@pytest.mark.slow
def test_a_search_that_is_interrupted_goes_on(tmp_path, monkeypatch):
    tuning, line, seen = Tuning(tmp_path), job._line, []

    def interrupted(tried, at):
        seen.append(tried)
        if len(seen) == 3:
            raise KeyboardInterrupt
        return line(tried, at)

    monkeypatch.setattr(job, "_line", interrupted)
    with pytest.raises(KeyboardInterrupt):
        tuning.run()
    assert not tuning.record.exists()
    search = tuning.run()
    taken, made = seen[:3], seen[3:]
    assert [one["number"] for one in search["trace"]] == list(range(len(seen)))
    assert search["trace"][:3] == [vars(one) for one in taken]
    assert [one.number for one in made] == list(range(3, len(seen)))
    assert search["seconds"] >= sum(one.seconds for one in seen)


@pytest.mark.slow
def test_an_evaluation_that_was_killed_is_charged(tmp_path):
    tuning = Tuning(tmp_path)
    before = tuning.run()
    tuning.record.unlink()
    with Journal(tuning.record, tuning.key):
        pass
    begun = tuning.record.with_name(tuning.record.name + ".begun")
    begun.write_text(f"{'instance 51 run 0 attempt 2':<39}\n")
    search = tuning.run()
    assert (before["interrupted"], search["interrupted"]) == (0, 2)


def test_a_journal_with_other_candidates_is_refused(tmp_path):
    tuning = Tuning(tmp_path)
    with Journal(tuning.record, tuning.key) as journal:
        row = {"suite": "bbob", "function": 1, "dimension": 2, "instance": 51, "run": 0}
        row |= {"algorithm": tuning.label, "round": 0}
        tried = vars(tuners.Tried(0, 0, {"step": 1.0}, 0, 0, 1.0, 1.0))
        journal.append(row, {"tried": tried, "interrupted": 0, "interrupted_s": 0.0})
    with pytest.raises(InputError, match="proposes other candidates than its journal has"):
        tuning.run()


@pytest.mark.slow
def test_runs_of_a_variant_have_the_parameters_that_were_found(tmp_path, capsys):
    from timefair.measure.job import Prepared, measure_job

    tuning = Tuning(tmp_path)
    search = tuning.run()
    keys = plan.read_keys(tuning.folder, tuning.campaign)
    found = {}
    for one in plan.jobs(tuning.campaign):
        key = keys[one.algorithm, one.round]
        record = tuning.folder / one.record(key)
        measure_job(Prepared(tuning.campaign), one, record, key)
        found[one.algorithm] = open_record(record).facts
    spec = found["mine-tuned"]["campaign"]["algorithms"]["mine-tuned"]
    assert spec["parameters"] == search["result"]["parameters"]
    assert found["mine-tuned"]["tuning"]["checksum"] == open_record(tuning.record).checksum
    kind = machine_kind(found["mine-tuned"]["machine"])
    assert found["mine-tuned"]["tuning"]["machine"] == kind._asdict()
    assert found["mine"]["campaign"]["algorithms"]["mine"]["parameters"] == {}
    assert "tuning" not in found["mine"]
    assert search["result"]["parameters"]["step"] > 0.01  # from so far, no step of 0.01 arrives
    assert cli.main(["verify", str(tuning.folder)]) == 0
    capsys.readouterr()
    tuning.record.unlink()
    assert cli.main(["verify", str(tuning.folder)]) == 1
    assert "the search for the parameters of its runs is not there" in capsys.readouterr().out


@pytest.mark.parametrize(
    ("arguments", "said"),
    [
        (("--algorithm", "mine"), "--algorithm: 'mine': should be the label of a tuned variant"),
        (("--algorithm", "nobody"), "--algorithm: 'nobody' is not in"),
        (("--algorithm", "mine-tuned"), "code, software or configuration changed"),
    ],
)
def test_the_command_refuses_what_is_not_planned(tmp_path, monkeypatch, capsys, arguments, said):
    tuning = Tuning(tmp_path)
    monkeypatch.setattr(
        "timefair.extensions.tuning.commands.measuring_environment", lambda _: os.environ
    )
    words = ["tune", "--campaign", str(tuning.snapshot), *arguments]
    assert cli.main([*words, "--key", "wrong", "--record", str(tuning.record)]) == 2
    complaint = capsys.readouterr().err
    assert complaint.startswith(f"timefair: {said}")
    assert complaint.count("\n") == 1
