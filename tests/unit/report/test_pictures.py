"""The pictures and lines of the first screen."""

import re
from itertools import pairwise
from math import nan

import pytest

from timefair.campaign.implementation import implementation
from timefair.report.account import Speed, implementations
from timefair.report.markup import Names
from timefair.report.pictures import LINE, _apart, pictures

SECONDS = {"quick": 0.01, "slow": 0.5, "never": 50.0}


def drawn(evidence, names=SECONDS, **keys):
    found = evidence(names, **keys)
    return pictures(found, Names.of(names))


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
    assert "51 targets (precisions 1 to 0.1), 8 functions with 2 instances" in pictures(
        found, Names.of(SECONDS)
    )


@pytest.mark.parametrize("count", [1, 2, 20])
def test_each_number_of_algorithms_is_drawn(evidence, count):
    html = drawn(evidence, {f"<{k}>": 0.01 * (k + 1) for k in range(count)}, functions=6, runs=2)
    assert len(spoken(html)) == (2 if count > 1 else 1)
    assert "<0>" not in html
    assert "nan" not in html


def test_without_tables_there_is_no_picture(evidence):
    assert drawn(evidence, made=("ranks",)) == ""


def test_without_a_solved_target_there_is_no_ecdf(evidence):
    assert "picture-ecdf" not in drawn(evidence, {"a": 1e9, "b": 1e9}, functions=6)


@pytest.mark.parametrize(
    "places", [[], [50], [50, 50, 50], [10, 11, 90, 91], [0, 300], list(range(100, 140))]
)
def test_labels_do_not_touch_and_keep_their_order(places):
    wanted = {str(k): float(place) for k, place in enumerate(places)}
    found = _apart(wanted, 20, 280)
    assert list(found) == list(wanted)
    assert all(b - a >= LINE * (1 - 1e-9) for a, b in pairwise(found.values()))
    if len(places) <= (280 - 20) / LINE:
        assert all(20 <= y <= 280 for y in found.values())


def test_implementations_and_their_speed_are_on_the_first_screen(evidence):
    line = implementations(evidence(SECONDS))
    assert "quick 200\u00a0(98\u00a0%), slow" in line
    assert line.endswith(", Python with numpy.</p>\n")
    assert str(Speed("compiled", 2345678.0, 0.5)) == "2,300,000\u00a0(50\u00a0%)"
    assert str(Speed("compiled", 0.0123, nan)) == "0.012"


@pytest.mark.parametrize(
    ("use", "written_in"),
    [
        ("timefair:DE", "compiled"),
        ("timefair:JADE", "Python with numpy"),
        ("scipy:L-BFGS-B", "compiled"),
        ("scipy:differential_evolution", "Python with numpy"),
        ("nlopt:LN_BOBYQA", "compiled"),
        ("modcma:modCMA", "Python with numpy"),
        ("external:./solver --flag", "program"),
        ("mine.py:solve", "your Python"),
        ("package.module:solve", "your Python"),
    ],
)
def test_what_an_algorithm_is_implemented_in(use, written_in):
    assert implementation(use) == written_in


def test_the_implementation_of_each_library_is_known():
    from timefair.algorithms.registry import LIBRARIES

    assert {name for name in LIBRARIES if implementation(f"{name}:x") == "your Python"} == set()
