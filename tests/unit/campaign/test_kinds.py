"""What `timefair check` says of campaigns on problems that change, or with two objectives."""

import pytest
from campaigns import SMALL

from timefair.basics.errors import InputError
from timefair.campaign import configuration
from timefair.problems.coco import TARGETS

MOVING, TWO, ONE = (
    {"suite": suite, "functions": 1, "dimensions": [3, 2], "instances": 1}
    for suite in ("moving", "bbob-biobj", "bbob")
)


def checked(problems, use="timefair:random-search", budget=None, **keys):
    limits = budget or {"evaluations": 100}
    asked = {"problems": problems, "algorithms": {"a": use}, "budget": limits}
    return configuration.parse(SMALL | asked | keys)


@pytest.mark.parametrize(
    "restart", [{"policy": "at_change"}, {"policy": "none"}, {"policy": "fixed", "tau_s": 1}]
)
def test_these_restart_policies_are_possible(restart):
    checked(MOVING, restart=restart)


def test_the_targets_are_cocos_unless_the_campaign_names_others():
    assert checked(TWO).targets == TARGETS
    assert checked(TWO, targets=[1, -1e-5]).targets == (1.0, -1e-5)
    assert min(checked(ONE).targets) > 0


NEEDS = "restart.policy: 'at_change': needs a suite whose problems change, such as moving"
AT_CHANGE, STAGNATION = {"policy": "at_change"}, {"policy": "stagnation", "plateau_s": 1}


@pytest.mark.parametrize(
    ("problems", "keys", "line"),
    [
        (ONE, {"restart": AT_CHANGE}, NEEDS),
        (ONE, {"use": {"use": "timefair:DE", "restart": AT_CHANGE}}, f"algorithms.a.{NEEDS}"),
        (MOVING, {"restart": STAGNATION}, "restart.policy: 'stagnation': needs values that stay as "
         "they are; with problems that change: at_change, fixed, geometric, independent, luby, "),
        (MOVING, {"isolation": "strict"}, "isolation: 'strict': with problems that change: pr"),
        (MOVING, {"use": {"use": "timefair:DE", "threads": 2}}, "threads: 2: should be 1 with pr"),
        (MOVING, {"budget": {"time_s": 2, "evaluations": 100}}, "excludes evaluations in moving"),
        (MOVING, {"budget": {"time_s": 2, "evaluations_per_dimension": 100}},
         "budget.time_s: 2: excludes evaluations_per_dimension in moving"),
        (MOVING, {"budget": {"evaluations_per_dimension": 9}}, "18 evaluations for 20 environ"),
        (MOVING, {"budget": {"evaluations": 100, "final_target": 0.1}}, "the quality of a run on"),
        (MOVING | {"parameters": {"environments": 1}}, {}, "'environments' of moving is a whole"),
        (MOVING, {"use": "pymoo:NSGA2"}, "algorithms.a: pymoo:NSGA2 is for two objectives, but m"),
        (MOVING, {"targets": [1, -1]}, "targets.1: -1: should be greater than 0"),
        (TWO, {"use": "timefair:DE"}, "algorithms.a: timefair:DE is for one objective, but bbob-b"),
        (TWO, {"use": "timefair:DE"}, ", pymoo:NSGA2, "),
        (TWO, {"use": "external:true"}, "external:true is for one objective"),
        (ONE, {"use": "pymoo:NSGA2"}, "pymoo:NSGA2 is for two objectives"),
        (TWO, {"restart": STAGNATION}, "restart.policy: 'stagnation': needs one value per point; "
         "with two objectives: "),
        (TWO, {"isolation": "strict"}, "isolation: 'strict': with two objectives: private"),
        (TWO, {"budget": {"evaluations": 100, "final_target": 0.1}}, "the quality of two object"),
        (ONE, {"targets": [1, -1e-5]}, "targets.1: -1e-05: should be greater"),
    ],
)  # fmt: skip
def test_what_cannot_be_is_one_line(problems, keys, line):
    with pytest.raises(InputError) as refused:
        checked(problems, **keys)
    (fault,) = refused.value.faults
    assert line in fault
    assert "\n" not in fault
