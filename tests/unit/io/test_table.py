"""Runs as a tidy table, and what is the same when it is read again."""

import re
from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from pandas.testing import assert_frame_equal

from timefair.exhibits.registry import TABLES
from timefair.io.importing import import_all
from timefair.io.write import SUFFIXES, table_of, write_table
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

PAGE = Path(__file__).parents[3] / "docs/reference/timed-runs.md"
F_OPT = {1: 79.48, 2: None}
COLUMN = "rank_reversals"
"""The table of which only one column needs what a table of runs does not hold."""
ANALYSIS = Analysis(
    targets=(10.0, 1.0, 0.1), resamples=20, campaign={"name": "c", "tables": list(TABLES)}
)


def exceptions() -> set[str]:
    """The tables that the documentation says to differ."""
    section = PAGE.read_text().partition("## Exporting your own campaign")[2].partition("\n## ")[0]
    rows = (line.split("|")[1] for line in section.splitlines() if line.startswith("| `"))
    return set(re.findall(r"`(\w+)`", " ".join(rows))) - {"detectable_ratio", COLUMN}


@pytest.fixture(scope="module")
def measured(run, table):
    """Runs with restarts of three algorithms; of one function the optimum is not known."""
    rng = np.random.default_rng(5)

    def one(algorithm, function, instance, k):
        f_opt, end = F_OPT[function], 200 + 10 * k
        at = np.unique(np.append(1, rng.integers(2, end, 9)))
        value = 10 ** (1.5 - np.cumsum(rng.exponential(0.5, at.size))) - (f_opt is None)
        events = [
            (int(n), n / end * 0.9, float(q)) for n, q in zip(at, value, strict=True)
        ]  # fmt: skip
        cut = 0.9 if k else events[-1][1]  # the first run of each ends with its last event
        end = end if k else events[-1][0]
        half = {"start_s": 0.0, "end_s": cut / 2, "evaluations": end, "best_precision": value[-1]}
        return run(
            events, algorithm=algorithm, function=function, instance=instance, run=k, f_opt=f_opt,
            best_f=value[-1] + (f_opt or 0.0), best_precision=value[-1], evaluations=end,
            wall_s=cut, stop_reason="time" if k else "algorithm_ended",
            seed=int(rng.integers(2**40)), round=1 + k % 2, perturbation="clean",
            reference_before_s=0.01 + 0.001 * k, reference_after_s=0.01, left_files=k, left_mb=1.0,
            written_mb=1.0, launch_log=[half | {"end": "returned"}] * 2, best_x=[0.0, 1.0],
        )  # fmt: skip

    return table(
        *(one(name, f, i, k) for name in "ABC" for f in F_OPT for i in (1, 2) for k in range(5)),
        run([], algorithm="D", best_f=np.inf, evaluations=7, status="no_finite_value", f_opt=79.48),
    )


@pytest.fixture(scope="module", params=SUFFIXES)
def again(request, measured, tmp_path_factory):
    """The same runs, exported and imported."""
    folder = tmp_path_factory.mktemp("again")
    write_table(measured, folder / f"runs{request.param}")
    found = import_all(folder / f"runs{request.param}", "table", folder / "records")
    return Runs.read([folder / "records" / f"{one.label}.parquet" for one in found])


def test_events_and_ends_are_the_same(measured, again):
    before = Runs.of(measured)
    for name in ("evaluations", "wall_s", "best_f", "best_precision", "status", "budget_s"):
        np.testing.assert_array_equal(before.frame[name], again.frame[name])
    mine, theirs = before.traces.together(), again.traces.together()
    for name in ("evaluations", "time_s", "precision"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))


@pytest.mark.thinned(9)
@pytest.mark.slow
@pytest.mark.parametrize("name", TABLES)
def test_tables_are_the_same_where_a_table_of_runs_suffices(name, measured, again):
    before, after = (TABLES[name](runs, ANALYSIS) for runs in (Runs.of(measured), again))
    if name == COLUMN:
        before, after = (frame.drop(columns="detectable_ratio") for frame in (before, after))
    if name not in exceptions():
        assert_frame_equal(before, after, check_exact=True)


def test_tables_that_are_listed_as_different_exist():
    assert exceptions() <= set(TABLES)


def test_the_end_of_a_run_is_a_row_unless_it_is_an_event(measured):
    rows = table_of(measured).to_pandas()
    assert len(rows) == sum(len(events) for events in measured["events"].to_pylist()) + 4 * 12 + 1
    last = rows.groupby(["algorithm", "function", "instance", "run"]).tail(1)
    expected = pd.Series(measured.sort_by("algorithm")["wall_s"].to_pylist()).sort_values()
    assert sorted(last["seconds"]) == expected.tolist()
