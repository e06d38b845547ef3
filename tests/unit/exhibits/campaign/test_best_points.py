"""The table of best points: every digit, and the best run of a problem has place 1."""

import numpy as np

from timefair.exhibits.registry import TABLES
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis

X = [0.1, 1 / 3]


def test_a_row_per_run_with_the_place_among_all_runs_on_the_problem(table, run):
    runs = Runs.of(
        table(
            run([(1, 0.1, 5.0), (9, 0.4, 3.0)], run=0, f_opt=None, best_f=3.0, best_x=X),
            run([(2, 0.1, 1.0)], run=1, f_opt=None, best_f=1.0, best_x=[1.0, 2.0]),
            run([(3, 0.2, 3.0)], algorithm="B", f_opt=None, best_f=3.0, best_x=[0.0, 0.0]),
            run([], algorithm="B", run=1, f_opt=None, best_f=np.inf),
            run([(4, 0.2, 2.0)], instance=2, f_opt=None, best_f=2.0),
        )
    )
    frame = TABLES["best_points"](runs, Analysis(targets=(1.0,)))
    columns = ["instance", "algorithm", "run", "place", "f", "evaluations", "time_s", "x"]
    assert frame[columns].values.tolist() == [
        [1, "A", 1, 1, 1.0, 2.0, 0.1, "1.0 2.0"],
        [1, "A", 0, 3, 3.0, 9.0, 0.4, "0.1 0.3333333333333333"],
        [1, "B", 0, 2, 3.0, 3.0, 0.2, "0.0 0.0"],
        [2, "A", 0, 1, 2.0, 4.0, 0.2, "none"],
    ]
    assert [float(word) for word in frame["x"][1].split()] == X
