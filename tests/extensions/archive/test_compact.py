"""Compact archives: what is left of the runs, and that the tables are the same."""

import zipfile

import numpy as np
import pyarrow as pa
import pytest
from archived import WORDS, command

from timefair.extensions.archive.compact import RESOLUTION, _not_by_targets, thinned
from timefair.records.schema import EVENT
from timefair.records.store import open_record

PROBLEM = ("bbob", 1, 2)
TARGETS = [1e1, 1e-1, 1e-8]


def runs_with(events: list, launch_events: list | None = None) -> pa.Table:
    """One run with improvements (launch, evaluations, precision); 1 µs for an evaluation."""

    def column(found: list | None) -> pa.Array:
        rows = [
            {"launch": launch, "evaluations": n, "time_s": 1e-6 * n, "precision": precision}
            for launch, n, precision in found or []
        ]
        return pa.array([None if found is None else rows], pa.list_(EVENT))

    named = dict(zip(("suite", "function", "dimension"), ([name] for name in PROBLEM), strict=True))
    return pa.table({**named, "launch_events": column(launch_events), "events": column(events)})


def kept(events: list, launch_events: list | None = None, equal=()) -> tuple[list, list | None]:
    """The evaluations of the improvements that are kept."""
    runs = thinned(runs_with(events, launch_events), TARGETS, {PROBLEM: np.array(equal, dtype=int)})
    found = (runs[name][0].as_py() for name in ("events", "launch_events"))
    own, other = ([e["evaluations"] for e in f] if f is not None else None for f in found)
    assert own is not None
    return own, other


def test_a_run_reaches_every_target_at_the_same_evaluation():
    precision = np.geomspace(1e3, 1e-9, 20_000)
    own, _ = kept([(0, k + 1, value) for k, value in enumerate(precision)])
    for target in TARGETS:
        assert int(np.argmax(precision <= target)) + 1 in own
    assert {1, precision.size} <= set(own)
    assert len(own) < 300


def test_a_comparison_at_equal_evaluations_has_the_improvement_before_it():
    events = [(0, 2 * k + 1, 1.0 / (k + 1)) for k in range(10_000)]
    without, _ = kept(events)
    own, _ = kept(events, equal=[12_346])
    assert sorted({*own} - {*without}) == [12_345]


def test_a_launch_reaches_a_target_by_an_improvement_of_the_run():
    events = [(0, k, 0.6 - 1e-6 * k) for k in range(1, 10_001)] + [(1, 10_003, 0.01)]
    later = [(1, 10_004, 0.005), (1, 10_005, 0.004), (1, 10_006, 0.003)]
    own, other = kept([*events, *later], [(1, 10_001, 30.0), (1, 10_002, 20.0)])
    assert 10_003 in own
    assert other == []  # neither reaches a target, nor is the last of its launch
    assert 10_006 in own


@pytest.mark.parametrize(
    ("changed", "clause"),
    [
        ({}, ""),
        ({"f_opt": None}, "the optima of some problems are unknown"),
        ({"vectors": [[]]}, "its problems have several objectives or constraints, or change"),
        ({"noise_free_f": 1.0, "vectors": [[]]}, "its runs are noisy"),
    ],
)
def test_runs_whose_tables_do_not_depend_on_targets(changed, clause):
    row = {"f_opt": 1.0, "vectors": None, "noise_free_f": None} | changed
    types = {"f_opt": pa.float64(), "vectors": pa.list_(pa.list_(pa.float64()))}
    columns = {
        name: pa.array([value], types.get(name, pa.float64())) for name, value in row.items()
    }
    assert _not_by_targets(pa.table(columns)) == clause


@pytest.mark.slow
def test_the_archive(campaign, tmp_path, verify, monkeypatch):
    monkeypatch.chdir(campaign.parents[1])
    output, packed = tmp_path / "compact", tmp_path / "compact.zip"
    assert command("export", "crate", campaign, "--output", packed, "--compact", *WORDS) == 0
    zipfile.ZipFile(packed).extractall(output)
    monkeypatch.chdir(tmp_path)
    there = {path.relative_to(output).as_posix() for path in output.rglob("*") if path.is_file()}
    assert not any(path.startswith("code/tests/") for path in there)
    results = output / "results" / campaign.name
    assert sorted(path.name for path in results.iterdir()) == [
        "campaign.json", "collected", "keys.json", "records",
    ]  # fmt: skip
    assert len(list(results.rglob("records/**/*.parquet"))) == 2  # one per algorithm
    assert open_record(results / "collected/a.parquet").facts["thinned"]["resolution"] == RESOLUTION

    status, lines = verify(output)
    assert status == 0, lines
    status, lines = verify(output, "--rebuild")
    assert status == 2
    made = tmp_path / "ert.csv"
    assert command("table", results, "ert", "--output", made) == 0
    assert made.read_bytes() == (campaign / "tables/ert.csv").read_bytes()
