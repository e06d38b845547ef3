"""The sentences on restart policies."""

from types import SimpleNamespace

import pandas as pd

from timefair.extensions.restart_prediction.findings import NOTHING, TABLE, findings
from timefair.report.evidence import Evidence, Space

SPACE = Space("bbob", 5)


def row(algorithm, verdict, tau=float("nan"), gain=float("nan")):
    names = {"suite": "bbob", "dimension": 5, "algorithm": algorithm}
    return names | {"verdict": verdict, "tau": tau, "gain": gain}


def said(*rows):
    tables = {TABLE: pd.DataFrame(rows)} if rows else {}
    return list(findings(Evidence(tables, SimpleNamespace()), SPACE))


def test_gains_come_first_and_the_largest_of_them():
    found = said(
        row("CMA-ES", "nothing to gain", 5000.0, 1.0),
        row("A", "gain", 640.0, 1.52),
        row("DE", "gain", 9000.0, 3.14),
        row("Old", "no launch traces"),
    )
    assert found[0] == (
        "Restart DE after 9,000 evaluations: 3.1 times as fast on the functions not used to choose "
        "it."
    )
    named = ["Restart A after 640", "for CMA-ES"]  # what cannot be judged is in the table
    assert [name in one for name, one in zip(named, found[1:], strict=True)] == [True] * 2


def test_a_gain_that_nobody_would_notice_is_little():
    """The page said "1 times as fast"."""
    assert said(row("A", "gain", 640.0, 1.04)) == [NOTHING.format(names="A")]


def test_without_the_table_nothing_is_said():
    assert said() == []
