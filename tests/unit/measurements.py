"""The measurement of a run without a process of it, and the processes that are there."""

from pathlib import Path

from timefair.measure.evaluation.objective import Measurement


def measurement_of(problem, state, **options):
    """A measurement in the memory of a state, not started."""
    logs = (state.event_log, state.launch_log, state.launch_event_log, state.best_fd)
    return Measurement(problem, state.header_array, *logs, **options)


def running(command):
    """The processes whose command line has these words."""
    return [path for path in Path("/proc").glob("[0-9]*/cmdline") if command in _content(path)]


def _content(path):
    try:
        return path.read_text(errors="replace").replace("\0", " ")
    except OSError:  # it has just ended
        return ""
