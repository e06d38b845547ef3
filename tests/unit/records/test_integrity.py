"""Records that are damaged, of another run or against themselves are named, and never read."""

import json
import os
from datetime import UTC, datetime
from functools import partial
from pathlib import Path

import numpy as np
import pyarrow as pa
import pyarrow.parquet as pq
import pytest
from campaigns import SMALL, refused
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.records import consistency, integrity, store
from timefair.records.collect import collect
from timefair.records.rundata.runs import Runs
from timefair.records.schema import RUN_SCHEMA
from timefair.records.store import journal_path, open_record, read_runs

KEY = "ab" * 32
PLACE = integrity.Place("a", KEY, 1, 2, (1,), 1)
EXPECTED = {(1, 2, 1, 0), (1, 2, 1, 1)}


@pytest.fixture
def record(tmp_path):
    return tmp_path / "f1.parquet"


@pytest.fixture
def output(tmp_path):
    return tmp_path / "collected" / "a.parquet"


def refusal(records, output: Path, expected=EXPECTED, **consent: bool) -> tuple[str, ...]:
    lines = refused(collect, "a", records, expected, output, **consent)
    assert not output.exists()
    assert all(journal_path(path).exists() for path in records)
    return lines


def test_collecting_joins_the_records_and_drops_their_journals(tmp_path, output, row, write):
    paths = [tmp_path / f"{k}.parquet" for k in (1, 2)]
    write(paths[0], row(0), row(1))
    write(paths[1], row(0, instance=2), row(1, instance=2))
    places = {path: PLACE._replace(instances=(k,)) for k, path in enumerate(paths, start=1)}
    expected = {(1, 2, instance, run) for instance in (1, 2) for run in (0, 1)}
    collect("a", places, expected, output)
    assert read_runs([output]).num_rows == 4
    assert not any(journal_path(path).exists() for path in paths)
    facts = open_record(output).facts
    assert facts["collected"]["key"] == [KEY]
    assert facts["records"] == [
        {"path": f"../{k}.parquet", "key": KEY, "checksum": open_record(path).checksum}
        for k, path in enumerate(paths, start=1)
    ]


@pytest.mark.parametrize(
    ("runs", "line"),
    [
        ([0], "f1 D=2 instance 1 run 1: missing"),
        ([0, 1, 2], "f1 D=2 instance 1 run 2: not part of the campaign"),
    ],
)
def test_collecting_refuses_what_is_incomplete_or_foreign(record, output, row, write, runs, line):
    write(record, *map(row, runs))
    assert refusal({record: PLACE}, output) == (line,)


def test_collecting_refuses_a_run_that_is_there_twice(tmp_path, output, row, write):
    paths = [tmp_path / f"{k}.parquet" for k in (1, 2)]
    for path in paths:
        write(path, row(0))
    (line,) = refusal(dict.fromkeys(paths, PLACE), output)
    assert line == f"{paths[1]}: f1 D=2 instance 1 run 0 is there twice; {store.MEND}"


def test_collecting_refuses_runs_with_another_budget_than_the_campaign(record, output, row, write):
    budget = {"budget": {"time_s": 1.0}}
    write(record, *(row(run, budget_s=1.005, wall_s=0.9) for run in (0, 1)), campaign=budget)
    (line, *_) = refusal({record: PLACE}, output)
    assert "it holds a run with T = 1.005 s, and its campaign has 1 s" in line


@pytest.mark.parametrize(
    ("change", "clause"),
    [
        ({"key": "cd" * 32}, f"its key is {KEY}"),
        ({"instances": (2, 3)}, "it holds f1 D=2 instance 1 of a in round 1"),
        ({"algorithm": "b"}, "it holds f1 D=2 instance 1 of a in round 1"),
        ({"round": 2}, "it holds f1 D=2 instance 1 of a in round 1"),
    ],
)
def test_collecting_refuses_another_record_under_this_name(
    record, output, row, write, change, clause
):
    write(record, row(0), row(1))
    (line,) = refusal({record: PLACE._replace(**change)}, output)
    assert line.startswith(f"{record}: not the record of this name: {clause};")


