"""A value below the optimum refutes it; rounding, noise and best known values do not."""

import math

import pytest

from timefair.problems.refuted import least, refutation

RUN = {
    "suite": "vessel.py:penalty", "function": 1, "dimension": 4, "instance": 1,
    "algorithm": "DE", "run": 2, "f_opt": 6200.0, "best_f": 6141.3, "noise_free_f": None,
}  # fmt: skip


def test_it_names_the_run_the_value_and_the_optimum():
    assert str(refutation(RUN)) == (
        "vessel.py:penalty f1 D=4 instance 1: run 2 of DE has found f = 6141.3, below "
        "f_opt = 6200.0"
    )


@pytest.mark.parametrize(
    "harmless",
    [
        {"best_f": 6200.0},
        {"best_f": 6200.0 - 1e-6},  # rounding
        {"f_opt": 0.0, "best_f": -1e-10},
        {"best_f": math.inf},
        {"f_opt": None},
        {"f_opt": math.nan},
        {"noise_free_f": 6200.5},
        {"suite": "bbob-noisy"},  # an earlier version, without the value without noise
        {"suite": "bbob-biobj"},
    ],
)
def test_these_refute_nothing(harmless):
    assert refutation(RUN | harmless) is None


@pytest.mark.parametrize(
    ("wrong", "f"),
    [
        ({"best_f": 6199.99}, 6199.99),
        ({"f_opt": 0.0, "best_f": -1e-8}, -1e-8),
        ({"best_f": 6100.0, "noise_free_f": 6199.0}, 6199.0),
        ({"suite": "bbob-noisy", "noise_free_f": 6199.0}, 6199.0),
    ],
)
def test_these_refute_the_optimum(wrong, f):
    found = refutation(RUN | wrong)
    assert found is not None
    assert found.f == f


def test_of_each_problem_the_least_value_is_kept():
    runs = [
        RUN | {"function": 2, "best_f": 1.0},
        RUN | {"best_f": 5.0},
        RUN | {"best_f": 4.0, "algorithm": "ES"},
        RUN | {"best_f": 7000.0},
    ]
    found = least(map(refutation, runs))
    assert [(one.function, one.f, one.algorithm) for one in found] == [
        (1, 4.0, "ES"),
        (2, 1.0, "DE"),
    ]
