"""A campaign from one command: complete, repeatable, measured again only where it must be."""

import re
import shutil
from pathlib import Path

import pandas as pd
import pytest
from workspace import Workspace

from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES

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


WHERE = {"suite": "bbob", "functions": [1, 8], "dimensions": 2, "instances": "1-2"}
CAMPAIGN = {
    "problems": WHERE,
    "algorithms": {
        "random": "timefair:random-search",
        "mine": {"use": "own.py:solve", "parameters": {"step": 0.5}},
        "CMA": "pycma:CMA-ES",
    },
    "rounds": 2,
    "tables": "all",
    "figures": {"names": ["ert", "ecdf", "cost_map"], "formats": ["svg"]},
}
"""Two runs of each algorithm on each instance, one in each round."""

MAY_BE_EMPTY = (
    "run_count", "stopping", "disagreements", "sorted_solutions", "registered", "deviations",
    "tuning_pays", "ert_ratios", "feasible", "noise", "attainment",
    "changes", "recovery", "after_change", "designs", "complexity", "metered",
)  # fmt: skip
"""Tables that have something to say about some campaigns only."""


@pytest.fixture(scope="module")
def complete(tmp_path_factory):
    workspace = Workspace(tmp_path_factory.mktemp("complete"))
    (workspace.folder / "own.py").write_text(OWN)
    workspace.configure(**CAMPAIGN)
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
    for name in configuration.restore(workspace.results / "campaign.json").figure_names:
        assert (workspace.results / "figures" / f"{name}.svg").stat().st_size > 1000
    page = (workspace.results / "checklist.html").read_text()
    checklist = pd.read_parquet(tables / "checklist.parquet")
    assert page.count('<th scope="row">') == len(checklist)
    assert '<h2 id="findings">' in (workspace.results / "report.html").read_text()


def test_of_what_is_complete_nothing_is_done_again(complete):
    workspace, _ = complete
    assert "Nothing to be done" in workspace.complete()


def test_evaluation_budgets_repeat_bit_for_bit_and_on_any_number_of_cores(complete, tmp_path):
    workspace, _ = complete
    on_two = events(workspace.rows())
    assert len(on_two) == 3 * 2 * 2 * 2
    assert max(value[3] for value in on_two.values()) == 300
    again = Workspace(tmp_path)
    again.configure(**CAMPAIGN | {"problems": WHERE | {"functions": 8}, "rounds": 1})
    (tmp_path / "own.py").write_text(OWN)
    again.measure_here()
    assert events(again.rows()) == {key: on_two[key] for key in on_two if key[1] == 8}


def test_the_algorithms_take_turns(complete):
    rows = complete[0].rows()
    starts = {r: [row["started_utc"] for row in rows if row["round"] == r] for r in (1, 2)}
    assert max(starts[1]) <= min(starts[2])


def planned(workspace, **changes):
    changed = Workspace(workspace.folder)
    changed.config = workspace.folder / "changed.yaml"
    changed.configure(**CAMPAIGN | changes)
    said = changed.complete("--dry-run")
    assert " finished runs are kept; " in said
    rules = set(re.findall(r"^(?:local)?rule (\w+):", said, flags=re.M))
    return rules, re.findall(r"output: \S*/records/(\w+)/\w+/(\w\S+)\.parquet", said)


def test_of_targets_only_tables_depend(complete):
    """Also where Snakemake has lost what it knew of the last time."""
    shutil.rmtree(complete[0].folder / ".snakemake")
    rules, records = planned(complete[0], targets=[5, 0.5])
    assert "make_tables" in rules
    assert records == []


def test_only_what_changes_is_measured_again(complete):
    """All of an algorithm with another parameter; of the others, what is new."""
    mine = {"use": "own.py:solve", "parameters": {"step": 0.25}}
    rules, records = planned(
        complete[0],
        algorithms=CAMPAIGN["algorithms"] | {"mine": mine},
        problems=WHERE | {"instances": "1-3"},
        runs=3, rounds=3,
    )  # fmt: skip
    assert "measure_cell" in rules
    new = {"f1_d2_i3", "f8_d2_i3"}
    both = new | {"f1_d2_i1-2", "f8_d2_i1-2"}
    further = {f"{cell}_r{r}" for cell in new for r in (1, 2)} | {f"{cell}_r3" for cell in both}
    every = {f"{cell}_r{r}" for cell in both for r in (1, 2, 3)}
    made = {name: {r for label, r in records if label == name} for name in CAMPAIGN["algorithms"]}
    assert made == {"random": further, "CMA": further, "mine": every}


def test_wrong_input_is_one_line_and_starts_nothing(workspace):
    workspace.configure(runz=3)
    done = workspace.run()
    assert done.returncode != 0
    assert "timefair: runz: unknown key; did you mean 'runs'?" in done.stderr
    assert "Traceback" not in done.stderr
    assert len([text for text in done.stderr.splitlines() if text.startswith("timefair:")]) == 1
    assert not workspace.results.exists()


@pytest.mark.thorough
def test_blocks_are_measured_on_one_node_and_as_one(workspace):
    """A block of which a record is lost is measured again, also where another node began it."""
    workspace.configure(block="node", rounds=2, problems=WHERE | {"functions": 8})
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
