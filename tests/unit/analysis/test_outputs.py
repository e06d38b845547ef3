"""The marks that tell Snakemake what was made with which code and settings."""

from __future__ import annotations

import json
import time
from pathlib import Path
from typing import Any

import pytest

from timefair.analysis import outputs
from timefair.analysis.ledger import Ledger
from timefair.campaign import configuration

CONTENT = {
    "name": "trial",
    "problems": {"suite": "bbob", "functions": 1, "dimensions": 2, "instances": 1},
    "algorithms": {"A": "timefair:random-search"},
    "budget": {"evaluations": 4},
    "targets": [1.0],
    "tables": ["ert", "quantiles"],
    "figures": ["ert"],
}
RECORDS = {"A": ["records/A/0/f1.parquet"]}


def marks(records: Any = RECORDS, registered: dict[str, Any] | None = None, **changed: Any) -> Any:
    campaign = configuration.parse(CONTENT | changed)
    return outputs.marks(campaign, "results/trial", registered or {}, records)


def test_the_same_campaign_has_the_same_marks_one_of_each_room_and_of_the_report() -> None:
    made = marks()
    assert made == marks()
    assert set(made) == {"campaign", "quality", "runtimes", "report"}
    assert len({Path(path).parent for path in made.values()}) == 1


@pytest.mark.parametrize(
    "changed",
    [
        {"targets": [0.5]},
        {"statistics": {"confidence": 0.9}},
        {"budget": {"evaluations": 4, "final_target": 1e-3}},
        {"registered": {"question": "another"}},
    ],
)
def test_any_setting_changes_the_marks_of_tables_and_report(changed: dict[str, Any]) -> None:
    before, after = marks(), marks(**changed)
    assert all(before[what] != after[what] for what in ("runtimes", "report"))


def test_other_planned_records_change_the_marks_of_tables() -> None:
    before, after = marks(), marks({"A": ["records/A/1/f1.parquet"]})
    assert all(before[room] != after[room] for room in ("campaign", "quality", "runtimes"))


@pytest.mark.slow
def test_rooms_that_took_longer_begin_first_and_unknown_ones_before_them(tmp_path: Path) -> None:
    for room, seconds in {"curves": 0.05, "costs": 0.02}.items():
        ledger = Ledger(outputs.ledger(tmp_path, room), {})
        (tmp_path / room).touch()
        end = time.process_time() + seconds
        while time.process_time() < end:
            pass
        ledger.note(tmp_path / room, "key", ())
        ledger.save()
    order = {room: outputs.priority(room, tmp_path, 6) for room in ("costs", "curves", "quality")}
    assert 0 < order["costs"] < order["curves"] < order["quality"] == 6


def test_a_ledger_of_earlier_versions_has_no_times(tmp_path: Path) -> None:
    path = outputs.ledger(tmp_path, "costs")
    (tmp_path / "costs").touch()
    ledger = Ledger(path, {})
    ledger.note(tmp_path / "costs", "key", ())
    ledger.save()
    entries = json.loads(path.read_text())
    del entries["costs"]["cpu_s"]
    path.write_text(json.dumps(entries))
    assert Ledger(path, {}).is_current(tmp_path / "costs", "key")
    assert outputs.priority("costs", tmp_path, 6) == 6


def test_only_marks_of_one_room_are_removed(tmp_path: Path) -> None:
    folder = tmp_path / outputs.MADE
    folder.mkdir()
    for name in ("costs.0.done", "costs.1.done", "costs.json", "curves.0.done"):
        (folder / name).touch()
    outputs.remove_marks(tmp_path, "costs")
    assert {path.name for path in folder.iterdir()} == {"costs.json", "curves.0.done"}
