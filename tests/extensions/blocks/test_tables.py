"""Blocks of runs that were measured together."""

from types import SimpleNamespace

import numpy as np
import pandas as pd
import pytest

from timefair.extensions.blocks.tables import _blocks
from timefair.records.rundata.left_out import BLOCK


@pytest.mark.filterwarnings("error")
@pytest.mark.parametrize("dtype", ["float64", "Int64", "category"])
def test_imported_runs_have_no_block(dtype):
    frame = pd.DataFrame({key: [0, 0, 1, 0] for key in BLOCK}).assign(machine=["m", "m", "m", ""])
    frame["round"] = pd.Series([0, 0, 1, None]).astype(dtype)
    one, same, other, imported = _blocks(SimpleNamespace(frame=frame)).tolist()
    assert one == same
    assert len({one, other, imported}) == 3
    assert imported == -1


@pytest.mark.filterwarnings("error")
def test_a_block_that_is_not_known_is_none():
    frame = pd.DataFrame({key: [0.0, np.nan] for key in BLOCK}).assign(machine="")
    assert _blocks(SimpleNamespace(frame=frame)).tolist() == [-1, -1]
