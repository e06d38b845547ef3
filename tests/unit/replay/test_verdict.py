"""A recorded run repeats; a changed byte, parameter, seed, version or code is found and named."""

from __future__ import annotations

import json
from pathlib import Path

import pytest

from timefair import cli
from timefair.basics.errors import InputError
from timefair.replay.chosen import chosen_run
from timefair.replay.verdict import NOTHING, Verdict, replay

WANTED = {"instance": 2, "run": 1}


def replayed(path: Path, claimed: Path | None = None) -> tuple[Verdict, list[str]]:
    verdict = replay(chosen_run(path, WANTED), claimed)
    return verdict, list(verdict.lines())


def of_topic(lines: list[str], topic: str) -> list[str]:
    return [line for line in lines if line.split()[0] == topic]


@pytest.mark.slow
def test_a_run_repeats_bit_for_bit(record: Path):
    verdict, lines = replayed(record)
    extent = f"{len(verdict.recorded.row['events'])} events in 300 evaluations"
    assert verdict.same
    assert lines == [f"{verdict.recorded}: identical, bit for bit: {extent}", NOTHING]


@pytest.mark.slow
def test_every_run_of_a_record_repeats(record: Path):
    for instance, run in [(1, 0), (1, 1), (2, 0)]:
        assert replay(chosen_run(record, {"instance": instance, "run": run})).same


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
    assert len(of_topic(lines, "parameters")) == 1
    assert "key of the configuration: " in lines[-1]


@pytest.mark.slow
def test_an_edited_limit_that_changes_no_run_gives_another_key(forged):
    def edit(_, facts):
        facts["campaign"]["limits"]["wall_s"] = 77.0

    verdict, lines = replayed(forged(edit))
    assert verdict.same
    assert "key of the configuration: " in lines[-1]


@pytest.mark.slow
def test_the_key_is_not_judged_where_a_rule_compared_the_algorithms(forged):
    def edit(_, facts):
        facts["campaign"]["stopping"] = {"rule": "race"}

    verdict, lines = replayed(forged(edit))
    assert verdict.same
    assert lines[-1] == NOTHING


@pytest.mark.slow
def test_a_claimed_parameter_is_named(record: Path, campaign, tmp_path: Path):
    other = {"de": {"use": "timefair:DE", "parameters": {"F": 0.7}}}
    claimed = tmp_path / "claimed.yaml"
    claimed.write_text(json.dumps(campaign | {"algorithms": other}))
    verdict, lines = replayed(record, claimed)
    assert not verdict.same
    assert of_topic(lines, "parameters") == [
        "parameters algorithms.de.parameters.F: 0.5 recorded, 0.7 now"
    ]
    claimed.write_text(json.dumps(campaign))
    assert replayed(record, claimed)[1][-1] == NOTHING


@pytest.mark.slow
def test_an_edited_seed_of_the_campaign_is_named(forged):
    def edit(_, facts):
        facts["campaign"]["seed"] += 1

    verdict, lines = replayed(forged(edit))
    assert not verdict.same
    assert of_topic(lines, "seed")


@pytest.mark.slow
def test_an_edited_seed_of_the_run_is_named(forged):
    def edit(rows, _):
        rows[-1]["seed"] -= 1

    verdict, lines = replayed(forged(edit))
    assert verdict.likeness.difference is None
    assert not verdict.same
    assert "different, the seed alone" in lines[0]
    (line,) = of_topic(lines, "seed")
    assert f"{verdict.recorded.row['seed']} recorded, {verdict.again['seed']} now" in line


@pytest.mark.slow
@pytest.mark.parametrize("where", ["versions", "packages"])
def test_another_version_of_a_package_is_named(forged, where: str):
    package = "numpy" if where == "versions" else "pandas"

    def edit(_, facts):
        assert facts["machine"][where][package]
        facts["machine"][where][package] = "0.0.1"

    (line,) = of_topic(replayed(forged(edit))[1], "software")
    assert line.startswith(f"software   {package}: 0.0.1 recorded, ")


@pytest.mark.slow
def test_many_other_packages_are_counted(forged):
    def edit(_, facts):
        packages = facts["machine"]["packages"]
        for name in packages:
            packages[name] = "0"

    lines = of_topic(replayed(forged(edit))[1], "software")
    assert len(lines) == 9
    assert "more packages" in lines[-1]


@pytest.mark.slow
def test_another_machine_and_python_are_named(forged):
    def edit(_, facts):
        facts["machine"] |= {"cpu": "Z80", "python": "2.7.1", "governor": "other"}

    verdict, lines = replayed(forged(edit))
    assert verdict.same
    assert [line.split(" recorded")[0] for line in lines[1:]] == [
        "software   python: 2.7.1",
        "machine    cpu: Z80",
    ]


