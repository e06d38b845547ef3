"""Runs in memory, their traces, and runs of several machines."""

from itertools import pairwise

import numpy as np
import pandas as pd
import pytest
from campaigns import refused

from timefair.basics.errors import InputError
from timefair.exhibits.registry import TABLES
from timefair.records import store
from timefair.records.rundata import runs as runs_module
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.rundata.traces import _EVENTS
from timefair.records.store import with_facts, write_record
from timefair.records.thinning import THINNING
from timefair.statistics.two_samples import mann_whitney


def test_rows_come_in_the_order_of_their_keys_with_their_own_events(run, table):
    rows = run([(1, 0.1, 5.0), (4, 0.2, 1.0)], run=1), run(algorithm="B"), run([(2, 0.3, 7.0)])
    runs = Runs.of(table(*rows))
    assert runs.frame[["algorithm", "run"]].values.tolist() == [["A", 0], ["A", 1], ["B", 0]]
    events = runs.traces.together()
    assert events.offsets.tolist() == [0, 1, 3, 3]
    assert list(zip(events.evaluations, events.precision, strict=True)) == [(2, 7), (1, 5), (4, 1)]


def test_a_run_that_is_there_twice_is_refused_with_what_to_do(run, table):
    (line,) = refused(Runs.of, table(run(algorithm="new"), run(algorithm="new", seed=8)))
    assert line.startswith("new: the same run is there twice (suite bbob, function 1,")
    assert "give each file once" in line
    assert "give one of them another under `algorithms`" in line


def test_what_is_read_from_files_is_what_they_hold(run, table, tmp_path, monkeypatch):
    rows = [run([(k, 0.1 * k, 9.0 - k) for k in range(1, n + 1)], run=n) for n in (3, 0, 2)]
    decided = {
        "stopping": [{"suite": "bbob", "function": 1, "dimension": 2, "instance": 1, "runs": 3}]
    }
    path = tmp_path / "A.parquet"
    monkeypatch.setattr(store, "_ROW_GROUP_BYTES", 1)
    write_record(path, table(*rows).to_batches(max_chunksize=1), decided)
    read, held = Runs.read([path]), Runs.of(with_facts(table(*rows), decided))
    for name in ("frame", "launches", "stopping"):
        pd.testing.assert_frame_equal(getattr(read, name), getattr(held, name))
    for name in ("offsets", "time_s", "evaluations", "precision"):
        both = (getattr(one.traces.together(), name) for one in (read, held))
        np.testing.assert_array_equal(*both)
    assert read.traces.together().precision.tolist() == [8.0, 7.0, 8.0, 7.0, 6.0]
    assert read.traces.together().offsets.tolist() == [0, 0, 2, 5]


def test_without_an_optimum_the_best_of_all_or_of_some_runs_takes_its_place(run, table):
    def launched(*best):
        launch = {"start_s": 0.0, "end_s": 1.0, "evaluations": 9, "end": "cut"}
        return [{**launch, "best_precision": precision} for precision in best]

    two = [(1, 0.1, 5.0), (4, 0.2, -3.0)]
    runs = Runs.of(
        table(
            run(two, f_opt=None, launch_log=launched(-3.0)),
            run([(1, 0.1, 2.0)], f_opt=None, algorithm="B", launch_log=launched(2.0, np.inf)),
            run([(1, 0.1, 2.0)], f_opt=None, instance=2),
            run([(1, 0.1, 2.0)], instance=3),
            run(f_opt=None, instance=4),
        )
    )
    assert runs.frame["instance"].tolist() == [1, 1, 2, 3, 4]
    assert runs.frame["best_precision"].tolist() == [0.0, 5.0, 0.0, 2.0, np.inf]
    assert runs.traces.together().precision.tolist() == [8.0, 0.0, 5.0, 0.0, 2.0]
    assert runs.launches["best_precision"].tolist() == [0.0, 5.0, np.inf]
    some = runs.where((runs.frame["algorithm"] == "B").to_numpy())
    assert some.frame["best_precision"].tolist() == [5.0]
    own = some.from_own_best()
    assert own.frame["best_precision"].tolist() == [0.0]
    assert own.frame["reference_f"].tolist() == [2.0]
    assert own.traces.together().precision.tolist() == [0.0]
    assert own.launches["best_precision"].tolist() == [0.0, np.inf]


