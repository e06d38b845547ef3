"""The user's own ``solve(objective, rng, **parameters)``."""

import pytest

from timefair.algorithms import registry

SOURCE = """
import helper_beside

def solve(objective, rng, *, step=1.0, start):
    x = start + 0 * objective.lower
    while True:
        objective(x)
        x = x + helper_beside.ONE * step * rng.standard_normal(objective.dimension)

def warm_up():
    solve.warm = True

solve.prepare = warm_up
number = 3

def lonely(objective):
    pass

def anything(objective, rng, **parameters):
    objective([parameters["value"]] * objective.dimension)
"""


@pytest.fixture
def folder(tmp_path, monkeypatch):
    (tmp_path / "my_own_search.py").write_text(SOURCE)
    (tmp_path / "helper_beside.py").write_text("ONE = 1.0\n")
    (tmp_path / "broken.py").write_text("1 / 0\n")
    monkeypatch.chdir(tmp_path)
    monkeypatch.setattr("sys.path", [p for p in __import__("sys").path if p])
    yield tmp_path
    for name in ("my_own_search", "helper_beside"):
        __import__("sys").modules.pop(name, None)


@pytest.mark.parametrize("place", ["my_own_search", "my_own_search.py", "./my_own_search.py"])
def test_a_function_is_found_by_module_and_by_file(folder, launch, place: str) -> None:
    use = f"{place}:solve"
    result = launch(use, {"start": 2.0, "step": 0.0}, most=7)
    assert result.was_cut
    assert {tuple(x) for x in result.points} == {(2.0, 2.0, 2.0)}
    names = [p.name for p in registry.source_files(use)]
    assert names == ["own.py", "my_own_search.py"]
    assert registry.distributions(use) == []


def test_a_file_is_found_by_its_full_path(folder, launch, monkeypatch) -> None:
    monkeypatch.chdir("/")
    assert launch(f"{folder}/my_own_search.py:anything", {"value": 4}).evaluations == 1


def test_what_a_function_prepares_is_called_when_it_is_asked_for(folder) -> None:
    algorithm = registry.load("my_own_search:solve", {"start": 0})
    function = algorithm.solve.func
    assert not hasattr(function, "warm")
    algorithm.prepare()
    assert function.warm


@pytest.mark.parametrize(
    ("use", "parameters", "lines"),
    [
        ("my_own_search:solve", {"start": 1}, []),
        ("my_own_search:anything", {"value": 1, "more": 2}, []),
        (
            "my_own_search:solve",
            {"stepp": 1},
            [
                "'stepp' is not a parameter of my_own_search:solve; did you mean 'step'?",
                "my_own_search:solve needs a value of its parameter 'start'",
            ],
        ),
        ("my_own_search:solv", {}, ["my_own_search has no function 'solv'; did you mean 'solve'?"]),
        ("my_own_search:number", {}, ["'number' of my_own_search is not a function but int"]),
        (
            "my_own_search:lonely",
            {},
            [
                "my_own_search:lonely cannot be called as solve(objective, rng): it is (objective)",
            ],
        ),
        ("broken:solve", {}, ["broken cannot be imported: ZeroDivisionError: division by zero"]),
    ],
)
def test_a_wrong_function_or_parameter_gets_its_line(
    folder, use: str, parameters: dict, lines: list[str]
) -> None:
    assert registry.faults(use, parameters) == lines


def test_a_file_that_is_not_there_is_named_with_its_full_path(folder) -> None:
    assert registry.faults("nowhere.py:solve", {}) == [f"there is no file {folder}/nowhere.py"]


def test_an_error_of_the_function_is_not_swallowed(folder, launch) -> None:
    with pytest.raises(KeyError):
        launch("my_own_search:anything", {})


def test_a_function_says_what_variables_it_takes(folder) -> None:
    (folder / "my_own_search.py").write_text(
        "def solve(objective, rng): pass\n"
        "def bits(objective, rng): pass\n"
        "bits.variables = ('binary',)\n"
        "def wrong(objective, rng): pass\n"
        "wrong.variables = ['binray']\n"
    )
    assert registry.variables("my_own_search.py:solve", {}) == {"continuous"}
    assert registry.variables("my_own_search.py:bits", {}) == {"binary"}
    assert registry.faults("my_own_search.py:wrong", {}) == [
        "my_own_search.py:wrong.variables is ['binray']: name some of continuous, integer, mixed, "
        "binary"
    ]
