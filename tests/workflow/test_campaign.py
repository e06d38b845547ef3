"""A campaign from one command: complete, repeatable, and measured again only where it must be."""

from __future__ import annotations

import pandas as pd
import pytest

from timefair.exhibits.registry import FIGURES, TABLES

pytestmark = pytest.mark.workflow

OWN = """
def solve(objective, rng, step=1.0):
    x = rng.uniform(objective.lower, objective.upper)
    fx = objective(x)
    for _ in range(60):
        y = x + step * rng.standard_normal(objective.dimension)
        fy = objective(y)
        if fy < fx:
            x, fx = y, fy
"""


def events(rows: list[dict]) -> dict:
    """All that a budget of evaluations decides: everything but the times."""
    return {
        (row["algorithm"], row["function"], row["instance"], row["run"]): (
            row["seed"],
            row["status"],
            row["stop_reason"],
            row["evaluations"],
            row["best_f"],
            [(e["restart"], e["evaluations"], e["precision"]) for e in row["events"]],
            [(e["evaluations"], e["best_precision"], e["end"]) for e in row["launch_log"]],
        )
        for row in rows
    }


def test_evaluation_budgets_repeat_bit_for_bit_and_on_any_number_of_cores(workspace):
    (workspace.folder / "own.py").write_text(OWN)
    workspace.configure(
        algorithms={
            "random": "timefair:random-search",
            "mine": {"use": "own.py:solve", "parameters": {"step": 0.5}},
            "DE": "scipy:differential_evolution",
            "PSO": "nevergrad:PSO",
            "CMA": "pycma:CMA-ES",
        },
        problems={"suite": "bbob", "functions": 8, "dimensions": 2, "instances": "1-2"},
    )
    found = []
    for cores in (1, 2):
        workspace.complete("--forceall", "--until", "collect_records", cores=cores)
        found.append(events(workspace.rows()))
    assert len(found[0]) == 5 * 2 * 2
    assert {value[3] for value in found[0].values()} == {300}
    assert found[0] == found[1]


MAY_BE_EMPTY = ("run_count", "stopping", "disagreements", "sorted_solutions")
"""Tables that have something to say about some campaigns only."""


def test_everything_that_was_asked_for_is_there(workspace):
    workspace.configure(tables="all", figures={"names": "all", "formats": ["pdf", "svg", "png"]})
    workspace.printed = ()
    said = workspace.complete()
    assert "test: all 16 runs are measured; making tables and figures" in said
    assert said.splitlines()[-1] == "test: read results/test/report.html"
    assert len(said.splitlines()) < 20
    tables = workspace.results / "tables"
    for name in TABLES:
        frame = pd.read_parquet(tables / f"{name}.parquet")
        assert len(frame) > 0 or name.startswith(MAY_BE_EMPTY), name
        assert (tables / f"{name}.csv").stat().st_size > 0
        assert rf"\input{{{name}.tex}}" in (tables / "tables.tex").read_text()
        assert (tables / f"{name}.tex").stat().st_size > 0
    lacking = ("ecdf_dimensions", "run_count")
    for name in [name for name in FIGURES if not name.startswith(lacking)]:
        for kind in ("pdf", "svg", "png"):
            assert (workspace.results / "figures" / f"{name}.{kind}").stat().st_size > 1000
    assert not [*(workspace.results / "figures").glob("ecdf_dimensions*")]
    page = (workspace.results / "checklist.html").read_text()
    checklist = pd.read_parquet(tables / "checklist.parquet")
    assert page.count('<th scope="row">') == len(checklist)
    assert '<h2 id="findings">' in (workspace.results / "report.html").read_text()
    assert "Nothing to be done" in workspace.complete()


FEW = {"tables": ["ert"], "figures": ["ert"]}


