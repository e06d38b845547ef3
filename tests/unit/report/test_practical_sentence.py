"""The sentences on whether the first algorithm is faster by a factor that matters."""

import pandas as pd

from timefair.campaign import configuration
from timefair.report.evidence import Evidence, Space
from timefair.report.findings.practical import matters

CAMPAIGN = {
    "name": "test",
    "problems": {"suite": "bbob", "functions": "1-24", "dimensions": 2, "instances": 1},
    "algorithms": {"DE": "timefair:DE", "PSO": "timefair:PSO"},
    "budget": {"time_s": 1},
}
SPACE = {"suite": "bbob", "dimension": 2, "unit": "seconds"}
VERDICTS = ["better"] * 14 + ["equal"] * 6 + ["worse"] * 1 + [None] * 3


def said(*, best="DE", resolved=None, functions=24, **tables):
    probabilities = pd.DataFrame(
        [
            SPACE
            | {"function": "all", "algorithm": name, "runs": functions, "p_best": p, "p_first": p}
            | {"p_first_low": 0.5, "p_first_high": 0.9}
            for name, p in (("DE", 0.8), ("PSO", 0.2))
        ]
    )
    if best == "PSO":
        probabilities["algorithm"] = ["PSO", "DE"]
    practical = pd.DataFrame(
        [
            SPACE
            | {"function": str(k), "algorithm_a": "DE", "algorithm_b": "PSO", "matters": 1.1}
            | {"p_equal": 0.5, "verdict": verdict}
            for k, verdict in enumerate(VERDICTS, start=1)
        ]
    )
    made = {"probability_best": probabilities, "practical": practical}
    if resolved:
        row = {"suite": "bbob", "dimension": 2, "function": "3", "resolved_ratio": resolved}
        made["resolution"] = pd.DataFrame([row])
    evidence = Evidence(made | tables, configuration.parse(CAMPAIGN))
    return list(matters(evidence, Space("bbob", 2)))


def test_it_counts_the_functions():
    best, counted = said()
    assert "DE is the best over functions like these with a probability of 80\u00a0%" in best
    assert "80\u00a0% [50, 90]" in best
    assert counted == (
        "DE is faster than PSO by a factor that matters (more than 1.1) on 14 of 24 functions, "
        "practically equal on 6 and slower on 1; 3 are open (probability below 95\u00a0%)."
    )


def test_the_pair_is_turned_to_the_first_algorithm():
    _, counted = said(best="PSO")
    assert counted.startswith("PSO is faster than DE by a factor that matters (more than 1.1) on 1")
    assert "slower on 14" in counted


def test_it_names_what_the_machine_does_not_resolve():
    assert said(resolved=1.4)[1].endswith(
        "The speed of the machine may explain ratios of times below 1.4."
    )
    assert "machine" not in said(resolved=1.05)[1]


def test_one_function_says_nothing_about_others():
    (counted,) = said(functions=1)
    assert "14 of 24" in counted


def test_it_says_nothing_without_the_tables():
    assert said(probability_best=pd.DataFrame()) == []
    assert len(said(practical=pd.DataFrame())) == 1
