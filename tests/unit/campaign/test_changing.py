"""What `timefair check` says of campaigns on problems that change."""

import pytest
from campaigns import refused

from timefair.campaign import configuration

MINIMAL = """\
name: moving
problems: {{suite: {suite}, functions: 1, dimensions: [3, 2], instances: 1{parameters}}}
algorithms: {{a: {use}}}
budget: {{{budget}}}
{more}
"""


def written(tmp_path, suite="moving", use="timefair:DE", parameters="", budget="", more=""):
    path = tmp_path / "moving.yaml"
    words = {"suite": suite, "use": use, "parameters": parameters, "more": more}
    path.write_text(MINIMAL.format(**words, budget=budget or "evaluations: 100"))
    return path


@pytest.mark.parametrize("policy", ["at_change", "none", "{policy: fixed, tau_s: 1}"])
def test_these_restart_policies_are_possible(tmp_path, policy):
    section = policy if policy.startswith("{") else f"{{policy: {policy}}}"
    configuration.load(written(tmp_path, more=f"restart: {section}"))


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        (
            {"suite": "bbob", "more": "restart: {policy: at_change}"},
            "restart.policy: 'at_change': needs a suite whose problems change, such as moving",
        ),
        (
            {"suite": "bbob", "use": "{use: timefair:DE, restart: {policy: at_change}}"},
            "algorithms.a.restart.policy: 'at_change': needs a suite whose problems change, such "
            "as moving",
        ),
        (
            {"more": "restart: {policy: stagnation, plateau_s: 1}"},
            "restart.policy: 'stagnation': needs values that stay as they are; with problems that "
            "change: at_change, fixed, geometric, independent, luby, none",
        ),
        ({"more": "isolation: strict"}, "isolation: 'strict': with problems that change: private"),
        ({"use": "{use: timefair:DE, threads: 2}"}, "threads: 2: should be 1 with problems"),
        ({"budget": "time_s: 2, evaluations: 100"}, "excludes evaluations in moving"),
        (
            {"budget": "time_s: 2, evaluations_per_dimension: 100"},
            "budget.time_s: 2: excludes evaluations_per_dimension in moving",
        ),
        ({"budget": "evaluations_per_dimension: 9"}, "18 evaluations for 20 environments"),
        ({"budget": "evaluations: 100, final_target: 0.1"}, "the quality of a run on a problem"),
        ({"parameters": ", parameters: {environments: 1}"}, "'environments' of moving is a whole"),
        ({"use": "pymoo:NSGA2"}, "algorithms.a: pymoo:NSGA2 is for two objectives, but moving has"),
        ({"more": "targets: [1, -1]"}, "targets.1: -1: should be greater than 0"),
    ],
)
def test_what_cannot_be_is_one_line(tmp_path, changed, line):
    (fault,) = refused(configuration.load, written(tmp_path, **changed))
    assert line in fault
    assert "\n" not in fault