def test_collecting_names_all_that_is_damaged(tmp_path, output, row, write):
    paths = [tmp_path / f"{k}.parquet" for k in (1, 2, 3)]
    for path in paths:
        write(path, row(0))
    os.truncate(paths[0], 100)
    paths[2].write_text("hello")
    lines = refusal(dict.fromkeys(paths, PLACE), output)
    assert [line.partition(": ")[0] for line in lines] == [str(paths[0]), str(paths[2])]


def test_collecting_records_of_two_machines_needs_consent(tmp_path, output, row, write):
    paths = [tmp_path / f"{k}.parquet" for k in (1, 2)]
    for run, path in enumerate(paths):
        write(path, row(run), machine={"cpu": f"Z{run}"})
    places = dict.fromkeys(paths, PLACE)
    (line,) = refusal(places, output)
    assert line.startswith("runs of 2 machines: Z0 with")
    assert line.endswith("or set statistics.mixed: allow")
    collect("a", places, EXPECTED, output, allow_mixed=True)
    assert read_runs([output]).num_rows == 2


CAMPAIGN = {
    "name": "test", "seed": 1, "problems": {"suite": "bbob", "functions": [1], "parameters": {}},
    "algorithms": {"a": {"use": "x:y"}, "b": {"use": "x:z"}}, "budget": {"time_s": 1.0},
    "restart": {"policy": "none"}, "tables": ["ert"],
}  # fmt: skip
MACHINE = {"cpu": "Z80", "cores": 2, "memory_mb": 16_000.0, "versions": {"numpy": "2.3"}}
FACTS = {"campaign": CAMPAIGN, "key": KEY, "code": "c0", "machine": MACHINE}


def origins(*facts: dict) -> integrity.Origins:
    found = integrity.Origins()
    for one in facts:
        found.add(one)
    return found


@pytest.mark.parametrize(
    ("change", "clause"),
    [
        ({"code": "c1"}, "a: runs of 2 versions of its code"),
        (
            {"campaign": CAMPAIGN | {"algorithms": {"a": {"use": "x:w"}}}},
            "algorithms.a.use x:w and x:y",
        ),
        ({"campaign": CAMPAIGN | {"restart": {"policy": "luby"}}}, "restart.policy luby and none"),
        ({"campaign": CAMPAIGN | {"isolation": "private"}}, "isolation private and shared"),
        ({"machine": MACHINE | {"python": "3.12.1"}}, "runs with python 3.12 and unknown"),
        ({"machine": MACHINE | {"cpu": None}}, "runs of 2 machines: Z80 with 2 cores and 16 GB; "),
    ],
)
def test_what_may_not_differ_within_an_algorithm(change, clause):
    (line,) = integrity.mixed({"a": origins(FACTS, FACTS | change)})
    configurations = "a: runs of 2 configurations: " if "campaign" in change else ""
    assert line.startswith(configurations + clause)


@pytest.mark.parametrize(
    ("change", "clause"),
    [
        ({"campaign": CAMPAIGN | {"budget": {"time_s": 2.0}}}, "budget.time_s 1.0 and 2.0"),
        ({"campaign": CAMPAIGN | {"seed": 2, "limits": {"wall_s": 9}}},
         "limits.wall_s 9 and none; seed 1 and 2"),
        ({"campaign": CAMPAIGN | {"problems": {"suite": "pbo"}}}, "problems.suite bbob and pbo"),
        ({"campaign": CAMPAIGN | {"timing": {"perturbed": "repeat", "repeats": 2}}},
         "timing.repeats 0 and 2"),
        ({"campaign": CAMPAIGN | {"timing": {"reference": False}}},
         "timing.reference false and true"),
        ({"machine": MACHINE | {"cores": 4}}, "runs of 2 machines: Z80 with 2 cores and 16 GB; Z"),
        ({"machine": MACHINE | {"versions": {"numpy": "2.4"}}}, "runs with numpy 2.3 and 2.4"),
    ],
)  # fmt: skip
def test_what_may_not_differ_between_algorithms(change, clause):
    configurations = "runs of 2 configurations: " if "campaign" in change else ""
    for together in (
        {"a": origins(FACTS), "b": origins(FACTS | change)},
        {"a": origins(FACTS, FACTS | change)},  # one line, not another for the algorithm
    ):
        (line,) = integrity.mixed(together)
        assert line.startswith(configurations + clause)