def test_only_changes_are_made_again(workspace):
    workspace.configure(**FEW)
    workspace.complete()
    assert len(workspace.rows()) == 2 * 2 * 2 * 2
    before = workspace.records()
    assert len(before) == 2 * 2

    # Targets are no matter of measuring.
    workspace.configure(targets=[5, 0.5], **FEW)
    said = workspace.complete()
    assert "measure_cell" not in said
    assert "analyse_runtimes" in said
    assert workspace.records() == before
    assert set(pd.read_parquet(workspace.results / "tables" / "ert.parquet")["target"]) == {5, 0.5}

    # One algorithm's parameter measures just that algorithm again.
    workspace.configure(
        algorithms={
            "random": "timefair:random-search",
            "simplex": {"use": "scipy:Nelder-Mead", "parameters": {"xatol": 1e-2}},
        },
        **FEW,
    )
    workspace.complete("--until", "collect_records")
    after = workspace.records()
    assert {path: time for path, time in after.items() if path in before} == before
    assert {path.relative_to(workspace.results).parts[1] for path in after.keys() - before} == {
        "simplex"
    }

    # A further instance measures just that instance.
    workspace.configure(
        instances_per_job=1,
        problems={"suite": "bbob", "functions": [1, 8], "dimensions": 2, "instances": "1-2"},
        **FEW,
    )
    workspace.complete("--until", "collect_records")
    before = workspace.records()
    workspace.configure(
        instances_per_job=1,
        problems={"suite": "bbob", "functions": [1, 8], "dimensions": 2, "instances": "1-3"},
        **FEW,
    )
    workspace.complete("--until", "collect_records")
    new = workspace.records().keys() - before
    assert len(new) == 2 * 2
    assert all("_i3_" in path.name for path in new)


def test_rounds_let_the_algorithms_take_turns_and_can_be_added(workspace):
    workspace.configure(rounds=2, runs=4)
    workspace.complete("--until", "collect_records")
    rows = workspace.rows()
    ends = {r: [row["started_utc"] for row in rows if row["round"] == r] for r in (1, 2)}
    assert max(ends[1]) <= min(ends[2])
    before = workspace.records()
    workspace.configure(rounds=3, runs=6)
    workspace.complete("--until", "collect_records")
    after = workspace.records()
    assert {path: after[path] for path in before} == before
    assert len(workspace.rows()) == 2 * 2 * 2 * 6


def test_a_stopping_rule_ends_the_runs_and_says_so(workspace):
    workspace.configure(
        runs=12,
        rounds=2,
        stopping={"rule": "skewness", "tau": 0.3, "outliers": "iqr"},
        tables=["stopping"],
        figures=["restarts"],
    )
    workspace.complete()
    frame = pd.read_csv(workspace.results / "tables" / "stopping.csv")
    made = pd.DataFrame(workspace.rows()).groupby(["function", "instance", "algorithm"]).size()
    told = frame.set_index(["function", "instance", "algorithm"])["runs"]
    assert made.to_dict() == told.to_dict()
    assert set(frame["reason"]) <= {"met", "cap"}
    assert frame["runs"].between(5, 12).all()
    assert frame["runs"].nunique() > 1
    assert "Nothing to be done" in workspace.complete()


@pytest.mark.parametrize(
    ("change", "line"),
    [
        ({"runz": 3}, "timefair: runz: unknown key; did you mean 'runs'?"),
        ({"budget": {"time_s": 0}}, "timefair: budget.time_s: 0"),
        ({"algorithms": {"a": "scipy:Nelder-Maed"}}, "did you mean 'Nelder-Mead'?"),
        ({"targets": [-1]}, "timefair: targets.0: -1"),
    ],
)
def test_wrong_input_is_one_line_and_starts_nothing(workspace, change, line):
    workspace.configure(**change)
    done = workspace.run()
    assert done.returncode != 0
    assert line in done.stderr
    assert "Traceback" not in done.stderr
    assert len([text for text in done.stderr.splitlines() if text.startswith("timefair:")]) == 1
    assert not workspace.results.exists()
