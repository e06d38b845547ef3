"""`timefair verify` names each problem; an optimum above reachable values is named by all."""

import csv
import math
import os
import shutil
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from measurements import do_jobs

from timefair import cli
from timefair.campaign import configuration, plan
from timefair.campaign.collected import LEFT_OVER, OUTDATED
from timefair.campaign.verify import OF_POINTS as COLUMNS
from timefair.campaign.verify import Reevaluation
from timefair.exhibits import files, unknown_optimum
from timefair.exhibits.registry import TABLES
from timefair.extensions.reproduce.verdict import sample
from timefair.problems.suites import SUITES, least, refutation
from timefair.records.collect import collect
from timefair.records.integrity import Place
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import MEND, Journal, journal_path, open_record, read_runs, write_record
from timefair.report.cautions import cautions
from timefair.report.evidence import Evidence

KEY = "ab" * 32


@pytest.fixture
def verify(measured, capsys):
    def run(*arguments: str, target: Path | None = None) -> tuple[int, list[str]]:
        status = cli.main(["verify", str(target or measured.folder), *arguments])
        said = capsys.readouterr()
        return status, (said.out + said.err).splitlines()

    return run


def gather(measured, label: str) -> Path:
    output = measured.folder / "collected" / f"{label}.parquet"
    jobs = [job for job in measured.jobs if job.algorithm == label]
    places = {measured.record(job): Place(key=KEY, **vars(job)) for job in jobs}
    collect(label, places, plan.expected_runs(measured.campaign), output)
    return output


@pytest.mark.slow
def test_all_is_right(measured, verify):
    line = "4 files, 8 runs (0 missing), 2 code digests of 2 algorithms, 1 kind of machine, "
    assert verify() == (0, [line + "differing software: none; 0 problems"])
    for label in ("a", "b"):
        gather(measured, label)
    assert verify() == (0, [line.replace("4 f", "6 f") + "differing software: none; 0 problems"])
    assert verify("--quiet") == (0, [])
    shutil.rmtree(measured.folder / "records")
    assert verify("--quiet") == (0, [])


