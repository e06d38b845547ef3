"""The answer to the registered question is the first section, and all else is exploratory."""

import re

import pandas as pd
import pytest
from campaigns import SMALL, SPHERE

from timefair.campaign import configuration
from timefair.report.page import page

CAMPAIGN = SMALL | {
    "problems": SPHERE | {"functions": "1-2"},
    "algorithms": dict.fromkeys(("DE", "PSO"), "timefair:random-search"),
    "budget": {"time_s": 1},
}


def order(**changes):
    return {
        "question": "Is DE <faster>?", "answer": "yes",
        "registered": "2026-11-22T15:28:30.602+00:00",
        "digest": "ab" * 32, "table": "ert", "measure": "ert_s", "suite": "bbob", "dimension": 2,
        "function": "1", "target": 0.01, "algorithm_a": "DE", "algorithm_b": "PSO", "runs_a": 5,
        "runs_b": 4, "value_a": 0.2, "value_b": 0.5, "test": "score", "p": 0.0123, "alpha": 0.05,
        "detectable_ratio": 1.2, "better": "DE", "success": "better",
    } | changes  # fmt: skip


@pytest.fixture
def written():
    """A function: the text of the page, without tags, from the rows of both tables."""

    def make(*orders, deviations=()):
        tables = {
            "registered": pd.DataFrame(list(orders)),
            "deviations": pd.DataFrame(
                list(deviations), columns=["kind", "subject", "registered", "found"]
            ),
        }
        text = page(tables, {}, configuration.parse(CAMPAIGN))
        return text, " ".join(re.sub(r"<[^>]+>", " ", text.partition("<script")[0]).split())

    return make


def test_the_answer_is_first_and_all_else_is_exploratory(written):
    html, text = written(order())
    sections = re.findall(r'<h2 id="(\w+)"', html)
    assert sections[0] == "registered"
    assert "Registered question: Is DE &lt;faster&gt;? Yes. No deviations." in text
    assert "ERT in seconds to 0.01 on f1 sphere of bbob, 2 dimensions: DE 0.2 from 5 runs" in text
    assert "DE is better (score test of equal ERTs, p = 0.0123)." in text
    assert "2026-11-22 15:28:30 UTC (SHA-256 abab" in text
    assert "the only confirmatory result" in text
    assert "Who wins (exploratory)" in text


def test_every_deviation_is_listed(written):
    _, text = written(order(), deviations=[("targets", "targets", "1, 0.1", "<5>")])
    assert "Yes. 1 deviation from the registration." in text
    assert "targets targets 1, 0.1 &lt;5&gt;" in text


def test_a_question_that_was_never_registered_is_exploratory(written):
    missing = {"kind": "registration", "subject": "registration.json"}
    rows = [(*missing.values(), "before the first run", "never")]
    _, text = written(order(registered=None, digest=None), deviations=rows)
    assert "Question, not registered: Is DE" in text
    assert "Its answer is exploratory" in text
    assert "confirmatory" not in text
