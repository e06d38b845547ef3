"""Numbers of runs: the run-count paper's tables, their controls, other rules."""

import functools
from pathlib import Path

import numpy as np
import pandas as pd
import pytest

from timefair.exhibits.registry import TABLES
from timefair.exhibits.run_count import Samples
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis, RunCount
from timefair.statistics.run_count.stopping_rules import stop_counts
from timefair.statistics.run_count.widths import BoundedMeanWidth

GOLDEN = Path(__file__).parents[3] / "golden"
NAMES = [name for name in TABLES if name.startswith("run_count")]
CAP = 12


def settings(cap=CAP, **changes):
    return Analysis(targets=(1.0,), run_count=RunCount(cap=cap, **changes))


@pytest.fixture(scope="module")
def cells(run, table):
    def make(values, **shared):
        return table(
            *[
                run(best_precision=value, run=k, **dict(cell), **shared)
                for cell, sample in values.items()
                for k, value in enumerate(sample)
            ]
        )

    return make


@pytest.fixture(scope="module")
def campaign(cells):
    """Two dimensions, three functions and three algorithms; one cell lacks independent runs."""
    rng = np.random.default_rng(11)
    values = {
        cell(dimension=d, function=f, algorithm=a): d * k * rng.lognormal(sigma=0.3 * f, size=24)
        for d in (2, 10)
        for f in (1, 2, 3)
        for k, a in enumerate("ABC", start=1)
    }
    last = next(reversed(values))
    return cells(values | {last: values[last][:CAP]})


@pytest.fixture(scope="module")
def of_campaign(campaign):
    runs = Runs.of(campaign)
    make = functools.cache(lambda name: TABLES[name](runs, settings()))
    return lambda name: make(name).copy()


def cell(**names):
    return tuple(names.items())


def made(name, records, analysis=None):
    return TABLES[name](Runs.of(records), analysis or settings())


def only(frame, **names):
    for key, value in names.items():
        frame = frame[frame[key] == value]
    (row,) = frame.to_dict("records")
    return row


def test_a_sample_is_the_first_runs_of_a_cell_and_its_truth_the_next(cells):
    records = cells(
        {
            cell(algorithm="A"): np.arange(10.0),
            cell(algorithm="B"): np.arange(9.0),
            cell(algorithm="C"): np.arange(4.0),
        }
    )
    backwards = records.take(list(range(records.num_rows))[::-1])
    samples = Samples.of(Runs.of(backwards), 5)
    assert samples.names["algorithm"].tolist() == ["A", "B"]
    assert samples.values.tolist() == [[0, 1, 2, 3, 4]] * 2
    assert samples.has_truth.tolist() == [True, False]
    assert samples.truth[0].tolist() == [5, 6, 7, 8, 9]


@pytest.mark.parametrize("name", NAMES)
def test_cells_with_fewer_runs_than_the_cap_give_no_row(name, campaign, of_campaign):
    frame = made(name, campaign, settings(cap=25))
    assert frame.empty
    assert list(frame.columns) == list(of_campaign(name).columns)


@pytest.mark.thinned(3)
@pytest.mark.parametrize("name", NAMES)
@pytest.mark.parametrize("value", [0.0, 1e-8, np.inf])
def test_runs_that_are_all_alike(name, value, cells):
    records = cells(
        {cell(function=f, algorithm=a): np.full(2 * CAP, value) for f in (1, 2) for a in ("A", "B")}
    )
    frame = made(name, records)
    assert len(frame) > 0
    if name == "run_count_rules":
        assert (frame["kept_median_percent"] == 100).all()
        assert (frame["winner_independent_percent"] == 100).all()
    if name == "run_count_savings":
        assert (frame["mean_runs"] == 5).all()
        assert (frame["accurate_percent"] == 100).all()


def test_the_columns_of_the_paper_have_its_names(campaign):
    printed = pd.read_csv(GOLDEN / "seed001_table1.csv").columns.drop(["tau", "tech"])
    columns = list(made("run_count_accuracy", campaign).columns)
    start = columns.index("true")
    assert columns[start : start + len(printed)] == list(printed)


def test_runs_made_and_saved_by_hand(cells):
    """The first sample is skewed up to the cap, the second symmetric before its 90s come."""
    values = {
        cell(algorithm="A"): [1.0, 1.1, 1.0, 1.2, 9.0, 1.3, 1.0, 1.0],
        cell(algorithm="B"): [1.0, 2.0, 3.0, 4.0, 5.0, 90.0, 91.0, 92.0],
    }
    analysis = settings(cap=8, taus=(0.1,), outliers=("none",))
    records = cells(values)
    savings, accuracy = (
        only(made(f"run_count_{name}", records, analysis), dimension="all", rule="skewness")
        for name in ("savings", "accuracy")
    )
    counts = ("samples", "total_runs", "estimated_runs", "saved_runs", "mean_runs")
    assert [savings[name] for name in counts] == [2, 16, 13, 3, 6.5]
    assert savings["saved_percent"] == pytest.approx(100 * 3 / 16)
    assert (savings["accurate_percent"], savings["expected_saved_runs"]) == (50, 1.5)
    # Who never stopped is right by definition; who stopped is not.
    assert (accuracy["true"], accuracy["never_stopped_percent"]) == (50, 50)
    assert accuracy["accurate_stopped_percent"] == 0
    assert accuracy["samples_independent"] == 0
    assert np.isnan(accuracy["accurate_independent_percent"])


def test_racing_drops_what_cannot_win_and_keeps_the_winner(cells):
    rng = np.random.default_rng(4)
    values = {
        cell(algorithm=name): factor * rng.uniform(1.0, 1.5, size=2 * CAP)
        for name, factor in (("A", 10.0), ("B", 1.0), ("C", 100.0))
    }
    row = only(made("run_count_rules", cells(values)), dimension="all", rule="racing")
    # Two are dropped at the first look; one that is left needs no more runs.
    assert row["mean_runs"] == 7
    assert row["problems"] == 1
    assert row["winner_percent"] == row["winner_independent_percent"] == 100


@pytest.mark.slow
def test_a_mean_is_promised_at_any_time_where_bounds_are_known(cells):
    """B never settles, and leaves the narrower bounds; C fails only after it has stopped."""
    values = {
        cell(algorithm="A"): np.tile([49.0, 50.0, 51.0], 20),
        cell(algorithm="B"): np.tile([1.0, 50.0, 99.0], 20),
        cell(algorithm="C"): np.append(np.full(25, 50.0), np.full(35, np.inf)),
    }
    samples = np.array([*values.values()])[:, :30]
    for highest, outside in ((100.0, 0), (60.0, 1)):
        counts = stop_counts(BoundedMeanWidth(0.4, 0.0, highest, cap=30), samples)
        assert counts.met.tolist() == [True, False, True]
        analysis = settings(cap=30, width=0.4, bounds=(0.0, highest))
        row = only(
            made("run_count_rules", cells(values), analysis),
            dimension="all",
            rule="width of the mean",
            setting=f"anytime, 0 to {highest:g}",
        )
        assert (row["promises"], row["mean_runs"]) == ("mean", counts.n.mean())
        assert row["never_stopped_percent"] == pytest.approx(100 / 3)
        assert row["out_of_bounds_percent"] == pytest.approx(100 * outside / 3)
