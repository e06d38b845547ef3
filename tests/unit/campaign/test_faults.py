"""Every fault of a campaign file is one line; documents and shipped campaigns are right."""

import copy
import csv
import difflib
import importlib.util
import json
import re
import sys
from collections import Counter
from collections.abc import Mapping
from pathlib import Path
from types import SimpleNamespace
from typing import Any

import jsonschema
import pytest
from campaigns import SMALL, refused
from hypothesis import example, given, settings
from hypothesis import strategies as st

from timefair.algorithms.builtin.differential_evolution import STRATEGIES
from timefair.basics.errors import InputError
from timefair.basics.sections import Section
from timefair.campaign import configuration
from timefair.campaign.configuration import (
    Campaign,
    json_schema,
    load,
    model,
    parse,
    read_yaml,
    warnings,
)
from timefair.campaign.driver import configuration_of
from timefair.exhibits.registry import TABLES
from timefair.policies import restart_policies, stopping_rules
from timefair.problems.coco import TARGETS
from timefair.statistics.run_count.widths import BoundedMeanWidth, MeanWidth

RESTARTS, STOPPING = restart_policies(), stopping_rules()

EVERY = len(TABLES) + 2  # names that the key `tables` knows: also `all` and `default`

CAMPAIGN: dict[str, Any] = {
    "name": "trial",
    "problems": {"suite": "bbob", "functions": "1-3", "dimensions": 5, "instances": [1, "71-72"]},
    "algorithms": {"search": "timefair:random-search"},
    "budget": {"time_s": 0.5},
    "runs": 4,
}


def changed(changes: dict[str, Any], campaign: dict[str, Any] = CAMPAIGN) -> dict[str, Any]:
    mapping = copy.deepcopy(campaign)
    for path, value in changes.items():
        *sections, key = path.split(".")
        section = mapping
        for name in sections:
            section = section.setdefault(name, {})
        section[key] = value
        if value is None:
            del section[key]
    return mapping


def readers(kinds: Mapping[str, type[Section]], key: str) -> str:
    return " or ".join(repr(name) for name, kind in kinds.items() if key in kind.model_fields)