def test_seconds_after_evaluations_are_exact_at_events_and_linear_between(run, table):
    runs = Runs.of(table(run([(10, 0.2, 5.0), (50, 0.4, 1.0)]), run(run=1, wall_s=0.5)))
    for evaluations, seconds in ((10, 0.2), (30, 0.3), (50, 0.4), (75, 0.7), (200, 1.0)):
        found = runs.seconds_after(np.array([evaluations, 40.0]))
        np.testing.assert_allclose(found, [seconds, 0.2], rtol=1e-12)


FAST, SLOW = "Z80 with 2 cores and 16 GB", "6502 with 2 cores and 16 GB"
ANALYSIS = Analysis(targets=(1e-8,))
ROUNDS = 20
SLOWER = 2.0
"""The slow machine takes so many times as long for everything."""


def host(round, kind):
    place = {"function": 1, "dimension": 2, "instances": [1], "round": round}
    return place | {"name": kind[:4], "kind": kind, "first": "2026-11-02", "last": "2026-11-02"}


@pytest.fixture
def blocks(run, table):
    """A function: the runs of blocks, from the machine of each round and what is left out.

    A takes 0.1 s on average and B twice as long on the fast machine. `drawn` are the times there.
    """

    def make(machine_of, without=(), drawn=None):
        times = drawn_times() if drawn is None else drawn
        hosts, rows = {label: [] for label in times}, []
        for label, own in times.items():
            for round, seconds in enumerate(own, start=1):
                if (label, round) in without:
                    continue
                kind = machine_of(round)
                seconds *= SLOWER if kind == SLOW else 1.0
                hosts[label].append(host(round, kind))
                rows.append(
                    run(
                        [(1, seconds, 1e-9)] if seconds < 1 else [(1, 0.5, 1.0 + seconds)],
                        algorithm=label, round=round, run=round - 1,
                        wall_s=min(seconds, 1.0),
                        stop_reason="target" if seconds < 1 else "time",
                    )
                )  # fmt: skip
        origins = {label: {"hosts": measured} for label, measured in hosts.items()}
        return Runs.of(with_facts(table(*rows), {"origins": origins}))

    return make


in_blocks = pytest.mark.skipif("ert_ratios" not in TABLES, reason="without the extension blocks")


def drawn_times(seed=3):
    rng = np.random.default_rng(seed)
    return {"A": rng.gamma(20, 0.005, ROUNDS), "B": rng.gamma(20, 0.01, ROUNDS)}


def alternating(round):
    return SLOW if round % 2 else FAST


def one_kind(round):
    return FAST


def ratios(runs):
    return TABLES["ert_ratios"](runs, ANALYSIS).set_index("machine")


@in_blocks
def test_the_ratio_is_right_if_machines_measure_unequally_with_intervals_of_whole_blocks(blocks):
    """Pooled times, in which 3 of 4 rounds of A and all of B are slow, would give 0.44, not 0.5.
    All blocks together say more than those of one kind.
    """
    alone = ratios(blocks(one_kind)).loc[FAST, "ratio"]
    mixed = ratios(blocks(lambda round: SLOW if round % 4 else FAST))
    assert mixed.loc[runs_module.EVERY_MACHINE, "ratio"] == pytest.approx(alone, rel=0.05)
    frame = ratios(blocks(alternating))
    limits = frame[["ratio_low", "ratio", "ratio_high"]].to_numpy()
    assert (np.diff(limits, prepend=0.0) > 0).all()
    width = np.log(frame["ratio_high"] / frame["ratio_low"])
    assert width[runs_module.EVERY_MACHINE] < min(width[FAST], width[SLOW])


@in_blocks
def test_without_blocks_a_ratio_is_that_of_the_table_ert(campaign):
    runs = Runs.of(campaign)
    analysis = Analysis(targets=(1.0, 1e-8))
    frame = TABLES["ert_ratios"](runs, analysis)
    erts = TABLES["ert"](runs, analysis).set_index(["algorithm", "target"])["ert_s"]
    assert frame["machine"].tolist() == [runs_module.UNNAMED] * 2
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


