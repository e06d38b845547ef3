"""Of statements with a probability of at least 0.95, at least 95 % are right."""

import importlib.util
from pathlib import Path

import pandas as pd
import pytest
from scipy.stats import binom

DOCUMENTED = Path(__file__).parents[3] / "docs/validation/probabilities/calibration.csv"
SPECIFICATION = importlib.util.spec_from_file_location(
    "probabilities_benchmark", Path(__file__).parents[3] / "benchmarks/probabilities.py"
)
benchmark = importlib.util.module_from_spec(SPECIFICATION)
SPECIFICATION.loader.exec_module(benchmark)


@pytest.mark.slow
def test_sure_statements_are_right(monkeypatch):
    monkeypatch.setattr(benchmark, "RUNS", (5, 15))
    monkeypatch.setattr(benchmark, "SPREADS", (0.5, 1.0))
    monkeypatch.setattr(benchmark, "LAWS", ("exponential", "two modes"))
    found = benchmark.sure(benchmark.calibration(2, seed=3), ["kind"])
    assert found.loc["pair", "statements"] > 200
    for kind, (statements, right, _) in found.iterrows():
        assert binom.cdf(right, int(statements), benchmark.SURE) > 0.001, kind


def test_the_documented_statements_are_right():
    documented = benchmark.sure(pd.read_csv(DOCUMENTED), ["kind"])
    assert (documented["share"] >= benchmark.SURE).all()
    assert (documented["statements"] >= 100).all()