FAULTS: list[tuple[str, object, str]] = [
    ("name", "a b", "'a b': letters, digits and . _ + - only, a letter or digit first"),
    ("name", None, "missing; Name of the campaign, and of its folder in `results/`."),
    ("budget", None, "missing; Limits of a run. The first limit that a run reaches ends it."),
    ("budget.time_s", 0, "0: should be at least 1e-06"),
    ("budget.time_s", float("nan"), "nan: should be a finite number"),
    ("budget.time_s", "1 s", "'1 s': should be a number"),
    ("budget.evaluations", 2.5, "2.5: should be a whole number"),
    ("budget.evalutions", 100, "'evaluations'?; known here: time_s, cpu_s, evaluations, "),
    ("problems.suite", "bob", "'bob' is unknown; did you mean 'bbob'?; known: "),
    ("problems.parameters", {"lower": 0}, "'lower' is not a parameter of bbob; it has: none"),
    ("problems.suite", "nowhere.py:f", "there is no file "),
    ("problems.functions", 25, "25 is not in bbob, which has 1 to 24"),
    ("problems.functions", "3-1", "'3-1': '3-1' runs backwards"),
    ("problems.functions", "1,x", "'1,x': 'x' is neither a whole number nor a range such as 1-5"),
    ("problems.functions", [1, "1-2"], "[1, '1-2']: 1: named twice"),
    ("problems.instances", 0, "0: 0: should be at least 1"),
    ("problems.instances", 1.5, "1.5: should be a whole number, a list of them"),
    ("algorithms", {}, "empty; name at least one"),
    ("algorithms.search", {}, "use: missing; `library:name` of a supported library"),
    ("restart.policy", "fixd", "'fixd': should be one of 'at_change', "),
    ("restart.policy", "fixed", "'fixed' with no tau: give tau_s or tau_evaluations"),
    ("restart.tau_s", 1.0,
     f"1.0: only with policy {readers(RESTARTS, 'tau_s')}, not 'independent'"),
    ("restart", "luby", "'luby': should be keys with values; write restart: {policy: 'luby'}"),
    ("restart", {"policy": "fixed", "tau_s": 1.0, "tau_evaluations": 5}, "with both tau_s"),
    ("budget", {}, "empty; give time_s, cpu_s, evaluations or evaluations_per_dimension"),
    ("budget", {"evaluations": 9, "evaluations_per_dimension": 2}, "evaluations_per_dimension (2)"),
    ("rounds", 5, "5: more than runs (4)"),
    ("stopping", {"rule": "success", "start": 3, "target": 1e-9}, "target: 1e-09: harder than"),
    ("stopping", {"start": 3},
     f"start: 3: only with rule {readers(STOPPING, 'start')}, not 'fixed'"),
    ("stopping", {"rule": "mean", "start": 9}, "start: 9: more than runs (4)"),
    ("timing", {"repeats": 5}, "repeats: 5: only with 'repeat', not 'flag'"),
    ("statistics.pairs", ["nobody"], "'nobody': should be 'all', 'best' or algorithms of this"),
    ("statistics", {"time": "cpu", "ancillary": "amortised"}, "time: 'cpu': ancillary cost is in"),
    ("stopping", {"rule": "race"}, "rule: 'race' with rounds 1: algorithms are compared after"),
    ("published", {"old": {"format": "coco", "path": "no/such.tgz"}}, "'no/such.tgz': there is no"),
    ("published", {"search": {"format": "ioh", "path": "."}}, "search: an algorithm already has"),
    ("algorithms.a", {"use": "timefair:DE", "seed_as": "bse"}, "seed_as: 'bse': should be an algo"),
    ("algorithms.a", {"use": "timefair:DE", "formerly": "search"},
     "formerly: 'search': should not"),
    ("algorithms",
     {a: {"use": "timefair:DE", "seed_as": other} for a, other in (("a", None), "ba", "cb")},
     "c.seed_as: 'b': should be an algorithm of this campaign, without seed_as"),
    ("targets", [1, -1], "1: -1: should be greater than 0"),
    ("targets", [1, "1e0"], "1.0: named twice"),
    ("tables", ["etr"],
     f"'etr' is unknown; did you mean 'ert'?; all {EVERY} are listed in "
     "docs/reference/tables/README.md"),
    ("algorithm", "DE", "unknown key; did you mean 'algorithms'?; known here: name, seed, "),
    ("budget", 1000, "1000: should be keys with values; write budget: {evaluations: 1000}"),
    ("budget.evaluations", "100*D", "'100*D': should be a whole number"),
]  # fmt: skip


@pytest.mark.parametrize(
    ("key", "value", "line"), FAULTS, ids=[f"{key}={value}" for key, value, _ in FAULTS]
)
def test_a_fault_is_one_line(key, value, line):
    (fault,) = refused(parse, changed({key: value}))
    assert "\n" not in fault
    assert fault.startswith(key)
    assert line in fault


