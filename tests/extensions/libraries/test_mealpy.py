"""MEALPY through its adapter: the points of MEALPY alone, all kinds of variables, faults."""

import logging
import random

import numpy as np
import pytest
from objectives import Plain

from timefair.algorithms import libraries

mealpy = pytest.importorskip("mealpy", reason="needs pip install --no-deps mealpy")

SEVERAL = ("PSO.OriginalPSO", "GWO.OriginalGWO", "SHADE.L_SHADE", "DE.SAP_DE", "SMA.OriginalSMA")


@pytest.mark.slow
@pytest.mark.parametrize("name", SEVERAL)
def test_the_points_are_those_of_mealpy_alone(launch, name):
    ended = launch(f"mealpy:{name}", {"epoch": 6, "pop_size": 20}, seed=3, most=10_000)
    alone = Plain(most=10_000)
    module, kind = name.split(".")
    random.seed(3)
    np.random.seed(3)  # noqa: NPY002
    getattr(getattr(mealpy, module), kind)(epoch=6, pop_size=20).solve(
        {"obj_func": alone, "bounds": mealpy.FloatVar(alone.lower, alone.upper), "log_to": None},
        seed=int(np.random.default_rng(3).integers(2**31)),
    )
    assert ended.evaluations > 100
    np.testing.assert_array_equal(ended.points, np.clip(alone.points, -3, 5))


@pytest.mark.slow
@pytest.mark.parametrize("name", SEVERAL)
def test_integer_variables_get_whole_numbers_within_the_bounds(name):
    objective = Plain(most=10_000, integer=[True, False, True])
    parameters = {"epoch": 8, "pop_size": 20}
    libraries.load(f"mealpy:{name}", parameters).solve(objective, np.random.default_rng(1))
    points = np.array(objective.points)
    assert np.array_equal(points[:, [0, 2]], np.rint(points[:, [0, 2]]))
    assert not np.array_equal(points[:, 1], np.rint(points[:, 1]))
    assert objective.all_inside
    assert set(points[:, 0]) >= {-3.0, 5.0}  # both ends are drawn as often as the others


def test_without_epoch_the_schedule_follows_the_budget(launch, monkeypatch):
    seen = []
    evolve = mealpy.GWO.OriginalGWO.evolve
    monkeypatch.setattr(
        mealpy.GWO.OriginalGWO, "evolve", lambda self, e: (seen.append(e), evolve(self, e))
    )
    ended = launch("mealpy:GWO.OriginalGWO", {"pop_size": 10}, most=500)
    assert ended.was_cut
    assert seen == pytest.approx([200 * n for n in range(1, 51)], abs=1)


def test_every_optimizer_has_a_name_and_a_launch_leaves_the_loggers_alone(launch):
    names = libraries.LIBRARIES["mealpy"].available()
    assert len(names) == len(mealpy.get_all_optimizers(verbose=False)) > 200
    before = list(logging.getLogger().handlers)
    launch("mealpy:PSO.OriginalPSO")
    assert logging.getLogger().handlers == before