MONDAY, WEDNESDAY = (datetime(2026, 11, day, 12, tzinfo=UTC) for day in (2, 4))


def on(hostname: str) -> dict:
    return {"machine": MACHINE | {"hostname": hostname}}


def hosts(**labels: list[tuple]) -> dict[str, integrity.Origins]:
    found = {label: integrity.Origins() for label in labels}
    for label, measured in labels.items():
        for hostname, *times in measured:
            runs = [{"started_utc": time} for time in times]
            found[label].started(on(hostname), pa.Table.from_pylist(runs, RUN_SCHEMA))
    return found


def test_seconds_of_two_machines_are_said_with_their_days():
    apart = hosts(a=[("n1", MONDAY)], b=[("n2", WEDNESDAY)])
    assert integrity.several_hosts(apart) == (
        "Seconds come from 2 machines (n1, 2026-11-02: a; n2, 2026-11-04: b). They did not all "
        "measure the same algorithms, so a difference in seconds may be one of the machines."
    )
    both = [("n1", MONDAY), ("n2", MONDAY, None, WEDNESDAY)]
    assert integrity.several_hosts(hosts(a=both, b=both)) == (
        "Seconds come from 2 machines (n1, 2026-11-02: a, b; n2, 2026-11-02 to 2026-11-04: a, b)."
    )
    of_files = {label: origins({"collected": vars(one)}) for label, one in apart.items()}
    assert integrity.several_hosts(of_files) == integrity.several_hosts(apart)


def test_a_collected_file_has_the_machines_of_its_records(tmp_path, output, row, write):
    paths = [tmp_path / f"{k}.parquet" for k in (1, 2)]
    for run, (path, time) in enumerate(zip(paths, (MONDAY, WEDNESDAY), strict=True)):
        runs = row(run, round=run + 1, started_utc=time)
        write(path, runs, campaign={"block": "node"}, **on(f"n{run}"))
    places = {path: PLACE._replace(round=k) for k, path in enumerate(paths, start=1)}
    collect("a", places, EXPECTED, output)
    named = open_record(output).facts["collected"]["hosts"]
    said = [(host["name"], host["first"][:10], host["round"]) for host in named]
    assert said == [("n0", "2026-11-02", 1), ("n1", "2026-11-04", 2)]
    said = integrity.several_hosts(Runs.read([output]).origins)
    assert "2 machines" in said
    assert integrity.several_hosts(Runs.read(paths).origins) == said


@pytest.mark.parametrize(
    "changes",
    [
        {},
        {"restart": {"policy": "fixed", "tau_evaluations": 9}},
        {"isolation": "shared"},
        {"timing": {"perturbed": "repeat", "repeats": 3}},
        {"budget": {"evaluations": 10}, "timing": {"reference": True}},
    ],
)
def test_a_campaign_says_the_same_in_its_records(changes):
    plain, own = {"use": "timefair:random-search"}, {"restart": {"policy": "none"}}
    own |= {"isolation": "shared"}
    asked = {"algorithms": {"plain": plain, "own": plain | own}, "budget": {"time_s": 1.0}}
    campaign = configuration.parse(SMALL | asked | changes)
    recorded = json.loads(campaign.snapshot())
    for label in campaign.algorithms:
        policy = campaign.restart_of(label).model_dump(mode="json")
        assert integrity.setting_of(recorded, label, "restart") == policy
        assert integrity.setting_of(recorded, label, "isolation") == campaign.isolation_of(label)
    assert integrity.timing_of(recorded) == {
        "repeats": campaign.timing.most_repeats,
        "reference": campaign.reference_is_timed,
    }