DE: dict[str, Any] = {"use": "timefair:DE"}
KINDS: list[tuple[str, dict[str, Any], str]] = [
    ("bbob", {"restart.policy": "at_change"}, "needs a suite whose problems change, such as mov"),
    ("moving", {"restart": {"policy": "stagnation", "plateau_s": 1}},
     "restart.policy: 'stagnation': needs values that stay as they are; with problems that "
     "change: at_change, fixed, geometric, independent, luby, none"),
    ("moving", {"budget": {"time_s": 2, "evaluations_per_dimension": 100}},
     "budget.time_s: 2: excludes evaluations_per_dimension in moving"),
    ("moving", {"budget": {"evaluations_per_dimension": 9}, "problems.dimensions": [3, 2]},
     "18 evaluations for 20 environments"),
    ("moving", {"budget.final_target": 0.1}, "the quality of a run on a problem"),
    ("moving", {"problems.parameters": {"environments": 1}}, "'environments' of moving is a whole"),
    ("bbob-biobj", {"algorithms.search": DE}, ", pymoo:NSGA2, "),
    ("bbob", {"algorithms.search.use": "pymoo:NSGA2"}, "pymoo:NSGA2 is for two objectives"),
    ("bbob-biobj", {"restart": {"policy": "stagnation", "plateau_evaluations": 9}},
     "restart.policy: 'stagnation': needs one value per point; with two objectives: "),
    ("bbob-biobj", {"budget.final_target": 0.1}, "the quality of two objectives is known after"),
    ("bbob-constrained", {"algorithms.search": DE}, "; or add constraint_penalty: 1000 to"),
    ("bbob", {"algorithms.search.use": "pycma:AL-CMA-ES"}, "is for constraints, but bbob has"),
    ("bbob", {"algorithms.search": DE | {"constraint_penalty": 10}},
     "algorithms.search.constraint_penalty: 10: bbob has no constraints; remove it"),
    ("bbob-constrained", {"algorithms.search": {"use": "pymoo:GA", "threads": 2}},
     "algorithms.search.threads: 2: should be 1 with constraints"),
    ("bbob-constrained", {"isolation": "strict"}, "isolation: 'strict': with constraints: private"),
    ("bbob", {"budget": {"cpu_s": 2, "time_s": 3}}, "budget.cpu_s: 2: excludes time_s (3); give"),
    ("bbob", {"budget": {"cpu_s": 2, "evaluation_cost_s": 0.1}}, "excludes evaluation_cost_s"),
    ("bbob", {"budget": {"cpu_s": 2}, "statistics.time": "wall"},
     "'wall': with budget.cpu_s, runs have no other clock"),
    ("bbob", {"budget": {"cpu_s": 2}, "isolation": "strict"},
     "budget.cpu_s: not with isolation: strict (search), which waits"),
    ("bbob-noisy", {"budget.final_target": 0.1}, "a noisy value may be below it by luck, and the"),
    ("bbob", {"statistics.time": "reference", "timing.reference": False},
     "statistics.time: 'reference': needs timing.reference: true"),
    ("bbob", {"algorithms.other": DE, "block": "node", "rounds": 3, "stopping.rule": "race"},
     "block: 'node': all algorithms of a block have runs, and stopping.rule 'race' lets some "
     "rest; choose another rule, or write null"),
    ("bbob", {"problems.instances": [*range(1, 240, 2)], "instances_per_job": 120},
     "instances_per_job: 120: the list of the instances of a job has 424 characters, and file"),
]  # fmt: skip


def of_suite(suite: str, changes: dict[str, Any]) -> dict[str, Any]:
    function = 101 if suite == "bbob-noisy" else 1
    place = {"problems": {"suite": suite, "functions": function, "dimensions": 2, "instances": 1}}
    search = {"algorithms": {"search": {"use": "timefair:random-search"}}}
    return changed(changes, CAMPAIGN | place | search | {"budget": {"evaluations": 100}})


@pytest.mark.parametrize(("suite", "changes", "line"), KINDS)
def test_a_kind_of_problems_refuses_what_it_excludes(suite, changes, line):
    said = "\n".join(refused(parse, of_suite(suite, changes)))
    assert line in said
    assert said.count("\n") == ("evaluation_cost_s" in said)  # which is wrong for two reasons


def test_what_a_kind_of_problems_accepts():
    for restart in ({"policy": "at_change"}, {"policy": "none"}, {"policy": "fixed", "tau_s": 1}):
        parse(of_suite("moving", {"restart": restart}))
    parse(of_suite("bbob-constrained", {"algorithms.search": DE | {"constraint_penalty": 1000}}))
    assert parse(of_suite("bbob-biobj", {})).targets == TARGETS
    assert parse(of_suite("bbob-biobj", {"targets": [1, -1e-5]})).targets == (1.0, -1e-5)
    assert min(parse(of_suite("bbob", {})).targets) > 0
    assert parse(changed({"statistics.time": "reference"})).reference_is_timed


@pytest.mark.parametrize(
    ("suite", "dimension", "use", "line"),
    [
        ("pbo", 16, "scipy:Powell", "takes continuous variables, but pbo has binary ones; add in"),
        ("bbob", 5, "timefair:RLS", "takes binary variables, but bbob has continuous ones"),
        ("pbo", 16, "timefair:random-search", None),
        ("bbob-mixint", 5, "pycma:BIPOP", None),
    ],
)
def test_an_algorithm_is_refused_that_cannot_take_the_variables(suite, dimension, use, line):
    mapping = changed({"algorithms": {"first": use}})
    mapping["problems"] |= {"suite": suite, "dimensions": dimension, "functions": 1}
    if line is None:
        parse(mapping)
        return
    (fault,) = refused(parse, mapping)
    assert fault.startswith(f"algorithms.first: {use} {line}")


