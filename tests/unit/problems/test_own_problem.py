"""The user's own function as a suite, permutations, and the names of functions."""

import sys
from itertools import permutations
from pathlib import Path

import numpy as np
import pytest
from campaigns import refused
from matplotlib.text import Text

from timefair.algorithms import libraries
from timefair.basics.errors import InputError
from timefair.basics.user_code import load_function
from timefair.campaign import configuration, provenance
from timefair.campaign.plan import write_snapshot
from timefair.exhibits import files, latex
from timefair.exhibits.registry import FIGURES, TABLES
from timefair.measure.run import Allowance, measure_run
from timefair.measure.trial import load
from timefair.problems import names
from timefair.problems.classic import PERMUTATIONS
from timefair.problems.suites import find
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

SOURCE = """
import numpy as np
from helper_beside import ONE

def bowl(x, *, weight=1.0):
    return weight * ONE * np.sum(np.square(x))

def numbered(x, function, instance):
    x += 1.0  # a copy
    return function * 100 + instance

numbered.lower = [-1.0, -2.0]
numbered.upper = lambda function, dimension, instance: np.full(dimension, 10.0 * function)
numbered.f_opt = lambda function, dimension, instance: 100.0 * function + instance

def needy(x, scale):
    return scale

def silent(x):
    pass

def lonely():
    return 0.0
"""


