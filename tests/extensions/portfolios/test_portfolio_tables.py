"""The tables of portfolios, on runs that are counted by hand."""

import itertools

import pytest

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

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