def test_only_functions_with_whole_variables_need_rounding():
    mapping = changed({"algorithms": {"first": "scipy:COBYQA"}})
    mapping["problems"] = {"suite": "engineering", "functions": "15-17,19", "instances": 1}
    parse(mapping)
    for function, kind in ((18, "mixed"), (31, "integer")):
        mapping["problems"]["functions"] = ["15-17", function]
        assert refused(parse, mapping) == (
            "algorithms.first: scipy:COBYQA takes continuous variables, but engineering "
            f"f{function} has {kind} ones; add integer: round to this algorithm",
        )


@pytest.mark.parametrize(
    ("problems", "line"),
    [
        ({"suite": "bbob"}, "dimensions: missing; "),
        ({"suite": "bbob", "dimensions": None}, "dimensions: missing; "),
        ({"functions": [17, 34]}, "functions: 34 is not in engineering, which has 8-33"),
        ({"functions": 34}, "functions: 34 is not in engineering, which has 8-33"),
        ({"dimensions": 4}, "dimensions: 4 does not fit engineering f17 (spring), which has 3 "),
        ({"own_dimensions": {17: 4}}, "dimensions: 4 does not fit engineering f17 (spring), "),
        ({"own_dimensions": {17: 3, 18: 4}}, "own_dimensions: should have one for each of the "),
        ({"own_dimensions": {17: 3}, "dimensions": "3,4"}, "own_dimensions: there are "),
        ({"own_dimensions": {17: 0}, "dimensions": 3}, "own_dimensions.17: 0: should be at least"),
    ],
)
def test_dimensions_of_functions_that_do_not_fit_are_refused(problems, line):
    mapping = changed({"algorithms": {"first": "timefair:random-search"}})
    mapping["problems"] = {"suite": "engineering", "functions": 17, "instances": 1} | problems
    assert refused(parse, mapping)[0].startswith(f"problems.{line}")


def test_published_data_and_a_final_target_need_an_optimum_that_is_known():
    mapping = changed({"published": {"old": {"format": "ioh", "path": "."}}})
    mapping["problems"] |= {"suite": "pbo", "functions": [1, 18], "dimensions": 16}
    assert refused(parse, mapping) == (
        "published: the optimum of some of these problems is unknown, and published data are "
        "distances to it",
    )
    mapping["problems"]["functions"] = 1
    assert parse(mapping).published["old"].format == "ioh"
    mapping = changed({"budget": {"evaluations": 100, "final_target": 0.1}})
    mapping["problems"] |= {"suite": "pbo", "functions": [1, 18], "dimensions": 16}
    parse(mapping)
    mapping["problems"]["functions"] = 18
    assert refused(parse, mapping) == (
        "budget.final_target: 0.1: the optimum of these problems is unknown; write null, or "
        "give problems.parameters.f_opt of your own function",
    )
    for harmless in ({"final_target": None}, {}):
        mapping["budget"] = {"evaluations": 100, **harmless}
        parse(mapping)


@pytest.mark.parametrize(
    ("use", "said"), [("timefair:random-serch", "random-search"), ("scipi:Nelder-Mead", "scipy")]
)
def test_a_misspelt_algorithm_is_named_and_helped(use, said):
    (fault,) = refused(parse, changed({"algorithms.search": use}))
    assert fault.startswith("algorithms.search: ")
    assert said in fault


def test_numbers_as_people_write_them():
    mapping = changed({"budget": {"time_s": "1e-1", "evaluations": "1e5", "final_target": "1e-8"}})
    mapping["targets"], mapping["target_values"] = ["1e-2", 1], ["1e-1"]
    mapping["algorithms"] = {
        "search": {"use": "timefair:random-search", "parameters": {}, "threads": 2.0}
    }
    campaign = parse(mapping)
    assert (campaign.budget.time_s, campaign.budget.evaluations) == (0.1, 100_000)
    assert (campaign.budget.final_target, campaign.targets) == (1e-8, (1e-2, 1.0))
    assert campaign.algorithms["search"].threads == 2
    assert campaign.target_values == (0.1,)


