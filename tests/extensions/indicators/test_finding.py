"""The sentences on indicators with another leader, and on who leads when."""

from types import SimpleNamespace

import pandas as pd
import pytest

from timefair.extensions.indicators.finding import findings
from timefair.report.evidence import Evidence, Space

SPACE = {"suite": "bbob", "dimension": 5, "unit": "seconds"}
RANKS = pd.DataFrame(
    [
        {**SPACE, "measure": "seconds", "criterion": "ERT", "algorithm": name, "average_rank": rank}
        for name, rank in (("A", 1.2), ("B", 1.8))
    ]
)


def areas(low_of_b, column="aocc"):
    rows = [("A", 0.5, 0.45, 0.55), ("B", 0.7, low_of_b, 0.8)]
    names = ["algorithm", column, f"{column}_low", f"{column}_high"]
    return pd.DataFrame(rows, columns=names).assign(function="all", **SPACE)


def said(**tables):
    campaign = SimpleNamespace(
        budget=SimpleNamespace(unit="seconds"),
        statistics=SimpleNamespace(time="wall", confidence=0.95),
    )
    return list(findings(Evidence({"ranks": RANKS, **tables}, campaign), Space("bbob", 5)))


@pytest.mark.parametrize(("table", "column"), [("aocc", "aocc"), ("u_scores", "share")])
def test_a_significant_leader_that_is_not_the_one_by_targets_is_named(table, column):
    (sentence,) = said(**{table: areas(0.6, column)})
    assert "B leads with 0.7 [0.6, 0.8]" in sentence
    assert said(**{table: areas(0.5, column)}) == []
    assert said(**{table: areas(0.6, column).replace({"A": "B", "B": "A"})}) == []


def over_time(*leads):
    rows = [
        {**SPACE, "algorithm": name, "cost": 10.0**k, "leads": share if name == "A" else 1 - share}
        for k, share in enumerate(leads)
        for name in "AB"
    ]
    return pd.DataFrame(rows)


def test_a_change_of_the_leader_has_its_times():
    (sentence,) = said(rank_over_time=over_time(0.99, 0.6, 0.02))
    assert "A leads until 1\u00a0s, and B from 100\u00a0s on" in sentence
    assert said(rank_over_time=over_time(0.99, 0.97, 0.2)) == []
    assert said(rank_over_time=over_time(0.5, 0.5, 0.02)) == []
