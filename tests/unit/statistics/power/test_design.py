import numpy as np
import pytest

from timefair.statistics.power.design import Design, detectable

DESIGN = Design(functions=24, instances=5, runs=3, algorithms=4, targets=8)


def shown(**changes):
    design = Design(**{**vars(DESIGN), **changes})
    return detectable(design, rng=np.random.default_rng(1))


def test_families_are_those_of_the_tables():
    assert DESIGN.pairs == 6
    assert DESIGN.level_over_functions == pytest.approx(0.05 / 6)
    assert DESIGN.level_on_function == pytest.approx(0.05 / (6 * 24))
    assert DESIGN.level_at_target == pytest.approx(0.05 / (6 * 24 * 8))


def test_more_runs_show_smaller_differences():
    few, many = shown(), shown(runs=9)
    assert few.a12 > many.a12
    assert few.success > many.success
    assert few.ratios[0.5] > many.ratios[0.5]
    assert few.share == many.share


@pytest.mark.slow
def test_more_algorithms_hide_them():
    few, many = shown(runs=9), shown(runs=9, algorithms=12)
    assert few.a12 < many.a12
    assert few.ratios[0.5] < many.ratios[0.5]
    assert few.share < many.share
    assert few.wilcoxon < many.wilcoxon
