"""Results of benchopt: a file that benchopt 1.10.0 has written, and changes of it.

The file has two solvers that are sampled by iterations, one of them with a callback, on two
objectives and two data sets. Its columns about the machine were removed.
"""

from pathlib import Path

import numpy as np
import pandas as pd
import pytest
from campaigns import refused

from timefair.io.importing import import_all
from timefair.records.schema import PUBLISHED
from timefair.records.store import open_record

GOLDEN = Path(__file__).parents[2] / "golden/benchopt.parquet"
RUN = ["solver_name", "objective_name", "dataset_name", "idx_rep"]


@pytest.fixture
def samples():
    return pd.read_parquet(GOLDEN)


@pytest.fixture
def imported(tmp_path):
    def made(samples, layout=None):
        path = samples if isinstance(samples, Path) else tmp_path / "results.parquet"
        if path is not samples:
            samples.to_parquet(path)
        found = import_all(path, "benchopt", tmp_path / "out", layout=layout)
        records = [open_record(tmp_path / "out" / f"{one.label}.parquet") for one in found]
        assert all(record.facts[PUBLISHED]["foreign_clock"] for record in records)
        rows = [row for record in records for row in record.read().to_pylist()]
        return rows, found[0].cautions, found[0].names

    return made


def test_samples_become_events(samples, imported):
    rows, _, names = imported(GOLDEN)
    assert {row["algorithm"] for row in rows} == {"Random_scale_0.5", "Walk_scale_0.9"}
    assert next(iter(names.values())) == "Point[dim=2] Quadratic[reg=0.0]"
    assert len(rows) == len(samples.groupby(RUN))
    for row in rows:
        solver = f"{row['algorithm'].partition('_')[0]}["
        named = samples["dataset_name"] + " " + samples["objective_name"]
        mine = samples[
            (named == names[row["function"]])
            & (samples["idx_rep"] == row["run"])
            & samples["solver_name"].str.startswith(solver)
        ].sort_values("stop_val")
        later = mine["time"][::-1].cummin()[::-1].shift(-1, fill_value=np.inf)
        kept = mine[mine["time"] < later]
        kept = kept[
            kept["objective_value"] < kept["objective_value"].cummin().shift(1, fill_value=np.inf)
        ]
        steps = [(e["evaluations"], e["time_s"], e["precision"]) for e in row["events"]]
        columns = kept["stop_val"] + 1, kept["time"], kept["objective_value"]
        assert steps == list(zip(*columns, strict=True))
        assert row["wall_s"] == mine["time"].iloc[-1]
        assert (row["evaluations"], row["f_opt"]) == (mine["stop_val"].iloc[-1] + 1, None)


def test_samples_by_tolerance_are_numbered(samples, imported):
    samples["sampling_strategy"] = "Tolerance"
    samples["stop_val"] = 10.0 ** -samples["stop_val"].clip(upper=20)
    rows, cautions, _ = imported(samples)
    assert max(row["evaluations"] for row in rows) == samples.groupby(RUN).size().max()
    assert "evaluations are iterations of the solver plus 1, or numbers of samples" in cautions


@pytest.mark.parametrize("diverged", [0, 1])
def test_empty_cells_of_a_csv_file_are_nan(diverged, samples, imported, tmp_path):
    mine = samples["solver_name"] == samples["solver_name"].unique()[diverged]
    samples.loc[mine, "objective_value"] = np.nan
    samples.to_csv(tmp_path / "pandas.csv", index=False)
    parts = ("status", "evaluations", "wall_s", "events")
    of_csv, of_parquet = (
        [[row[part] for part in parts] for row in imported(one)[0]]
        for one in (tmp_path / "pandas.csv", samples)
    )
    assert of_csv == of_parquet
    assert {row[0] for row in of_csv} == {"ok", "no_finite_value"}


@pytest.mark.parametrize(
    ("change", "expected"),
    [
        (lambda s: s.drop(columns="time"), "no column time: not a results file of benchopt"),
        (lambda s: s.assign(time=[-1.0, *s["time"][1:]]), "row 1: seconds is -1; expected 0 to"),
        (lambda s: s.assign(objective_value="a"), "row 1: objective_value is 'a'; expected a"),
        (lambda s: s.assign(stop_val=[0, np.nan, *s["stop_val"][2:]]),
         "row 2: stop_val is empty or NaN; expected a number of iterations"),
        (lambda s: s.assign(objective_value=-s["objective_value"]),
         "values only rise in 16 of 16 runs, but timefair minimizes; if they are maximized, use "
         "--columns value=-objective_value; if not, --columns value=+objective_value"),
        (lambda s: s.assign(time=[np.nan, *s["time"][1:]]), "row 1: seconds is empty or NaN"),
    ],
)  # fmt: skip
def test_a_wrong_file_gives_lines(change, expected, samples, imported, tmp_path):
    first = refused(imported, change(samples))[0].removeprefix(f"{tmp_path / 'results.parquet'}: ")
    assert first.startswith(expected)
