"""The target and the effort of two versions on a function."""

from __future__ import annotations

import numpy as np
import pytest

from timefair.extensions.compare.samples import cells, samples
from timefair.rundata.runs import Runs
from timefair.rundata.settings import Analysis


@pytest.fixture
def sample(run, table, analysis):
    """Makes the only sample of the runs of two versions, each read on its own."""

    def make(base, head, hardest=1e-8):
        of_both = (
            cells(Runs.of(table(*rows)), analysis, "A", instances_per_job=1)
            for rows in (base, head)
        )
        (found,) = samples(*of_both, hardest)
        return found

    return make


@pytest.fixture
def analysis() -> Analysis:
    return Analysis(targets=(1.0,))


def test_half_of_the_runs_of_the_better_version_reach_the_target(sample, run):
    base = [run([(1, 0.1, float(k))], run=k) for k in range(1, 5)]
    head = [run([(1, 0.1, 9.0)], run=k) for k in range(1, 5)]
    found = sample(base, head)
    assert found.target == 2.0
    assert [one.success.tolist() for one in found.efforts] == [[1, 1, 0, 0], [0] * 4]


def test_both_runs_of_a_pair_have_the_evaluations_of_the_slower_one(sample, run):
    """The base makes 100 evaluations in 1 s and the head 50; an event after 60 comes too late."""
    base = [run([(2, 0.02, 5.0), (60, 0.6, 1.0)], run=0), run([(10, 0.1, 1.0)], run=1)]
    head = [
        run([(2, 0.04, 5.0)], run=0, evaluations=50),
        run([(10, 0.2, 1.0)], run=1, evaluations=50),
    ]
    found = sample(base, head)
    assert found.paired
    one, other = found.efforts
    assert one.success.tolist() == other.success.tolist() == [0, 1]
    assert one.evaluations.tolist() == other.evaluations.tolist() == [50, 10]
    np.testing.assert_allclose(one.seconds, [0.5, 0.1], rtol=1e-12)
    np.testing.assert_allclose(other.seconds, [1.0, 0.2], rtol=1e-12)


def test_a_run_that_ended_early_counts_the_evaluations_that_it_could_have_made(sample, run):
    """The base ends at the target after 10 of its 100 evaluations; the head needs 90 of its 100."""
    base = [run([(10, 0.1, 1.0)], wall_s=0.1, evaluations=10, stop_reason="target")]
    head = [run([(90, 0.9, 1.0)])]
    found = sample(base, head)
    assert [one.evaluations.tolist() for one in found.efforts] == [[10.0], [90.0]]
    assert [one.success.tolist() for one in found.efforts] == [[1.0], [1.0]]


def test_unknown_optima_are_compared_with_the_best_value_of_both(sample, run):
    """Values 3 and 8; the best of each campaign would call both precisions 0."""
    base = [run([(1, 0.1, 3.0)], f_opt=None)]
    head = [run([(1, 0.1, 8.0)], f_opt=None)]
    found = sample(base, head, hardest=0.0)
    assert (found.base.precision.tolist(), found.head.precision.tolist()) == ([0.0], [5.0])
    assert [one.success.tolist() for one in found.efforts] == [[1.0], [0.0]]
