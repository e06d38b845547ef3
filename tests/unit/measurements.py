"""The measurement of a run in the memory of a state, without a process of the run."""

from timefair.measure.evaluation.objective import Measurement


def measurement_of(problem, state, **options):
    """A measurement that has not been started."""
    logs = (state.event_log, state.launch_log, state.launch_event_log, state.best_fd)
    return Measurement(problem, state.header_array, *logs, **options)
