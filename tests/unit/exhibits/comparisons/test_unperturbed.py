"""Which verdicts change without the perturbed runs."""

import pytest

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

ANALYSIS = Analysis(targets=(1.0, 0.1), resamples=50)


def unperturbed(rows):
    return TABLES["comparison"](Runs.of(rows), ANALYSIS).attrs["unperturbed"]


@pytest.fixture
def runs(run, table):
    """A function: A is faster than B in clean runs, by far slower in perturbed ones (of ten)."""

    def make(functions, perturbed, waited=None):
        return table(
            *(
                run(
                    [(1, 0.01, 9.0), (10, 0.9 if slow else at_s, 0.01)],
                    algorithm=name,
                    function=function,
                    run=k,
                    perturbation="perturbed" if slow else "clean",
                    reference_before_s=0.01,
                    real_s=1.0,
                    foreign_delay_s=waited if slow else waited and 0.0,
                )
                for name, at_s in (("A", 0.05), ("B", 0.06))
                for function in range(1, functions + 1)
                for k in range(10)
                for slow in [name == "A" and k < perturbed]
            )
        )

    return make


@pytest.mark.parametrize("functions", [1, 8])
def test_a_verdict_that_perturbed_runs_made_is_named(runs, functions):
    text = unperturbed(runs(functions, 5))
    assert text.startswith("Without them, ")
    assert "A and B" in text
    assert "by ERT (seconds)" in text
    assert ("on f1" in text) == (functions == 1)


def test_too_few_runs_left_to_tell(runs):
    assert unperturbed(runs(1, 6)) == (
        "What they change cannot be told, because too few runs are left without them: 60\u00a0% of "
        "the runs of A on f1 are perturbed."
    )


def test_where_too_few_are_left_times_are_corrected(runs):
    """Nearly all of the time of each perturbed run was waiting; B is then better no more."""
    text = unperturbed(runs(1, 8, waited=0.96))
    assert text.startswith("With times divided by their slowdowns, ")
    assert "A and B on f1 by ERT (seconds)" in text


def test_an_algorithm_whose_runs_are_the_same_is_known(run, table):
    rows = table(*(
        run([(1, 0.1, 9.0), (5, 0.2, best)], algorithm=name, run=k, best_f=best)
        for k in range(3) for name, best in (("A", 1.0), ("B", 1.0 + k))
    ))  # fmt: skip
    assert TABLES["comparison"](Runs.of(rows), ANALYSIS).attrs["repeated"] == ["A"]


def test_a_few_slow_runs_that_change_nothing(run, table):
    rows = table(
        *(
            run(
                [(1, 0.01, 9.0), (10, at_s * (1 + 0.01 * k), 0.01)],
                algorithm=name,
                function=function,
                run=k,
                perturbation="perturbed" if k == 0 else "clean",
            )
            for name, at_s in (("A", 0.05), ("B", 0.5))
            for function in range(1, 9)
            for k in range(10)
        )
    )
    assert unperturbed(rows).startswith("Without them, none of ")
