"""The page does not let published data win in seconds, and gives them a look of their own."""

import numpy as np
import pandas as pd
import pytest
from campaigns import SMALL

from timefair.campaign.configuration import parse
from timefair.report.evidence import Evidence
from timefair.report.findings.pairs import by_cost


@pytest.fixture
def evidence():
    """B is published: cheapest in evaluations, and alone at the hardest target."""
    measured = {"algorithms": dict.fromkeys("CA", "timefair:random-search")}
    published = {"published": {"B": {"format": "coco", "path": "."}}}
    campaign = parse(SMALL | measured | published | {"budget": {"time_s": 1}})
    rows = [
        ("A", 1.0, 20, 20, 2.0, 200.0), ("B", 1.0, 3, 3, np.nan, 10.0),
        ("C", 1.0, 20, 20, 9.0, 900.0), ("A", 0.1, 20, 0, np.inf, np.inf),
        ("B", 0.1, 3, 3, np.nan, 20.0), ("C", 0.1, 20, 0, np.inf, np.inf),
    ]  # fmt: skip
    columns = ["algorithm", "target", "runs", "successes", "ert_s", "ert_evaluations"]
    ert = pd.DataFrame(rows, columns=columns).assign(suite="bbob", dimension=2, function=1)
    ert["success_rate"] = ert["successes"] / ert["runs"]
    for unit in ("ert_s", "ert_evaluations"):
        ert[f"{unit}_low"], ert[f"{unit}_high"] = ert[unit] * 0.9, ert[unit] * 1.1
    ert["algorithm"] = pd.Categorical(ert["algorithm"], ["A", "C", "B"])
    return Evidence({"ert": ert}, campaign)


def test_in_seconds_only_who_was_measured_is_compared(evidence):
    (space,) = evidence.spaces
    ((function, target, results),) = by_cost(evidence, space, "seconds")
    assert (function, target) == (1, 1.0)
    assert {one.algorithm: one.value for one in results} == {"A": 2.0, "C": 9.0}