@pytest.fixture
def damaged_record(record, row, write):
    write(record, row(0), row(1, instance=2, message="slow", f_opt=None))
    return record


def complaint(path: Path) -> str:
    (line,) = refused(lambda: open_record(path).read())
    assert line.startswith(f"{path}: ")
    assert "\n" not in line
    return line


def edit(path: Path, change=lambda table: table, facts: dict | None = None) -> None:
    """Change the runs in a file, or its facts, and write it with all else as it was."""
    metadata = pq.read_metadata(path).metadata
    if facts is not None:
        metadata[b"timefair"] = json.dumps(facts).encode()
    table = change(pq.read_table(path))
    pq.write_table(table.replace_schema_metadata(metadata), path)


@pytest.mark.slow
def test_truncated_anywhere(damaged_record):
    data = damaged_record.read_bytes()
    for length in range(0, len(data), 10):
        damaged_record.write_bytes(data[:length])
        assert "delete it and start snakemake again" in complaint(damaged_record)


@pytest.mark.parametrize("name", ["best_f", "run", "f_opt", "message", "seed", "started_utc"])
def test_an_edited_value(damaged_record, name):
    other = {"message": "fast", "started_utc": 5}.get(name, 3)

    def change(table: pa.Table) -> pa.Table:
        values = [other, *table[name].to_pylist()[1:]]
        place, kind = table.schema.get_field_index(name), RUN_SCHEMA.field(name).type
        return table.set_column(place, name, pa.array(values, kind))

    edit(damaged_record, change)
    assert f"column {name}" in complaint(damaged_record) or "2 columns" in complaint(damaged_record)


@pytest.mark.parametrize("name", ["time_s", "precision", "evaluations"])
def test_an_edited_event_is_found_by_all_who_read_it(damaged_record, name):
    def change(table: pa.Table) -> pa.Table:
        rows = table.to_pylist()
        rows[1]["events"][2][name] = 9
        return pa.Table.from_pylist(rows, schema=RUN_SCHEMA)

    edit(damaged_record, change)
    assert f"column events.list.element.{name} is not as measured" in complaint(damaged_record)
    with pytest.raises(InputError, match="not as measured"):
        Runs.read([damaged_record]).traces.together()


def test_a_run_that_was_taken_out_put_in_or_moved(damaged_record):
    table = pq.read_table(damaged_record)
    for other in (table.slice(1), pa.concat_tables([table, table]), table.take([1, 0])):
        edit(damaged_record, lambda _, other=other: other)
        assert "not as measured" in complaint(damaged_record)
    edit(damaged_record, lambda _: table.slice(0, 0))
    assert any(words in complaint(damaged_record) for words in ("are gone", "not as measured"))


@pytest.mark.parametrize("version", [1, 999, "2", None])
def test_another_schema_version_is_refused_not_guessed(damaged_record, version):
    edit(damaged_record, facts={"schema_version": version})
    line = complaint(damaged_record)
    assert f"schema version {version}, and this timefair reads" in line


def test_loading_names_every_file_that_is_damaged(damaged_record, tmp_path):
    others = [tmp_path / name for name in ("x.parquet", "y.parquet")]
    for other in others:
        other.write_text("hello")
    lines = refused(Runs.read, [others[0], damaged_record, others[1]])
    assert [line.partition(":")[0] for line in lines] == list(map(str, others))


flips = st.lists(
    st.tuples(st.floats(0, 1, exclude_max=True), st.integers(1, 255)), min_size=1, max_size=8
)
often = settings(
    max_examples=3 * settings.default.max_examples,
    deadline=None,
    suppress_health_check=[HealthCheck.function_scoped_fixture],
)


def flipped(data: bytes, places: list[tuple[float, int]]) -> bytes:
    damaged = bytearray(data)
    for place, change in places:
        damaged[int(place * len(data))] ^= change
    return bytes(damaged)


@pytest.fixture
def whole(damaged_record):
    opened = open_record(damaged_record)
    return damaged_record.read_bytes(), opened, opened.read()