@pytest.mark.parametrize("damage", ["truncated", "empty", "directory", "foreign"])
def test_a_damaged_record_is_named_and_its_runs_are_missing(measured, verify, damage):
    record = measured.record(measured.jobs[0])
    if damage == "truncated":
        os.truncate(record, record.stat().st_size // 2)
    elif damage == "empty":
        record.write_bytes(b"")
    elif damage == "directory":
        record.unlink()
        record.mkdir()
    else:
        pq.write_table(read_runs([record]), record)
    status, (first, second, summary) = verify()
    assert status == 1
    assert first.startswith(f"{record}: not a ")
    assert second == f"{measured.folder}: 2 runs missing; start snakemake again"
    assert summary.startswith("4 files, 6 runs (2 missing)")
    assert summary.endswith("2 problems")


def contradicts_itself(measured, record, row, write):
    events = row(0)["events"]
    events[1]["precision"] = events[2]["precision"] / 2
    write(record, row(0) | {"events": events}, row(1), **open_record(record).facts)
    return "f1 D=2 instance 1 run 0: the precision does not fall"


def has_a_run_twice(measured, record, row, write):
    journals = []
    for run in (0, 0):
        with Journal(record.with_name(f"x{len(journals)}"), KEY) as journal:
            journal.append(row(run))
            journals += journal.runs.values()
    write_record(record, journals, {"key": KEY})
    return "f1 D=2 instance 1 run 0 is there twice; delete it and start snakemake again"


def has_the_name_of_another(measured, record, row, write):
    job = measured.jobs[1]
    shutil.copy(measured.record(job), record)
    held = f"f1 D=2 instance {job.instances[0]} of {job.algorithm} in round 1"
    return f"not the record of this name: it holds {held}; delete"


def is_of_another_campaign(measured, record, row, write):
    measured.measure(measured.jobs[0], key="cd" * 32)
    return f"not the record of this name: its key is {'cd' * 6};"


@pytest.mark.thinned(1)
@pytest.mark.slow
@pytest.mark.parametrize(
    "damage",
    [
        contradicts_itself,
        has_a_run_twice,
        has_the_name_of_another,
        is_of_another_campaign,
    ],
)
def test_a_wrong_record_is_named(measured, verify, row, write, damage):
    record = measured.record(measured.jobs[0])
    said = damage(measured, record, row, write)
    status, lines = verify()
    assert status == 1
    assert lines[0].startswith(f"{record}: {said}")


@pytest.mark.slow
def test_machines_are_mixed_unless_the_campaign_allows_it(measured, verify):
    measured.measure(measured.jobs[0], machine={"cpu": "6502"})
    status, lines = verify()
    assert status == 1
    assert lines[0].startswith(f"{measured.folder}: runs of 2 machines: 6502 with unknown cores")
    assert "2 kinds of machine" in lines[-1]
    statistics = measured.campaign.statistics.model_copy(update={"mixed": "allow"})
    consent = measured.campaign.model_copy(update={"statistics": statistics})
    plan.write_snapshot(consent, measured.folder)
    status, lines = verify()
    assert status == 0
    assert "2 kinds of machine" in lines[-1]


@pytest.mark.slow
def test_a_block_on_two_nodes_is_named(measured, verify):
    asked = measured.campaign.model_dump(mode="json") | {"block": "node"}
    for job in measured.jobs:
        machine = {"cpu": "Z80", "hostname": f"node-of-{job.algorithm}"}
        measured.measure(job, campaign=asked, machine=machine)
    before = verify()
    for label in ("a", "b"):
        gather(measured, label)
    for status, lines in (before, verify()):
        assert status == 1
        assert any("a on node-of-a" in line and "b on node-of-b" in line for line in lines)


@pytest.mark.slow
def test_journals_are_looked_at_and_left_alone(measured, verify, row):
    path = journal_path(measured.record(measured.jobs[0]))
    whole = path.read_bytes()
    path.write_bytes(whole + b"torn")
    assert verify("--quiet") == (0, [])
    damaged = bytearray(whole)
    damaged[300] ^= 1
    path.write_bytes(damaged)
    status, lines = verify("--quiet")
    assert status == 1
    assert lines == [f"{path}: 1 damaged run; start snakemake again to measure them again"]
    assert path.read_bytes() == damaged


@pytest.mark.slow
def test_any_folder_and_any_file(measured, verify, tmp_path):
    record = measured.record(measured.jobs[0])
    status, (summary,) = verify(target=record)
    assert status == 0
    assert summary.startswith("1 file, 2 runs, 1 code digest of 1 algorithm, ")
    other = tmp_path / "elsewhere"
    other.mkdir()
    shutil.copy(record, other / "x.parquet")
    pipes = [other / "y.parquet", other / "z.parquet.journal"]
    for pipe in pipes:
        os.mkfifo(pipe)
    status, lines = verify(target=other)
    assert status == 1
    assert lines[:2] == [
        f"{pipe}: neither a file nor a folder; give a regular file" for pipe in pipes
    ]


@pytest.mark.slow
def test_tables_of_mixed_machines_need_consent(measured, tmp_path, capsys):
    for job in measured.jobs:
        if job.algorithm == "b":
            measured.measure(job, machine={"cpu": "6502"})
    for label in ("a", "b"):
        gather(measured, label)
    assert cli.main(["table", str(measured.folder), "runs"]) == 2
    export = ["export", "coco", str(measured.folder), "--output", str(tmp_path / "coco")]
    assert cli.main(export) == 2
    assert capsys.readouterr().err.count("timefair: runs of 2 machines: 6502 with") == 2
    statistics = measured.campaign.statistics.model_copy(update={"mixed": "allow"})
    consent = measured.campaign.model_copy(update={"statistics": statistics})
    plan.write_snapshot(consent, measured.folder)
    assert cli.main(export) == 0
    assert "timefair: mixed, as the campaign allows: runs of 2 machines" in capsys.readouterr().err


def without_b(measured) -> None:
    algorithms = {"a": measured.campaign.algorithms["a"]}
    campaign = measured.campaign.model_copy(update={"algorithms": algorithms})
    plan.write_snapshot(campaign, measured.folder)
    plan.write_keys({("a", 1): KEY}, measured.folder)


def commands(measured, tmp_path) -> dict[str, list[str]]:
    folder = str(measured.folder)
    files = sorted(map(str, (measured.folder / "collected").glob("*.parquet")))
    tables = ["--campaign", str(measured.snapshot), "--output", str(tmp_path / "made")]
    return {
        "table": ["table", folder, "runs", "--output", str(tmp_path / "runs.csv")],
        "export": ["export", "table", folder, "--output", str(tmp_path / "table.csv")],
        "tables": ["make-tables", *files, *tables],
        "reproduce": ["reproduce", folder, "--share", "1%"],
    }


@pytest.mark.slow
def test_an_algorithm_that_was_removed_is_left_over(measured, verify, tmp_path, capsys):
    for label in ("a", "b"):
        gather(measured, label)
    without_b(measured)
    left = measured.folder / "collected/b.parquet"
    status, (line, summary) = verify()
    assert status == 0
    assert line == f"{left} and 2 other files: {LEFT_OVER}"
    assert summary.startswith("6 files, 4 runs (0 missing), 1 code digest of 1 algorithm, ")
    both = commands(measured, tmp_path)
    for command in (both["table"], both["export"]):
        assert cli.main(command) == 0
        assert capsys.readouterr().err == f"timefair: {left}: {LEFT_OVER}\n"
    for table in ("runs.csv", "table.csv"):
        rows = list(csv.DictReader((tmp_path / table).open()))
        assert {row["algorithm"] for row in rows} == {"a"}
    chosen = sample(measured.folder, 1.0, np.random.default_rng(1))
    assert [(stratum.label, stratum.runs) for stratum in chosen] == [("a", 4)]
    assert capsys.readouterr().err == f"timefair: {left}: {LEFT_OVER}\n"
    (measured.folder / "collected/a.parquet").unlink()
    assert cli.main(both["table"]) == 2
    assert capsys.readouterr().err == f"timefair: {left}: {LEFT_OVER}; the campaign has a\n"
    assert left.is_file()


@pytest.mark.slow
def test_a_collected_file_under_the_name_of_another(measured, verify, tmp_path, capsys):
    one, other = (gather(measured, label) for label in ("a", "b"))
    shutil.copy(one, other)
    line = f"{other}: not the runs of b: it holds those of a; {MEND}"
    status, lines = verify()
    assert status == 1
    assert lines[0] == line
    assert verify(target=other)[1][0] == line
    for command in commands(measured, tmp_path).values():
        assert cli.main(command) == 2
        assert capsys.readouterr().err == f"timefair: {line}\n"


@pytest.mark.slow
def test_a_collected_file_of_another_configuration(measured, verify, tmp_path, capsys):
    for label in ("a", "b"):
        gather(measured, label)
    plan.write_keys({("a", 1): KEY, ("b", 1): "cd" * 32}, measured.folder)
    line = f"{measured.folder}/collected/b.parquet: {OUTDATED}"
    status, lines = verify()
    assert status == 1
    assert lines[:2] == [line, f"{measured.folder}: 4 runs missing; start snakemake again"]
    assert cli.main(commands(measured, tmp_path)["table"]) == 2
    assert capsys.readouterr().err == f"timefair: {line}\n"


@pytest.mark.parametrize(
    ("facts", "clause"),
    [
        ({"machine": ["Z80"]}, "not a record of timefair (AttributeError: "),
        ({"campaign": "mine"}, "not a record of timefair (AttributeError: "),
        ({"collected": {"machine": [5]}}, ""),
        ({"tuning": 5}, ""),
        ({"schema_version": [6]}, "schema version [6], and this timefair reads 7"),
    ],
)
def test_facts_of_another_kind_are_one_line(row, verify, tmp_path, facts, clause):
    path = tmp_path / "x.parquet"
    batch = pa.Table.from_pylist([row(0)], RUN_SCHEMA).to_batches()
    write_record(path, batch, {"key": KEY, **facts})
    status, (line, *rest) = verify("--quiet", target=path)
    assert status == 1
    assert rest == []
    assert line.startswith(f"{path}: ")
    assert clause in line


X = [1.5, -2.25]
F = SUITES["bbob"].problem(1, 2, 1).evaluate


def look(seconds: float = 60.0, parameters=None, **changes) -> tuple[Reevaluation, list[str]]:
    row = {"suite": "bbob", "function": 1, "dimension": 2, "instance": 1, "run": 3, "vectors": None}
    row |= {"best_f": F(np.array(X)), "noise_free_f": None, "best_x": X, **changes}
    table = pa.table(
        {
            name: pa.array([row[name]], pa.list_(pa.float64()) if name == "best_x" else None)
            for name in COLUMNS
        }
    )
    points, said = Reevaluation(seconds), list[str]()
    points.look(table, parameters or {}, said.append)
    return points, said


def test_values_that_are_the_same_or_not_also_without_noise():
    points, said = look()
    assert (str(points), said) == ("1 of 1 best points evaluate to the recorded value", [])
    points, (line,) = look(best_f=79.0)
    assert points.found["different"] == 1
    assert line.startswith("f1 D=2 instance 1, run 3: the best point was recorded with 79.0 and")
    problem = SUITES["bbob-noisy"].problem(101, 2, 1)
    noisy = {"suite": "bbob-noisy", "function": 101, "best_f": 1e3}
    exact = problem.noise_free(np.array(X))
    assert look(**noisy, noise_free_f=exact)[0].found["same"] == 1
    points, (line,) = look(**noisy, noise_free_f=exact + 1)
    assert points.found["different"] == 1
    assert f"was recorded with {exact + 1!r} and now gives {exact}" in line


@pytest.mark.parametrize(
    ("changes", "expected"),
    [
        ({"seconds": 0.0}, "1 not evaluated"),
        ({"suite": "gone:f"}, "1 not evaluated"),
        ({"suite": "bbob-noisy", "function": 101}, "1 of noisy functions"),
    ],
)
def test_what_cannot_be_compared_is_counted(changes, expected):
    points, said = look(**changes)
    assert said == []
    assert str(points) == f"0 of 0 best points evaluate to the recorded value, {expected}"


def test_the_users_own_function(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    text = "import random\ndef f(x, scale=1.0): return scale * x[0]\n"
    text += "def noisy(x): return random.random()\ndef raises(x): raise OSError('no disk')\n"
    text += "for one in (f, noisy, raises): one.lower, one.upper = -5, 5\n"
    (tmp_path / "mine.py").write_text(text)
    assert look(suite="mine.py:f", parameters={"scale": 2.0}, best_f=3.0)[0].found["same"] == 1
    assert look(suite="mine.py:noisy", best_f=0.5)[0].found["noisy"] == 1
    assert "now gives OSError: no disk" in look(suite="mine.py:raises")[1][0]


def test_the_quality_of_vectors_is_computed_again():
    problem = SUITES["bbob-biobj"].problem(1, 2, 1)
    vectors = np.array([problem.evaluate(np.array(x)) for x in ([0.0, 0.0], [1.0, -1.0], X)])
    best = float(np.min(problem.outputs.quality(vectors)))
    row = {"suite": "bbob-biobj", "function": 1, "dimension": 2, "instance": 1}
    kept = [
        {"launch": 0, "evaluations": n, "time_s": 0.1, "outputs": list(vector)}
        for n, vector in enumerate(vectors)
    ]
    rows = [
        row | {"run": 0, "best_f": best, "vectors": kept},
        row | {"run": 1, "best_f": best - 1e-6, "vectors": kept},
        row | {"run": 2, "best_f": best, "vectors": None},
        row | {"run": 3, "best_f": np.inf, "vectors": []},
    ]
    said: list[str] = []
    runs = pa.Table.from_pylist(rows, RUN_SCHEMA)
    Reevaluation(60.0).look(runs, {}, said.append)
    (line,) = said
    assert line.startswith("f1 D=2 instance 1, run 1: the set of vectors was recorded with ")


def test_vectors_of_environments_that_are_not_there_are_reported():
    problem = SUITES["moving"].problem(1, 2, 1)
    vectors = [[-3.0, 0.0], [-4.0, 1.0]]
    best = float(problem.outputs.quality(np.array(vectors))[-1])
    row = {"suite": "moving", "function": 1, "dimension": 2, "instance": 1, "best_f": best}
    said: list[str] = []
    for run, environment in enumerate((1.0, 99.0)):
        vectors[1][1] = environment
        kept = [{"launch": 0, "evaluations": 1, "time_s": 0.1, "outputs": one} for one in vectors]
        runs = pa.Table.from_pylist([row | {"run": run, "vectors": kept}], RUN_SCHEMA)
        Reevaluation(60.0).look(runs, {}, said.append)
    (line,) = said
    assert "run 1: the set of vectors was recorded with " in line
    assert "now gives nan" in line


OWN = """
def bowl(x):
    return float(x @ x) + 5

bowl.lower, bowl.upper = -1, 1
"""
F_OPT = 6.0
"""The true optimum is 5."""


@pytest.fixture(scope="module")
def folder(tmp_path_factory):
    """``results/below`` of a measured campaign with a wrong optimum, and the log of its jobs."""
    root = tmp_path_factory.mktemp("wrong")
    with pytest.MonkeyPatch.context() as patch:
        patch.chdir(root)
        (root / "own_bowl.py").write_text(OWN)
        campaign = configuration.parse(
            {
                "name": "below",
                "problems": {
                    "suite": "own_bowl.py:bowl", "functions": 1, "dimensions": 2, "instances": 1,
                    "parameters": {"f_opt": F_OPT},
                },
                "algorithms": {"A": "timefair:random-search", "B": "timefair:random-search"},
                "budget": {"evaluations": 400, "final_target": None},
                "runs": 2,
            }
        )  # fmt: skip
        plan.write_snapshot(campaign, root)
        results, wanted = root / "results/below", plan.expected_runs(campaign)
        for record, place in do_jobs(campaign, results).items():
            output = results / f"collected/{place.algorithm}.parquet"
            collect(place.algorithm, {record: place}, wanted, output)
        yield results, campaign


def lines_of(capsys):
    said = capsys.readouterr()
    return [line for line in (said.out + said.err).splitlines() if "f_opt" in line]


@pytest.fixture
def rows(folder):
    results, _ = folder
    return read_runs(sorted((results / "collected").glob("*.parquet"))).to_pylist()


def test_verify_has_one_line_for_the_problem(folder, rows, capsys, monkeypatch):
    results, _ = folder
    monkeypatch.chdir(results.parents[1])
    assert cli.main(["verify", str(results)]) == 1
    found = lines_of(capsys)
    best = min(rows, key=lambda row: row["best_f"])
    assert found == [
        f"{results}: own_bowl.py:bowl f1 D=2 instance 1: run {best['run']} of "
        f"{best['algorithm']} has found f = {best['best_f']!r}, below f_opt = 6.0; the optimum is "
        "wrong: correct it and measure again"
    ]


def test_the_tables_have_it(folder, rows, tmp_path):
    results, campaign = folder
    runs = Runs.read(sorted((results / "collected").glob("*.parquet")))
    analysis = Analysis.of(campaign.settings_of("checklist"))
    frame = TABLES["paper_values"](runs, analysis).set_index("algorithm")
    for label, mean in frame["precision_mean"].items():
        ours = [row["best_precision"] for row in rows if row["algorithm"] == label]
        assert mean == pytest.approx(sum(ours) / 2)
        assert frame.loc[label, "precision_deviation"] > 0
    checklist = TABLES["checklist"](runs, analysis)
    part = checklist[checklist["part"] == "Precision"].iloc[0]
    least = min(row["best_f"] for row in rows)
    assert not part["met"]
    assert f"own_bowl.py:bowl f1 D=2 instance 1 (f = {least:.9g} < 6)" in part["missing"]

    files.write(checklist, tmp_path / "checklist.parquet")
    again = files.read(tmp_path / "checklist.parquet")
    (wrong,) = again.attrs[unknown_optimum.REFUTED]
    assert (wrong["f"], wrong["f_opt"]) == (least, F_OPT)
    said = cautions(Evidence({"checklist": again}, campaign))["Wrong optimum"]
    assert f"f = {least!r}, below f_opt = 6.0" in said
    assert "Correct the optimum and measure again" in said


@pytest.mark.parametrize("name", ["anytime", "disagreements", "best_of", "quantiles", "ecdf"])
def test_tables_and_figures_are_made(folder, name):
    results, campaign = folder
    runs = Runs.read(sorted((results / "collected").glob("*.parquet")))
    frame = TABLES[name](runs, Analysis.of(campaign.settings_of(name)))
    for figure in TABLES[name].exhibit.figures:
        figure(frame).canvas.draw()


def test_the_log_names_the_run(folder, capfd, monkeypatch, tmp_path):
    results, campaign = folder
    monkeypatch.chdir(results.parents[1])
    one = campaign.model_copy(update={"algorithms": {"A": campaign.algorithms["A"]}})
    (record,) = do_jobs(one, tmp_path)
    said = [line for line in capfd.readouterr().err.splitlines() if line.startswith("caution: ")]
    assert said == [
        f"caution: own_bowl.py:bowl f1 D=2 instance 1: run {row['run']} of A has found "
        f"f = {row['best_f']!r}, below f_opt = 6.0; the optimum is wrong"
        for row in read_runs([record]).to_pylist()
    ]


RUN = {
    "suite": "vessel.py:penalty", "function": 1, "dimension": 4, "instance": 1,
    "algorithm": "DE", "run": 2, "f_opt": 6200.0, "best_f": 6141.3, "noise_free_f": None,
}  # fmt: skip


def test_it_names_the_run_and_the_optimum_and_of_each_problem_the_least_value():
    assert str(refutation(RUN)) == (
        "vessel.py:penalty f1 D=4 instance 1: run 2 of DE has found f = 6141.3, below "
        "f_opt = 6200.0"
    )
    runs = [
        RUN | {"function": 2, "best_f": 1.0},
        RUN | {"best_f": 5.0},
        RUN | {"best_f": 4.0, "algorithm": "ES"},
        RUN | {"best_f": 7000.0},
    ]
    found = least(map(refutation, runs))
    assert [(one.function, one.f, one.algorithm) for one in found] == [
        (1, 4.0, "ES"),
        (2, 1.0, "DE"),
    ]


@pytest.mark.parametrize(
    ("changes", "f"),
    [
        ({"best_f": 6200.0}, None),
        ({"best_f": 6200.0 - 1e-6}, None),  # rounding
        ({"f_opt": 0.0, "best_f": -1e-10}, None),
        ({"best_f": math.inf}, None),
        ({"f_opt": None}, None),
        ({"f_opt": math.nan}, None),
        ({"noise_free_f": 6200.5}, None),
        ({"suite": "bbob-noisy"}, None),  # an earlier version, without the value without noise
        ({"suite": "bbob-biobj"}, None),
        ({"best_f": 6199.99}, 6199.99),
        ({"f_opt": 0.0, "best_f": -1e-8}, -1e-8),
        ({"best_f": 6100.0, "noise_free_f": 6199.0}, 6199.0),
        ({"suite": "bbob-noisy", "noise_free_f": 6199.0}, 6199.0),
    ],
)
def test_what_refutes_the_optimum(changes, f):
    found = refutation(RUN | changes)
    assert (found and found.f) == f
