"""What a campaign's stopping rule asks of the statistics."""

import pytest

from timefair.policies.stopping import STOPPING
from timefair.policies.stopping.quantile import KnownQuantile
from timefair.policies.stopping.skewness import SymmetricSample
from timefair.statistics.run_count.skewness import Outliers, SkewnessRule
from timefair.statistics.run_count.widths import QuantileWidth, Validity


@pytest.mark.parametrize(
    ("chosen", "runs", "start"), [({}, 50, 5), ({}, 4, 4), ({"start": 9}, 50, 9)]
)
def test_the_first_look_of_a_skewness(chosen, runs, start):
    rule = SymmetricSample(tau=0.1, outliers="iqr", **chosen).judge(runs)
    assert rule == SkewnessRule(0.1, Outliers.IQR, start, runs)


def test_a_quantile_is_valid_up_to_the_last_run_unless_another_validity_is_chosen():
    first, second = KnownQuantile(p=0.9), KnownQuantile(p=0.9, validity="anytime")
    assert first.judge(30) == QuantileWidth(0.5, 0.9, validity=Validity.HORIZON, cap=30)
    assert second.judge(30) == QuantileWidth(0.5, 0.9, validity=Validity.ANYTIME, cap=30)


def test_rules_compare_or_judge_or_do_neither():
    kinds = {name: (kind.compares, kind().judge(20) is not None) for name, kind in STOPPING.items()}
    assert kinds["fixed"] == (False, False)
    comparing = {name for name, (compares, _) in kinds.items() if compares}
    assert comparing == {"race"}
    assert all(compares != judges for name, (compares, judges) in kinds.items() if name != "fixed")
