"""Imported data of every suite of COCO, with and without defects, give cocopp's numbers."""

import re
import shutil
import warnings

import numpy as np
import pytest

from timefair.exhibits.registry import TABLES
from timefair.io.importing import import_data
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

pytestmark = pytest.mark.peer

SUITES = {
    "bbob": "dimensions: 2,5 function_indices: 1,8,20",
    "bbob-noisy": "dimensions: 2 function_indices: 1,3,30",
    "bbob-boxed": "dimensions: 2 function_indices: 1,2",
    "bbob-largescale": "dimensions: 20,80 function_indices: 1,8",
    "bbob-mixint": "dimensions: 5 function_indices: 1,20",
    "bbob-constrained": "dimensions: 2 function_indices: 1,10",
    "bbob-biobj": "dimensions: 2 function_indices: 1,12",
    "bbob-biobj-ext": "dimensions: 2 function_indices: 56",
    "bbob-biobj-mixint": "dimensions: 5 function_indices: 1",
}


def climb(problem, rng, steps):
    lower = np.maximum(problem.lower_bounds, -100)
    upper = np.minimum(problem.upper_bounds, 100)
    x, best, sigma = lower + (upper - lower) * rng.random(problem.dimension), np.inf, 1.0
    for _ in range(steps):
        y = x + sigma * rng.standard_normal(problem.dimension)
        if problem.number_of_constraints and rng.random() < 0.3:
            problem.constraint(y)
        value = np.sum(problem(y))
        sigma *= 1.5 if value <= best else 0.9
        x, best = (y, value) if value <= best else (x, best)


@pytest.fixture(scope="module")
def observed(tmp_path_factory):
    """A function: the folder of a suite's data that COCO's own observer wrote."""
    cocoex = pytest.importorskip("cocoex")

    def write(suite):
        folder = tmp_path_factory.mktemp(suite)
        rng = np.random.default_rng(len(suite))
        kind = next((k for k in ("bbob-biobj", "bbob-constrained") if suite.startswith(k)), "bbob")
        with pytest.MonkeyPatch.context() as patch:
            patch.chdir(folder)
            observer = cocoex.Observer(kind, "result_folder: A algorithm_name: walk")
            for problem in cocoex.Suite(suite, "instances: 1,2,3,4,5", SUITES[suite]):
                problem.observe_with(observer)
                climb(problem, rng, int(rng.integers(50, 400)))
                problem.free()
        return folder / "exdata" / "A"

    return write


@pytest.fixture
def loaded(cocopp):
    """A function: what cocopp reads in a folder, for any suite."""

    def load_sets(folder):
        cocopp.testbedsettings.reset_current_testbed()
        with warnings.catch_warnings():
            warnings.simplefilter("ignore")
            return cocopp.load(str(folder))

    yield load_sets
    cocopp.testbedsettings.reset_current_testbed()


def differences(sets, folder, record, per_decade):
    """The number of ERTs and success rates that differ from cocopp's, and of partial successes."""
    found = import_data(folder, "coco", record)
    targets = [10 ** (k / per_decade) for k in range(3 * per_decade, -8 * per_decade - 1, -1)]
    ours = TABLES["ert"](Runs.read([record]), Analysis(targets=tuple(targets), resamples=10))
    cells = dict(list(ours.groupby(["function", "dimension"])))
    assert {(data.funcId, data.dim) for data in sets} == set(cells)
    differing = 0
    for data in sets:
        part = cells[data.funcId, data.dim]
        assert set(part["runs"]) == {len(data.instancenumbers)}
        for theirs, mine in (
            (data.detERT(targets), part["ert_evaluations"]),
            (data.detSuccessRates(targets), part["success_rate"]),
        ):
            differing += int(np.sum(~np.isclose(theirs, mine, rtol=1e-9)))
    return differing, int(ours["success_rate"].between(0, 1, inclusive="neither").sum()), found


@pytest.mark.parametrize("suite", SUITES)
def test_every_suite_is_as_cocopp_reads_it(suite, observed, loaded, tmp_path):
    folder = observed(suite)
    per_decade = 10 if "biobj" in suite else 5
    sets = loaded(folder)
    differing, between, found = differences(sets, folder, tmp_path / "o.parquet", per_decade)
    assert (differing, found.suite) == (0, suite)
    assert between > 5


def every(folder, pattern, change):
    for path in folder.rglob(pattern):
        path.write_bytes(change(path.read_bytes()))


