"""The answer to the registered question, in its table and on the page."""

import re

import numpy as np
import pandas as pd
import pytest
from campaigns import SMALL, SPHERE

from timefair.campaign import configuration
from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.report.page import page

TARGET = 0.1


@pytest.fixture
def runs(run, table):
    """Three algorithms on three functions; the hare needs few slow evaluations."""
    rng = np.random.default_rng(1)
    rows = []
    for function in (1, 2, 3):
        for k in range(8):
            late, noise = function + 0.1 * k, rng.uniform(0.9, 1.1, 2)
            for name, evaluations, seconds, end in (
                ("hare", 10, 0.4, 0.02 * late),
                ("snail", 500, 0.8, 0.024 * late),
                ("tortoise", 100, 0.1, 0.005 * late),
            ):
                events = [
                    (1, 0.01, 9.0),
                    (evaluations, seconds * noise[0], TARGET),
                    (2 * evaluations, 0.95, end * noise[1]),
                ]
                rows.append(run(events, run=k, function=function, algorithm=name, evaluations=5000))
    return Runs.of(table(*rows))


def question(**changes):
    return {
        "question": "Which is better?", "table": "comparison", "measure": "precision",
        "target": None, "algorithms": ["tortoise", "hare"], "dimension": None, "function": None,
        "test": "wilcoxon", "alpha": 0.05, "success": "better",
    } | changes  # fmt: skip


def answered(runs, labels=("hare", "snail", "tortoise"), final_target=None, **changes):
    problems = {"suite": "bbob", "functions": [1, 2, 3], "dimensions": [2], "instances": [1]}
    registration = {
        "campaign": {
            "registered": question(**changes),
            "problems": problems,
            "runs": 8,
            "budget": {"final_target": final_target},
            "stopping": {"rule": "race"},
            "algorithms": {label: {} for label in labels},
        },
        "analysis": {"resamples": 20},
        "deviations": [],
    }
    return TABLES["registered"](runs, Analysis(added={"registered": registration}))


def exploratory(name, runs, **keys):
    frame = TABLES[name](runs, Analysis(targets=(TARGET,)))
    frame["function"] = frame["function"].astype(str)
    mine = (frame["algorithm_a"] == "hare") & (frame["algorithm_b"] == "tortoise")
    for key, value in keys.items():
        mine &= frame[key] == value
    return frame[mine].iloc[0]


ON_TWO = {"function": 2, "test": "mann-whitney"}
TO_TARGET = {"table": "ert", "target": TARGET, "function": 2, "test": "score"}
REVERSAL = TO_TARGET | {"table": "rank_reversals", "measure": "ert"}


@pytest.mark.parametrize(("changes", "function"), [({}, "all"), (ON_TWO, "2")])
def test_it_is_the_row_of_the_comparison_before_the_correction(runs, changes, function):
    keys = {"function": function, "measure": "precision", "criterion": "Q.50"}
    row = exploratory("comparison", runs, **keys)
    own = answered(runs, **changes).iloc[0]
    assert own["p"] == row["p"]
    assert row["p_adjusted"] > row["p"]
    if function == "2":
        assert (own["value_a"], own["value_b"]) == (row["value_b"], row["value_a"])
        assert (own["better"], own["answer"]) == ("tortoise", "yes")
    else:  # three functions are too few for any decision
        assert (own["value_a"], own["value_b"]) == (1, 0)
        assert (own["better"], own["answer"]) == (None, "no")


def test_a_rank_reversal_has_the_two_p_values_of_its_table(runs):
    row = exploratory("rank_reversals", runs, function="2", criterion="fixed target")
    own = answered(runs, **REVERSAL, algorithms=["hare", "tortoise"]).set_index("measure")
    assert own["p"].to_dict() == {
        "ert_evaluations": row["p_by_evaluations"],
        "ert_s": row["p_by_time"],
    }
    assert own["better"].to_dict() == {"ert_evaluations": "hare", "ert_s": "tortoise"}
    assert set(own["answer"]) == {"yes"}


@pytest.mark.parametrize(
    ("changes", "answer"),
    [
        (ON_TWO | {"algorithms": ["hare", "tortoise"]}, "no"),
        (ON_TWO | {"algorithms": ["hare", "tortoise"], "success": "different"}, "yes"),
        (ON_TWO | {"alpha": 1e-5}, "no"),
        (TO_TARGET | {"measure": "ert_s"}, "yes"),
        (TO_TARGET | {"measure": "ert_evaluations"}, "no"),
        (TO_TARGET | {"measure": "ert_evaluations", "success": "different"}, "yes"),
        (TO_TARGET | {"measure": "ert_s", "target": 1e-9}, "no"),
        (REVERSAL, "no"),
        (REVERSAL | {"success": "different"}, "yes"),
        (REVERSAL | {"success": "different", "algorithms": ["hare", "snail"]}, "no"),
    ],
)
def test_success_is_what_was_registered(runs, changes, answer):
    assert set(answered(runs, **changes)["answer"]) == {answer}


@pytest.mark.parametrize("changes", [{}, ON_TWO, TO_TARGET | {"measure": "ert_s"}])
def test_without_runs_of_an_algorithm_there_is_no_answer(runs, changes):
    own = answered(runs.where((runs.frame["algorithm"] != "hare").to_numpy()), **changes)
    assert own["answer"].tolist() == ["not answered"]
    assert own[["runs_a", "runs_b"]].values.tolist()[0][1] == 0


VALUES = {
    "tortoise": [(1, 0.1, 512.0), (10, 0.2, 300.0), (50, 0.5, 4.0)],
    "hare": [(1, 0.1, 512.0), (20, 0.2, 300.0), (30, 0.5, 100.0)],
    "snail": [(1, 0.1, 512.0), (90, 0.9, -256.0)],
}
"""Events with values of f, whose optimum is unknown."""


def without_optimum(run, table, *labels):
    """One run per function; of two, the tortoise is better on f1 and f2, and the hare on f3."""
    rows = []
    for function in (1, 2, 3):
        for label in labels:
            events = VALUES[label]
            if function == 3 and label == "hare":
                events = [*events, (60, 0.8, 2.0)]
            names = {"run": 0, "function": function, "algorithm": label}
            rows.append(run(events, **names, f_opt=None, best_f=events[-1][2]))
    return Runs.of(table(*rows))


@pytest.mark.parametrize(
    "changes",
    [
        {},
        ON_TWO,
        {"table": "ert", "measure": "ert_evaluations", "target": 0.5},
        TO_TARGET | {"measure": "ert_evaluations", "target": 0.5},
    ],
)
def test_runs_that_were_not_planned_do_not_move_an_unknown_optimum(run, table, changes):
    planned = without_optimum(run, table, "tortoise", "hare")
    more = without_optimum(run, table, "tortoise", "hare", "snail")
    labels = ("tortoise", "hare")
    assert answered(more, labels, **changes).equals(answered(planned, labels, **changes))


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
