"""A portfolio whose process is apart from the one that evaluates finds the same."""

import os

import pytest

from timefair.algorithms import registry
from timefair.measure.apart.messages import Setup
from timefair.measure.apart.solvers import hosted
from timefair.measure.runs.child import Allowance
from timefair.measure.runs.run import measure_run
from timefair.policies.restarts.none import NoRestart
from timefair.problems.registry import SUITES

CORES = tuple(sorted(os.sched_getaffinity(0))[:2])
MEMBERS = ["timefair:DE", "scipy:L-BFGS-B"]


@pytest.mark.skipif(len(CORES) < 2, reason="evaluations have a core of their own")
@pytest.mark.parametrize("mode", ["in turn", "slices"])
def test_apart_it_finds_the_same(mode):
    parameters = {"members": MEMBERS, "mode": mode, "evaluations": 60}
    problem = SUITES["bbob"].problem(8, 3, 1)
    allowance = Allowance(evaluations=150, restart=NoRestart())
    here = measure_run(registry.load("timefair:portfolio", parameters), problem, allowance, 5)
    space = problem.lower, problem.upper, problem.integer
    setup = Setup(os.getpid(), "timefair:portfolio", parameters, False, *space, None)
    before = os.sched_getaffinity(0)
    with hosted(setup, CORES) as host:
        os.sched_setaffinity(0, host.cores)
        try:
            apart = measure_run(host, problem, allowance, 5)
        finally:
            os.sched_setaffinity(0, before)
    assert here["status"] == apart["status"] == "ok", apart["message"]
    events = [[(e["evaluations"], e["precision"]) for e in row["events"]] for row in (here, apart)]
    assert events[0] == events[1]
    assert here["evaluations"] == (60 if mode == "in turn" else 150)
