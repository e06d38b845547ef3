"""The table `tuning_pays` and what else follows from a search, on runs that are counted by hand."""

from dataclasses import replace

import numpy as np
import pytest

from timefair.exhibits.registry import TABLES
from timefair.records.integrity import Origins, mixed
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

ANALYSIS = Analysis(targets=(10.0, 1.0, 0.1), resamples=50, problems=2)
SEARCH = {
    "of": "A", "tuner": "random", "seconds": 6.0, "candidates": 3, "evaluations": 6,
    "interrupted": 0, "overlap": [], "problems": "f1 D=2 instances 51-53", "checksum": "c",
    "result": {"parameters": {"F": 0.4}},
}  # fmt: skip


@pytest.fixture
def tuned(run, table):
    """`A` needs 0.8 s to 10 and 0.9 s to 1 on two functions; its variant `A-tuned` half a second
    less on the first function, and the same on the second. Nobody reaches 0.1."""

    def make(**changes) -> Runs:
        rows = []
        for function in (1, 2):
            for number in range(4):
                names = {"function": function, "run": number}
                rows.append(run([(1, 0.8, 5.0), (2, 0.9, 0.5)], **names))
                at = (0.3, 0.4) if function == 1 else (0.8, 0.9)
                events = [(1, at[0], 5.0), (2, at[1], 0.5)]
                rows.append(run(events, algorithm="A-tuned", **names))
        runs = Runs.of(table(*rows))
        origins = {"A": Origins(), "A-tuned": Origins(tuning=[SEARCH | changes])}
        return replace(runs, origins=origins)

    return make


def test_seconds_of_the_search_over_seconds_that_are_saved(tuned):
    frame = TABLES["tuning_pays"](tuned(), ANALYSIS).set_index("target")
    assert frame["algorithm"].unique().tolist() == ["A-tuned"]
    assert frame["default"].unique().tolist() == ["A"]
    assert frame["saved_s"].tolist() == pytest.approx([0.25, 0.25, 0.0])
    assert frame.loc[10.0, "problems"] == 24  # 6 s / 0.25 s
    assert (frame.loc[10.0, "problems_low"], frame.loc[10.0, "problems_high"]) == (24, 24)
    assert frame["verdict"].tolist() == ["pays", "pays", "never"]
    assert np.isinf(frame.loc[0.1, "problems"])
    assert frame["success_rate"].tolist() == [1.0, 1.0, 0.0]


def test_a_variant_that_is_slower_never_pays(tuned):
    runs = tuned()
    labels = runs.frame["algorithm"].map({"A": "A-tuned", "A-tuned": "A"})
    swapped = replace(runs, frame=runs.frame.assign(algorithm=labels))
    frame = TABLES["tuning_pays"](swapped, ANALYSIS)
    assert frame["saved_s"].tolist() == pytest.approx([-0.25, -0.25, 0.0])
    assert set(frame["verdict"]) == {"never"}


def test_a_variant_with_the_parameters_of_the_default_never_pays(tuned):
    """What it seems to save is due to chance."""
    frame = TABLES["tuning_pays"](tuned(result={"parameters": {}}), ANALYSIS)
    assert set(frame["chosen"]) == {"default"}
    assert frame["saved_s"].tolist() == pytest.approx([0.25, 0.25, 0.0])
    assert set(frame["verdict"]) == {"never"}
    assert np.isinf(frame[["problems", "problems_low", "problems_high"]]).all(axis=None)


def test_runs_of_two_searches_are_mixed():
    both = Origins(tuning=[SEARCH, SEARCH | {"checksum": "d"}])
    assert mixed({"A-tuned": both}) == ["A-tuned: runs of 2 searches for its parameters"]


NODE = {"cpu": "Z80", "cores": 2, "memory_mb": 15_900.0}
ELSEWHERE = (
    "parameters searched on Z81 with 2 cores and 16 GB, runs measured on Z80 with 2 cores and 16 GB"
)


@pytest.mark.parametrize(("cpu", "clauses"), [("Z80", []), ("Z81", [f"A-tuned: {ELSEWHERE}"])])
def test_a_search_on_another_kind_of_machine_is_mixed(cpu, clauses):
    search = SEARCH | {"machine": {"cpu": cpu, "cores": 2, "memory_gb": 16}}
    origin = Origins(machine=[NODE], tuning=[search])
    assert mixed({"A-tuned": origin}) == clauses
    assert mixed({"A-tuned": replace(origin, campaign=[{"block": "node"}])}) == []


# --- The checklist ----------------------------------------------------------------------------


def item(runs: Runs) -> dict:
    frame = TABLES["checklist"](runs, ANALYSIS)
    row = frame[(frame["topic"] == "Tuning") & (frame["part"] == "Tuning")].iloc[0]
    return row[["evidence", "missing"]].fillna("").to_dict()


def test_the_checklist_quotes_the_records_of_the_search(tuned):
    said = item(tuned())
    assert said["evidence"] == (
        "6.0 s measured: random, 3 candidates in 6 runs on f1 D=2 instances 51-53"
    )
    assert said["missing"] == "declare algorithms.A.ancillary.method"
