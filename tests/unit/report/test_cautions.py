"""What spoils a comparison is said, and nothing else."""

import pytest

from timefair.exhibits import unknown_optimum
from timefair.report.account import setup
from timefair.report.cautions import Caution, cautions
from timefair.report.conclusions import warned
from timefair.report.markup import Names
from timefair.report.page import page


def told(evidence):
    return {one.topic: one.text for one in cautions(evidence)}


def test_the_first_screen_says_the_most_important_caution():
    few = Caution("Few runs", "Every algorithm has only 4 runs on a function. Intervals are wide.")
    assert warned([few]) == (
        '<p class="brief"><a href="#cautions">1 caution</a>: Every algorithm has only 4 runs on a '
        "function.</p>\n"
    )
    others = [Caution("Speed", "It varied."), Caution("Checklist", "1 of 8 items is not met.")]
    assert warned([few, *others]).endswith("on a function; also speed and checklist.</p>\n")
    assert warned([]) == ""


@pytest.mark.slow
def test_a_good_campaign_needs_no_caution_but_its_checklist(evidence):
    """Its made runs are all the same."""
    known = {"Unmet items of the checklist", "Equal runs"}
    assert set(told(evidence({"A": 0.1, "B": 0.2}))) <= known


@pytest.mark.slow
def test_few_runs_and_few_functions(evidence):
    said = told(evidence({"A": 0.1, "B": 0.2}, functions=2, runs=4))
    assert said["Few runs"].startswith("Every algorithm has only 4 runs on a function.")
    assert said["Few functions"].startswith("2 functions are too few for verdicts")


@pytest.mark.slow
def test_remarks_of_runs_that_ended_normally_are_told(evidence):
    known = evidence({"A": 0.1, "B": 0.2})
    assert "Remarks on runs" not in told(known)
    runs = known.table("runs")
    runs.loc[runs["algorithm"] == "B", "message"] = "killed at T after 1 evaluations."
    (reason,) = runs.loc[runs["algorithm"] == "B", "stop_reason"]
    assert told(known)["Remarks on runs"] == (
        f"Among the 80 runs of B with the stop reason {reason}: killed at T after 1 evaluations."
    )


@pytest.mark.slow
def test_launches_that_the_budget_always_stopped_are_told(evidence):
    known = evidence({"A": 0.1, "B": 0.2}, made=("runs", "restarts"))
    assert "Launches cut short" not in told(known)
    algorithms = known.campaign.algorithms
    algorithms["B"] = algorithms["B"].model_copy(update={"schedule": {"Max_iter": 500}})
    rows = known.table("restarts")
    rows.loc[rows["algorithm"] == "B", ["length_median", "stopped_at"]] = 500.0, 0.4
    assert told(known)["Launches cut short"] == (
        "B never completed a launch: it was stopped at 40\u00a0% of its schedule. A smaller "
        "Max_iter suits the budget, as schedule: {Max_iter: fill} finds."
    )
    assert "<td>Max_iter = 500 (given)</td>" in setup(known, Names.of("AB"))
    rows.loc[rows["algorithm"] == "B", "completed_restarts_mean"] = 0.1
    assert "Launches cut short" not in told(known)


@pytest.mark.slow
def test_failed_and_perturbed_runs_are_counted(evidence):
    known = evidence({"A": 0.1, "B": 0.2})
    runs = known.table("runs")
    runs.loc[runs["algorithm"] == "B", "status"] = "crashed"
    for frame in known.tables.values():
        frame.attrs["perturbed"] = "3 of 160 runs were perturbed and are included."
    perturbation = known.table("perturbation")
    perturbation.loc[perturbation["algorithm"] == "B", "perturbed"] = 3
    said = told(known)
    assert (
        said["Failed runs"]
        == "80 runs of B (crashed) failed. Their results up to the failure are used."
    )
    assert (
        said["Perturbed runs"]
        == "3 of 160 runs were perturbed and are included. B has the most: 3 of 80."
    )
    known.table("comparison").attrs["unperturbed"] = "Without them, nothing changes."
    assert "included; without them, nothing changes. B has" in told(known)["Perturbed runs"]
    known.table("comparison").attrs["unperturbed"] = ""
    perturbation["perturbed"] = 70
    text = told(known)["Perturbed runs"]
    assert "are included: the times are those of a shared machine. " in text
    assert "this is the normal state of the machine" in text


@pytest.mark.slow
@pytest.mark.parametrize(
    ("changes", "words"),
    [
        ({"shared": 80}, "Runs of B share files, because the campaign allows it"),
        ({"watched": 80, "with_names": 3, "watched_because": "no"}, "of B, files appeared"),
        ({"watched": 80, "appeared_in_trial": "x", "watched_because": "no"}, "folders (no)."),
        ({"watched": 80}, None),
    ],
)
def test_state_that_runs_carry_over(evidence, changes, words):
    known = evidence({"A": 0.1, "B": 0.2})
    rows = known.table("leftovers")
    for column, value in changes.items():
        rows.loc[rows["algorithm"] == "B", column] = value
    text = told(known).get("Carried-over state")
    assert (text is None) if words is None else (words in text)


def test_runs_that_do_not_depend_on_the_seed_are_a_caution(evidence):
    known = evidence({"A": 0.1, "B": 0.2})
    known.table("comparison").attrs["repeated"] = ["B"]
    assert told(known)["Equal runs"].startswith("All runs of B on a problem are the same")


def test_seconds_of_another_machine_are_a_caution(evidence):
    known = evidence({"A": 0.1, "B": 0.2})
    known.table("ert").attrs["published"] = "Seconds of B are those of another machine times 0.5."
    assert told(known)["Seconds"] == "Seconds of B are those of another machine times 0.5."


def test_what_a_second_is_and_what_is_mixed(evidence):
    said = told(
        evidence(
            {"A": 0.1, "B": 0.2}, made=(), statistics={"ancillary": "amortised", "mixed": "allow"}
        )
    )
    assert said["Seconds"] == "Seconds include each run’s share of tuning and preparation."
    assert "different machines" in said["Mixed records"]


@pytest.mark.slow
def test_an_unknown_optimum_is_the_first_thing_said(evidence):
    found = evidence({"A": 0.1, "B": 0.3})
    for frame in found.tables.values():
        frame.attrs |= {unknown_optimum.KIND: "unknown", unknown_optimum.TARGETS: "share"}
    first = cautions(found)[0]
    assert first.topic == "Unknown optimum"
    assert "At least one run reaches it by construction" in first.text
    assert "target_values" in first.text
    text = page(found.tables, {}, found.campaign)
    for part in ("findings", "figures"):
        section = text.split(f'id="{part}"')[1].split("</section>")[0]
        assert "gap" in section
        assert "recision" not in section
