"""What `timefair check` says of campaigns with two objectives."""

import pytest
from campaigns import refused

from timefair.campaign import configuration
from timefair.problems.coco_biobj import TARGETS

MINIMAL = """\
name: two
problems: {{suite: {suite}, functions: 1, dimensions: 2, instances: 1}}
algorithms: {{a: {use}}}
budget: {{evaluations: 100{budget}}}
{more}
"""


def checked(tmp_path, suite="bbob-biobj", use="timefair:random-search", budget="", more=""):
    path = tmp_path / "two.yaml"
    path.write_text(MINIMAL.format(suite=suite, use=use, budget=budget, more=more))
    return configuration.load(path)


def test_the_targets_are_cocos_unless_the_campaign_names_others(tmp_path):
    assert checked(tmp_path).targets == TARGETS
    assert checked(tmp_path, more="targets: [1, -1e-5]").targets == (1.0, -1e-5)
    assert min(checked(tmp_path, suite="bbob").targets) > 0


@pytest.mark.parametrize(
    ("changed", "line"),
    [
        ({"use": "timefair:DE"}, "algorithms.a: timefair:DE is for one objective, but bbob-biobj"),
        ({"use": "timefair:DE"}, ", pymoo:NSGA2, "),
        ({"use": "'external:true'"}, "external:true is for one objective"),
        ({"suite": "bbob", "use": "pymoo:NSGA2"}, "pymoo:NSGA2 is for two objectives"),
        (
            {"more": "restart: {policy: stagnation, plateau_evaluations: 9}"},
            "restart.policy: 'stagnation': needs one value per point; with two objectives: ",
        ),
        ({"more": "isolation: strict"}, "isolation: 'strict': with two objectives: private"),
        ({"budget": ", final_target: 0.1"}, "the quality of two objectives is known after the"),
        ({"suite": "bbob", "more": "targets: [1, -1e-5]"}, "targets.1: -1e-05: should be greater"),
    ],
)
def test_what_cannot_be_is_one_line(tmp_path, changed, line):
    (fault,) = refused(checked, tmp_path, **changed)
    assert line in fault
    assert "\n" not in fault
