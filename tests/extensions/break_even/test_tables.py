"""The table of evaluation costs at which an order changes."""

import numpy as np
from paces import SPEED, TARGETS, analysis, in_batches, made, records_in_batches, rows, runs

from timefair.records.rundata.problems import UsedByRuns

__all__ = ["in_batches", "records_in_batches", "rows", "runs"]


def test_crossovers_name_who_is_better_on_each_side(runs):
    turning = made("cost_crossovers", runs)
    pair = turning[(turning["algorithm_a"] == "frugal") & (turning["algorithm_b"] == "quick")]
    assert len(pair) == 9
    assert set(pair["better_below"]) == {"quick"}
    assert set(pair["better_above"]) == {"frugal"}
    assert (pair["set"] == "between").any()
    within = pair[pair["set"] == "between"]
    assert within["turns_at_s"].between(within["turns_at_s_low"], within["turns_at_s_high"]).all()
    empty = turning[turning["set"] == "empty"]
    assert empty[["turns_at_s", "turns_at_s_low", "turns_at_s_high"]].isna().all(axis=None)


def test_with_workers_a_batch_counts_as_often_as_they_are_needed_for_it(in_batches):
    used = UsedByRuns.of(in_batches, analysis(workers=4))
    assert set(used.runs.frame["algorithm"]) == set(SPEED) - {"slow"}
    runtimes = used.runs.runtimes("evaluations", TARGETS)
    of = {name: np.flatnonzero(used.runs.frame["algorithm"] == name) for name in SPEED}
    np.testing.assert_array_equal(used.rounds.cost[of["quick"]], runtimes[of["quick"]])
    made_by = runtimes[of["frugal"]]
    expected = 2 * (made_by // 8) + np.ceil(made_by % 8 / 4)
    np.testing.assert_array_equal(used.rounds.cost[of["frugal"]], expected)
