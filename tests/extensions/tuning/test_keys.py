"""The section `tune`: what is refused, and what it makes of a campaign."""

import copy

import pytest

from timefair.basics.errors import InputError
from timefair.campaign import configuration, plan, provenance

TUNE = {
    "space": {"F": {"float": [0.3, 0.9]}, "population": {"log_int": [8, 80]}},
    "tuner": "random",
    "budget_s": 9,
    "on": {"functions": 1, "dimensions": 2, "instances": "51-52"},
}
FILE = {
    "name": "test",
    "problems": {"suite": "bbob", "functions": "1,8", "dimensions": 2, "instances": "1-2"},
    "algorithms": {"DE": {"use": "timefair:DE", "tune": TUNE}, "NM": "scipy:Nelder-Mead"},
    "budget": {"time_s": 0.5},
}


def changed(key: str, value: object) -> dict:
    """The file with another value at a key below `tune`."""
    file = copy.deepcopy(FILE)
    place = file["algorithms"]["DE"]["tune"]
    *above, last = key.split(".")
    for name in above:
        place = place[name]
    place[last] = value
    return file


@pytest.mark.parametrize(
    ("key", "value", "line"),
    [
        ("space.F", {"float": [0.9, 0.3]}, "space.F: {'float': [0.9, 0.3]}: should be two numbers, "
         "the lower first"),
        ("space.F", {"log": [0, 1]}, "space.F: {'log': [0, 1]}: should be two numbers, the lower "
         "first and above 0"),
        ("space.G", {"float": [0, 1]}, "space.G: 'G' is not a parameter of timefair:DE; it has: "
         "strategy, F, CR, population, population_per_dimension, patience, bounds"),
        ("space.F", {"float": [0.3, 9]}, "space.F: 'F' of timefair:DE is a number from 0 to 2, "
         "not 9.0"),
        ("tuner", "nevergrad:OnePlusTwo", "tuner: nevergrad has no algorithm 'OnePlusTwo'; did "
         "you mean 'OnePlusOne'?"),
        ("budget_s", 1.5, "budget_s: 1.5: should be at least 2, for the default and one candidate "
         "on 2 problems of 0.5 s"),
        ("on.instances", "2-4", "on: f1 D=2 instance 2: should not be in the comparison; choose "
         "other problems, or write overlap: allowed"),
    ],
    ids=lambda value: value if isinstance(value, str) and " " not in value else "",
)  # fmt: skip
def test_what_is_wrong_is_one_line(key, value, line):
    with pytest.raises(InputError) as error:
        configuration.parse(changed(key, value))
    assert error.value.faults == (f"algorithms.DE.tune.{line}",)


def test_overlap_has_to_be_allowed():
    file = changed("on.instances", "2-4")
    file["algorithms"]["DE"]["tune"]["overlap"] = "allowed"
    campaign = configuration.parse(file)
    (same,) = campaign.tuned["DE-tuned"].overlapping(campaign)
    assert str(same) == "f1 D=2 instance 2"


def test_a_search_asks_for_the_time_that_it_may_take():
    """Two candidates on two problems of 60 s are tried in any case, each up to three times."""

    def asked(**changes: object) -> dict[str, int]:
        file = changed("budget_s", 300) | {"budget": {"time_s": 60}} | changes
        return plan.tuning_resources(configuration.parse(file))

    assert asked()["runtime"] == 10 + 5
    again = asked(timing={"perturbed": "repeat", "repeats": 2})
    assert again["runtime"] == 10 + 2 * 2 * 3
    assert "runtime" not in asked(budget={"evaluations": 100})


def test_the_search_has_its_own_problems_and_parameters():
    campaign = configuration.parse(FILE)
    search = campaign.of_tuning("DE-tuned")
    assert list(search.algorithms) == ["DE-tuned"]
    assert (search.problems.functions, search.problems.instances) == ((1,), (51, 52))
    found = campaign.with_parameters("DE-tuned", {"F": 0.4})
    assert found.algorithms["DE-tuned"].parameters == {"F": 0.4}
    assert found.algorithms["DE"].parameters == {}


def keys(file: dict) -> dict[tuple[str, int], str]:
    return dict(provenance.measure_keys(configuration.parse(file)))


def test_what_decides_a_search_decides_the_runs_of_its_variant_alone():
    before = keys(FILE)
    assert ("DE-tuned", plan.TUNING_ROUND) in before
    for after in (
        keys(changed("budget_s", 10)),
        keys(changed("space.F", {"float": [0.2, 0.9]})),
        keys(changed("on.instances", "53-54")),
        keys(FILE | {"targets": [1, 0.1]}),
    ):
        different = {key for key in before if before[key] != after[key]}
        assert different == {("DE-tuned", 0), ("DE-tuned", 1)}
