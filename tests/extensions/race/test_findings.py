"""The sentences on a campaign-wide race, and the core-seconds of its table."""

from types import SimpleNamespace

import pandas as pd

from timefair.campaign import configuration
from timefair.extensions.race.findings import findings
from timefair.extensions.race.tables import _core_seconds
from timefair.records.integrity import Origins
from timefair.report.cautions import cautions
from timefair.report.evidence import Evidence, Space

CAMPAIGN = {
    "name": "test",
    "problems": {"suite": "bbob", "functions": "1-24", "dimensions": 2, "instances": 1},
    "algorithms": dict.fromkeys("ABC", "timefair:DE"),
    "budget": {"time_s": 1},
    "runs": 40,
    "rounds": 8,
    "stopping": {"rule": "campaign_race"},
}
SPACE = {"suite": "bbob", "dimension": 2}


def evidence(orders, runs, rule="campaign_race"):
    pairs = [
        SPACE
        | {"algorithm_a": pair[0], "algorithm_b": pair[1], "better": better}
        | {"confidence": 0.95}
        for pair, better in orders.items()
    ]
    cells = [
        SPACE | {"algorithm": name, "runs": count, "last_round": 1 + (count > 5)}
        for name, counts in runs.items()
        for count in counts
    ]
    tables = {"decided_pairs": pd.DataFrame(pairs), "allocation": pd.DataFrame(cells)}
    return Evidence(tables, configuration.parse(CAMPAIGN | {"stopping": {"rule": rule}}))


def test_it_names_the_best_and_the_pairs_without_an_order():
    asked = evidence({"AB": "A", "AC": "A", "BC": None}, {"A": [5, 5], "B": [5, 9], "C": [20, 20]})
    order, left_out = findings(asked, Space("bbob", 2))
    assert order == (
        "The campaign-wide race decided the order of 2 of 3 pairs of algorithms over the "
        "functions, by the precision at the end (mean A12; all orders are right with 95\u00a0% "
        "confidence); A is better than 2 other algorithms. Not decided: B and C."
    )
    assert left_out == (
        "It gave each algorithm 5 to 20 runs per function. In 3 of 6 cases, there were no runs "
        "after the first round; A had none on any function. The table allocation contains the "
        "reasons."
    )


def test_the_reader_is_cautioned_against_the_other_intervals():
    topics = {one.topic: one.text for one in cautions(evidence({"AB": "A"}, {"A": [9]}))}
    assert "decided_pairs" in topics["Runs chosen by results"]
    fixed = cautions(evidence({"AB": "A"}, {"A": [9]}, rule="fixed"))
    assert "Runs chosen by results" not in {one.topic for one in fixed}


def test_core_seconds_count_all_cores_of_a_run():
    own = {"a": {"use": "timefair:DE", "threads": 4}, "b": {"use": "x:y", "isolation": "strict"}}
    origins = {label: Origins() for label in own}
    for one in origins.values():
        one.add({"campaign": {"algorithms": own}})
    frame = pd.DataFrame({"algorithm": ["a", "b"], "real_s": [2.0, None], "wall_s": [9.0, 3.0]})
    runs = SimpleNamespace(frame=frame, origins=origins)
    assert _core_seconds(runs).tolist() == [8.0, 6.0]