@pytest.mark.slow
@given(places=flips)
@often
def test_flipped_bytes_of_a_record_are_found_or_harmless(damaged_record, whole, places):
    data, before, runs = whole
    damaged_record.write_bytes(flipped(data, places))
    try:
        after = open_record(damaged_record)
        assert after.read().equals(runs)
        assert after.facts == before.facts
    except InputError as error:
        (line,) = error.faults
        assert line.startswith(f"{damaged_record}: ")
        assert "\n" not in line


@pytest.mark.slow
@given(places=flips)
@often
def test_flipped_bytes_of_a_journal_lose_runs_and_change_none(damaged_record, places):
    data = journal_path(damaged_record).read_bytes()
    kept = store.read_journal(data).runs
    for run, batch in store.read_journal(flipped(data, places)).runs.items():
        assert batch.equals(kept[run])


EVENTS = [(0, 1, 0.1, 5.0), (0, 4, 0.1, 3.0), (1, 9, 0.6, 0.5)]
LAUNCHES = [(0.0, 0.5, 6, 3.0), (0.5, 0.9, 4, 0.5)]
LAUNCH_EVENTS = [(1, 7, 0.5, 9.0), (1, 8, 0.55, 3.5)]
BATCHES = [(1, 2, 3), (8, 2, 1)]
RUN = {
    "budget_s": 1.0, "budget_evaluations": 10, "wall_s": 0.9, "real_s": 0.9,
    "charged_s": 0.0, "reaped_s": 0.95, "evaluations": 10,
    "launches": 2, "f_opt": 2.0, "best_f": 2.5, "best_precision": 0.5, "last_evaluation_s": 0.9,
    "constraint_evaluations": None,
}  # fmt: skip


LOGS = {
    "events": (("launch", "evaluations", "time_s", "precision"), EVENTS),
    "launch_log": (("start_s", "end_s", "evaluations", "best_precision"), LAUNCHES),
    "launch_events": (("launch", "evaluations", "time_s", "precision"), LAUNCH_EVENTS),
    "batches": (consistency.BATCH_FIELDS, BATCHES),
    "vectors": (("launch", "evaluations", "time_s", "outputs"), None),
}


def found(run=None, **changed) -> str | None:
    logs = {}
    for log, (names, rows) in LOGS.items():
        if (rows := changed.get(log, rows)) is not None:
            logs[log] = [dict(zip(names, row, strict=True)) for row in rows]
    return consistency.contradiction(RUN | (run or {}) | logs)


def with_row(log: str, place: int, **fields) -> dict:
    names, rows = LOGS[log]
    changed = dict(zip(names, rows[place], strict=True)) | fields
    return {log: [*rows[:place], tuple(changed.values()), *rows[place + 1 :]]}


with_event = partial(with_row, "events")
with_launch = partial(with_row, "launch_log")
with_launch_event = partial(with_row, "launch_events")
with_batch = partial(with_row, "batches")


def test_a_run_that_can_be():
    assert found() is None
    assert found({"budget_s": None, "budget_evaluations": None}) is None
    assert found({"f_opt": None, "best_f": 0.5}) is None