def test_damage_is_found_in_the_pass_that_meets_it(run, table, tmp_path, monkeypatch):
    path = tmp_path / "A.parquet"
    rows = [run([(n, n / 100, 9.0 / n) for n in range(1, 90)], run=k) for k in range(12)]
    monkeypatch.setattr(store, "_ROW_GROUP_BYTES", 1)
    write_record(path, table(*rows).to_batches(max_chunksize=3), {})
    monkeypatch.setattr(runs_module, "HELD_EVENTS", -1)
    runs = Runs.read([path])
    runs.runtimes("evaluations", [1.0])
    content = bytearray(path.read_bytes())
    for place in range(100, len(content) // 2, 40):
        content[place] ^= 0xFF
    path.write_bytes(content)
    with pytest.raises(InputError, match=r"A\.parquet: "):
        runs.runtimes("evaluations", [2.0])


def events(*values):
    return [dict(zip(_EVENTS, one, strict=True)) for one in values]


def log(*spans):
    names = ("start_s", "end_s", "evaluations", "best_precision", "end")
    return [dict(zip(names, (*one, 0.0, "returned"), strict=True)) for one in spans]


FOUND = {
    "events": events((0, 1, 0.1, 9.0), (0, 3, 0.3, 4.0), (1, 7, 0.75, 2.0)),
    "launch_events": events((1, 5, 0.5, 8.0), (1, 6, 0.625, 5.0), (2, 9, 1.0, 7.0)),
    "launch_log": log((0.0, 0.5, 4), (0.5, 0.875, 4), (0.875, 1.0, 2)),
}


@pytest.fixture
def launch_rows(run):
    none = {"events": [], "launch_events": [], "launch_log": []}
    return [
        run([], run=0) | none,
        run([], run=1, cpu_s=0.25, best_precision=2.0) | FOUND,
        run([(1, 0.1, 3.0)], run=2, launch_log=log((0.0, 1.0, 4))),  # of an older version
        run([], run=3, cpu_s=1.0, best_precision=2.0) | FOUND,
    ]


def traces(runs):
    found = []
    for part in runs.launch_traces:
        assert part.rows.shape == part.launch.shape == (part.offsets.size - 1,)
        values = np.column_stack([part.evaluations, part.time_s, part.precision]).tolist()
        own = [values[begin:end] for begin, end in pairwise(part.offsets)]
        found += zip(part.rows, part.launch, own, strict=True)
    return sorted(found)


EXPECTED = [
    (0, [[1, 0.1, 9.0], [3, 0.3, 4.0]]),
    (1, [[1, 0.0, 8.0], [2, 0.125, 5.0], [3, 0.25, 2.0]]),
    (2, [[1, 0.125, 7.0]]),
]


def expected(*rows):
    return [(row, launch, own) for row in rows for launch, own in EXPECTED]


def test_launches_have_what_they_found_in_memory_and_part_by_part_of_records(
    launch_rows, table, tmp_path, monkeypatch
):
    assert traces(Runs.of(table(*launch_rows))) == expected(1, 3)
    monkeypatch.setattr(store, "_ROW_GROUP_BYTES", 1)
    path = tmp_path / "a.parquet"
    write_record(path, table(*launch_rows).to_batches(max_chunksize=1), {})
    runs = Runs.read([path])
    assert len(list(runs.launch_traces)) == 4
    assert traces(runs) == traces(runs) == expected(1, 3)


def test_precisions_of_launches_are_distances_to_the_best_known(run, table):
    runs = Runs.of(table(run([], f_opt=None, best_precision=2.0) | FOUND))
    assert traces(runs)[1][2] == [[1, 0.0, 6.0], [2, 0.125, 3.0], [3, 0.25, 0.0]]


def test_launches_that_are_not_traced_are_left_out(run, table):
    many = log(*((k / 128, (k + 1) / 128, 1) for k in range(128)))
    found = events(*((k, k + 1, (k + 1) / 128, 9.0) for k in (1, 64)))
    best = events((0, 1, 1 / 128, 8.0), (65, 66, 66 / 128, 4.0))
    row = run([]) | {"events": best, "launch_events": found, "launch_log": many}
    found = traces(Runs.of(table(row)))
    assert [launch for _, launch, _ in found] == [k for k in range(128) if THINNING.traces(k)]
    assert [(launch, own[0][0]) for _, launch, own in found if own] == [(0, 1), (1, 1), (64, 1)]
