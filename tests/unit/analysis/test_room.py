"""What a room makes, and what of it stays when something changes."""

from __future__ import annotations

import gc
import os
from pathlib import Path

import pandas as pd
import pytest
from rows_to_write import a_run, table

from timefair import cli
from timefair.analysis import room
from timefair.analysis.outputs import MADE
from timefair.analysis.room import Room
from timefair.campaign import configuration, plan, provenance
from timefair.records.store import open_record, write_record

CAMPAIGN = """
name: trial
problems: {suite: bbob, functions: 1, dimensions: 2, instances: 1}
algorithms: {A: timefair:random-search}
budget: {evaluations: 4}
targets: TARGETS
tables: [ert, ert_by_instance]
figures: {names: [ert_evaluations], formats: [svg]}
"""
FILES = {
    f"tables/{name}.{ending}"
    for name in ("ert", "ert_by_instance")
    for ending in ("csv", "parquet", "tex")
} | {"figures/ert_evaluations.svg"}


def remade(
    study: Path, targets: str = "[1.0]", room: str = "runtimes", further: str = ""
) -> set[str]:
    """The files that are made or made again by an analysis of a room."""
    (study / "c.yaml").write_text(CAMPAIGN.replace("TARGETS", targets) + further)
    plan.write_snapshot(configuration.load(study / "c.yaml"), study)
    before = {path: path.stat().st_mtime_ns for path in study.rglob("*.*")}
    for path in before:
        os.utime(path, ns=(1, 1))
    words = ["make-room", room, str(study / "A.parquet")]
    words += ["--campaign", str(study / "campaign.json"), "--output", str(study)]
    assert cli.main(words) == 0
    files = [path for room in ("tables", "figures") for path in (study / room).iterdir()]
    return {str(path.relative_to(study)) for path in files if path.stat().st_mtime_ns > 1}


@pytest.fixture
def study(tmp_path: Path) -> Path:
    """A folder with the record of three runs, of which everything has been made."""
    runs = [a_run((1, 0.1, 8.0), (3, 0.2, 0.5), run=run) for run in range(3)]
    write_record(tmp_path / "A.parquet", table(*runs).to_batches(), {})
    assert remade(tmp_path) == FILES
    return tmp_path


@pytest.mark.slow
def test_nothing_is_made_twice(study: Path) -> None:
    assert remade(study) == set()


@pytest.mark.slow
def test_a_target_makes_everything_again(study: Path) -> None:
    assert remade(study, "[2.0, 1.0]") == FILES
    assert set(pd.read_csv(study / "tables/ert.csv")["target"]) == {2.0, 1.0}


@pytest.mark.slow
def test_a_setting_makes_only_tables_again_that_read_it(study: Path) -> None:
    remade(study, room="campaign")
    again = remade(study, "[2.0, 1.0]", room="campaign")
    assert {Path(file).stem for file in again} == {"checklist"}
    assert remade(study, further="statistics: {executions: [1, 2]}") == set()
    again = remade(study, further="statistics: {executions: [1, 2], confidence: 0.9}")
    assert "tables/ert.csv" in again  # which has intervals
    assert "tables/ert_by_instance.csv" not in again  # which has none


@pytest.mark.slow
@pytest.mark.parametrize("changed", ["confidence: 0.9", "resamples: 20", "quantiles: [0.2, 0.5]"])
def test_what_stays_is_what_would_be_made(changed: str, study: Path, tmp_path: Path) -> None:
    """However a setting is read, a table that depends on it is made again."""
    further = f"statistics: {{{changed}}}"
    remade(study, further=further)
    stayed = {name: (study / name).read_bytes() for name in FILES if not name.endswith("parquet")}
    (study / MADE / "runtimes.json").unlink()
    assert remade(study, further=further) == FILES
    assert {name: (study / name).read_bytes() for name in stayed} == stayed


