"""Runs exported to IOHprofiler's format, and read again with their times."""

import numpy as np

from timefair.io.importing import import_all
from timefair.io.table_read import Layout
from timefair.io.write import write_ioh
from timefair.records.rundata.runs import Runs


def test_times_are_the_same(run, table, tmp_path):
    campaign = table(
        run([(1, 0.1, 5.0), (10, 0.4, 0.5)]),
        run([(1, 0.2, 50.0), (20, 0.6, 0.05)], instance=2),
        run([(1, 0.1, 20.0), (7, 0.1, 2.0)], algorithm="B", instance=2, wall_s=0.5, evaluations=40),
    )
    write_ioh(campaign, tmp_path / "all")
    found = import_all(
        tmp_path / "all", "ioh", tmp_path / "out", layout=Layout({"seconds": "time_s"})
    )
    again = Runs.read([tmp_path / "out" / f"{one.label}.parquet" for one in found])
    before = Runs.of(campaign)
    assert again.foreign_clock
    np.testing.assert_array_equal(before.frame["wall_s"], again.frame["wall_s"])
    mine, theirs = before.traces.together(), again.traces.together()
    for name in ("evaluations", "time_s", "precision"):
        np.testing.assert_array_equal(getattr(mine, name), getattr(theirs, name))
