"""cocopp reads the export of runs with constraints, and its ERT is that of the table `ert`."""

import numpy as np
import pyarrow as pa
import pytest

from timefair.exhibits.registry import TABLES
from timefair.io.write import write_coco
from timefair.measure.run import Allowance, measure_run
from timefair.measure.trial import load
from timefair.problems import suites
from timefair.records.rundata.runs import Runs
from timefair.records.rundata.settings import Analysis
from timefair.records.schema import RUN_SCHEMA

pytestmark = pytest.mark.peer

TARGETS = tuple(10 ** (k / 5) for k in range(15, -41, -1))
INSTANCES, FUNCTIONS = (1, 2, 3), (1, 10, 36)


@pytest.fixture(scope="module", params=["feasible", "indicator"])
def campaign(request):
    """Real runs: a local search that finds the optimum, and one that mostly is infeasible."""
    suite = suites.find("bbob-constrained", {"quality": request.param})
    rows = []
    for label, use in (("A", "scipy:SLSQP"), ("B", "timefair:random-search")):
        for function in FUNCTIONS:
            for instance in INSTANCES:
                problem = suite.problem(function, 2, instance)
                row = measure_run(load(use, {}, "native"), problem, Allowance(evaluations=400), 1)
                names = {"suite": suite.name, "function": function, "dimension": 2}
                own = {"instance": instance, "algorithm": label, "run": 0, "round": 1}
                rows.append(names | own | {"f_opt": problem.f_opt} | row)
    return pa.Table.from_pylist(
        [{k: v for k, v in row.items() if k in RUN_SCHEMA.names} for row in rows], RUN_SCHEMA
    )


def test_ert_and_success_rates_are_cocopps_at_all_targets(campaign, cocopp, tmp_path):
    write_coco(campaign, tmp_path, "evaluations")
    ours = TABLES["ert"](Runs.of(campaign), Analysis(targets=TARGETS, resamples=10))
    reached = []
    for algorithm, of_algorithm in ours.groupby("algorithm"):
        cocopp.testbedsettings.reset_current_testbed()
        data_sets = cocopp.load(str(tmp_path / algorithm))
        assert {data.funcId for data in data_sets} == set(FUNCTIONS)
        for data in data_sets:
            part = of_algorithm[of_algorithm["function"] == data.funcId]
            np.testing.assert_allclose(data.detERT(TARGETS), part["ert_evaluations"])
            np.testing.assert_allclose(data.detSuccessRates(TARGETS), part["success_rate"])
            reached += part["success_rate"].tolist()
    cocopp.testbedsettings.reset_current_testbed()
    assert 0 < np.mean(reached) < 1
