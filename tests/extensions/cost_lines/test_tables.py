"""The tables on the cost of an evaluation, and their ends, which other tables have too."""

import numpy as np
import pytest
from paces import KEYS, SPEED, TARGETS, analysis, in_batches, made, records_in_batches, rows, runs

from timefair.rundata.evaluation_cost import COSTS_S

__all__ = ["in_batches", "records_in_batches", "rows", "runs"]


def test_winners_at_no_cost_have_the_ranks_of_the_table_ranks(runs):
    winners = made("cost_winners", runs)
    assert set(winners["evaluation_cost_s"]) == set(COSTS_S)
    ranks = made("ranks", runs)
    usual = ranks[(ranks["measure"] == "seconds") & (ranks["criterion"] == "ERT")]
    free = winners[winners["evaluation_cost_s"] == 0]
    assert dict(zip(free["algorithm"], free["average_rank"], strict=True)) == pytest.approx(
        dict(zip(usual["algorithm"], usual["average_rank"], strict=True))
    )
    last = winners[winners["evaluation_cost_s"] == COSTS_S[-1]].set_index("algorithm")
    usual = ranks[(ranks["measure"] == "evaluations") & (ranks["criterion"] == "ERT")]
    assert last["average_rank"].to_dict() == pytest.approx(
        usual.set_index("algorithm")["average_rank"].to_dict()
    )
    sums = winners.groupby("evaluation_cost_s")["fraction"].sum()
    assert sums.to_numpy() == pytest.approx(1.0)
    assert (winners["low"] <= winners["fraction"]).all()
    assert (winners["fraction"] <= winners["high"]).all()


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
    alone, parallel = (
        made("cost_lines", in_batches, analysis(workers=workers)).set_index(KEYS)
        for workers in (1, 4)
    )
    assert set(alone.index.get_level_values("algorithm")) == set(SPEED)
    quick = parallel.xs("quick", level="algorithm")
    np.testing.assert_array_equal(
        quick["ert_rounds"], alone.xs("quick", level="algorithm")["ert_rounds"]
    )
    runtimes = in_batches.runtimes("evaluations", TARGETS)
    rows = np.flatnonzero(
        (in_batches.frame["algorithm"] == "frugal") & (in_batches.frame["function"] == 1)
    )
    expected = (2 * (runtimes[rows] // 8) + np.ceil(runtimes[rows] % 8 / 4)).mean(axis=0)
    found = parallel.xs("frugal", level="algorithm").xs(1, level="function")["ert_rounds"]
    np.testing.assert_allclose(found, expected)


@pytest.mark.parametrize("name", ["cost_lines", "cost_winners"])
def test_with_workers_algorithms_without_recorded_batches_are_omitted_by_name(name, in_batches):
    frame = made(name, in_batches, analysis(workers=4))
    assert "their batches were not recorded: slow." in frame.attrs["omitted"]
    assert not frame.isin(["slow"]).any(axis=None)


def test_a_line_has_both_erts_and_the_least_evaluations_are_lowest_in_the_end(runs):
    usual = made("ert", runs)
    lines = made("cost_lines", runs).merge(usual, on=KEYS, suffixes=("", "_usual"))
    np.testing.assert_array_equal(lines["ert_s"], lines["ert_s_usual"])
    np.testing.assert_array_equal(lines["ert_rounds"], lines["ert_evaluations"])
    least = lines.groupby(["function", "target"])["ert_rounds"].transform("min")
    np.testing.assert_array_equal(
        np.isinf(lines["lowest_to_s"]), np.isfinite(least) & (lines["ert_rounds"] == least)
    )
