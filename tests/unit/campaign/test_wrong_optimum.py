"""An optimum above reachable values: the log, `verify`, the tables, the checklist, the caution."""

import math

import pytest
from measurements import do_jobs

from timefair import cli
from timefair.campaign import configuration, plan
from timefair.exhibits import files, unknown_optimum
from timefair.exhibits.registry import TABLES
from timefair.problems.refuted import least, refutation
from timefair.records.collect import collect
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.store import read_runs
from timefair.report.cautions import cautions
from timefair.report.evidence import Evidence

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
    """The lines about an optimum."""
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
    first = cautions(Evidence({"checklist": again}, campaign))[0]
    assert first.topic == "Wrong optimum"
    assert f"f = {least!r}, below f_opt = 6.0" in first.text
    assert "Correct the optimum and measure again" in first.text


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


def test_it_names_the_run_the_value_and_the_optimum():
    assert str(refutation(RUN)) == (
        "vessel.py:penalty f1 D=4 instance 1: run 2 of DE has found f = 6141.3, below "
        "f_opt = 6200.0"
    )


@pytest.mark.parametrize(
    "harmless",
    [
        {"best_f": 6200.0},
        {"best_f": 6200.0 - 1e-6},  # rounding
        {"f_opt": 0.0, "best_f": -1e-10},
        {"best_f": math.inf},
        {"f_opt": None},
        {"f_opt": math.nan},
        {"noise_free_f": 6200.5},
        {"suite": "bbob-noisy"},  # an earlier version, without the value without noise
        {"suite": "bbob-biobj"},
    ],
)
def test_these_refute_nothing(harmless):
    assert refutation(RUN | harmless) is None


@pytest.mark.parametrize(
    ("wrong", "f"),
    [
        ({"best_f": 6199.99}, 6199.99),
        ({"f_opt": 0.0, "best_f": -1e-8}, -1e-8),
        ({"best_f": 6100.0, "noise_free_f": 6199.0}, 6199.0),
        ({"suite": "bbob-noisy", "noise_free_f": 6199.0}, 6199.0),
    ],
)
def test_these_refute_the_optimum(wrong, f):
    found = refutation(RUN | wrong)
    assert found is not None
    assert found.f == f


def test_of_each_problem_the_least_value_is_kept():
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