@pytest.mark.slow
def test_another_code_is_named(forged):
    lines = replayed(forged(lambda _, facts: facts.update(code="ab" * 32)))[1]
    (line,) = of_topic(lines, "code")
    assert line.startswith("code       digest: abababababab recorded, ")


@pytest.mark.slow
def test_with_seconds_the_common_evaluations_agree(measured_record):
    verdict, lines = replayed(measured_record(budget={"time_s": 1.3}))  # longer than a stall
    assert verdict.same
    assert not verdict.likeness.in_full
    assert verdict.likeness.evaluations > 0
    assert "identical as far as the clock allows" in lines[0]
    assert lines[1].startswith("  run, recorded: ok, ended by time")
    assert lines[2].startswith("  run, again:    ok, ended by time")


@pytest.mark.slow
def test_runs_without_a_common_evaluation_confirm_nothing(forged):
    def edit(rows, facts):
        nothing = {"evaluations": 0, "events": [], "launch_log": [], "launches": 0}
        rows[-1] |= nothing | {"status": "no_evaluation", "stop_reason": "time_killed"}

    verdict, lines = replayed(forged(edit))
    assert verdict.likeness.difference is None
    assert not verdict.same
    assert "not compared: " in lines[0]


@pytest.mark.slow
def test_an_algorithm_in_a_process_of_its_own(measured_record):
    path = measured_record(isolation="strict", budget={"evaluations": 50})
    assert replayed(path)[0].same


@pytest.mark.slow
def test_a_run_of_a_block_has_the_same_configuration(measured_record):
    verdict, lines = replayed(measured_record(block="node", budget={"evaluations": 50}))
    assert verdict.same
    assert not [line for line in lines if "key of the configuration" in line]


# --- The command -----------------------------------------------------------------------------

OWN = """
def solve(objective, rng):
    while True:
        objective(rng.uniform(-5, 5, objective.dimension))
"""


@pytest.mark.slow
@pytest.mark.usefixtures("measuring")
def test_the_status_says_whether_the_runs_differ(record: Path, forged, capfd):
    assert cli.main(["reproduce", str(record), "--run", "1", "--instance", "2"]) == 0
    assert NOTHING in capfd.readouterr().out
    other = forged(lambda rows, _: rows[-1].update(seed=1))
    assert cli.main(["reproduce", str(other), "--run", "1", "--instance", "2"]) == 1


@pytest.mark.slow
def test_a_changed_byte_of_the_users_own_algorithm_is_named(measured_record, tmp_path: Path, capfd):
    own = tmp_path / "own.py"
    own.write_text(OWN)
    path = measured_record(algorithms={"own": f"{own}:solve"})
    own.write_text(OWN.replace("-5, 5", "-5, 4"))
    # The command starts another process, which imports the file again.
    assert cli.main(["reproduce", str(path), "--run", "1", "--instance", "2"]) == 1
    out = capfd.readouterr().out
    assert "different, event 1 first" in out
    assert "code       digest: " in out


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
        "plain": {**spec, "parameters": {}, "tune": {**SEARCH, "label": "de"}},
        "de": {**spec, "tuned": "plain"},
    }
    facts["key"] = "0" * 64


@pytest.mark.slow
def test_a_tuned_variant_is_replayed_with_the_parameters_that_were_found(forged, tmp_path):
    path = forged(as_if_tuned)
    verdict, lines = replayed(path)
    assert verdict.same
    assert of_topic(lines, "parameters") == []
    facts = chosen_run(path, WANTED).campaign
    facts["algorithms"].pop("de")
    claimed = tmp_path / "claimed.yaml"
    claimed.write_text(json.dumps({key: facts[key] for key in ("name", "problems", "budget")} | {
        "algorithms": {"plain": {"use": "timefair:DE", "tune": {**SEARCH, "label": "de"}}},
    }))  # fmt: skip
    verdict, lines = replayed(path, claimed)
    assert verdict.same
    assert of_topic(lines, "parameters") == []


def test_the_record_of_a_search_is_not_replayed(forged):
    def of_a_search(rows, facts):
        facts["tuning"] = {"trace": []}

    with pytest.raises(InputError, match="is the record of a search for parameters; name a"):
        replayed(forged(of_a_search))


@pytest.mark.slow
def test_an_algorithm_that_was_tuned_is_replayed_without_its_search(forged):
    def tuned_itself(rows, facts):
        facts["campaign"]["algorithms"]["de"]["tune"] = {**SEARCH, "label": None}

    assert replayed(forged(tuned_itself))[0].same
