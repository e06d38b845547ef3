"""The table of measured values and values without noise."""

import numpy as np

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis


def noisy(make, measured, true, recommended=None, best=None, **changes):
    """A noisy run: a first point, a better measured one, and an unnoticed better one."""
    best = true if best is None else best
    rows = [(1, 9.0, 9.0), (2, measured, true), (3, measured + 1, best)]
    row = make([(1, 0.1, 9.0), (2, 0.2, measured)], **{"suite": "bbob-noisy", **changes})
    return row | {
        "best_f": measured,
        "noise_free_f": true,
        "vectors": [
            {"launch": 0, "evaluations": n, "time_s": n / 10, "outputs": [y, t]} for n, y, t in rows
        ],
        "recommendations": []
        if recommended is None
        else [{"launch": 0, "evaluations": 3, "time_s": 0.3, "noise_free": recommended}],
    }


def test_each_column_has_its_own_quantiles(run, table):
    runs = Runs.of(
        table(
            noisy(run, 1.0, 4.0, best=2.0),
            noisy(run, 2.0, 3.0, recommended=0.5, best=1.0, run=1),
            noisy(run, 3.0, 2.5, recommended=1.5, run=2),
            run([(1, 0.1, 5.0)], algorithm="exact"),
        )
    )
    made = TABLES["noise"](runs, Analysis(quantiles=(0.5,)))
    assert made["algorithm"].tolist() == ["A"]
    row = made.iloc[0]
    assert (row["runs"], row["quantile"]) == (3, 0.5)
    assert row["measured"] == 2.0
    assert row["best_measured"] == 3.0
    assert row["recommended"] == 1.5
    assert row["best_evaluated"] == 2.0
    assert row["luck"] == 1.0
    assert row["recommending"] == 2 / 3
    assert made.attrs["noise"] == ""


def test_of_my_function_the_best_of_all_points_is_empty(run, table):
    mine = {"suite": "mine.py:f", "f_opt": None}
    runs = Runs.of(table(noisy(run, 1.0, 4.0, **mine), noisy(run, 2.0, 3.0, run=1, **mine)))
    made = TABLES["noise"](runs, Analysis(quantiles=(0.1, 0.9)))
    assert np.isnan(made["best_evaluated"].to_numpy(dtype=float)).all()
    assert made["best_measured"].tolist() == [0.0, 1.0]  # distances to the best of the runs
    assert made["luck"].tolist() == [1.0, 3.0]


def test_a_run_that_found_nothing_is_infinite(run, table):
    nothing = run([], suite="bbob-noisy", best_f=np.inf, best_precision=np.inf)
    nothing |= {"noise_free_f": np.inf, "vectors": [], "recommendations": []}
    made = TABLES["noise"](Runs.of(table(nothing)), Analysis(quantiles=(0.5,)))
    values = made[["measured", "best_measured", "recommended", "best_evaluated", "luck"]]
    assert np.isinf(values.to_numpy(dtype=float)).all()
