"""cocopp computes the table ert from an export, in evaluations and in seconds."""

import numpy as np
import pyarrow as pa
import pytest

from timefair.basics.optimum import NOTHING_YET
from timefair.exhibits.registry import TABLES
from timefair.io.write import write_coco
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import RUN_SCHEMA

pytestmark = pytest.mark.peer

FINAL_TARGET = 1e-10
TARGETS = tuple(10 ** (k / 5) for k in range(15, -51, -1))
"""cocopp's grid. It replaces a target between two of them by the next harder one."""

UNEQUAL = (1, 1, 1, 2, 5, 5)
"""The instances of the runs in one cell."""


def random_run(rng, **names):
    """A run of several launches that improves at random costs, not always the first.

    Its times are whole microseconds, several events in one of them now and then. Some runs improve
    from target to target.
    """
    count = rng.integers(0, 40)
    evaluations = np.cumsum(rng.integers(1, 9, count)) + rng.integers(0, 2)
    on_targets = rng.random() < 0.3
    fifths = rng.integers(1, 4, count) if on_targets else rng.exponential(1.5, count)
    precision = 10 ** ((15 - np.cumsum(fifths)) / 5)
    if rng.random() < 0.2:
        precision[-1:] = 0.0
    time_us = np.cumsum(rng.integers(0, 50, count)) + 3
    return {
        "suite": "bbob",
        **names,
        "evaluations": int(max(evaluations, default=0) + rng.integers(1, 60)),
        "f_opt": 0.0,
        "wall_s": float(max(time_us, default=0) + rng.integers(1, 500)) / 1e6,
        "events": [
            {"launch": k // 10, "evaluations": n, "time_s": us / 1e6, "precision": q}
            for k, (n, us, q) in enumerate(zip(evaluations, time_us, precision, strict=True))
        ],
    }


@pytest.fixture(scope="module")
def campaign():
    """Two algorithms; the second has no runs on function 8."""
    rng = np.random.default_rng(4)
    cells = [
        ("A", 1, 2), ("A", 1, 5), ("A", 8, 2), ("A", 20, 3), ("B", 1, 2), ("B", 1, 5), ("B", 20, 3)
    ]  # fmt: skip
    rows = [
        random_run(
            rng, algorithm=algorithm, function=function, dimension=dimension, instance=i, run=k
        )
        for algorithm, function, dimension in cells
        for k, i in enumerate(UNEQUAL)
    ]
    none_found = {"algorithm": "A", "function": 24, "dimension": 2, "instance": 1}
    rows += [random_run(rng, **none_found, run=k) | {"events": []} for k in range(3)]
    rows = [rows[k] for k in rng.permutation(len(rows))]
    return pa.Table.from_pylist(rows, RUN_SCHEMA)


@pytest.mark.parametrize("cost", ["evaluations", "seconds"])
def test_ert_and_success_rates_are_cocopps(cost, campaign, cocopp, tmp_path):
    write_coco(campaign, tmp_path, cost, final_target=FINAL_TARGET)
    column, factor = {"evaluations": ("ert_evaluations", 1), "seconds": ("ert_s", 1e6)}[cost]
    ours = TABLES["ert"](Runs.of(campaign), Analysis(targets=TARGETS, resamples=10))
    compared, failures = 0, 0
    for algorithm, of_algorithm in ours.groupby("algorithm"):
        cells = dict(list(of_algorithm.groupby(["function", "dimension"])))
        data_sets = cocopp.load(str(tmp_path / algorithm))
        assert {(data.funcId, data.dim) for data in data_sets} == set(cells)
        for data in data_sets:
            part = cells[data.funcId, data.dim]
            if data.funcId != 24:
                assert data.instancenumbers == list(UNEQUAL)
            np.testing.assert_allclose(
                data.detERT(TARGETS), part[column] * factor, rtol=1e-9, err_msg=str(data)
            )
            np.testing.assert_allclose(
                data.detSuccessRates(TARGETS), part["success_rate"], rtol=1e-12
            )
            compared += len(part)
            failures += part["success_rate"].between(0, 1, inclusive="neither").sum()
    assert compared == len(ours) == 8 * len(TARGETS)
    assert failures > 100  # failed runs were charged


def test_ends_are_ours(campaign, cocopp, tmp_path, recwarn):
    write_coco(campaign, tmp_path, "evaluations", final_target=FINAL_TARGET)
    rows = campaign.to_pandas().query("algorithm == 'A' and function == 8 and dimension == 2")
    rows = rows.sort_values(["instance", "run"])
    (data,) = [d for d in cocopp.load(str(tmp_path / "A")) if (d.funcId, d.dim) == (8, 2)]
    said = " ".join(str(warning.message) for warning in recwarn)
    assert "disagree" not in said  # the files of a trial among themselves
    assert "First evaluation" not in said
    solved = np.isfinite(data.detEvals([FINAL_TARGET])[0])
    assert (data.maxevals == rows["evaluations"])[~solved].all()
    assert (data.readmaxevals == rows["evaluations"]).all()
    best = [min((e["precision"] for e in events), default=NOTHING_YET) for events in rows["events"]]
    np.testing.assert_array_equal(data.finalfunvals, best)
