"""The target and the effort of two versions on a function."""

import numpy as np
import pytest

from timefair.extensions.compare.comparison import cells, samples
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis


@pytest.fixture
def sample(run, table, analysis):
    """Makes the only sample of the runs of two versions, each read on its own."""

    def make(baseline, candidate, hardest=1e-8):
        of_both = (
            cells(Runs.of(table(*rows)), analysis, "A", instances_per_job=1)
            for rows in (baseline, candidate)
        )
        (found,) = samples(*of_both, hardest)
        return found

    return make


@pytest.fixture
def analysis():
    return Analysis(targets=(1.0,))


def test_half_of_the_runs_of_the_better_version_reach_the_target(sample, run):
    baseline = [run([(1, 0.1, float(k))], run=k) for k in range(1, 5)]
    candidate = [run([(1, 0.1, 9.0)], run=k) for k in range(1, 5)]
    found = sample(baseline, candidate)
    assert found.target == 2.0
    assert [one.success.tolist() for one in found.efforts] == [[1, 1, 0, 0], [0] * 4]


def test_both_runs_of_a_pair_have_the_evaluations_of_the_slower_one(sample, run):
    """Baseline: 100 evaluations in 1 s; candidate: 50; an event after 60 is too late."""
    baseline = [run([(2, 0.02, 5.0), (60, 0.6, 1.0)], run=0), run([(10, 0.1, 1.0)], run=1)]
    candidate = [
        run([(2, 0.04, 5.0)], run=0, evaluations=50),
        run([(10, 0.2, 1.0)], run=1, evaluations=50),
    ]
    found = sample(baseline, candidate)
    assert found.paired
    one, other = found.efforts
    assert one.success.tolist() == other.success.tolist() == [0, 1]
    assert one.evaluations.tolist() == other.evaluations.tolist() == [50, 10]
    np.testing.assert_allclose(one.seconds, [0.5, 0.1], rtol=1e-12)
    np.testing.assert_allclose(other.seconds, [1.0, 0.2], rtol=1e-12)


def test_a_run_that_ended_early_counts_the_evaluations_that_it_could_have_made(sample, run):
    """The baseline ends at the target after 10 of its 100 evaluations, the candidate after 90."""
    baseline = [run([(10, 0.1, 1.0)], wall_s=0.1, evaluations=10, stop_reason="target")]
    candidate = [run([(90, 0.9, 1.0)])]
    found = sample(baseline, candidate)
    assert [one.evaluations.tolist() for one in found.efforts] == [[10.0], [90.0]]
    assert [one.success.tolist() for one in found.efforts] == [[1.0], [1.0]]


def test_unknown_optima_are_compared_with_the_best_value_of_both(sample, run):
    """Values 3 and 8; the best of each campaign would call both precisions 0."""
    baseline = [run([(1, 0.1, 3.0)], f_opt=None)]
    candidate = [run([(1, 0.1, 8.0)], f_opt=None)]
    found = sample(baseline, candidate, hardest=0.0)
    assert (found.baseline.precision.tolist(), found.candidate.precision.tolist()) == ([0.0], [5.0])
    assert [one.success.tolist() for one in found.efforts] == [[1.0], [0.0]]
