"""How far two runs are compared, and which difference is the first."""

from typing import Any

import pytest

from timefair.extensions.reproduce.verdict import likeness


def launch(start_s: float, end_s: float, evaluations: int, end: str = "returned") -> dict[str, Any]:
    return {
        "start_s": start_s, "end_s": end_s, "evaluations": evaluations, "best_precision": 1.0,
        "end": end,
    }  # fmt: skip


def run(*events: tuple[int, int, float], **changes: Any) -> dict[str, Any]:
    """A run of 100 evaluations with events (launch, evaluations, precision)."""
    row = {
        "status": "ok", "stop_reason": "evaluations", "message": None, "evaluations": 100,
        "launches": 1, "completed_restarts": 0, "wall_s": 1.0, "best_f": 1.0,
        "best_precision": 1.0, "best_x": [0.5], "batches": [],
        "launch_log": [launch(0, 1, 100, "cut")],
        "events": [
            {"launch": k, "evaluations": n, "precision": p, "time_s": n / 100} for k, n, p in events
        ],
    }  # fmt: skip
    return row | changes


START = ((0, 1, 9.0), (0, 5, 4.0), (0, 50, 1.0))


def test_equal_runs_are_compared_in_full_without_their_times():
    slower = run(*START, wall_s=7.0)
    for event in slower["events"]:
        event["time_s"] *= 7
    found = likeness(run(*START), slower, launches_by_clock=False)
    assert found == (found.__class__)(100, 3, True, None)


@pytest.mark.parametrize(
    ("other", "event", "shown"),
    [
        ((*START[:2], (0, 51, 1.0)), "event 3", "launch 0, evaluation 51, precision 1.0, at 0.51"),
        ((*START[:1], (1, 5, 4.0), START[2]), "event 2", "launch 1, evaluation 5, precision 4.0"),
        (((0, 1, 9.000000000000002), *START[1:]), "event 1", "precision 9.000000000000002, at"),
        (START[:2], "event 3", "no further event"),
    ],
)
def test_the_first_event_that_differs_is_shown(other, event, shown):
    difference = likeness(run(*START), run(*other), launches_by_clock=False).difference
    assert difference is not None
    assert difference.what == event
    assert shown in difference.again
    assert difference.recorded.startswith("launch 0, evaluation")


@pytest.mark.parametrize(
    ("change", "what"),
    [
        ({"launch_log": [launch(0, 1, 100, "returned")]}, "launch 0"),
        ({"launch_log": [launch(0, 0, 60), launch(0, 1, 40, "cut")]}, "launch 0"),
        ({"best_x": [0.5000000000000001]}, "best_x"),
        ({"evaluations": 99}, "evaluations"),
        ({"stop_reason": "algorithm_ended"}, "stop_reason"),
        ({"batches": [{"first": 0, "size": 4, "count": 25}]}, "batches"),
    ],
)
def test_what_differs_besides_events(change, what):
    difference = likeness(run(*START), run(*START, **change), launches_by_clock=False).difference
    assert difference is not None
    assert difference.what == what


TIMED = {"stop_reason": "time"}


def test_with_seconds_the_common_evaluations_are_compared():
    short = run(*START[:2], evaluations=40, **TIMED)
    found = likeness(short, run(*START, **TIMED), launches_by_clock=False)
    assert (found.evaluations, found.events, found.in_full) == (40, 2, False)
    assert found.difference is None


def test_a_shorter_run_that_the_clock_did_not_end_is_different():
    ended = run(*START[:2], evaluations=40, stop_reason="algorithm_ended")
    difference = likeness(ended, run(*START, **TIMED), launches_by_clock=False).difference
    assert difference == ("end", "algorithm_ended, 40 evaluations", "time, 100 evaluations")
    longer = run(*START, stop_reason="algorithm_ended")
    cut = run(*START[:2], evaluations=40, **TIMED)
    assert likeness(longer, cut, launches_by_clock=False).difference is None


def changed_after(evaluations: int, *events: tuple[int, int, float]) -> dict[str, Any]:
    """A run whose problem changed after so many evaluations, by the clock."""
    rows = [(1, 0.0), (3, 0.0), (evaluations + 1, 1.0), (90, 2.0)]
    vectors = [{"launch": 0, "evaluations": n, "outputs": [9.0, e]} for n, e in rows]
    return run(*events, stop_reason="time", vectors=vectors)


def test_of_problems_that_change_after_seconds_the_first_environment_is_compared():
    one = changed_after(20, (0, 1, 9.0), (0, 3, 8.0), (0, 21, 5.0))
    other = changed_after(30, (0, 1, 9.0), (0, 3, 8.0), (0, 20, 7.0), (0, 31, 5.0))
    found = likeness(one, other, launches_by_clock=False, changes_by_clock=True)
    assert found == (found.__class__)(19, 2, False, None)  # evaluation 20 was outdated in one
    different = changed_after(30, (0, 1, 9.0), (0, 3, 8.5), (0, 31, 5.0))
    found = likeness(one, different, launches_by_clock=False, changes_by_clock=True)
    assert found.difference is not None
    assert found.difference.what == "event 2"
