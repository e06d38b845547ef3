"""Features of landscapes: beside pflacco's, and of samples that a user's problem may give."""

from __future__ import annotations

import importlib.util
import json
from pathlib import Path

import numpy as np
import pytest
from hypothesis import given
from hypothesis import strategies as st

from timefair.extensions.classifier.landscape import LANDSCAPE, landscape

GOLDEN = Path(__file__).parents[2] / "golden"
PFLACCO = json.loads((GOLDEN / "landscape_pflacco.json").read_text())["features"]
SAME = {
    "dispersion_02": "disp.ratio_mean_02",
    "dispersion_05": "disp.ratio_mean_05",
    "dispersion_10": "disp.ratio_mean_10",
    "dispersion_25": "disp.ratio_mean_25",
    "information_content": "ic.h_max",
    "partial_information": "ic.m0",
    "settling_sensitivity": "ic.eps_s",
    "linear_r2": "ela_meta.lin_simple.adj_r2",
    "interactions_r2": "ela_meta.lin_w_interact.adj_r2",
    "quadratic_r2": "ela_meta.quad_simple.adj_r2",
    "neighbour_sd_ratio": "nbc.nn_nb.sd_ratio",
    "neighbour_mean_ratio": "nbc.nn_nb.mean_ratio",
    "neighbour_correlation": "nbc.nn_nb.cor",
    "neighbour_ratio_variation": "nbc.dist_ratio.coeff_var",
    "neighbour_indegree_correlation": "nbc.nb_fitness.cor",
}
"""Features that pflacco defines in the same way."""


def maker():
    path = GOLDEN / "make_landscape_pflacco.py"
    spec = importlib.util.spec_from_file_location(path.stem, path)
    module = importlib.util.module_from_spec(spec)
    spec.loader.exec_module(module)
    return module


@pytest.mark.parametrize("name", sorted(PFLACCO))
def test_features_are_those_of_pflacco(name: str) -> None:
    row = dict(zip(LANDSCAPE, landscape(*maker().sample(name)), strict=True))
    for ours, theirs in SAME.items():
        assert row[ours] == pytest.approx(PFLACCO[name][theirs], abs=1e-9), ours


@pytest.mark.parametrize("name", sorted(PFLACCO))
def test_the_shape_of_the_values_is_pflaccos_with_the_other_denominator(name: str) -> None:
    points, values = maker().sample(name)
    row = dict(zip(LANDSCAPE, landscape(points, values), strict=True))
    shrink = 1.0 - 1.0 / len(values)  # pflacco divides by the variance with n - 1
    skewness = np.sign(row["value_skewness"]) * (10.0 ** abs(row["value_skewness"]) - 1.0)
    excess = np.sign(row["value_kurtosis"]) * (10.0 ** abs(row["value_kurtosis"]) - 1.0)
    assert skewness * shrink**1.5 == pytest.approx(PFLACCO[name]["ela_distr.skewness"])
    assert (excess + 3.0) * shrink**2 - 3.0 == pytest.approx(PFLACCO[name]["ela_distr.kurtosis"])


def test_the_unit_and_the_zero_of_the_values_change_nothing() -> None:
    points, values = maker().sample("rastrigin")
    assert landscape(points, 1e6 * values - 17.0) == pytest.approx(
        landscape(points, values), abs=1e-6
    )


@pytest.mark.slow
@given(
    st.sampled_from([0.0, np.nan, np.inf, 1e308, -1.7e308, 5e-324]),
    st.integers(10, 40),
    st.integers(1, 4),
)
def test_every_feature_of_any_sample_is_finite(value: float, n: int, dimension: int) -> None:
    points = np.random.default_rng(n).uniform(size=(n, dimension))
    values = np.where(points[:, 0] > 0.5, value, 1.0)
    opposite = np.where(points[:, 0] > 0.5, value, -value)
    for some in (values, opposite, np.full(n, value)):
        assert np.isfinite(landscape(points, some)).all()
    assert np.isfinite(landscape(np.zeros((n, dimension)), values)).all()