def test_bounds_of_a_mean_ask_for_all_looks_and_tables_are_spelled_out():
    bounded = BoundedMeanWidth(0.5, 0.0, 100.0, start=4, cap=4)
    for bounds, rule in (([0, "1e2"], bounded), (None, MeanWidth(0.5, start=4, cap=4))):
        wanted = parse(changed({"stopping": {"rule": "mean", "bounds": bounds}}))
        assert wanted.stopping.judge(wanted.runs) == rule
    campaign = parse(changed({"tables": ["ert", "ert"]}))
    assert campaign.table_names == ("ert",)
    assert "ert" in campaign.figure_names
    assert len(campaign.figure_names) > 1


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("name: a\nruns: 1\nname: b\n", ":3: 'name' is given twice"),
        ("name: [a\nruns: 1\n", ":2: expected ',' or ']', but got ':'"),
        ("name: *there\n", ":1: found undefined alias 'there'"),
        ("? [a]\n: 1\n", ":1: found unhashable key"),
        ("name: !!python/object:os.system {}\n", ":1: could not determine a constructor"),
        ("name: !!timestamp 2001-99-99\n", ": month must be in 1..12"),
        ("[" * 3000, ": nested too deeply"),
    ],
)
def test_faults_of_yaml_have_file_and_line(tmp_path, text, line):
    path = tmp_path / "campaign.yaml"
    path.write_text(text)
    (fault,) = refused(load, path)
    assert fault.startswith(f"{path}{line}")


def test_a_file_that_cannot_be_read(tmp_path):
    with pytest.raises(InputError, match=r"No such file or directory$"):
        load(tmp_path / "none.yaml")
    with pytest.raises(InputError, match=r"Is a directory$"):
        load(tmp_path)
    (tmp_path / "binary.yaml").write_bytes(b"\xff\xfe\x00x")
    with pytest.raises(InputError):
        load(tmp_path / "binary.yaml")
    (tmp_path / "empty.yaml").write_text("")
    with pytest.raises(InputError, match=r"empty\.yaml: should be keys with values"):
        load(tmp_path / "empty.yaml")


anything = st.recursive(
    st.none()
    | st.booleans()
    | st.integers()
    | st.floats()
    | st.integers(5000, 5010).map(lambda digits: 10**digits)
    | st.text(max_size=8)
    | st.sampled_from(["1e400", "1e5", "1-5", "all", "fixed", "timefair:random-search"])
    | st.sampled_from(["flag", "repeat", "cpu", "none", "luby", "5", "0.5", "true", "bbob"])
    | st.integers(-2, 100),
    lambda inner: (
        st.lists(inner, max_size=3) | st.dictionaries(st.text(max_size=4), inner, max_size=3)
    ),
    max_leaves=6,
)
keys = st.sampled_from(
    [
        *Campaign.model_fields,
        *(f"problems.{key}" for key in model.ChosenProblems.model_fields),
        *(f"budget.{key}" for key in model.Budget.model_fields),
        *(f"restart.{key}" for kind in RESTARTS.values() for key in kind.model_fields),
        *(f"limits.{key}" for key in model.Limits.model_fields),
        *(f"statistics.{key}" for key in model.Statistics.model_fields),
        *(f"timing.{key}" for key in model.Timing.model_fields),
        *(f"stopping.{key}" for kind in STOPPING.values() for key in kind.model_fields),
        "algorithms.search",
        "algorithms.search.use",
        "published.old",
        "published.old.path",
        "budget.more",
    ]
)


@pytest.mark.slow
@settings(max_examples=2 * settings.default.max_examples, deadline=None)
@given(keys, anything)
@example("problems.functions", 10**5000)
@example("problems.instances", -(10**5000))
@example("runs", 10**5000)
@example("problems", {"\n": None})
def test_whatever_is_written_is_a_campaign_or_an_input_error(key, value):
    mapping = changed({"algorithms.search": {"use": "timefair:random-search"}})
    *sections, last = key.split(".")
    section = mapping
    for name in sections:
        section = section.setdefault(name, {})
    section[last] = value
    try:
        campaign = parse(mapping)
    except InputError as error:
        assert all(fault and "\n" not in fault for fault in error.faults)  # noqa: PT017
    else:
        kept = campaign.model_dump(mode="json")
        assert json.loads(campaign.snapshot()) == kept
        for name in sections:
            kept = kept[name]
        if last in kept:
            assert is_what_was_written(value, kept[last])
        else:  # a key of other policies and rules, with what it is for them without it
            usual = [kind.model_fields[last].default for kind in kinds_with(last)]
            assert value is None or value in usual


