"""A small record that was really measured."""

from collections.abc import Callable
from functools import partial
from pathlib import Path
from typing import Any

import pyarrow as pa
import pytest
from measurements import do_jobs

from timefair.campaign import configuration
from timefair.cli.common import THREAD_VARIABLES
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import open_record, write_record

CAMPAIGN: dict[str, Any] = {
    "name": "small",
    "problems": {"suite": "bbob", "functions": 8, "dimensions": 3, "instances": "1-2"},
    "algorithms": {"de": {"use": "timefair:DE", "parameters": {"F": 0.5}}},
    "budget": {"evaluations": 300},
    "runs": 2,
    "instances_per_job": 2,
    "timing": {"reference": False},
}


def _measured(folder: Path, **changes: Any) -> Path:
    """The record of a campaign with one job, which is measured here."""
    (record,) = do_jobs(configuration.parse(CAMPAIGN | changes), folder / "results/small")
    return record


@pytest.fixture(scope="session")
def record(tmp_path_factory):
    """Two instances of f8, two runs of 300 evaluations each."""
    return _measured(tmp_path_factory.mktemp("measured"))


@pytest.fixture
def measured_record(tmp_path):
    """Measures the campaign with some keys changed."""
    return partial(_measured, tmp_path)


@pytest.fixture
def campaign():
    """The campaign of `record`."""
    return CAMPAIGN


@pytest.fixture
def forged(record, tmp_path):
    """Writes the record again, with valid checksums, after `change` edited its rows and facts."""

    def write(change: Callable[[list[dict[str, Any]], dict[str, Any]], object]) -> Path:
        original = open_record(record)
        rows, facts = original.read().to_pylist(), original.facts
        change(rows, facts)
        path = tmp_path / "forged.parquet"
        write_record(path, [pa.RecordBatch.from_pylist(rows, schema=RUN_SCHEMA)], facts)
        return path

    return write


@pytest.fixture
def measuring(monkeypatch):
    """The environment of a process that measures: no other one is started."""
    monkeypatch.setenv("PYTHONHASHSEED", "0")
    for name in THREAD_VARIABLES:
        monkeypatch.setenv(name, "1")
