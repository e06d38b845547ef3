"""A campaign from one command: complete, repeatable, and measured again only where it must be."""

from __future__ import annotations

import shutil
from pathlib import Path

import pandas as pd
import pytest
from workspace import Workspace

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
            [(e["launch"], e["evaluations"], e["precision"]) for e in row["events"]],
            [(e["evaluations"], e["best_precision"], e["end"]) for e in row["launch_log"]],
        )
        for row in rows
    }


MAY_BE_EMPTY = (
    "run_count", "stopping", "disagreements", "sorted_solutions", "registered", "deviations",
    "tuning_pays", "decided_pairs", "allocation", "ert_ratios", "feasible", "noise", "attainment",
    "changes", "recovery", "after_change",
)  # fmt: skip
"""Tables that have something to say about some campaigns only."""


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    """A campaign of which everything was asked for, and what Snakemake printed."""
    workspace = Workspace(tmp_path_factory.mktemp("complete"))
    (workspace.folder / "own.py").write_text(OWN)
    workspace.configure(
        algorithms={
            "random": "timefair:random-search",
            "mine": {"use": "own.py:solve", "parameters": {"step": 0.5}},
            "CMA": "pycma:CMA-ES",
        },
        tables="all",
        figures={"names": "all", "formats": ["svg"]},
    )
    workspace.printed = ()
    return workspace, workspace.complete()


def test_everything_that_was_asked_for_is_there(complete):
    workspace, said = complete
    assert "test: all 24 runs are measured; making tables and figures" in said
    assert said.splitlines()[-1] == "test: read results/test/report.html"
    assert len(said.splitlines()) < 20
    tables = workspace.results / "tables"
    for name in TABLES:
        frame = pd.read_parquet(tables / f"{name}.parquet")
        assert len(frame) > 0 or name.startswith(MAY_BE_EMPTY), name
        assert (tables / f"{name}.csv").stat().st_size > 0
        assert rf"\input{{{name}.tex}}" in (tables / "tables.tex").read_text()
        assert (tables / f"{name}.tex").stat().st_size > 0
    lacking = (
        "after_change", "attainment", "run_count", "tuning_pays", "feasible",
    )  # fmt: skip
    for name in [name for name in FIGURES if not name.startswith(lacking)]:
        assert (workspace.results / "figures" / f"{name}.svg").stat().st_size > 1000
    page = (workspace.results / "checklist.html").read_text()
    checklist = pd.read_parquet(tables / "checklist.parquet")
    assert page.count('<th scope="row">') == len(checklist)
    assert '<h2 id="findings">' in (workspace.results / "report.html").read_text()


def test_of_what_is_complete_nothing_is_done_again(complete):
    workspace, _ = complete
    assert "Nothing to be done" in workspace.complete()


def test_evaluation_budgets_repeat_bit_for_bit_and_on_any_number_of_cores(complete):
    workspace, _ = complete
    on_two, before = events(workspace.rows()), workspace.records()
    assert len(on_two) == 3 * 2 * 2 * 2
    assert max(value[3] for value in on_two.values()) == 300
    workspace.complete("--forceall", "--until", "collect_records", cores=1)
    assert all(workspace.records()[path] > written for path, written in before.items())
    assert events(workspace.rows()) == on_two


FEW = {"runs": 2, "instances_per_job": 1, "tables": ["ert"], "figures": ["ert"]}


def of_function_and_instances(function, instances):
    return {"suite": "bbob", "functions": function, "dimensions": 2, "instances": instances}


