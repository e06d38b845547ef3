"""What a measuring job still has to do."""

from itertools import product
from types import SimpleNamespace

import pyarrow as pa
import pytest

from timefair.measure.cell import _missing
from timefair.measure.repetitions import Repetitions

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
