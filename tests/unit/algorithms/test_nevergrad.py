import threading

import numpy as np
import pytest

from timefair.algorithms.adapters import nevergrad as adapter

SAMPLE = (
    *("RandomSearch", "OnePlusOne", "PSO", "DE", "TwoPointsDE", "CMA", "DiagonalCMA", "TBPSA"),
    *("NaiveIsoEMNA", "ScrHammersleySearch", "NGOpt14", "NGOptRW", "ChainCMAPowell", "BAR"),
    *("LognormalDiscreteOnePlusOne", "DSproba", "MetaModel"),
)
IN_A_THREAD = ("RCobyla", "Powell", "SQP", "DSbase")


@pytest.mark.thinned(6)
@pytest.mark.slow
@pytest.mark.parametrize("name", [*SAMPLE, *IN_A_THREAD])
def test_a_launch_repeats_for_its_seed_and_stays_inside(launch, name):
    first = launch(f"nevergrad:{name}", most=40)
    assert first.was_cut
    assert first.all_inside
    np.testing.assert_array_equal(first.points, launch(f"nevergrad:{name}", most=40).points)
    other = launch(f"nevergrad:{name}", {"start": "uniform"}, seed=2, most=40)
    assert not np.array_equal(first.points, other.points)


@pytest.mark.thinned(4)
@pytest.mark.slow
@pytest.mark.parametrize("most", [10, 100])
@pytest.mark.parametrize("name", IN_A_THREAD)
def test_a_launch_leaves_no_thread_however_it_ends(launch, name, most):
    before = threading.active_count()
    result = launch(f"nevergrad:{name}", {"budget": 30}, most=most)
    assert result.was_cut == (most == 10)
    assert threading.active_count() == before


@pytest.mark.slow
@pytest.mark.parametrize("workers", [1, 4])
def test_a_launch_returns_at_its_nominal_budget(launch, workers):
    parameters = {"budget": 30, "num_workers": workers}
    result = launch("nevergrad:DE", parameters)
    assert not result.was_cut
    assert result.evaluations == 30


@pytest.mark.slow
def test_the_nominal_budget_is_what_is_left_or_a_multiple_of_the_dimension(launch):
    assert launch("nevergrad:OnePlusOne", left=25).evaluations == 25
    most = adapter.BUDGET_PER_DIMENSION + 1
    assert launch("nevergrad:OnePlusOne", dimension=1, most=most).evaluations == most - 1


@pytest.mark.slow
def test_the_configuration_reaches_the_optimizer(launch):
    plain = launch("nevergrad:PSO", most=200)
    small = launch("nevergrad:PSO", {"popsize": 5}, most=200)
    np.testing.assert_array_equal(plain.points[:5], small.points[:5])
    assert not np.array_equal(plain.points[5:], small.points[5:])


@pytest.mark.thinned(2)
@pytest.mark.slow
@pytest.mark.parametrize("name", ["NGOpt14", "NGOpt38"])
def test_wizards_of_the_run_count_paper_model_the_objective(launch, name):
    # With so few evaluations they fit surrogates, which numpy 2.4 breaks.
    assert launch(f"nevergrad:{name}", left=160, most=200).evaluations == 160
