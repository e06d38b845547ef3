"""What rules compare runs by."""

import numpy as np

from timefair.statistics.run_count.stopping import equal_if_solved


def test_runs_beyond_the_final_target_are_equal():
    precision = [1e-12, 1e-9, 1e-8, 1.0, np.inf]
    assert equal_if_solved(precision, False, 1e-8).tolist() == [1e-8, 1e-8, 1e-8, 1.0, np.inf]
    assert equal_if_solved(precision, False, None).tolist() == precision