def test_only_changes_are_made_again(workspace):
    problems = of_function_and_instances(8, 1)
    workspace.configure(rounds=2, problems=problems, **FEW)
    workspace.complete("--until", "collect_records")
    rows, before = workspace.rows(), workspace.records()
    assert len(rows) == len(before) == 2 * 2

    # The algorithms take turns.
    ends = {r: [row["started_utc"] for row in rows if row["round"] == r] for r in (1, 2)}
    assert max(ends[1]) <= min(ends[2])

    # Targets are no matter of measuring. Tables depend on them, also where Snakemake has lost
    # what it knew of the last time.
    shutil.rmtree(workspace.folder / ".snakemake")
    workspace.configure(rounds=2, problems=problems, targets=[5, 0.5], **FEW)
    said = workspace.complete("--until", "make_tables")
    assert "measure_cell" not in said
    assert "rule make_tables" in said
    assert workspace.records() == before
    assert set(pd.read_parquet(workspace.results / "tables" / "ert.parquet")["target"]) == {5, 0.5}
    for kind in ("pdf", "svg"):
        assert (workspace.results / "figures" / f"ert.{kind}").stat().st_size > 1000

    # One algorithm's parameter measures just that algorithm again; of the other a further round
    # and a further instance measure just these.
    workspace.configure(
        algorithms={
            "random": "timefair:random-search",
            "simplex": {"use": "scipy:Nelder-Mead", "parameters": {"xatol": 1e-2}},
        },
        rounds=3,
        problems=of_function_and_instances(8, "1-2"),
        **FEW | {"runs": 3},
    )
    workspace.complete("--until", "collect_records")
    after = workspace.records()
    assert {path: time for path, time in after.items() if path in before} == before
    new = [path.relative_to(workspace.results).parts[1:] for path in after.keys() - before]
    made = {name: [p[-1] for p in new if p[0] == name] for name in ("random", "simplex")}
    assert len(made["simplex"]) == 2 * 3
    assert len(made["random"]) == 1 + 3
    assert len([name for name in made["random"] if "_i2_" in name]) == 3
    assert len(workspace.rows()) == 2 * 2 * 3


def test_a_stopping_rule_ends_the_runs_and_says_so(workspace):
    workspace.configure(
        problems=of_function_and_instances(8, "1-2"),
        runs=12,
        rounds=2,
        stopping={"rule": "skewness", "tau": 0.3, "outliers": "iqr"},
        tables=["stopping"],
        figures={"names": ["restarts"], "formats": ["png"]},
    )
    workspace.complete("--until", "make_tables")
    frame = pd.read_csv(workspace.results / "tables" / "stopping.csv")
    made = pd.DataFrame(workspace.rows()).groupby(["function", "instance", "algorithm"]).size()
    told = frame.set_index(["function", "instance", "algorithm"])["runs"]
    assert made.to_dict() == told.to_dict()
    assert set(frame["reason"]) <= {"met", "cap"}
    assert frame["runs"].between(5, 12).all()
    assert frame["runs"].nunique() > 1
    assert (workspace.results / "figures" / "restarts.png").stat().st_size > 1000


def test_wrong_input_is_one_line_and_starts_nothing(workspace):
    workspace.configure(runz=3)
    done = workspace.run()
    assert done.returncode != 0
    assert "timefair: runz: unknown key; did you mean 'runs'?" in done.stderr
    assert "Traceback" not in done.stderr
    assert len([text for text in done.stderr.splitlines() if text.startswith("timefair:")]) == 1
    assert not workspace.results.exists()


def test_blocks_are_measured_on_one_node_and_as_one(workspace):
    """A block of which a record is lost is measured again, also where another node began it."""
    workspace.configure(
        block="node", rounds=2, runs=4, problems=of_function_and_instances(8, "1-2")
    )
    workspace.complete("--until", "collect_records")
    records = workspace.records()
    assert len(records) == 2 * 2
    notes = sorted((workspace.results / "blocks").glob("*.node"))
    assert len(notes) == 2

    lost = next(path for path in records if path.name == "f8_d2_i1-2_r2.parquet")
    lost.unlink()
    (workspace.results / "blocks" / "f8_d2_i1-2_r2.node").write_text("elsewhere")
    workspace.complete("--until", "collect_records")
    again = {path for path, written in workspace.records().items() if written != records[path]}
    assert {path.name for path in again} == {lost.name}
    assert len(again) == 2
    host = Path("/proc/sys/kernel/hostname").read_text().strip()
    assert {note.read_text() for note in notes} == {host}
