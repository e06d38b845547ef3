"""The sentences on restart policies."""

from types import SimpleNamespace

import pandas as pd

from timefair.extensions.restart_prediction.findings import TABLE, sentences
from timefair.report.evidence import Evidence, Space

SPACE = Space("bbob", 5)


def row(algorithm, verdict, policy="", tau=float("nan"), gain=float("nan")):
    limits = {"tau_low": tau - 100, "tau_high": tau + 100}
    names = {"suite": "bbob", "dimension": 5, "algorithm": algorithm}
    return names | {"verdict": verdict, "policy": policy, "tau": tau, "gain": gain} | limits


def said(*rows):
    tables = {TABLE: pd.DataFrame(rows)} if rows else {}
    return list(sentences(Evidence(tables, SimpleNamespace()), SPACE))


def test_gains_come_first_and_the_largest_of_them():
    found = said(
        row("CMA-ES", "nothing to gain", "fixed", 5000.0, 1.0),
        row("A", "gain", "luby", 640.0, 1.52),
        row("DE", "gain", "fixed", 9000.0, 3.14),
        row("B", "gain", "independent", gain=1.2),
        row("PSO", "undecided", "fixed", 100.0, 1.3),
        row("Old", "no launch traces"),
        row("Older", "no launch traces"),
    )
    assert found == [
        "Restart DE after 9,000 [8,900, 9,100] evaluations: 3.1 times as fast on the functions not "
        "used to choose it.",
        "Restart A by Luby's sequence with a unit of 640 [540, 740] evaluations: 1.5 times as fast "
        "on the functions not used to choose it.",
        "Restart B when it returns: 1.2 times as fast on the functions not used to choose it.",
        "It is uncertain whether other restarts would make PSO faster on other functions.",
        "Other restarts would gain little or nothing for CMA-ES.",
        "The records have no launch traces of Old and Older, so other restarts cannot be judged.",
    ]


def test_without_the_table_nothing_is_said():
    assert said() == []
