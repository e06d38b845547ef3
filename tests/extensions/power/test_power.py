"""The power of each test is what the test itself finds; what a design can show."""

import json
from itertools import product
from math import comb
from pathlib import Path

import numpy as np
import pytest
from campaigns import SMALL, SPHERE

from timefair import cli
from timefair.campaign import configuration, plan
from timefair.extensions.power import check
from timefair.extensions.power.check import check as check_lines
from timefair.statistics.rank_tests import friedman, posthoc
from timefair.statistics.two_samples import equal_ert, mann_whitney, wilcoxon


@pytest.mark.slow
@pytest.mark.parametrize("runs", [4, 10])
def test_without_a_difference_the_power_is_the_size_of_the_test(runs):
    rng = np.random.default_rng(runs)
    p = [mann_whitney(*rng.random((2, runs))) for _ in range(3000)]
    assert check.power_of_a12(0.5, runs, level=0.05) == pytest.approx(
        np.mean(np.less_equal(p, 0.05)), abs=0.015
    )
    assert check.power_of_a12(0.5, runs, level=0.05) <= 0.05


@pytest.mark.slow
def test_power_is_the_share_of_simulated_samples_that_are_found():
    rng = np.random.default_rng(1)
    samples = rng.standard_exponential((3000, 2, 9)) * np.array([[1.0], [6.0]])
    found = np.mean([mann_whitney(*pair) <= 0.01 for pair in samples])
    assert check.power_of_a12(6 / 7, 9, level=0.01) == pytest.approx(found, abs=0.03)


@pytest.mark.parametrize("tests", [1, 5356])
def test_so_many_runs_are_significant_and_fewer_are_not(tests):
    least = check.least_for_mann_whitney(0.05 / tests)
    assert mann_whitney(np.arange(least), np.arange(least) + least) * tests <= 0.05
    assert mann_whitney(np.arange(least - 1), np.arange(least - 1) + least) * tests > 0.05


@pytest.mark.parametrize("level", [0.05, 0.01])
def test_power_is_the_sum_over_all_tables_that_mann_and_whitneys_test_finds(level):
    runs, first, second = 7, 0.1, 0.8
    expected = 0.0
    for a, b in product(range(runs + 1), repeat=2):
        one, other = (np.arange(runs) >= reached for reached in (a, b))  # 0 is a success
        if mann_whitney(one, other) <= level:
            chance = comb(runs, a) * first**a * (1 - first) ** (runs - a)
            expected += chance * comb(runs, b) * second**b * (1 - second) ** (runs - b)
    assert check.SameRate(runs, level).power(first, second) == pytest.approx(expected, rel=1e-9)


def draw(success, runs, rng, times=1.0):
    cut = -np.log1p(-success)
    cost = np.minimum(rng.standard_exponential(runs) / times, cut)
    return cost, cost < cut


@pytest.mark.parametrize("success", [0.3, 0.9])
def test_power_is_the_share_of_campaigns_that_find_the_ratio(success):
    rng = np.random.default_rng(3)
    p = [equal_ert(*draw(success, 20, rng), *draw(success, 20, rng, 3.0)) for _ in range(1500)]
    test = check.EqualErt(20, success, 0.01, rng=rng)
    assert test.power(3.0) == pytest.approx(np.mean(np.less_equal(p, 0.01)), abs=0.04)


@pytest.mark.parametrize(("algorithms", "alpha"), [(2, 0.05), (5, 0.001), (40, 0.05)])
def test_so_many_functions_of_one_order_are_significant_and_fewer_are_not(algorithms, alpha):
    def of_one_order(functions):
        return np.tile(np.arange(algorithms), (functions, 1))

    by_friedman = check.least_for_friedman(algorithms, alpha)
    assert friedman(of_one_order(by_friedman)).p <= alpha
    assert by_friedman == 2 or friedman(of_one_order(by_friedman - 1)).p > alpha
    by_nemenyi = check.least_for_nemenyi(algorithms, alpha)
    assert posthoc(of_one_order(by_nemenyi)).p_nemenyi.min() <= alpha
    assert by_nemenyi == 2 or posthoc(of_one_order(by_nemenyi - 1)).p_nemenyi.min() > alpha


@pytest.mark.parametrize("pairs", [1, 5356])
def test_so_many_functions_on_which_one_is_better_are_significant_and_fewer_are_not(pairs):
    least = check.least_for_wilcoxon(0.05 / pairs)
    assert wilcoxon(np.zeros(least), np.ones(least)).p * pairs <= 0.05
    assert wilcoxon(np.zeros(least - 1), np.ones(least - 1)).p * pairs > 0.05


@pytest.mark.parametrize("level", [0.05, 0.02])
def test_the_critical_sum_decides_as_wilcoxons_test_does(level):
    ranks = np.arange(1, 9)
    limit = check.SignedRankPower(8, level, rng=np.random.default_rng(1))._limit
    for signs in product((-1.0, 1.0), repeat=8):
        gains = ranks * np.array(signs)
        smaller = min(ranks[gains > 0].sum(), ranks[gains < 0].sum())
        assert (smaller <= limit) == (wilcoxon(np.zeros(8), gains).p <= level)


ROOT = Path(__file__).parents[3]
CAMPAIGN = SMALL | {
    "problems": SPHERE | {"functions": "1-6", "instances": "1-2"},
    "algorithms": {"A": "timefair:random-search", "B": "timefair:DE"},
    "budget": {"time_s": 1},
    "runs": 4,
    "targets": [1, 0.1],
}


def checked(**changes):
    return list(check_lines(configuration.parse(CAMPAIGN | changes)))


def test_families_are_those_of_the_tables():
    design = check.Design(functions=24, instances=5, runs=3, algorithms=4, targets=8)
    assert design.pairs == 6
    assert design.level_over_functions == pytest.approx(0.05 / 6)
    assert design.level_on_function == pytest.approx(0.05 / (6 * 24))
    assert design.level_at_target == pytest.approx(0.05 / (6 * 24 * 8))


def test_check_warns_of_a_design_that_can_decide_nothing(tmp_path, capsys):
    file = tmp_path / "campaign.json"
    file.write_text(json.dumps(CAMPAIGN | {"algorithms": dict.fromkeys("ABC", "timefair:DE")}))
    assert cli.main(["check", str(file)]) == 0
    assert "6 functions, 3 pairs; Wilcoxon's test needs 7 functions" in capsys.readouterr().out


def test_check_says_how_large_a_difference_has_to_be_and_the_default_campaign_finds_one():
    functions = CAMPAIGN["problems"] | {"functions": "1-24"}
    lines = "\n".join(checked(problems=functions, runs=30))
    assert "A12 0.7" in lines
    assert "ratio of ERTs 2." in lines
    assert "better on 73 % of all functions" in lines
    assert "nothing" not in lines
    campaign = configuration.parse(configuration.read_yaml(ROOT / "config/config.yaml"))
    lines = "\n".join(check_lines(campaign))
    assert "cannot detect" not in lines
    assert "better on 81 % of all functions" in lines
    assert plan.wall_seconds(campaign, cores=2) < 300
