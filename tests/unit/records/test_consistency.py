"""A run that contradicts itself is found when it is collected and by verify, and named."""

from functools import partial

import numpy as np
import pytest

from timefair.records.consistency import (
    BATCH_FIELDS,
    EVENT_FIELDS,
    LAUNCH_FIELDS,
    VECTOR_FIELDS,
    contradiction,
)

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
    "events": (EVENT_FIELDS, EVENTS),
    "launches": (LAUNCH_FIELDS, LAUNCHES),
    "launch_events": (EVENT_FIELDS, LAUNCH_EVENTS),
    "batches": (BATCH_FIELDS, BATCHES),
}


def found(run=None, **changed) -> str | None:
    """The contradiction of `RUN`, with other columns and other rows of its `LOGS`."""

    def columns(log):
        names, rows = LOGS[log]
        values = np.array(changed.get(log, rows), dtype=float).reshape(-1, len(names)).T
        return dict(zip(names, values, strict=True))

    return contradiction(RUN | (run or {}), *map(columns, LOGS))


def with_row(log: str, place: int, **fields) -> dict:
    """The rows of a log, one of them with other fields."""
    names, rows = LOGS[log]
    changed = dict(zip(names, rows[place], strict=True)) | fields
    return {log: [*rows[:place], tuple(changed.values()), *rows[place + 1 :]]}


with_event = partial(with_row, "events")
with_launch = partial(with_row, "launches")
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
        {"run": {"reaped_s": 0.8, "real_s": None, "charged_s": None}},
        {"run": {"reaped_s": 0.8, "real_s": 0.9, "charged_s": 0.2}},
        {"run": {"real_s": -0.1, "charged_s": 1.0}},
        {"run": {"reaped_s": 0.3, "real_s": 0.2, "charged_s": 0.5}},
        {"run": {"charged_s": -0.1}},
        {"run": {"evaluations": -1}},
        {"run": {"evaluations": None}},
        {"run": {"evaluations": None, "wall_s": None}},
        {"run": {"evaluations": 11}},
        {"run": {"budget_evaluations": 9}},
        {"run": {"launches": 3}},
        {"run": {"best_f": 2.4}},
        {"run": {"best_f": None}},
        {"run": {"best_precision": 0.4, "best_f": 2.4}},
        {"run": {"last_evaluation_s": -1.0}},
        {"run": {"last_evaluation_s": 5.0}},
        {"run": {"constraint_evaluations": -1}},
        {"run": {"constraint_evaluations": 11}},
        {"events": []},
        with_event(0, time_s=-0.1),
        with_event(1, time_s=0.05),
        with_event(2, time_s=0.95),
        {"run": {"wall_s": 1.0, "reaped_s": 1.1}, **with_event(2, time_s=1.0)},
        with_event(1, precision=5.0),
        with_event(1, precision=np.nan),
        with_event(0, precision=np.inf),
        with_event(1, evaluations=0),
        with_event(0, evaluations=0),
        with_event(2, evaluations=11),
        with_event(2, launch=2),
        with_event(0, launch=-1),
        {"run": {"launches": 0}, "launches": []},
        with_launch(0, start_s=-0.1),
        with_launch(1, start_s=0.95),
        with_launch(1, end_s=0.95),
        with_launch(0, evaluations=7),
        {"launches": [(0.0, 0.5, -1, 3.0), (0.5, 0.9, 11, 0.5)]},
        with_launch(1, best_precision=0.7),
        with_event(1, time_s=0.55),
        with_event(1, launch=1),
        with_event(2, launch=0),
        with_launch(0, best_precision=3.5),
        with_batch(0, first=-1),
        with_batch(0, count=0),
        with_batch(1, size=0),
        with_batch(1, first=6),
        with_batch(1, size=3),
        with_launch_event(0, launch=2),
        with_launch_event(0, launch=-1),
        with_launch_event(1, launch=0),
        with_launch_event(0, evaluations=0),
        with_launch_event(1, evaluations=6),
        with_launch_event(1, evaluations=11),
        with_launch_event(0, time_s=0.4),
        with_launch_event(0, time_s=0.57),
        with_launch_event(1, time_s=0.95),
        with_launch_event(1, precision=9.0),
        with_launch_event(0, precision=np.nan),
        with_launch_event(0, precision=np.inf),
        with_launch_event(1, precision=2.9),
        with_launch_event(0, precision=0.4),
        {
            "events": [(0, 1, 0.1, 5.0), (0, 8, 0.1, 3.0), (1, 9, 0.6, 0.5)],
            **with_launch_event(0, precision=4.5),
        },
        {
            "launch_events": [(65, 9, 0.9, 9.0)],
            "run": {"launches": 66},
            "launches": [*LAUNCHES, *[(0.9, 0.9, 0, 9.0)] * 64],
        },
    ],
    ids=str,
)
def test_a_run_that_cannot_be(changes):
    assert found(**changes)


