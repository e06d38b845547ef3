"""Portfolios: their search against brute force, their tables by hand, and the sentence."""

import itertools
from itertools import combinations

import numpy as np
import pandas as pd
import pytest
from campaigns import SMALL, SPHERE
from hypothesis import given, settings
from hypothesis import strategies as st

from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES
from timefair.extensions.portfolios import tables as searching
from timefair.extensions.portfolios.tables import MODES, Portfolio, Search, findings
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.report.evidence import Evidence, Space

TARGETS = (10.0, 1.0)
ANALYSIS = Analysis(targets=TARGETS, resamples=40)
HIT = [(10, 0.3, 0.5)]
MISS = [(10, 0.3, 50.0)]


@pytest.fixture
def specialists(run, table):
    """`A` solves the odd functions and `B` the even ones, within half of the budget; `C` none."""
    rows = []
    for name, function, instance, number in itertools.product("ABC", (1, 2, 3, 8), (1, 2), (0, 1)):
        solves = name == "AB"[function % 2 == 0]
        changes = {"algorithm": name, "function": function, "instance": instance, "run": number}
        rows.append(run(HIT if solves else MISS, **changes))
    return rows, table


def made(name, rows, table, analysis=ANALYSIS):
    return TABLES[name](Runs.of(table(*rows)), analysis)


def test_specialists_share_the_budget(specialists):
    frame = made("portfolio", *specialists).set_index(["arrangement", "size"])
    assert frame["budget"].unique().tolist() == [1.0]
    pair = frame.loc["in turn", 2]
    assert (pair["members"], pair["shares"]) == ("A, B", "0.5, 0.5")
    assert (pair["share"], pair["held_out"], pair["gain"]) == (1.0, 1.0, 1.0)
    assert (pair["gain_low"], pair["gain_high"]) == (1.0, 1.0)
    assert frame.loc[("single best", 1), "share"] == 0.5
    assert frame.loc[("side by side", 2), "cores"] == 2
    assert frame.loc[("slices", 2), "share"] == 1.0
    assert frame.loc[("virtual best", 3), "share"] == 1.0
    assert frame.loc[("in turn", 2), "any_time"] < frame.loc[("virtual best", 3), "any_time"]


def test_the_budget_ends_where_a_run_was_cut_before(specialists):
    rows, table = specialists
    rows[0] |= {"wall_s": 0.4, "stop_reason": "evaluations", "budget_evaluations": None}
    frame = made("portfolio", rows, table)
    assert frame["budget"].unique().tolist() == [0.4]
    pair = frame[(frame["arrangement"] == "slices") & (frame["size"] == 2)]
    assert pair["share"].item() == 0.0  # 0.3 s are more than half of 0.4 s


CAMPAIGN = SMALL | {
    "problems": SPHERE | {"functions": "1-8"},
    "algorithms": {"A": "timefair:DE", "B": "timefair:random-search"},
    "budget": {"time_s": 1},
}
ROW = {
    "suite": "bbob", "dimension": 2, "unit": "seconds", "arrangement": "in turn", "size": 2,
    "members": "A, B", "shares": "0.3, 0.7", "held_out": 0.71, "gain": 0.11, "gain_low": 0.05,
    "gain_high": 0.17,
}  # fmt: skip


def said(functions=8, **changes):
    others = [
        {"arrangement": "single best", "size": 1, "members": "A", "share": 0.62},
        {"arrangement": "virtual best", "size": 2, "share": 0.8},
    ]
    keys = {key: (ROW | changes)[key] for key in ("suite", "dimension", "unit")}
    rows = [ROW | changes, *(keys | other for other in others)]
    compared = [{**keys, "criterion": "ERT", "function": str(k)} for k in range(1, functions + 1)]
    tables = {"portfolio": pd.DataFrame(rows), "comparison": pd.DataFrame(compared)}
    return "".join(findings(Evidence(tables, configuration.parse(CAMPAIGN)), Space("bbob", 2)))


def test_it_names_members_shares_the_best_alone_and_the_bound():
    assert said().replace("\u00a0", " ") == (
        "A for 30 % of the budget, then B for 70 % of the budget reach 71 % of the targets on "
        "functions not used to choose them; A alone reaches 62 %, and the best algorithm on each "
        "target 80 %."
    )


@pytest.mark.parametrize(
    "changes",
    [
        {"gain_low": 0.0}, {"held_out": 0.61}, {"functions": 5}, {"gain_low": float("nan")},
        {"unit": "evaluations"}, {"arrangement": "slices"}, {"dimension": 5},
    ],
)  # fmt: skip
def test_it_says_nothing_where_the_gain_may_be_chance(changes):
    assert said(**changes) == ""


def test_what_was_not_observed_is_unknown():
    costs = np.array([[1.0, np.inf], [np.inf, np.inf]])
    found = searching.reached([(costs, np.array([2.0, np.inf]))], np.array([1.5, 3.0]))
    np.testing.assert_array_equal(found, [[0.5, 0.0], [0.5, np.nan]])


def runs_of(rng, algorithms=3, functions=3, instances=2, runs=4, targets=3):
    def costs(_):
        reached = np.sort(rng.random((runs, targets)), axis=1)
        return np.where(rng.random((runs, targets)) < 0.3, np.inf, reached), np.ones(runs)

    return [
        [list(map(costs, range(algorithms))) for _ in range(instances)] for _ in range(functions)
    ]


@pytest.mark.slow
@given(st.integers(0, 10_000))
@settings(max_examples=25)
def test_the_best_pair_is_the_best_of_all(seed):
    runs = runs_of(np.random.default_rng(seed), algorithms=4)
    search = Search(runs, 1.0)
    for mode in MODES:
        best = search.best(mode)
        value = search.value(best).item()
        every = [
            search.value(Portfolio(pair, mode, shares)).item()
            for pair in combinations(range(4), 2)
            for shares in searching._shares(mode)
        ]
        assert value == pytest.approx(max(every), abs=1e-9)
    in_turn, slices = (search.value(search.best(mode)).item() for mode in MODES[:2])
    assert in_turn >= slices - 1e-9


def test_by_hand_two_specialists_share_the_budget():
    quick, never = np.array([[0.4]] * 3), np.array([[np.inf]] * 3)
    known = np.ones(3)
    one, other = [[(quick, known), (never, known)]], [[(never, known), (quick, known)]]
    search = Search([one, other, one, other], 1.0)
    best = search.best("in turn")
    assert best.members == (0, 1)
    assert search.value(best).item() == 1.0
    assert search.value(Portfolio((0, 1), "in turn", (0.3, 0.7))).item() == 0.5
    half = Portfolio((0, 1), "in turn", (0.5, 0.5))
    np.testing.assert_allclose(search.value(half, [0.3, 0.4, 0.8, 0.9, 1.0]), [0, 0.5, 0.5, 1, 1])
    slices = Portfolio((0, 1), "slices", (0.5, 0.5))
    np.testing.assert_allclose(search.value(slices, [0.4, 0.79, 0.81]), [0, 0, 1])
    beside = Portfolio((0, 1), "side by side", (1.0, 1.0))
    np.testing.assert_allclose(search.value(beside, [0.39, 0.41]), [0, 1])
