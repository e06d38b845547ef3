"""What rules compare runs by."""

from __future__ import annotations

import numpy as np

from timefair.statistics.run_count.stopping import equal_if_solved, pooled_results


def test_runs_beyond_the_final_target_are_equal() -> None:
    precision = [1e-12, 1e-9, 1e-8, 1.0, np.inf]
    assert equal_if_solved(precision, False, 1e-8).tolist() == [1e-8, 1e-8, 1e-8, 1.0, np.inf]
    assert equal_if_solved(precision, False, None).tolist() == precision


def test_values_without_an_optimum_are_compared_by_their_distance_to_the_best() -> None:
    """The final target is none of them, and the instances differ in their values."""
    precision = np.array([-5.0, -3.0, 100.0, 101.0, 1e-9, 1.0])
    unknown = np.array([True, True, True, True, False, False])
    problems = np.array([[1, 1, 1, 1, 2, 2], [1, 1, 2, 2, 1, 1]], dtype=float)
    found = pooled_results(precision, unknown, problems, 1e-8)
    assert found.tolist() == [0.0, 2.0, 0.0, 1.0, 1e-8, 1.0]
