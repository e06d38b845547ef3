"""A recorded run repeats; a changed byte, parameter, seed, version or code is found and named."""

from pathlib import Path

import pytest

from timefair.extensions.reproduce.chosen import chosen_run
from timefair.extensions.reproduce.verdict import NOTHING, Verdict, replay

WANTED = {"instance": 2, "run": 1}


def replayed(path: Path, wanted: dict[str, int] = WANTED) -> tuple[Verdict, list[str]]:
    verdict = replay(chosen_run(path, wanted))
    return verdict, list(verdict.lines())


def of_topic(lines: list[str], topic: str) -> list[str]:
    return [line for line in lines if line.split()[0] == topic]


@pytest.mark.slow
def test_a_run_repeats_bit_for_bit(record):
    verdict, lines = replayed(record)
    extent = f"{len(verdict.recorded.row['events'])} events in 300 evaluations"
    assert verdict.same
    assert lines == [f"{verdict.recorded}: identical, bit for bit: {extent}", NOTHING]


@pytest.mark.slow
def test_a_run_repeats_with_the_length_of_its_launches(measured_record, tmp_path):
    (tmp_path / "own.py").write_text(
        "def solve(objective, rng, Max_iter):\n"
        "    for t in range(Max_iter):\n"
        "        objective(rng.uniform(objective.lower, objective.upper) * (1 - t / Max_iter))\n"
    )
    spec = {"use": f"{tmp_path / 'own.py'}:solve", "schedule": {"Max_iter": {"launches": 3}}}
    verdict, lines = replayed(measured_record(algorithms={"own": spec}))
    assert verdict.recorded.length == 100
    assert (verdict.same, lines[-1]) == (True, NOTHING)


@pytest.mark.slow
def test_an_edited_event_is_shown_beside_the_measured_one(forged):
    def edit(rows, _):
        rows[-1]["events"][3]["precision"] *= 0.5

    verdict, (first, recorded, again, *_) = replayed(forged(edit))
    events = verdict.recorded.row["events"], verdict.again["events"]
    assert not verdict.same
    assert first == "f8 D=3 instance 2 run 1 of de: different, event 4 first"
    assert recorded.startswith("  event 4, recorded: launch 0, ")
    assert f"precision {events[0][3]['precision']!r}, at" in recorded
    assert f"precision {events[1][3]['precision']!r}, at" in again


@pytest.mark.slow
def test_an_edited_parameter_gives_other_events_and_another_key(forged):
    def edit(_, facts):
        facts["campaign"]["algorithms"]["de"]["parameters"]["F"] = 0.7

    verdict, lines = replayed(forged(edit))
    assert not verdict.same
    assert "key of the configuration: " in lines[-1]


@pytest.mark.slow
def test_an_edited_seed_and_other_versions_are_named(forged):
    def edit(_, facts):
        facts["campaign"]["seed"] += 1
        for where, package in (("versions", "numpy"), ("packages", "pandas")):
            assert facts["machine"][where][package]
            facts["machine"][where][package] = "0.0.1"

    verdict, lines = replayed(forged(edit))
    assert not verdict.same
    assert of_topic(lines, "seed")
    software = " ".join(of_topic(lines, "software"))
    assert "numpy: 0.0.1 recorded, " in software
    assert "pandas: 0.0.1 recorded, " in software


@pytest.mark.slow
def test_with_seconds_the_common_evaluations_agree(measured_record):
    record = measured_record(budget={"time_s": 1.3}, runs=1)  # longer than a stall
    verdict, lines = replayed(record, {"instance": 2})
    assert verdict.same
    assert not verdict.likeness.in_full
    assert verdict.likeness.evaluations > 0
    assert "identical as far as the clock allows" in lines[0]
    for line, start in zip(lines[1:3], ("  run, recorded: ok", "  run, again:    ok"), strict=True):
        assert line.startswith(start)
        assert ", ended by time" in line


# --- The command -----------------------------------------------------------------------------

SEARCH = {
    "space": {"F": {"float": [0.3, 0.9]}},
    "tuner": "random",
    "budget_s": 9,
    "on": {"functions": 1, "dimensions": 3, "instances": 51},
}


def as_if_tuned(rows, facts):
    """The run of `de` is that of a variant of `plain`, whose search has found its parameters."""
    spec = facts["campaign"]["algorithms"]["de"]
    facts["campaign"]["algorithms"] = {
        "plain": {**spec, "parameters": {}, "tune": SEARCH},
        "de": {**spec, "tuned": "plain"},
    }
    facts["key"] = "0" * 64


@pytest.mark.slow
def test_a_tuned_variant_is_replayed_with_the_parameters_that_were_found(forged):
    path = forged(as_if_tuned)
    verdict, lines = replayed(path)
    assert verdict.same
    assert of_topic(lines, "parameters") == []
