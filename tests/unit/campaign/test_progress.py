"""How far a campaign is, and how long its other jobs take."""

from datetime import UTC, datetime
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest

from timefair import cli
from timefair.basics.errors import InputError
from timefair.campaign import configuration, plan
from timefair.campaign.progress import ProgressReader
from timefair.campaign.provenance import measure_keys
from timefair.cli.campaigns import line
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import Journal, journal_path, write_record

CAMPAIGN = """
name: trial
problems: {suite: bbob, functions: [1, 2], dimensions: 5, instances: 1}
algorithms: {quick: timefair:random-search, slow: scipy:Nelder-Mead}
budget: {evaluations: 100}
runs: 4
tables: [ert]
figures: [ert]
"""
BEGAN_S = 1_800_000_000.0
SECONDS = {"quick": 1.0, "slow": 10.0}


class Trial:
    """A campaign's folder in which runs appear, one after the other, as if they were measured."""

    def __init__(self, folder: Path, **changes: Any) -> None:
        path = folder / "campaign.yaml"
        path.write_text(CAMPAIGN)
        mapping = configuration.read_yaml(path)
        assert isinstance(mapping, dict)
        self.campaign = configuration.parse(mapping | changes)
        self.folder = folder / "results/trial"
        plan.write_snapshot(self.campaign, self.folder)
        self.keys = measure_keys(self.campaign)
        plan.write_keys(self.keys, self.folder)
        self.now_s = BEGAN_S
        self.watch = ProgressReader(self.folder)

    def runs(self, job: plan.Job, number: int, **changes: Any) -> list[dict[str, Any]]:
        rows = []
        for run in range(number):
            row = dict.fromkeys(RUN_SCHEMA.names) | {
                "instance": 1, "run": run, "status": "ok", "perturbation": "clean",
                "started_utc": datetime.fromtimestamp(self.now_s, UTC),
                "reaped_s": SECONDS[job.algorithm],
            }  # fmt: skip
            rows.append(row | changes)
            self.now_s += SECONDS[job.algorithm]
        return rows

    def job(self, algorithm: str, function: int) -> tuple[plan.Job, Path, str]:
        job, key = plan.Job(algorithm, function, 5, (1,), 1), self.keys[algorithm, 1]
        return job, self.folder / job.record(key), key

    def journal(self, algorithm: str, function: int, number: int, **changes: Any) -> Path:
        job, record, key = self.job(algorithm, function)
        with Journal(record, key) as journal:
            for row in self.runs(job, number, **changes):
                journal.append(row)
        return journal_path(record)

    def record(self, algorithm: str, function: int, number: int = 4, **changes: Any) -> Path:
        job, record, _ = self.job(algorithm, function)
        rows = self.runs(job, number, **changes)
        write_record(record, [pa.RecordBatch.from_pylist(rows, schema=RUN_SCHEMA)], {})
        return record

    def make_the_rest(self) -> None:
        (self.folder / "report.html").touch()

    def said(self) -> str:
        return line(self.campaign, self.watch.look())


@pytest.fixture
def trial(tmp_path):
    return Trial(tmp_path)


def test_no_campaign(tmp_path, capsys):
    assert cli.main(["progress", str(tmp_path)]) == 2
    assert capsys.readouterr().err.startswith(f"timefair: {tmp_path}: contains no campaign; name ")
    (tmp_path / "campaign.json").write_text("{}")
    with pytest.raises(InputError, match="not written by this version of timefair"):
        ProgressReader(tmp_path)


def test_running_leaves_time_by_what_each_algorithm_takes(trial):
    trial.record("quick", 1)  # 4 s
    trial.journal("slow", 1, 2)  # 20 s
    progress = trial.watch.look()
    assert (progress.runs, progress.wanted, progress.measured) == (6, 16, False)
    assert progress.worked_s == pytest.approx(24)
    assert progress.left_s == pytest.approx(4 * 1 + 6 * 10)
    assert trial.said() == "trial: 6 of 16 runs (37 %); 24 s so far; about 64 s left"


def test_faults_are_counted_in_records_and_journals(trial):
    trial.record("quick", 1, status="raised")
    trial.journal("slow", 1, 2, perturbation="perturbed")
    assert "(37 %), 4 failed, 2 perturbed; " in trial.said()


def test_a_pause_is_no_work(trial):
    trial.record("quick", 1)
    trial.now_s += 3600
    trial.record("quick", 2)
    assert trial.said() == "trial: 8 of 16 runs (50 %); 8 s so far; about 8 s left"


def test_what_lies_there_is_read_without_a_lock(trial):
    job, record, key = trial.job("slow", 1)
    with Journal(record, key) as journal:  # as a measuring job holds it
        journal.append(trial.runs(job, 1)[0])
        size = journal_path(record).stat().st_size
        assert trial.watch.look().runs == 1
        journal.append(trial.runs(job, 2)[1])
        assert trial.watch.look().runs == 2
    whole = journal_path(record).read_bytes()
    journal_path(record).write_bytes(whole[: size + 7])  # a torn last entry
    assert trial.watch.look().runs == 1
    assert journal_path(record).read_bytes() == whole[: size + 7]


def test_watching_ends_when_all_is_made(trial, capsys, monkeypatch):
    left = [*((algorithm, function) for algorithm in SECONDS for function in (1, 2)), "rest"]
    waited = []

    def sleep(seconds: float) -> None:
        waited.append(seconds)
        match left.pop(0):
            case (str(algorithm), int(function)):
                trial.record(algorithm, function)
            case _:
                trial.make_the_rest()

    monkeypatch.setattr("time.sleep", sleep)
    assert cli.main(["progress", str(trial.folder), "--watch", "0.5"]) == 0
    assert waited == [0.5] * 5
    said = capsys.readouterr().out.splitlines()
    assert [text.split(" runs")[0].split()[1] for text in said] == [
        "0", "4", "8", "12", "all", "all",
    ]  # fmt: skip


def test_measured_then_finished(trial, capsys):
    for algorithm in SECONDS:
        for function in (1, 2):
            trial.record(algorithm, function)
    assert trial.said() == "trial: all 16 runs; measured in 88 s; no report yet"
    trial.make_the_rest()
    assert trial.watch.look().reported
    assert cli.main(["progress", str(trial.folder), "--watch"]) == 0
    said = "trial: all 16 runs; measured in 88 s; the report is made\n"
    assert capsys.readouterr().out == said


def test_a_search_for_parameters_is_work_that_is_left(tmp_path):
    on = {"functions": 3, "dimensions": 5, "instances": 1}
    space = {"F": {"float": [0.3, 0.9]}}
    tune = {"space": space, "tuner": "random", "budget_s": 500, "on": on}
    tuned = {"use": "timefair:DE", "tune": tune}
    trial = Trial(tmp_path, algorithms={"quick": "timefair:random-search", "slow": tuned})
    trial.journal("quick", 1, 4)
    searching = trial.watch.look()
    search = trial.folder / plan.tuning_record("slow-tuned", trial.keys)
    search.parent.mkdir(parents=True)
    search.touch()
    assert trial.watch.look().left_s == pytest.approx(searching.left_s - 500)