CONSTRAINED = """
import math

def by_functions(x, *, least=1.0):
    return float((x**2).sum())

by_functions.constraints = lambda x, least: [least - x[0]]
by_functions.equalities = lambda x, least: x[0] + x[1] - 1.5

def beside(x, *, least=1.0):
    beside.calls += 1
    return float((x**2).sum()), [least - x[0], x[0] + x[1] - 1.5]

beside.calls, beside.constraints, beside.equalities = 0, 1, 1

def wrong(x):
    return 1.0, [1.0]

wrong.constraints = 2

def alone(x):
    return 1.0

alone.equalities = 1

def raising(x):
    return 1.0

def _raise(x):
    raise ValueError("no\\nluck")

def nan(x):
    return 1.0

def other(x):
    return 1.0

def nothing(x):
    return 1.0

def mixed(x):
    return 1.0

def misnamed(x):
    return 1.0

raising.constraints = _raise
nan.constraints = lambda x: [math.nan, 1.0]
other.constraints = "g"
nothing.equalities = lambda x: None
mixed.constraints, mixed.equalities = 1, _raise
misnamed.inequalities = _raise
"""
TWO = """
def two(x, *, weight=1.0):
    return [float(x[0] ** 2), weight * float((x[0] - 2) ** 2)]

two.lower, two.upper, two.ideal = -5, 5, lambda function, dimension, instance: (0, 0)

def three(x):
    return x[0], x[0], x[0]

three.lower, three.upper, three.ideal, three.nadir = 0, 1, (0, 0), (1, 1)

def noisy(x):
    return 0.0

noisy.lower, noisy.upper, noisy.ideal, noisy.nadir = 0, 1, (0, 0), (1, 1)
noisy.noise_free = noisy.constraints = noisy
"""
ORDERS = """
def cost(x):
    return float(abs(x[1:] - x[:-1]).sum())

cost.permutation, cost.f_opt = True, lambda f, d, i: d - 1.0

def odd(x):
    return 0.0

odd.permutation, odd.constraints = True, lambda x: [0.0]
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    files = {"own_functions": SOURCE, "helper_beside": "ONE = 1\n", "limits": CONSTRAINED}
    for name, text in (files | {"objectives": TWO, "orders": ORDERS}).items():
        (tmp_path / f"{name}.py").write_text(text)
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [p for p in sys.path if p])
    yield tmp_path
    for name in ("own_functions", "helper_beside"):
        sys.modules.pop(name, None)


BOX = {"lower": -5, "upper": 5}


@pytest.mark.slow
@pytest.mark.parametrize("place", ["own_functions", "own_functions.py", "./own_functions.py"])
def test_a_function_with_its_bounds_and_keywords(folder, place):
    suite = find(f"{place}:bowl", {**BOX, "f_opt": 0, "weight": 2})
    problem = suite.problem(1, 3, 1)
    assert problem.evaluate(np.array([1.0, 2.0, 0.0])) == 10.0
    assert (problem.lower.tolist(), problem.upper.tolist()) == ([-5] * 3, [5] * 3)
    assert (problem.f_opt, suite.knows_optimum(1, 3, 1)) == (0.0, True)
    assert suite.variables == "continuous"
    assert str(problem.name) == f"{place}:bowl f1 D=3 instance 1"
    assert [path.name for path in suite.source_files()] == ["own_functions.py"]


def test_attributes_and_numbers_of_the_campaign(folder):
    suite = find("own_functions:numbered", {})
    problem = suite.problem(3, 2, 7)
    x = np.zeros(2)
    assert problem.evaluate(x) == problem.f_opt == 307
    assert not x.any()
    assert problem.upper.tolist() == [30.0, 30.0]
    assert suite.faults([1, 9], [2], [1, 4]) == []
    assert suite.faults([1], [3], [1]) == [
        "dimensions: 3 does not suit own_functions:numbered: 'lower' has 2 values"
    ]
    assert find("own_functions:numbered", {"lower": 0}).problem(1, 3, 1).lower.tolist() == [0] * 3


@pytest.mark.parametrize(
    ("parameters", "variables", "integer"),
    [
        ({"integer": True}, "integer", [True, True]),
        ({"integer": True, "lower": 0, "upper": 1}, "binary", [True, True]),
        ({"integer": [True, False]}, "mixed", [True, False]),
    ],
)
def test_kinds_of_variables(folder, parameters, variables, integer):
    suite = find("own_functions:bowl", BOX | parameters)
    problem = suite.problem(1, 2, 1)
    assert suite.variables == variables
    assert problem.integer.tolist() == integer
    if any(integer):
        with pytest.raises(ValueError, match=r"variable 0 of own_functions:bowl .* is 0\.5"):
            problem.evaluate(np.array([0.5, 0.0]))


@pytest.mark.parametrize(
    ("suite", "parameters", "lines"),
    [
        ("no_module_here:f", {}, ["suite: 'no_module_here:f' is unknown; known: bbob, "]),
        ("own_functions:bowel", {}, ["suite: own_functions has no function 'bowel'; did you mean"]),
        ("own_functions:bowl", {},
         ["parameters: 'lower' is missing: give it here", "parameters: 'upper' is missing"]),
        ("own_functions:bowl", {**BOX, "wieght": 2}, ["parameters: 'wieght' is not a parameter"]),
        ("own_functions:bowl", {"lower": "a", "upper": [], "f_opt": True, "integer": 1},
         ["parameters: 'lower' is a number or a list of numbers, not 'a'",
          "parameters: 'upper' is a number or a list of numbers, not []",
          "parameters: 'f_opt' is a number, not True",
          "parameters: 'integer' is true, false or a list of them, not 1"]),
        ("own_functions:needy", BOX, ["parameters: own_functions:needy needs a value of its "]),
        ("own_functions:lonely", BOX, ["parameters: own_functions:lonely cannot be called as f(x"]),
        ("own_functions:numbered", {"function": 3}, ["parameters: 'function' is set by the camp"]),
        ("limits.py:other", BOX, ["'constraints' of limits.py:other is a function, or the number"]),
        ("limits.py:mixed", BOX,
         ["'constraints' and 'equalities' of limits.py:mixed are both functions, or"]),
        ("limits.py:misnamed", BOX,
         ["'inequalities' of limits.py:misnamed is not read: name it 'constraints'"]),
        ("limits.py:beside", BOX | {"equality_tolerance": -1},
         ["'equality_tolerance' is a number of at least 0"]),
        ("objectives.py:two", {}, ["'nadir' is missing: two objectives need 'ideal' and 'nadir'"]),
        ("objectives.py:two", {"nadir": [1]}, ["'nadir' is a list of two numbers, not [1]"]),
        ("objectives.py:two", {"nadir": [1, 1], "hypervolume": 2},
         ["'hypervolume' is a number above 0 and at mo"]),
        ("objectives.py:two", {"nadir": [1, 1], "f_opt": 2}, [": cannot have 'f_opt'"]),
        ("objectives.py:noisy", {}, ["no noise", ": cannot have 'constraints' or 'noise_free'"]),
        ("orders.py:cost", {"lower": 0}, ["'lower': a permutation of orders.py:cost has no such"]),
        ("orders.py:cost", {"permutation": 1}, ["'lower'", "'upper'", "is true or false, not 1"]),
        ("orders.py:odd", {}, ["'permutation' of orders.py:odd: cannot have 'constraints'"]),
    ],
)  # fmt: skip
def test_faults_are_one_line_each(folder, suite, parameters, lines):
    faults = refused(find, suite, parameters)
    assert len(faults) == len(lines)
    for fault, line in zip(faults, lines, strict=True):
        assert line in fault
        assert "\n" not in fault


def test_other_functions_and_instances_need_an_argument(folder):
    suite = find("own_functions:bowl", BOX)
    assert suite.faults([1, 2], [3], [4]) == [
        "functions: 2 is not in own_functions:bowl, which has 1 alone: its function has no "
        "argument 'function'",
        "instances: 4 is not in own_functions:bowl, which has 1 alone: its function has no "
        "argument 'instance'",
    ]


@pytest.mark.parametrize("function", ["by_functions", "beside"])
def test_constraints_are_values_of_at_most_zero(folder, function):
    suite = find(f"limits.py:{function}", BOX | {"equality_tolerance": 0.25, "least": 0.5})
    assert suite.task == "constraints"
    problem = suite.problem(1, 2, 1)
    limits = problem.constraints
    assert limits.count == 3
    x = np.array([0.25, 0.75])
    assert limits.evaluate(x).tolist() == [0.25, -0.75, 0.25]
    assert limits.violation(x) == 0.5
    assert problem.value(x) == np.inf
    feasible = np.array([0.5, 1.25])
    assert problem.value(feasible) == problem.evaluate(feasible) == 1.8125


def test_a_function_that_returns_its_constraints_is_called_once_for_both(folder):
    problem = find("limits.py:beside", BOX).problem(1, 2, 1)
    function, x = load_function("limits.py:beside"), np.ones(2)
    first = problem.constraints.evaluate(x)
    assert problem.evaluate(x) == 2.0
    assert function.calls == 1
    problem.evaluate(x)  # the same number again is another evaluation
    assert function.calls == 2
    assert problem.constraints.evaluate(x).tolist() == first.tolist()
    assert function.calls == 2


@pytest.mark.parametrize(
    ("function", "line"),
    [
        ("wrong", "limits.py:wrong returned 1 constraints, not 2"),
        ("alone", "limits.py:alone returned 1.0, not f and its constraints"),
    ],
)
def test_what_is_returned_beside_f_is_checked(folder, function, line):
    problem = find(f"limits.py:{function}", BOX).problem(1, 2, 1)
    with pytest.raises(TypeError, match=line):
        problem.constraints.evaluate(np.zeros(2))
    with pytest.raises(TypeError, match=line):
        problem.evaluate(np.zeros(2))


@pytest.mark.parametrize(
    ("function", "line"),
    [
        ("raising", "its constraints failed at the middle of the bounds: ValueError: no luck"),
        ("nan", "its constraints are NaN at the middle of the bounds"),
        ("nothing", "'equalities' of limits.py:nothing returned None, not a list of numbers"),
    ],
)
def test_constraints_are_tried_before_anything_runs(folder, function, line):
    (found,) = find(f"limits.py:{function}", BOX).faults([1], [2], [1])
    assert found.startswith("dimensions: 2 does not suit limits.py:")
    assert line in found


def test_two_objectives_have_the_hypervolume_between_ideal_and_nadir(folder):
    suite = find("objectives.py:two", {"nadir": [8, 4], "weight": 0.5, "hypervolume": 0.9})
    assert (suite.task, suite.faults([1], [1], [1])) == ("two objectives", [])
    problem = suite.problem(1, 1, 1)
    vectors = np.array([problem.evaluate(np.array([x])) for x in (3.0, 0.0, 1.0, 2.0)])
    np.testing.assert_array_equal(vectors, [[9, 0.5], [0, 2], [1, 0.5], [4, 0]])
    # beside the square by 1/8; then areas of rectangles below 1 in both directions
    expected = [-1 / 8, 0.5, 0.5 + 7 / 8 * 3 / 8, 0.5 + 7 / 8 * 3 / 8 + 1 / 2 * 1 / 8]
    np.testing.assert_allclose(-problem.kind.quality(vectors), expected)
    assert problem.precision(problem.kind.quality(vectors)[-1]) == pytest.approx(0.9 - expected[-1])
    below = problem.kind.normalize(np.array([[-1.0, 2.0]]))
    np.testing.assert_array_equal(below, [[0, 0.5]])
    whole = find("objectives.py:two", {"nadir": [8, 4], "integer": True}).problem(1, 1, 1)
    assert whole.f_opt == -1
    with pytest.raises(ValueError, match="takes whole numbers from -5 to 5"):
        whole.evaluate(np.array([0.5]))


def test_points_and_values_that_do_not_fit_two_objectives(folder):
    assert find("objectives.py:two", {"nadir": [0, 4]}).faults([1], [1], [1]) == [
        "dimensions: 1 does not suit objectives.py:two: 'ideal' is not below 'nadir' in both "
        "objectives, all finite"
    ]
    with pytest.raises(TypeError, match="three returned 3 objectives, not 2"):
        find("objectives.py:three", {}).problem(1, 1, 1).evaluate(np.zeros(1))


ALGORITHMS = ("timefair:2-opt", "timefair:OX-GA", "timefair:random-permutations")


@pytest.mark.parametrize("function", PERMUTATIONS.functions)
@pytest.mark.parametrize("instance", [1, 2])
def test_no_order_is_better_than_the_optimum(function, instance):
    problem = PERMUTATIONS.problem(function, 6, instance)
    values = [problem.evaluate(np.array(x, dtype=float)) for x in permutations(range(6))]
    assert min(values) == pytest.approx(problem.f_opt, rel=1e-12)
    assert max(values) > 1.02 * problem.f_opt


@pytest.mark.parametrize("x", [[0, 1, 2, 2], [0, 1, 2, 2.5], [0, 1, 2, np.nan], [0, 1, 2]])
def test_other_points_are_refused(x):
    problem = PERMUTATIONS.problem(1, 4, 1)
    with pytest.raises(ValueError, match=r"takes each of the numbers 0 to 3 once, not \[0.0, "):
        problem.evaluate(np.array(x, dtype=float))


@pytest.mark.parametrize("use", ALGORITHMS)
def test_algorithms_for_permutations_find_the_best_order_of_a_small_problem(use):
    assert libraries.variables(use, {}) == {"permutation"}
    allowed = Allowance(evaluations=3000)
    row = measure_run(libraries.load(use, {}), PERMUTATIONS.problem(1, 5, 1), allowed, seed=1)
    assert (row["status"], row["evaluations"]) == ("ok", 3000)
    assert row["best_precision"] == pytest.approx(0, abs=1e-10)


def test_the_genetic_algorithm_of_pymoo_takes_orders_and_the_others_of_pymoo_do_not():
    pytest.importorskip("pymoo")
    assert libraries.variables("pymoo:GA", {}) == {"continuous", "permutation"}
    assert libraries.variables("pymoo:DE", {}) == {"continuous"}
    problem, allowed = PERMUTATIONS.problem(2, 6, 1), Allowance(evaluations=2000)
    for parameters in ({}, {"pop_size": 30}):
        row = measure_run(load("pymoo:GA", parameters, "native"), problem, allowed, seed=1)
        assert (row["status"], row["evaluations"]) == ("ok", 2000)
        assert row["best_precision"] == pytest.approx(0, abs=1e-10)


def test_random_keys_evaluate_the_order_of_their_coordinates():
    problem = PERMUTATIONS.problem(2, 5, 1)
    row = measure_run(load("timefair:DE", {}, "keys"), problem, Allowance(evaluations=500), seed=1)
    assert (row["status"], row["evaluations"]) == ("ok", 500)
    assert sorted(row["best_x"]) == [0, 1, 2, 3, 4]
    assert problem.evaluate(np.array(row["best_x"])) == row["best_f"]


def test_a_problem_of_the_user(folder):
    suite = find("orders.py:cost", {})
    assert (suite.variables, suite.faults([1], [6], [1])) == ("permutation", [])
    problem = suite.problem(1, 6, 1)
    assert problem.evaluate(np.arange(6.0)) == problem.f_opt == 5.0
    assert (problem.lower.tolist(), problem.upper.tolist()) == ([0] * 6, [5] * 6)
    assert problem.evaluate(problem.points(3)[0]) == 5.0


OWN = Path(__file__).parents[3] / "docs/guide/own.md"
GIVEN = {"bbob": {"1": "bowl & co"}}


@pytest.fixture
def costs(tmp_path, monkeypatch):
    """A function: the example of docs/guide/own.md, with other names in its file."""
    blocks = OWN.read_text().split("```")
    python, yaml = (
        next(block.partition("\n")[2] for block in blocks if f"# costs.{ending}" in block)
        for ending in ("py", "yaml")
    )
    monkeypatch.chdir(tmp_path)

    def make(attribute='{1: "pump", 2: "valve"}', **problems):
        example = '{1: "pump", 2: "valve"}'
        assert example in python
        (tmp_path / "costs.py").write_text(python.replace(example, attribute))
        (tmp_path / "costs.yaml").write_text(yaml)
        sys.modules.pop(f"timefair_own:{tmp_path / 'costs.py'}", None)
        given = configuration.read_yaml(tmp_path / "costs.yaml")
        return configuration.parse(given | {"problems": given["problems"] | problems})

    return make


def test_the_example_of_the_documentation_has_its_names(costs, tmp_path):
    campaign = costs()
    assert campaign.problems.names == {1: "pump", 2: "valve"}
    # the jobs of the analysis read the snapshot, and not the user's file
    snapshot = write_snapshot(campaign, tmp_path)
    (tmp_path / "costs.py").unlink()
    restored = configuration.restore(snapshot)
    given = restored.analysis_settings["function_names"]
    assert names.title("costs.py:loss", 1, given) == "f1 pump"
    assert names.title("costs.py:loss", 3, given) == "f3"


def test_names_of_the_campaign_precede_and_measure_nothing_again(costs):
    before = provenance.measure_keys(costs())
    campaign = costs(names={1: "engine"})
    assert campaign.problems.names == {1: "engine"}
    assert provenance.measure_keys(campaign) == before


@pytest.mark.parametrize("wrong", ['["pump"]', "{0: 'pump'}", "{1: ''}", "{1: 'a\\nb'}", "7"])
def test_a_wrong_attribute_is_named(costs, wrong):
    with pytest.raises(
        InputError, match=r"^problems\.suite: the attribute names of costs\.py:loss"
    ):
        costs(wrong)


@pytest.mark.parametrize(
    ("wrong", "fault"),
    [
        ({1: ""}, "problems.names.1: '': should be one line of text"),
        ({0: "pump"}, "problems.names.0: should be the number of a function"),
        ({"one": "pump"}, "problems.names.one: should be the number of a function"),
    ],
)
def test_a_wrong_name_in_the_campaign_is_named(costs, wrong, fault):
    assert refused(costs, names=wrong) == (fault,)


@pytest.mark.slow
def test_figures_and_printed_tables_have_the_names(run, table, tmp_path):
    rows = [
        run([(1, 0.1, 10.0), (5, 0.5, 1e-9)], algorithm=name, function=function, run=k)
        for name in "AB"
        for function in (1, 8)
        for k in range(2)
    ]
    analysis = Analysis(resamples=50, function_names=GIVEN)
    for name in ("ert", "anytime", "quantiles", "restarts"):
        frame = TABLES[name](Runs.of(table(*rows)), analysis)
        files.write(frame, tmp_path / f"{name}.parquet")
        stored = files.read(tmp_path / f"{name}.parquet")
        texts = [text.get_text() for text in FIGURES[name].figure(stored).findobj(Text)]
        for title in ("f1 bowl & co", "f8 Rosenbrock"):
            assert any(text.startswith(title) for text in texts), (name, title)
        exhibit = TABLES[name].exhibit
        printed = latex.typeset(exhibit, stored, exhibit.printed(stored), latex.Setting(analysis))
        assert r"f1 bowl \& co &" in printed
        assert set(stored["function"].astype(str)) <= {"1", "8", "all"}
