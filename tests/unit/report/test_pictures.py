"""The pictures and lines of the first screen."""

import re
from math import nan

import pandas as pd
import pytest

from timefair.report.account import Speed, implementations
from timefair.report.evidence import Evidence
from timefair.report.markup import Names
from timefair.report.pictures import pictures

SECONDS = {"quick": 0.01, "slow": 0.5, "never": 50.0}


def spoken(html):
    return re.findall(r'aria-label="([^"]*)"', html)


def test_the_slopes_have_the_ranks_of_the_table_comparison(evidence):
    found = evidence(SECONDS)
    rows = found.table("comparison").query("criterion == 'ERT' and function == 'all'")
    slopes, _ = spoken(pictures(found, Names.of(SECONDS)))
    for measure, unit in (("seconds", "time"), ("evaluations", "evaluations")):
        of = rows[rows["measure"] == measure]
        ranks = dict(zip(of["algorithm_a"], of["value_a"], strict=True))
        ranks |= dict(zip(of["algorithm_b"], of["value_b"], strict=True))
        for name, rank in ranks.items():
            said = re.search(rf"{name} [^;]*?([\d.]+) by {unit}", slopes)[1]
            assert float(said) == pytest.approx(rank, rel=0.01)


def test_the_ecdf_ends_at_the_shares_of_the_table(evidence):
    found = evidence(SECONDS)
    _, ecdf = spoken(pictures(found, Names.of(SECONDS)))
    rows = found.table("ecdf").query("unit == 'seconds' and function == 'all'")
    for name, share in rows.groupby("algorithm", observed=True)["fraction"].last().items():
        assert f"{name} {100 * share:.0f} %" in ecdf
    rows = found.table("ecdf")
    without = {"ecdf": rows[rows["function"].astype(str) != "8"]}  # the space does not have it
    assert (
        "51 targets (precisions 1 to 0.1), 7 functions with 2 instances, 80 runs per algorithm of "
        "1 s."
    ) in pictures(Evidence(without, found.campaign), Names.of(SECONDS))


def test_the_pictures_are_of_the_dimension_with_the_most_functions(evidence):
    found = evidence(SECONDS)
    rows = found.table("comparison")
    none = {"comparison": rows.assign(target=nan)}
    assert pictures(Evidence(none, found.campaign), Names.of(SECONDS)) == ""  # no ERT to rank by
    more = rows[rows["function"].isin(["1", "all"])].assign(dimension=40)
    both = {"comparison": pd.concat([rows, more])}
    assert "8 functions, bbob, 2 dimensions." in pictures(
        Evidence(both, found.campaign), Names.of(SECONDS)
    )


def test_implementations_and_their_speed_are_on_the_first_screen(evidence):
    line = implementations(evidence(SECONDS))
    assert "quick 200\u00a0(98\u00a0%), slow" in line
    assert line.endswith(", Python with numpy.</p>\n")
    assert str(Speed("compiled", 2345678.0, 0.5)) == "2,300,000\u00a0(50\u00a0%)"
    assert str(Speed("compiled", 0.0123, nan)) == "0.012"
