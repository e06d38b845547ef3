"""The sentence on tuning: what has paid off, what never does, and what is undecided."""

import math

import pandas as pd
import pytest
from campaigns import SMALL, SPHERE

from timefair.campaign import configuration
from timefair.extensions.tuning.findings import findings
from timefair.report.evidence import Evidence, Space

CAMPAIGN = SMALL | {"problems": SPHERE | {"functions": "1-8"}, "algorithms": {"A": "timefair:DE"}}
ROW = {
    "suite": "bbob", "dimension": 2, "algorithm": "A-tuned", "default": "A", "target": 0.1,
    "tuning_s": 60.4, "success_rate": 0.9, "default_success_rate": 0.4, "saved_s": 0.5,
    "saved_s_low": 0.25, "saved_s_high": 1.0, "problems": 121.0, "problems_low": 61.0,
    "problems_high": 242.0, "verdict": "pays", "chosen": "new",
}  # fmt: skip


def said(*rows):
    evidence = Evidence(
        {"tuning_pays": pd.DataFrame([ROW | row for row in rows])}, configuration.parse(CAMPAIGN)
    )
    return list(findings(evidence, Space("bbob", 2)))


@pytest.mark.parametrize(
    ("row", "after"),
    [
        ({}, "At the target 0.1, it has paid off after 121 [61, 242] problems: A-tuned saves 0.5 "
         "[0.25, 1] s per problem."),
        ({"saved_s": -0.5, "saved_s_low": -1.0, "saved_s_high": -0.25, "verdict": "never"},
         "It never pays off at the target 0.1: A-tuned saves -0.5 [-1, -0.25] s per problem."),
        ({"saved_s_low": -0.1, "problems_high": math.inf, "verdict": "undecided"},
         "Whether it pays off at the target 0.1 is undecided: A-tuned saves 0.5 [-0.1, 1] s per "
         "problem. If it does, it takes at least 61 problems."),
        ({"saved_s_low": math.nan, "saved_s_high": math.nan, "verdict": "undecided"},
         "Whether it pays off at the target 0.1 is not known: some functions have a single run."),
        ({"chosen": "default", "verdict": "never"}, "It never pays off: the search kept the "
         "parameters of A, which were the best that it tried."),
    ],
    ids=["pays", "never", "undecided", "single", "default"],
)  # fmt: skip
def test_the_sentence_on_a_variant(row, after):
    assert said(row) == [f"Tuning A took 60.4 s. {after}"]


def test_the_hardest_target_that_half_of_the_runs_of_one_of_both_reached():
    easy = {"target": 10.0}
    unreached = {"target": 1e-3, "success_rate": 0.4, "default_success_rate": 0.1}
    by_default = {"target": 1e-2, "success_rate": 0.4, "default_success_rate": 0.6}
    (text,) = said(easy, {}, by_default, unreached)
    assert "At the target 0.01" in text
    assert said(unreached) == []