VECTORS = [(0, 1, 0.1, 1), (0, 4, 0.1, 1), (0, 5, 0.2, 1), (1, 9, 0.6, 1)]
"""Launch, evaluations, seconds and whether all numbers are finite."""


def found_with(vectors, run=None, events=EVENTS) -> str | None:
    """The contradiction of `RUN` with vectors."""
    names = (*VECTOR_FIELDS, "finite")
    columns = dict(zip(names, np.array(vectors, dtype=float).reshape(-1, 4).T, strict=True))
    logs = []
    for log, (fields, rows) in LOGS.items():
        values = events if log == "events" else rows
        logs.append(dict(zip(fields, np.array(values, dtype=float).T, strict=True)))
    return contradiction(RUN | (run or {}), *logs, columns | {"finite": columns["finite"] == 1})


def test_evaluations_of_several_threads_can_end_at_the_same_number_of_evaluations():
    events = [(0, 1, 0.1, 5.0), (0, 4, 0.2, 3.0), (1, 9, 0.6, 0.75), (1, 9, 0.6, 0.5)]
    assert found(events=events) is None
    assert found(**with_launch_event(1, evaluations=7)) is None
    assert found_with([*VECTORS, (1, 9, 0.7, 1)], events=events) is None


def test_a_precision_is_below_0_if_the_best_value_is_below_the_optimum():
    below = {"best_f": 1.0, "best_precision": -1.0}
    assert "does not give the best precision" not in found(below)
    events = [*EVENTS[:2], (1, 9, 0.6, -1.0)]
    assert found_with(VECTORS, below, events) == "no launch has the best precision of the run"
    for wrong in ({"best_f": 1.5}, {"best_f": 2.0 - 1e-12, "best_precision": -1e-12}):
        assert "does not give the best precision" in found(below | wrong)
    clamped = {"best_f": 1.0, "best_precision": 0.0}
    assert "does not give the best precision" in found(clamped)


@pytest.mark.parametrize(
    ("vectors", "clause"),
    [
        ([*VECTORS[:3], (1, 9, 0.6, 0)], "a vector has a number that is not finite"),
        (VECTORS[:3], "an event belongs to no vector"),
        ([(0, 0, 0.0, 1), *VECTORS], "a vector belongs to no evaluation of the run"),
        ([*VECTORS, (1, 11, 0.7, 1)], "a vector belongs to no evaluation of the run"),
        ([*VECTORS, (1, 10, 0.5, 1)], "the vectors are out of order"),
        ([*VECTORS[:3], (0, 4, 0.2, 1), VECTORS[3]], "the vectors are out of order"),
        ([*VECTORS, (1, 10, 0.95, 1)], "a vector is not from the time of the run"),
        ([*VECTORS, (2, 10, 0.7, 1)], "a vector belongs to a launch that was not begun"),
    ],
)
def test_vectors_that_cannot_be(vectors, clause):
    assert found_with(vectors) == clause
