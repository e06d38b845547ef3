"""Simulated campaigns find differences as often as their power says."""

import importlib.util
from pathlib import Path

import numpy as np
import pytest

SPECIFICATION = importlib.util.spec_from_file_location(
    "power_benchmark", Path(__file__).parents[2] / "benchmarks/power.py"
)
benchmark = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(benchmark)

CAMPAIGNS = 400
CHEAP = [
    (effect, design) for effect, design in benchmark.DESIGNS if design.pairs * design.functions < 20
]


@pytest.mark.slow
@pytest.mark.parametrize(("effect", "design"), CHEAP)
def test_the_smallest_difference_is_found_with_its_power(effect, design):
    rng = np.random.default_rng(5)
    size = benchmark.smallest(effect, design, 0.8, rng)
    found = np.mean([benchmark.is_found(effect, design, size, rng) for _ in range(CAMPAIGNS)])
    assert abs(found - 0.8) < 0.03 + 3 * np.sqrt(0.16 / CAMPAIGNS)


def test_enough_designs_are_simulated():
    assert len(benchmark.DESIGNS) >= 12
    assert {effect for effect, _ in CHEAP} == {"a12", "success", "ratio", "share"}
