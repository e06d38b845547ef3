"""Every fault of a campaign file is one line: the key, the value, what would be right."""

import copy
import json
from collections.abc import Iterable, Iterator, Mapping
from typing import Annotated, Any, Literal, get_args, get_origin

import pytest
from hypothesis import example, given, settings
from hypothesis import strategies as st
from pydantic import BaseModel, BeforeValidator

from timefair.basics.errors import InputError
from timefair.basics.sections import Section
from timefair.campaign.configuration import Campaign, load, model, parse, restore, warnings
from timefair.exhibits.registry import TABLES
from timefair.policies.restarts import RESTARTS
from timefair.policies.stopping import STOPPING
from timefair.statistics.run_count.widths import BoundedMeanWidth, MeanWidth

EVERY = len(TABLES) + 2  # names that the key `tables` knows: also `all` and `default`

CAMPAIGN: dict[str, Any] = {
    "name": "trial",
    "problems": {"suite": "bbob", "functions": "1-3", "dimensions": 5, "instances": [1, "71-72"]},
    "algorithms": {"search": "timefair:random-search"},
    "budget": {"time_s": 0.5},
    "runs": 4,
}


def changed(path: str, value: object) -> dict[str, Any]:
    """The campaign with one key set; None takes the key away."""
    mapping = copy.deepcopy(CAMPAIGN)
    *sections, key = path.split(".")
    section = mapping
    for name in sections:
        section = section.setdefault(name, {})
    section[key] = value
    if value is None:
        del section[key]
    return mapping


def refused(mapping: object) -> tuple[str, ...]:
    """The faults of a campaign."""
    with pytest.raises(InputError) as caught:
        parse(mapping)
    return caught.value.faults


def words(names: Iterable[str]) -> str:
    """Names as a message lists the right ones."""
    *first, last = map(repr, names)
    return f"{', '.join(first)} or {last}"


def readers(kinds: Mapping[str, type[Section]], key: str) -> str:
    """The policies, or rules, that read a key, as a message lists them."""
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
    ("problems.functions", [1, "1-2"], "[1, '1-2']: 1 is named twice"),
    ("problems.instances", 0, "0: 0 is less than 1"),
    ("problems.instances", 1.5, "1.5: should be a whole number, a list of them"),
    ("algorithms", {}, "empty; name at least one"),
    ("algorithms.search", {}, "use: missing; `library:name` of a supported library"),
    ("restart.policy", "fixd", f"'fixd': should be {words(RESTARTS)}; did you mean 'fixed'?"),
    ("restart.policy", "fixed", "'fixed' with no tau: give tau_s or tau_evaluations"),
    (
        "restart.tau_s",
        1.0,
        f"1.0: only with policy {readers(RESTARTS, 'tau_s')}, not 'independent'",
    ),
    ("restart", "luby", "'luby': should be keys with values; write restart: {policy: 'luby'}"),
    ("restart", {"policy": "fixed", "tau_s": 1.0, "tau_evaluations": 5}, "with both tau_s"),
    ("budget", {}, "empty; give time_s, cpu_s, evaluations or evaluations_per_dimension"),
    ("budget", {"evaluations": 9, "evaluations_per_dimension": 2}, "evaluations_per_dimension (2)"),
    ("rounds", 5, "5: more than runs (4)"),
    ("stopping", {"rule": "success", "start": 3, "target": 1e-9}, "target: 1e-09: harder than"),
    (
        "stopping",
        {"start": 3},
        f"start: 3: only with rule {readers(STOPPING, 'start')}, not 'fixed'",
    ),
    ("stopping", {"rule": "mean", "start": 9}, "start: 9: more than runs (4)"),
    ("timing", {"repeats": 5}, "repeats: 5: only with 'repeat', not 'flag'"),
    ("statistics.pairs", ["nobody"], "'nobody': should be 'all', 'best' or algorithms of this"),
    ("statistics", {"time": "cpu", "ancillary": "amortised"}, "time: 'cpu': ancillary cost is in"),
    ("stopping", {"rule": "race"}, "rule: 'race' with rounds 1: algorithms are compared after"),
    ("published", {"old": {"format": "coco", "path": "no/such.tgz"}}, "'no/such.tgz': there is no"),
    ("published", {"search": {"format": "ioh", "path": "."}}, "search: an algorithm already has"),
    ("algorithms.a", {"use": "timefair:DE", "seed_as": "bse"}, "seed_as: 'bse': should be an algo"),
    (
        "algorithms.a",
        {"use": "timefair:DE", "formerly": "search"},
        "formerly: 'search': should not",
    ),
    (
        "algorithms",
        {label: {"use": "timefair:DE", "seed_as": rival} for label, rival in ("ca", "ab", "ba")},
        "a.seed_as: 'b': a cycle (a -> b -> a); remove one of these seed_as",
    ),
    ("targets", [1, -1], "1: -1: should be greater than 0"),
    ("targets", [1, "1e0"], "1.0: named twice"),
    (
        "tables",
        ["etr"],
        f"'etr' is unknown; did you mean 'ert' or 'metered'?; all {EVERY} are listed in "
        "docs/reference/tables/README.md",
    ),
    ("repetitions", 3, "unknown key; write runs"),
    ("budget", 1000, "1000: should be keys with values; write budget: {evaluations: 1000}"),
    ("budget.evaluations", "100*D", "whole number; write evaluations_per_dimension: 100"),
]