@pytest.mark.slow
def test_other_runs_make_everything_again(study: Path) -> None:
    write_record(study / "A.parquet", table(a_run((2, 0.1, 0.0))).to_batches(), {})
    assert remade(study) == FILES


@pytest.mark.slow
@pytest.mark.parametrize(
    ("damaged", "again"),
    [
        ("tables/ert.tex", {"tables/ert.tex"}),
        ("tables/ert.csv", {"tables/ert.csv", "tables/ert.parquet"}),
        ("figures/ert_evaluations.svg", {"figures/ert_evaluations.svg"}),
    ],
)
def test_a_changed_file_is_made_again_alone(damaged: str, again: set[str], study: Path) -> None:
    right = (study / damaged).read_bytes()
    (study / damaged).write_text("not what was made")
    assert remade(study) == again
    assert (study / damaged).read_bytes() == right


@pytest.mark.slow
def test_a_damaged_ledger_knows_nothing(study: Path) -> None:
    (study / MADE / "runtimes.json").write_text("{")
    assert remade(study) == FILES


@pytest.mark.slow
def test_a_change_of_a_chart_draws_and_tabulates_nothing(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    edited, code = provenance.PACKAGE / "charts/curves.py", provenance._code
    monkeypatch.setattr(provenance, "_code", lambda p: "edited" if p == edited else code(p))
    assert remade(study) == {"figures/ert_evaluations.svg"}


def test_current_files_need_no_runs(study: Path) -> None:
    campaign = configuration.restore(study / "campaign.json")

    def read():
        raise AssertionError("the runs were read")

    Room("runtimes", campaign, study, read, [open_record(study / "A.parquet").checksum]).make()


@pytest.mark.slow
def test_pages_that_a_smaller_campaign_has_not_are_removed(study: Path) -> None:
    larger = "problems: {suite: bbob, functions: 1-24, dimensions: [2, 3], instances: 1}\n"
    smaller = "problems: {suite: bbob, functions: 1, dimensions: 2, instances: 1}\n"
    pages = {f"figures/ert_evaluations_D{dimension}.svg" for dimension in (2, 3)}
    runs = [a_run((1, 0.1, 8.0), (3, 0.2, 0.5), dimension=dimension) for dimension in (2, 3)]
    write_record(study / "A.parquet", table(*runs).to_batches(), {})
    mine = study / "figures" / "ert_evaluations_D5.svg"
    mine.write_text("a drawing of the user's")

    campaign = CAMPAIGN.replace("TARGETS", "[1.0]")
    assert smaller in campaign
    assert pages <= analysed(study, campaign.replace(smaller, larger))
    left = analysed(study, campaign)
    assert not pages & left
    assert {"figures/ert_evaluations.svg", "figures/ert_evaluations_D5.svg"} <= left


def analysed(study: Path, campaign: str) -> set[str]:
    """The files that are there after an analysis of the runs in a folder."""
    (study / "c.yaml").write_text(campaign)
    plan.write_snapshot(configuration.load(study / "c.yaml"), study)
    words = ["make-room", "runtimes", str(study / "A.parquet")]
    words += ["--campaign", str(study / "campaign.json"), "--output", str(study)]
    assert cli.main(words) == 0
    return {str(path.relative_to(study)) for path in study.glob("figures/*")}


@pytest.mark.slow
def test_garbage_is_collected_after_some_pages_and_then_as_before(
    study: Path, monkeypatch: pytest.MonkeyPatch
) -> None:
    done = []
    monkeypatch.setattr(room.gc, "collect", lambda: done.append(gc.isenabled()))
    monkeypatch.setattr(room, "UNCOLLECTED", 2)
    several = CAMPAIGN.replace("[ert_evaluations]", "[ert_evaluations, restarted_evaluations, ert]")
    monkeypatch.setitem(globals(), "CAMPAIGN", several)
    drawn = [name for name in remade(study) if name.endswith(".svg")]
    assert len(drawn) >= 2
    assert done == [False] * (len(drawn) // 2)
    assert gc.isenabled()