@pytest.mark.parametrize(
    "changes",
    [
        {"run": {"wall_s": -0.07}},
        {"run": {"wall_s": 1.1}},
        {"run": {"reaped_s": 0.8}},
        {"run": {"reaped_s": None}},
        {"run": {"reaped_s": 0.8, "real_s": 0.9, "charged_s": 0.2}},
        {"run": {"reaped_s": 0.3, "real_s": 0.2, "charged_s": 0.5}},
        {"run": {"charged_s": -0.1}},
        {"run": {"evaluations": -1}},
        {"run": {"budget_evaluations": 9}},
        {"run": {"launches": 3}},
        {"run": {"best_f": 2.4}},
        {"run": {"last_evaluation_s": 5.0}},
        {"run": {"constraint_evaluations": 11}},
        {"events": []},
        with_event(0, time_s=-0.1),
        with_event(1, time_s=0.05),
        with_event(2, time_s=0.95),
        {"run": {"wall_s": 1.0, "reaped_s": 1.1}, **with_event(2, time_s=1.0)},
        with_event(1, precision=5.0),
        with_event(0, precision=np.inf),
        with_event(1, evaluations=0),
        with_event(2, evaluations=11),
        with_event(2, launch=2),
        {"run": {"launches": 0}, "launch_log": []},
        with_launch(0, start_s=-0.1),
        with_launch(1, end_s=0.95),
        with_launch(0, evaluations=7),
        {"launch_log": [(0.0, 0.5, -1, 3.0), (0.5, 0.9, 11, 0.5)]},
        with_launch(1, best_precision=0.7),
        with_event(1, time_s=0.55),
        with_event(2, launch=0),
        with_launch(0, best_precision=3.5),
        with_batch(0, count=0),
        with_batch(1, first=6),
        with_batch(1, size=3),
        with_launch_event(0, launch=2),
        with_launch_event(1, launch=0),
        with_launch_event(1, evaluations=6),
        with_launch_event(1, evaluations=11),
        with_launch_event(0, time_s=0.4),
        with_launch_event(0, time_s=0.57),
        with_launch_event(1, precision=9.0),
        with_launch_event(1, precision=2.9),
        with_launch_event(0, precision=0.4),
        {
            "launch_events": [(65, 9, 0.9, 9.0)],
            "run": {"launches": 66},
            "launch_log": [*LAUNCHES, *[(0.9, 0.9, 0, 9.0)] * 64],
        },
    ],
    ids=str,
)
def test_a_run_that_cannot_be(changes):
    assert found(**changes)


VECTORS = [(0, 1, 0.1, [5, 1]), (0, 4, 0.1, [3, 1]), (0, 5, 0.2, [4, 0]), (1, 9, 0.6, [0.5, 2])]


def test_evaluations_of_several_threads_can_end_at_the_same_number_of_evaluations():
    events = [(0, 1, 0.1, 5.0), (0, 4, 0.2, 3.0), (1, 9, 0.6, 0.75), (1, 9, 0.6, 0.5)]
    assert found(events=events) is None
    assert found(**with_launch_event(1, evaluations=7)) is None
    assert found(events=events, vectors=[*VECTORS, (1, 9, 0.7, [1, 1])]) is None


def test_a_precision_is_below_0_if_the_best_value_is_below_the_optimum():
    below = {"best_f": 1.0, "best_precision": -1.0}
    assert "does not give the best precision" not in found(below)
    events = [*EVENTS[:2], (1, 9, 0.6, -1.0)]
    assert (
        found(below, events=events, vectors=VECTORS)
        == "no launch has the best precision of the run"
    )
    for wrong in ({"best_f": 1.5}, {"best_f": 2.0 - 1e-12, "best_precision": -1e-12}):
        assert "does not give the best precision" in found(below | wrong)
    clamped = {"best_f": 1.0, "best_precision": 0.0}
    assert "does not give the best precision" in found(clamped)


@pytest.mark.parametrize(
    ("vectors", "clause"),
    [
        ([*VECTORS[:3], (1, 9, 0.6, [np.inf, 1])], "a vector has a number that is not finite"),
        (VECTORS[:3], "an event belongs to no vector"),
        ([(0, 0, 0.0, [9, 9]), *VECTORS], "a vector belongs to no evaluation of the run"),
        ([*VECTORS, (1, 11, 0.7, [9, 9])], "a vector belongs to no evaluation of the run"),
        ([*VECTORS, (1, 10, 0.5, [9, 9])], "a vector is out of order"),
        ([*VECTORS[:3], (0, 4, 0.2, [9, 9]), VECTORS[3]], "a vector is out of order"),
        ([*VECTORS, (1, 10, 0.95, [9, 9])], "a vector is not from the time of the run"),
        ([*VECTORS, (2, 10, 0.7, [9, 9])], "a vector belongs to a launch that was not begun"),
    ],
)
def test_vectors_that_cannot_be(vectors, clause):
    assert found(vectors=vectors) == clause
