"""Jobs of a campaign, the row of a run, and the processes."""

from pathlib import Path

from timefair.algorithms.algorithm import Algorithm
from timefair.campaign import plan
from timefair.campaign.provenance import measure_keys
from timefair.measure.evaluation.objective import NEVER
from timefair.measure.job import Prepared, measure_job
from timefair.measure.run import Allowance, measure_run
from timefair.records.integrity import Place


def do_jobs(campaign, folder):
    """Measure, in this process, each job without a record in a folder; the places of all."""
    keys, places = measure_keys(campaign), {}
    plan.write_keys(keys, folder)
    for job in plan.jobs(campaign):
        key = keys[job.algorithm, job.round]
        places[record := folder / job.record(key)] = Place(key=key, **vars(job))
        if not record.exists():
            measure_job(Prepared(campaign), job, record, key)
    return places


def run_of(solve, problem, seed=3, **allowed):
    return measure_run(Algorithm(solve), problem, Allowance(**allowed), seed)


class Over(BaseException):
    """Stands for the end of the process."""


def end(code):
    raise Over


class Launched:
    """An objective on a state; the test's module begins the launch."""

    def __init__(self, state, problem, clock, deadline=NEVER, **options):
        self.state = state
        self.measurement = state.measurement(problem, clock=clock, exit=end, **options)
        self.measurement.start(0, deadline)
        self.objective = self.measurement.objective


def running(command):
    return [path for path in Path("/proc").glob("[0-9]*/cmdline") if command in _content(path)]


def _content(path):
    try:
        return path.read_text(errors="replace").replace("\0", " ")
    except OSError:  # it has just ended
        return ""