def windows(folder):
    every(folder, "*.*", lambda b: re.sub(rb"data_f(\d+)/", rb"data_f\1\\", b))
    every(folder, "*.*", lambda b: b.replace(b"\n", b"\r\n"))


def as_of_2009(folder):
    every(folder, "*.info", lambda b: re.sub(rb"suite = 'bbob', |, coco_version.*", b"", b))
    every(folder, "*dat", lambda b: re.sub(rb"(?m)^(\d+) \d+ (\S+)", rb"\1 \2 \2", b))


def trial_not_listed(folder):
    every(folder, "*_f1_DIM2.*dat", lambda b: b + b[: b.index(b"%", 1)])


def last_of_tdat_lost(folder):
    every(folder, "*_f1_DIM2.tdat", lambda b: b[: b.rindex(b"%")])


def broke_off(folder):
    every(folder, "*_f1.info", lambda b: re.sub(rb"5:\d+\|\S+", b"5", b, count=1))


def there_twice(folder):
    shutil.copytree(folder, folder.parent / "copy")
    (folder.parent / "copy").rename(folder / "copy")


def another_name(folder):
    every(folder, "*_f1.info", lambda b: b.replace(b"'walk'", b"'walk 2'"))


def data_file_missing(folder):
    (folder / "data_f1" / "bbobexp_f1_DIM5.dat").unlink()


def ends_early(folder):
    every(folder, "*_f1.info", lambda b: b[: b.rindex(b"\n%")])


def change_trials(folder, change, count=0):
    """Change the lines of the first trials, or all, on f1 in dimension 2 in the ``.dat`` file."""

    def changed(trial):
        return trial[1] + b"".join(change(trial[2].splitlines(keepends=True)))

    trial = re.compile(rb"((?:%.*\n)+)([^%]*)")
    every(folder, "*_f1_DIM2.dat", lambda b: trial.sub(changed, b, count))


def improvements_in_tdat_alone(folder):
    change_trials(folder, lambda lines: [lines[0], lines[-1]])


def first_line_too_good(folder):
    """The best precision of one first line is that of the third one."""

    def change(lines):
        words = lines[0].split()
        words[2] = lines[2].split()[2]
        return [b" ".join(words) + b"\n", *lines[1:]]

    change_trials(folder, change, 1)


@pytest.mark.parametrize(
    ("change", "cautions"),
    [
        (windows, 0), (as_of_2009, 0), (trial_not_listed, 1), (last_of_tdat_lost, 1),
        (broke_off, 1), (there_twice, 1), (another_name, 1), (data_file_missing, 1),
        (ends_early, 2), (improvements_in_tdat_alone, 0), (first_line_too_good, 1),
    ],
)  # fmt: skip
def test_defects_are_as_cocopp_reads_them(change, cautions, observed, loaded, tmp_path):
    folder = tmp_path / "A"
    shutil.copytree(observed("bbob"), folder)
    change(folder)
    differing, _, found = differences(loaded(folder), folder, tmp_path / "o.parquet", 5)
    assert differing == 0
    assert len(found.cautions) == cautions


def test_a_tdat_file_that_contradicts_the_dat_file(loaded, tmp_path):
    """As in a published archive, where cocopp and the .dat files agree."""
    header = "% evaluations | f - Fopt (394.48) | best f - Fopt | f | best f | x1 | x2\n"
    data = {
        "dat": [[(1, 108), (97, 0.048)], [(1, 50), (30, 2)]],
        "tdat": [[(1, 5.475), (97, 0.048), (200, 0.048)], [(1, 50), (30, 2), (200, 2)]],
    }
    folder = tmp_path / "A"
    folder.mkdir()
    (folder / "x.info").write_text(
        "funcId = 1, DIM = 2, Precision = 1e-8, algId = 'A'\n%\nx.dat, 1:200|4.8e-2, 2:200|2.0\n"
    )
    for suffix, trials in data.items():
        lines = [
            header + "".join(f"{n} {q} {q} {394.48 + q} {394.48 + q} 0 0\n" for n, q in trial)
            for trial in trials
        ]
        (folder / f"x.{suffix}").write_text("".join(lines))
    sets = loaded(folder)
    differing, _, found = differences(sets, folder, tmp_path / "o.parquet", 5)
    assert sets[0].detERT([10]) == [(97 + 30) / 2]
    assert differing == 0
    assert found.cautions == []