@pytest.mark.parametrize(
    ("key", "value", "line"), FAULTS, ids=[f"{key}={value}" for key, value, _ in FAULTS]
)
def test_a_fault_is_one_line(key, value, line):
    (fault,) = refused(changed(key, value))
    assert "\n" not in fault
    assert fault.startswith(key)
    assert line in fault


@pytest.mark.parametrize(
    ("suite", "dimension", "use", "line"),
    [
        (
            "pbo",
            16,
            "scipy:Powell",
            "scipy:Powell takes continuous variables, but pbo has binary ones; "
            "add integer: round to this algorithm",
        ),
        (
            "bbob",
            5,
            "timefair:RLS",
            "timefair:RLS takes binary variables, but bbob has continuous ones",
        ),
        ("pbo", 16, "timefair:random-search", None),
        ("bbob-mixint", 5, "pycma:BIPOP", None),
    ],
)
def test_an_algorithm_is_refused_that_cannot_take_the_variables(suite, dimension, use, line):
    mapping = changed("algorithms", {"first": use})
    mapping["problems"] |= {"suite": suite, "dimensions": dimension, "functions": 1}
    if line is None:
        parse(mapping)
        return
    assert refused(mapping) == (f"algorithms.first: {line}",)


def test_only_functions_with_whole_variables_need_rounding():
    mapping = changed("algorithms", {"first": "scipy:COBYQA"})
    mapping["problems"] = {"suite": "engineering", "functions": "15-17,19", "instances": 1}
    parse(mapping)
    for function, kind in ((18, "mixed"), (31, "integer")):
        mapping["problems"]["functions"] = ["15-17", function]
        assert refused(mapping) == (
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
    mapping = changed("algorithms", {"first": "timefair:random-search"})
    mapping["problems"] = {"suite": "engineering", "functions": 17, "instances": 1} | problems
    assert refused(mapping)[0].startswith(f"problems.{line}")


def test_published_data_need_optima_that_are_known():
    mapping = changed("published", {"old": {"format": "ioh", "path": "."}})
    mapping["problems"] |= {"suite": "pbo", "functions": [1, 18], "dimensions": 16}
    assert refused(mapping) == (
        "published: the optimum of some of these problems is unknown, and published data are "
        "distances to it",
    )
    mapping["problems"]["functions"] = 1
    assert parse(mapping).published["old"].format == "ioh"


def test_a_final_target_needs_an_optimum_that_is_known():
    mapping = changed("budget", {"evaluations": 100, "final_target": 0.1})
    mapping["problems"] |= {"suite": "pbo", "functions": [1, 18], "dimensions": 16}
    parse(mapping)
    mapping["problems"]["functions"] = 18
    assert refused(mapping) == (
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
    (fault,) = refused(changed("algorithms.search", use))
    assert fault.startswith("algorithms.search: ")
    assert said in fault
    assert refused(changed("algorithms.search", use) | {"repetitions": 3}) == (
        "repetitions: unknown key; write runs",
        fault,
    )


def test_numbers_as_people_write_them():
    mapping = changed("budget", {"time_s": "1e-1", "evaluations": "1e5", "final_target": "1e-8"})
    mapping["targets"], mapping["target_values"] = ["1e-2", 1], ["1e-1"]
    mapping["algorithms"] = {
        "search": {"use": "timefair:random-search", "parameters": {}, "threads": 2.0}
    }
    campaign = parse(mapping)
    assert (campaign.budget.time_s, campaign.budget.evaluations) == (0.1, 100_000)
    assert (campaign.budget.final_target, campaign.targets) == (1e-8, (1e-2, 1.0))
    assert campaign.algorithms["search"].threads == 2
    assert campaign.target_values == (0.1,)


def unconverted(path: str, kind: Any, converted: bool = False) -> Iterator[str]:
    """The settings within a type whose numbers may not be text."""
    parts = get_args(kind)
    if get_origin(kind) is Annotated:
        kind, *marks = parts
        converted |= any(isinstance(mark, BeforeValidator) for mark in marks)
        yield from unconverted(path, kind, converted)
    elif isinstance(kind, type) and issubclass(kind, BaseModel):
        for name, field in kind.model_fields.items():
            marked = any(isinstance(mark, BeforeValidator) for mark in field.metadata)
            yield from unconverted(f"{path}.{name}", field.annotation, marked)
    elif get_origin(kind) is not Literal and parts:
        for part in parts:
            yield from unconverted(path, part, converted)
    elif kind in (int, float) and not converted:
        yield path


def test_every_number_may_be_in_scientific_notation():
    without = set(unconverted("", Campaign))
    assert {path for path in without if ".model." not in path} == {".problems.names"}


def test_bounds_of_a_mean_ask_for_the_interval_that_holds_at_all_looks():
    wanted = parse(changed("stopping", {"rule": "mean", "bounds": [0, "1e2"]}))
    assert wanted.stopping.judge(wanted.runs) == BoundedMeanWidth(0.5, 0.0, 100.0, start=4, cap=4)
    wanted = parse(changed("stopping", {"rule": "mean"}))
    assert wanted.stopping.judge(wanted.runs) == MeanWidth(0.5, start=4, cap=4)


def test_all_tables_are_spelled_out():
    campaign = parse(changed("tables", ["ert", "ert"]))
    assert campaign.table_names == ("ert",)
    assert "ert" in campaign.figure_names
    assert len(campaign.figure_names) > 1


def test_a_snapshot_restores_the_campaign(tmp_path):
    campaign = parse(CAMPAIGN)
    (tmp_path / "campaign.json").write_text(campaign.snapshot())
    assert restore(tmp_path / "campaign.json") == campaign


@pytest.mark.slow
@pytest.mark.parametrize(
    ("text", "line"),
    [
        ("name: a\nruns: 1\nname: b\n", ":3: 'name' is given twice"),
        ("name: a\nruns: 010\n", ":2: 010: YAML reads it in base 8 or 60"),
        ("a: {instances: [1:5]}\n", ":1: 1:5: YAML reads it in base 8 or 60"),
        ("budget:\n  time_s: 1\n  time_s: 2\n", ":3: 'time_s' is given twice"),
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
    with pytest.raises(InputError) as caught:
        load(path)
    (fault,) = caught.value.faults
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
    mapping = changed("algorithms.search", {"use": "timefair:random-search"})
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


def test_reference_units_need_the_reference():
    mapping = changed("statistics.time", "reference")
    assert parse(mapping).reference_is_timed
    mapping["timing"] = {"reference": False}
    assert refused(mapping) == ("statistics.time: 'reference': needs timing.reference: true",)


def test_blocks_exclude_rules_that_let_algorithms_rest():
    two = {"search": "timefair:random-search", "other": "timefair:random-search"}
    changes = {"algorithms": two, "block": "node", "rounds": 3, "stopping": {"rule": "race"}}
    assert refused(CAMPAIGN | changes) == (
        "block: 'node': all algorithms of a block have runs, and stopping.rule 'race' lets some "
        "rest; choose another rule, or write null",
    )


def test_the_value_of_noisy_runs_has_to_be_known(tmp_path, monkeypatch):
    monkeypatch.chdir(tmp_path)
    (tmp_path / "mine.py").write_text("def f(x): return 1.0\nf.lower, f.upper = 0, 1\n")
    mine = changed("statistics.noisy_value", "best_evaluated")
    mine["problems"] = {"suite": "mine.py:f", "functions": 1, "dimensions": 2, "instances": 1}
    noisy = changed("published", {"old": {"format": "coco", "path": "old"}})
    noisy["problems"] = {
        "suite": "bbob-noisy", "functions": 101, "dimensions": 2, "instances": 1
    }  # fmt: skip
    (tmp_path / "old").mkdir()
    for mapping, line in (
        (changed("statistics.noisy_value", "true"), "statistics.noisy_value: 'true': should be "
         "'recommended', 'best_measured', 'best_evaluated' or 'measured'"),
        (mine, "statistics.noisy_value: 'best_evaluated': of mine.py:f the values without noise "
         "are not known of all evaluated points; write 'recommended' or 'best_measured'"),
        (noisy, "statistics.noisy_value: 'recommended': published data of bbob-noisy have the "
         "best value without noise of all evaluated points; write 'best_evaluated'"),
    ):  # fmt: skip
        assert refused(mapping) == (line,)
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
    assert refused(changed("algorithms", {"a": spec})) == (f"algorithms.a{line}",)


def test_a_noisy_run_has_no_final_target():
    mapping = changed("budget.final_target", 0.1)
    mapping["problems"] |= {"suite": "bbob-noisy", "functions": 101}
    assert refused(mapping) == (
        "budget.final_target: 0.1: a noisy value may be below it by luck, and the value without "
        "noise is known after the run; write null",
    )


def test_one_line_names_the_algorithms_that_do_not_use_their_threads():
    algorithms = {
        "search": {"use": "timefair:random-search", "threads": 2},
        "bees": {"use": "timefair:ABC", "threads": 2},
        "simplex": {"use": "scipy:Nelder-Mead", "threads": 3},
        "one": "scipy:Powell",
        "program": {"use": "external:true", "threads": 2},
    }
    assert list(warnings(parse(changed("algorithms", algorithms)))) == [
        "threads: bees (2), simplex (3): asks for one point at a time, and so evaluates on one of "
        "its threads"
    ]
    assert list(warnings(parse(CAMPAIGN))) == []


def test_one_line_names_the_algorithms_that_plan_with_a_number_of_evaluations_nobody_gave():
    algorithms = {
        "wizard": "nevergrad:NGOpt",
        "given": {"use": "nevergrad:PSO", "parameters": {"budget": 300}},
        "filled": {"use": "nevergrad:PSO", "schedule": {"budget": "fill"}},
        "plain": "timefair:jDElscop",
    }
    timed = {**changed("algorithms", algorithms), "budget": {"time_s": 1}}
    assert list(warnings(parse(timed))) == [
        "algorithms: wizard: launches plan with 1,000 x D evaluations, because the budget has "
        "none; schedule: {budget: fill} fits them to the time"
    ]
    assert list(warnings(parse({**timed, "budget": {"evaluations": 50}}))) == []
