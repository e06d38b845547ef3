"""Runs of algorithms of three paces, for the tables on the cost of an evaluation."""

import itertools

import numpy as np
import pytest

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

TARGETS = (10.0, 1.0, 0.1)
SPEED = {"quick": 1e-5, "frugal": 1e-2, "slow": 0.2}
EVALUATIONS = {"quick": 4000, "frugal": 40, "slow": 30}
KEYS = ["suite", "dimension", "function", "algorithm", "target"]


def analysis(**settings):
    return Analysis(targets=TARGETS, resamples=60, **settings)


@pytest.fixture(scope="module")
def rows(run):
    """Runs of three algorithms on three functions; `slow` is cut before the hardest target."""
    rng, made = np.random.default_rng(5), []
    for (name, pace), function, number in itertools.product(SPEED.items(), (1, 3, 8), range(6)):
        events = [(1, pace, 50.0)]
        for target, share in zip(TARGETS, (0.2, 0.5, 1.0), strict=True):
            evaluations = int(EVALUATIONS[name] * share * rng.uniform(0.7, 1.4)) + 2
            events.append((evaluations, evaluations * pace, target / 2))
        kept = [event for event in sorted(events) if event[1] < 5.0]
        spent = {"wall_s": 5.0, "budget_s": 5.0, "evaluations": int(5.0 / pace)}
        changes = dict(algorithm=name, function=function, run=number, **spent)
        made.append(run(kept, **changes))
    return made


@pytest.fixture
def runs(rows, table):
    return Runs.of(table(*rows))


def made(name, runs, settings=None):
    return TABLES[name](runs, settings or analysis())


BATCHES = {"quick": [], "frugal": [{"first": 0, "size": 8, "count": 10_000}], "slow": None}
"""`quick` asks for one point at a time, `frugal` for eight; of `slow` nobody knows it."""


@pytest.fixture(scope="module")
def records_in_batches(rows, table):
    return table(*({**row, "batches": BATCHES[row["algorithm"]]} for row in rows))


@pytest.fixture
def in_batches(records_in_batches):
    return Runs.of(records_in_batches)
