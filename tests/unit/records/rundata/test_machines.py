"""Runs of several kinds of machines are compared on each kind; a mixture is stated."""

import numpy as np
import pytest

from timefair.exhibits.registry import TABLES
from timefair.records.facts import NODES
from timefair.records.rundata import left_out
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.store import with_facts
from timefair.statistics.comparison import mann_whitney

FAST, SLOW = "Z80 with 2 cores and 16 GB", "6502 with 2 cores and 16 GB"
ANALYSIS = Analysis(targets=(1e-8,))
ROUNDS = 20
SLOWER = 2.0  # the slow machine takes so many times as long for everything


def node(algorithm, round, kind):
    return {
        "algorithm": algorithm, "function": 1, "dimension": 2, "instances": [1],
        "round": round, "node": kind[:4], "machine": kind,
    }  # fmt: skip


@pytest.fixture
def blocks(run, table):
    """A function: the runs of blocks, from the machine of each round and what is left out.

    A takes 0.1 s on average and B twice as long on the fast machine. `drawn` are the times there.
    """

    def make(machine_of, without=(), drawn=None):
        times = drawn_times() if drawn is None else drawn
        nodes, rows = [], []
        for label, own in times.items():
            for round, seconds in enumerate(own, start=1):
                if (label, round) in without:
                    continue
                kind = machine_of(round)
                seconds *= SLOWER if kind == SLOW else 1.0
                nodes.append(node(label, round, kind))
                rows.append(
                    run(
                        [(1, seconds, 1e-9)] if seconds < 1 else [(1, 0.5, 1.0 + seconds)],
                        algorithm=label, round=round, run=round - 1,
                        wall_s=min(seconds, 1.0),
                        stop_reason="target" if seconds < 1 else "time",
                    )
                )  # fmt: skip
        return Runs.of(with_facts(table(*rows), {NODES: nodes}))

    return make


in_blocks = pytest.mark.skipif("ert_ratios" not in TABLES, reason="without the extension blocks")


def drawn_times(seed=3):
    rng = np.random.default_rng(seed)
    return {"A": rng.gamma(20, 0.005, ROUNDS), "B": rng.gamma(20, 0.01, ROUNDS)}


def alternating(round):
    return SLOW if round % 2 else FAST


def one_kind(round):
    return FAST


def ratio(runs, machine):
    frame = TABLES["ert_ratios"](runs, ANALYSIS).set_index("machine")
    return frame.loc[machine, "ratio"]


@in_blocks
def test_a_mixture_by_blocks_has_the_ratio_of_one_machine(blocks):
    alone, mixed = blocks(one_kind), blocks(alternating)
    assert ratio(mixed, left_out.EVERY_MACHINE) == pytest.approx(ratio(alone, FAST), rel=0.05)


@in_blocks
def test_the_ratio_is_also_right_if_the_machines_measure_unequally(blocks):
    """Pooled times, in which 3 of 4 rounds of A and all of B are slow, would give 0.44, not 0.5."""
    alone = ratio(blocks(one_kind), FAST)
    mixed = blocks(lambda round: SLOW if round % 4 else FAST)
    assert ratio(mixed, left_out.EVERY_MACHINE) == pytest.approx(alone, rel=0.05)


@in_blocks
def test_ratios_have_the_intervals_of_whole_blocks(blocks):
    """All blocks together say more than those of one kind."""
    frame = TABLES["ert_ratios"](blocks(alternating), ANALYSIS).set_index("machine")
    for machine in (FAST, SLOW, left_out.EVERY_MACHINE):
        row = frame.loc[machine]
        assert 0 < row["ratio_low"] < row["ratio"] < row["ratio_high"]
    width = np.log(frame["ratio_high"] / frame["ratio_low"])
    assert width[left_out.EVERY_MACHINE] < min(width[FAST], width[SLOW])


@in_blocks
def test_without_blocks_a_ratio_is_that_of_the_table_ert(campaign):
    runs = Runs.of(campaign)
    analysis = Analysis(targets=(1.0, 1e-8))
    frame = TABLES["ert_ratios"](runs, analysis)
    erts = TABLES["ert"](runs, analysis).set_index(["algorithm", "target"])["ert_s"]
    assert frame["machine"].tolist() == [left_out.UNNAMED] * 2
    assert frame[["ratio_low", "ratio_high"]].isna().all(axis=None)
    assert frame.loc[0, "ratio"] == erts["A", 1.0] / erts["B", 1.0]
    assert np.isnan(frame.loc[1, "ratio"])  # nobody reached 1e-8


def test_the_mixture_is_in_the_notes_of_every_table_and_one_kind_is_not(blocks):
    note = TABLES["ert"](blocks(alternating), ANALYSIS).attrs["machines"]
    assert f"20 runs on {SLOW}, 20 runs on {FAST}" in note
    assert "absolute seconds are those of the mixture, not of one machine" in note
    assert TABLES["ert"](blocks(one_kind), ANALYSIS).attrs["machines"] == ""


def test_the_comparison_is_within_machines(blocks):
    """Differences that the mixture hides are found: each machine is slower than A and B differ."""
    rng = np.random.default_rng(3)
    times = {"A": 1.01 + 0.02 * rng.random(ROUNDS), "B": 1.02 + 0.02 * rng.random(ROUNDS)}
    runs = blocks(alternating, drawn=times)
    frame = TABLES["comparison"](runs, ANALYSIS)
    (row,) = frame.query("criterion == 'Q.50' and function != 'all'").iloc
    precision = {name: some["best_precision"] for name, some in runs.frame.groupby("algorithm")}
    assert row["p"] < 0.01 < mann_whitney(precision["A"], precision["B"])
    assert row["better"] == "A"
    assert row["a12_low"] > 0.5
