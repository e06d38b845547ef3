import numpy as np
import pytest

from timefair.extensions.power.design import (
    Design,
    components,
    log_ratio_variance,
)
from timefair.statistics.ert import ert


def test_families_are_those_of_the_tables():
    design = Design(functions=24, instances=5, runs=3, algorithms=4, targets=8)
    assert design.pairs == 6
    assert design.level_over_functions == pytest.approx(0.05 / 6)
    assert design.level_on_function == pytest.approx(0.05 / (6 * 24))
    assert design.level_at_target == pytest.approx(0.05 / (6 * 24 * 8))


def test_variances_of_nested_numbers_are_found_again():
    rng = np.random.default_rng(1)
    functions, instances, runs = 400, 8, 3
    d = rng.normal(0, 2.0, (functions, 1)) + rng.normal(0, 1.0, (functions, instances))
    d = d + rng.normal(0, 3.0 / np.sqrt(runs), d.shape)
    found = components(d, np.full(d.shape, 9.0), runs)
    assert found.functions == pytest.approx(4.0, rel=0.2)
    assert found.instances == pytest.approx(1.0, rel=0.2)
    assert found.runs == 9.0


@pytest.mark.parametrize(
    ("d", "unknown"),
    [
        ([[1.0, 2.0]], {"functions"}),
        ([[1.0], [2.0]], {"instances"}),
        ([[1.0, np.nan], [2.0, np.nan]], {"instances"}),
        ([[np.nan, np.nan]], {"functions", "instances", "runs"}),
    ],
)
def test_what_a_pilot_cannot_show_is_nan(d, unknown):
    found = vars(components(d, np.ones_like(d), runs=2))
    assert {name for name, value in found.items() if np.isnan(value)} == unknown


def test_the_log_of_an_ert_varies_as_said():
    rng = np.random.default_rng(1)
    spent = np.minimum(rng.standard_exponential((4000, 200)), 1.0)
    logs = np.log(ert(spent, spent < 1.0))
    said = log_ratio_variance(spent[0], spent[0] < 1.0)
    assert said[0] == pytest.approx(logs[0])
    assert np.mean([log_ratio_variance(s, s < 1.0)[1] for s in spent[:200]]) == pytest.approx(
        logs.var() * 200, rel=0.05
    )
