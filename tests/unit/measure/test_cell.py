"""What a measuring job still has to do."""

import os
import signal
import time
from itertools import product
from types import SimpleNamespace

import numpy as np
import pyarrow as pa
import pytest

from timefair.machine.linux import kernel
from timefair.measure.job.cell import Repetitions, _missing
from timefair.measure.job.prepared import _evaluation_cost
from timefair.problems.base import Problem, ProblemName

TURNS = [(instance, run) for run, instance in product(range(3), (1, 2))]


@pytest.mark.parametrize("lost", [[], TURNS, [(1, 0)], [(2, 1)], [(2, 2)], [(1, 0), (2, 1)]])
def test_runs_of_the_journal_are_not_measured_again_wherever_one_is_missing(lost):
    kept = pa.record_batch({"best_precision": [1.0]})
    journal = SimpleNamespace(runs={turn: kept for turn in TURNS if turn not in lost})
    repetitions = Repetitions({1: (), 2: ()}, more=3)
    measured = []
    for turn in _missing(repetitions, journal):
        measured.append(turn)
        repetitions.add(turn[0], 2.0)
    assert measured == lost
    assert repetitions.next() is None


def problem(evaluate) -> Problem:
    bounds = -np.ones(2), np.ones(2)
    return Problem(ProblemName("own", 1, 2, 1), evaluate, *bounds, f_opt=0.0)


@pytest.mark.parametrize(
    "evaluate",
    [
        lambda x: 1 / 0,
        lambda x: os._exit(0),
        lambda x: os.kill(os.getpid(), signal.SIGSEGV),
        lambda x: time.sleep(1000),
    ],
    ids=["raises", "exits", "crashes", "hangs"],
)
def test_a_problem_that_has_no_cost_does_not_end_the_job(evaluate):
    before = kernel.children()
    assert _evaluation_cost(problem(evaluate), answer_s=0.2) == {}
    assert kernel.children() == before