def kinds_with(key: str) -> list[type[Section]]:
    kinds = [*RESTARTS.values(), *STOPPING.values()]
    return [kind for kind in kinds if key in kind.model_fields]


def is_what_was_written(value: object, kept: object) -> bool:
    """Whether an accepted single value means the same; sections and lists have their own tests."""
    if isinstance(kept, dict | list):
        return True
    if isinstance(kept, bool) or kept is None or isinstance(kept, str):
        return value == kept and type(value) is type(kept)
    return not isinstance(value, bool) and float(str(value)) == kept


def test_the_value_of_noisy_runs_has_to_be_known(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def f(x): return 1.0\nf.lower, f.upper = 0, 1\n")
    mine = changed({"statistics.noisy_value": "best_evaluated"})
    mine["problems"] = {"suite": "mine.py:f", "functions": 1, "dimensions": 2, "instances": 1}
    noisy = changed({"published": {"old": {"format": "coco", "path": "old"}}})
    noisy["problems"] = {
        "suite": "bbob-noisy", "functions": 101, "dimensions": 2, "instances": 1
    }  # fmt: skip
    (tmp_path / "old").mkdir()
    for mapping, line in (
        (changed({"statistics.noisy_value": "true"}), "statistics.noisy_value: 'true': should be "
         "'recommended', 'best_measured', 'best_evaluated' or 'measured'"),
        (mine, "statistics.noisy_value: 'best_evaluated': of mine.py:f the values without noise "
         "are not known of all evaluated points; write 'recommended' or 'best_measured'"),
        (noisy, "statistics.noisy_value: 'recommended': published data of bbob-noisy have the "
         "best value without noise of all evaluated points; write 'best_evaluated'"),
    ):  # fmt: skip
        assert refused(parse, mapping) == (line,)
    noisy["statistics"] = {"noisy_value": "best_evaluated"}
    assert parse(noisy).statistics.noisy_value == "best_evaluated"


@pytest.mark.parametrize(
    ("spec", "line"),
    [
        (
            {"use": "scheduled.py:solve", "schedule": asked},
            f".schedule: {asked!r}: should be one parameter with fill, {{launches: k}} or a whole "
            "number from 1",
        )
        for asked in (
            "fill", {}, {"t": 0}, {"t": -3}, {"t": 1.5}, {"t": True}, {"t": "full"}, {"t": None},
            {"t": {"launches": 0}}, {"t": {"launch": 3}}, {"t": 3, "u": 4}, ["t"],
        )
    ] + [
        (
            {"use": "scheduled.py:solve", "schedule": {"T": "fill"}},
            ": 'T' is not a parameter of scheduled.py:solve; did you mean 't'?",
        ),
        (
            {"use": "scheduled.py:solve", "schedule": {"t": "fill"}, "parameters": {"t": 3}},
            ".schedule: 't': also in parameters; give it once",
        ),
        (
            {
                "use": "scheduled.py:solve", "schedule": {"t": "fill"},
                "tune": {
                    "tuner": "random", "space": {"t": {"int": [1, 9]}}, "budget_s": 100,
                    "on": {"functions": 1, "dimensions": 5, "instances": 2},
                },
            },
            ".schedule: 't': excludes tune; give one",
        ),
        (
            {"use": "mealpy:PSO.OriginalPSO", "schedule": {"pop_size": "fill"}},
            ".schedule: 'pop_size': mealpy:PSO.OriginalPSO follows the budget unless 'epoch' is "
            "given; name that, or remove it",
        ),
    ],
)  # fmt: skip
def test_a_schedule_names_one_parameter_that_limits_a_launch(tmp_path, monkeypatch, spec, line):
    if spec["use"].startswith("mealpy"):
        pytest.importorskip("mealpy")
    monkeypatch.chdir(tmp_path)
    (tmp_path / "scheduled.py").write_text("def solve(objective, rng, t=100): pass\n")
    assert refused(parse, changed({"algorithms": {"a": spec}})) == (f"algorithms.a{line}",)


def test_one_line_names_the_algorithms_that_waste_threads():
    algorithms = {
        "search": {"use": "timefair:random-search", "threads": 2},
        "bees": {"use": "timefair:ABC", "threads": 2},
        "simplex": {"use": "scipy:Nelder-Mead", "threads": 3},
        "one": "scipy:Powell",
        "program": {"use": "external:true", "threads": 2},
    }
    assert list(warnings(parse(changed({"algorithms": algorithms})))) == [
        "threads: bees (2), simplex (3): asks for one point at a time, and so evaluates on one of "
        "its threads"
    ]
    assert list(warnings(parse(CAMPAIGN))) == []


LABELS = ("NO", "on", "Yes", "True", "null", "007", "12", "1e3", "1.10", "2026-01-01", "1_000")


def read(folder: Path, text: str) -> object:
    path = folder / "mine.yaml"
    path.write_text(text)
    return read_yaml(path)


@pytest.mark.parametrize("section", ["algorithms", "published"])
def test_labels_are_kept_as_written(tmp_path, section):
    lines = "".join(f"  {label}: timefair:DE\n" for label in LABELS)
    found = read(tmp_path, f"{section}:\n{lines}  'off': timefair:DE\n")
    assert found == {section: dict.fromkeys([*LABELS, "off"], "timefair:DE")}
    if section == "algorithms":
        assert list(parse(SMALL | found).algorithms) == [*LABELS, "off"]


def test_a_label_in_quotes_and_without_is_given_twice(tmp_path):
    with pytest.raises(InputError, match=r"mine.yaml:3: 'NO' is given twice"):
        read(tmp_path, "algorithms:\n  NO: a\n  'NO': b\n")


@pytest.mark.parametrize(
    ("text", "value"),
    [
        *[("1e3", 1000.0), ("2.5e-1", 0.25), ("1E+3", 1000.0), ("-1e-3", -0.001)],
        *[("1_000", 1000), ("1_000.5", 1000.5), ("-.5", -0.5), ("5.", 5.0), ("007.5", 7.5)],
        *[
            ("0", 0),
            ("+5", 5),
            ("010", 10),
            ("-08", -8),
            ("0.5", 0.5),
            ("'010'", "010"),
            ("'1e3'", "1e3"),
        ],
        *[("1-24", "1-24"), ("1,3", "1,3"), ("1e", "1e"), ("1.2.3", "1.2.3")],
        *[
            ("12:30", "12:30"),
            ("0o10", "0o10"),
            ("2026-01-01", "2026-01-01"),
            ("on", True),
            ("~", None),
            (".inf", float("inf")),
        ],
    ],
)
def test_numbers_are_numbers(tmp_path, text, value):
    found = read(tmp_path, f"a: {text}\n")["a"]
    assert (type(found), found) == (type(value), value)


@pytest.mark.parametrize(("value", "shown"), [(False, "false"), (7, "7"), (1.5, "1.5")])
def test_what_another_reader_made_of_a_label_is_refused(value, shown):
    assert refused(parse, SMALL | {"algorithms": {value: "timefair:DE"}})[0].endswith(
        f"{shown}: should be text; write it in quotes"
    )
    assert refused(parse, SMALL | {"name": value}) == (
        f"name: {shown}: should be text; write it in quotes",
    )


def test_snakemake_has_what_the_reader_reads(tmp_path):
    first, second = tmp_path / "a.yaml", tmp_path / "b.yaml"
    first.write_text("runs: 1\nalgorithms: {NO: a, 007: b}\nbudget: {time_s: 1e-1}\n")
    second.write_text("runs: 2\nalgorithms: {null: c}\n")
    workflow = SimpleNamespace(
        configfiles=[second, first],
        overwrite_configfiles=[second],
        config_settings=SimpleNamespace(config={"name": "x"}),
    )
    assert configuration_of(workflow) == {
        "runs": 2,
        "algorithms": {"NO": "a", "007": "b", "null": "c"},
        "budget": {"time_s": 0.1},
        "name": "x",
    }
    second.write_text("- runs\n")
    with pytest.raises(InputError, match=r"b.yaml: should be keys with values"):
        configuration_of(workflow)


ROOT = Path(__file__).parents[3]
SCHEMA = json.loads((ROOT / "config/schema.json").read_text())
VALIDATOR = jsonschema.Draft202012Validator(SCHEMA)


@pytest.mark.slow
def test_the_schema_is_a_schema_and_that_of_the_model():
    VALIDATOR.check_schema(SCHEMA)
    written = (ROOT / "config/schema.json").read_text().splitlines()
    _same(written, json_schema().splitlines(), "config/schema.json: timefair schema --write")


def _same(written: list[str], right: list[str], name: str) -> None:
    if written != right:
        diff = difflib.unified_diff(written, right, "written", "right", lineterm="")
        pytest.fail("\n".join([f"{name} has drifted", *diff]))


@pytest.mark.thinned(3)
@pytest.mark.parametrize("path", sorted((ROOT / "config").rglob("*.yaml")), ids=lambda p: p.name)
def test_campaigns_that_are_shipped_are_right(path):
    if "mealpy:" in path.read_text():
        pytest.importorskip("mealpy")
    campaign = load(path)
    assert path.parents[1] != ROOT / "config" or campaign.name == path.stem
    VALIDATOR.validate(as_an_editor_reads(read_yaml(path)))


def as_an_editor_reads(value: object) -> object:
    """By YAML 1.2, to which 1e-8 is a number."""
    if isinstance(value, dict):
        return {key: as_an_editor_reads(item) for key, item in value.items()}
    if isinstance(value, list):
        return [as_an_editor_reads(item) for item in value]
    is_number = isinstance(value, str) and re.fullmatch(r"\d(\.\d+)?e-?\d+", value)
    return float(value) if is_number else value


@pytest.mark.parametrize(
    ("section", "right"),
    [
        ({"restart": {}}, True),
        ({"restart": {"policy": "independent"}}, True),
        ({"restart": {"policy": "luby", "tau_evaluations": 5}}, True),
        ({"restart": {"tau_evaluations": 5}}, False),
        ({"restart": {"policy": "lubi"}}, False),
        ({"restart": {"policy": "stagnation", "tau_evaluations": 5}}, False),
        ({"stopping": {"rule": "skewness", "tau": 0.1}}, True),
        ({"stopping": {"rule": "fixed", "tau": 0.1}}, False),
    ],
    ids=str,
)
def test_the_schema_knows_the_keys_of_each_policy_and_rule(section, right):
    campaign = as_an_editor_reads(read_yaml(ROOT / "config/config.yaml"))
    assert isinstance(campaign, dict)
    fault = VALIDATOR.iter_errors(campaign | section)
    assert (next(fault, None) is None) is right


PAPERS = Path(__file__).parents[3] / "config/papers"
CAMPAIGNS = ("run-count-de.yaml", "run-count-de-small.yaml")


@pytest.fixture(scope="module")
def generator():
    spec = importlib.util.spec_from_file_location("run_count_de", PAPERS / "run_count_de.py")
    assert spec is not None
    assert spec.loader is not None
    module = importlib.util.module_from_spec(spec)
    sys.modules[spec.name] = module
    spec.loader.exec_module(module)
    yield module
    del sys.modules[spec.name]


@pytest.fixture(scope="module")
def portfolio():
    with (PAPERS / "de-configurations.csv").open() as file:
        return list(csv.DictReader(file))


@pytest.mark.parametrize("name", ["de-configurations.csv", *CAMPAIGNS])
def test_the_file_is_what_its_generator_writes(generator, name):
    written, generated = (PAPERS / name).read_text(), generator.files()[name]
    assert written == generated, "run: python config/papers/run_count_de.py"


def test_there_are_104_configurations_and_nine_of_each_with_both_crossovers(portfolio):
    counts = Counter(row["strategy"] for row in portfolio)
    assert sum(counts.values()) == len({row["label"] for row in portfolio}) == 104
    nine = [f"{m}/{c}" for m in ("rand/1", "rand/2", "best/1", "best/2") for c in ("bin", "exp")]
    assert counts == dict.fromkeys(STRATEGIES, 8) | dict.fromkeys(nine, 9)


def test_the_second_portfolio_in_full():
    for module in ("ioh", "modcma", "modde", "opfunu", "pygmo", "skopt"):
        if importlib.util.find_spec(module) is None:
            pytest.skip(f"{module} is not installed")
    campaign = configuration.load(PAPERS / "run-count.yaml")
    problems = campaign.problems
    cells = len(problems.functions) * len(problems.dimensions) * len(problems.instances)
    assert len(campaign.algorithms) * cells * campaign.runs == 132_000
    assert campaign.budget.evaluations_for(20) == 40_000
    small = configuration.load(PAPERS / "run-count-small.yaml")
    assert small.algorithms == campaign.algorithms
    assert small.tables == campaign.tables
