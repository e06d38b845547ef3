"""cocopp reads the export of two objectives, and its ERT is that of the table `ert`."""

import numpy as np
import pyarrow as pa
import pytest

from timefair.exhibits.registry import TABLES
from timefair.io.write import write_coco
from timefair.problems.coco import TARGETS as ALL
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import RUN_SCHEMA

pytestmark = pytest.mark.peer

TARGETS = tuple(sorted(ALL, reverse=True))
FOR_COCOPP = [target * (1 - 1e-12) if target < 0 else target for target in TARGETS]
"""cocopp's own grid has -9.999999999999999e-06, and -1e-05 would get its next harder target."""

INSTANCES = (1, 1, 2, 3, 5, 10)
"""cocopp skips the instances from 11 on."""

CELLS = [("A", 1, 2), ("A", 1, 5), ("A", 55, 10), ("B", 1, 2), ("B", 27, 3)]


def random_run(rng, k, instance, **keys):
    """A run whose precision falls in many steps, for some runs below 0."""
    events = int(rng.integers(5, 60))
    at = np.sort(rng.choice(np.arange(2, 5000), events, replace=False))
    worst, best = 10.0 ** rng.uniform(0, 9), rng.choice([1e-2, 1e-4, 1e-6])
    falling = np.geomspace(worst, best, events)
    if k % 2:
        falling[-3:] = [0.0, -1.2e-5, -(10.0 ** rng.uniform(-4.9, -3))]
    times = np.sort(rng.uniform(1e-3, 1.0, events))
    rows = zip(at.tolist(), times.tolist(), falling.tolist(), strict=True)
    return {
        **keys,
        "suite": "bbob-biobj",
        "instance": instance,
        "run": k,
        "f_opt": -0.9,
        "wall_s": 1.0,
        "evaluations": int(at[-1]) + int(rng.integers(0, 500)),
        "best_precision": falling[-1],
        "events": [
            {"launch": 0, "evaluations": e, "time_s": t, "precision": p} for e, t, p in rows
        ],
    }


@pytest.fixture(scope="module")
def campaign():
    rng = np.random.default_rng(7)
    rows = [
        random_run(rng, k, instance, algorithm=algorithm, function=function, dimension=dimension)
        for algorithm, function, dimension in CELLS
        for k, instance in enumerate(INSTANCES)
    ]
    return pa.Table.from_pylist(rows, RUN_SCHEMA)


@pytest.mark.parametrize("cost", ["evaluations", "seconds"])
def test_ert_and_success_rates_are_cocopps_at_all_targets(cost, campaign, cocopp, tmp_path):
    write_coco(campaign, tmp_path, cost)
    column, factor, rounded = {
        "evaluations": ("ert_evaluations", 1, 0),
        "seconds": ("ert_s", 1e6, 0.5),
    }[cost]
    ours = TABLES["ert"](Runs.of(campaign), Analysis(targets=TARGETS, resamples=10))
    compared = 0
    for algorithm, of_algorithm in ours.groupby("algorithm"):
        cells = dict(list(of_algorithm.groupby(["function", "dimension"])))
        cocopp.testbedsettings.reset_current_testbed()
        data_sets = cocopp.load(str(tmp_path / algorithm))
        assert {(data.funcId, data.dim) for data in data_sets} == set(cells)
        for data in data_sets:
            part = cells[data.funcId, data.dim]
            assert data.instancenumbers == list(INSTANCES)
            successes = part["successes"].to_numpy()
            tolerance = rounded * len(INSTANCES) / np.maximum(successes, 1)
            np.testing.assert_array_less(
                np.abs(np.nan_to_num(data.detERT(FOR_COCOPP) - factor * part[column].to_numpy())),
                tolerance + 1e-6,
            )
            np.testing.assert_array_equal(
                np.isinf(data.detERT(FOR_COCOPP)), np.isinf(part[column].to_numpy())
            )
            np.testing.assert_allclose(data.detSuccessRates(FOR_COCOPP), part["success_rate"])
            compared += len(part)
    cocopp.testbedsettings.reset_current_testbed()
    assert compared == len(CELLS) * 58
    below = ours[ours["target"] < 0]
    assert below["success_rate"].between(0, 1, inclusive="neither").any()
