"""Any damage to published data gives one line that names the file, never a traceback."""

import json

import pytest
from damages import OPERATIONS, damaged
from hypothesis import HealthCheck, given, settings
from hypothesis import strategies as st

from timefair.basics.errors import InputError


@pytest.fixture
def with_json():
    runs = [{"instance": i, "evals": 20, "best": {"evals": 9, "y": 0.5}} for i in (1, 2)]
    index = {
        "suite": "BBOB", "function_id": 2, "function_name": "Ellipsoid", "maximization": False,
        "algorithm": {"name": "walk"}, "attributes": ["evaluations", "raw_y"],
        "scenarios": [{"dimension": 4, "path": "data/f2.dat", "runs": runs}],
    }  # fmt: skip
    lines = "evaluations raw_y\n1 9.5\n4 2.0\n9 0.5\n"
    return {"IOHprofiler_f2.json": json.dumps(index, indent=1), "data/f2.dat": 2 * lines}


@pytest.fixture
def before_json():
    header = '"function evaluation" "current f(x)" "best-so-far f(x)"\n'
    return {
        "x.info": "suite = 'BBOB', funcId = 2, DIM = 4, maximization = 'F', algId = 'walk'\n%\n"
        "data/f2.dat, 1:20|0.5, 2:20|0.5\n",
        "data/f2.dat": 2 * (header + "1 9.5 9.5\n4 2.0 2.0\n9 0.5 0.5\n"),
    }


@pytest.mark.thinned(3)
@pytest.mark.slow
@pytest.mark.parametrize(
    ("kind", "format"),
    [
        ("first", "coco"), ("latest", "coco"), ("constrained", "coco"), ("multiobjective", "coco"),
        ("with_json", "ioh"), ("before_json", "ioh"),
    ],
)  # fmt: skip
def test_damage_gives_one_line(kind, format, request, read, tmp_path):
    whole = dict(request.getfixturevalue(kind))
    clean, _ = read(whole, format)
    outcomes = set()

    @settings(max_examples=25, deadline=None, derandomize=True, database=None,
              suppress_health_check=[HealthCheck.function_scoped_fixture])  # fmt: skip
    @given(
        st.sampled_from(sorted(whole)), st.sampled_from(OPERATIONS), st.integers(0, 10**6),
        st.integers(0, 10**6),
    )  # fmt: skip
    def check(name, operation, at, how):
        files = dict(whole)
        text = files.pop(name)
        if operation != "delete":
            files[name] = damaged(text, operation, at, how)
        try:
            rows, _ = read(files, format)
        except InputError as error:
            (line,) = error.faults
            assert line.startswith(f"{tmp_path / 'data'}: ")
            assert "\n" not in line
            outcomes.add("refused")
            return
        outcomes.add("read" if rows == clean else "other")
        assert {row["wall_s"] for row in rows} == {None}
        for row in rows:
            assert row["evaluations"] >= max((e["evaluations"] for e in row["events"]), default=0)
            assert all(e["precision"] >= 0 for e in row["events"])

    check()
    assert outcomes >= {"refused", "read"}


@pytest.mark.thinned(2)
@pytest.mark.parametrize("kind", ["first", "latest", "constrained", "multiobjective"])
def test_lost_trials_are_reported(kind, request, read):
    """A data file that ends early is noticed, wherever it ends."""
    whole = dict(request.getfixturevalue(kind))
    clean, usual = read(whole)
    for name in whole:
        if name.endswith("dat"):
            for stop in range(0, len(whole[name]) - 1, 61):
                try:
                    rows, cautions = read(whole | {name: whole[name][:stop]})
                except InputError:
                    continue
                assert set(cautions) - set(usual) or rows == clean, (name, stop)
