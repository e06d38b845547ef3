"""The closed sets of words for the outcomes of runs and launches. Each is defined only here.

A run has a `Status` (is the result the algorithm's own, or did something go wrong?) and a
`StopReason` (what ended it). The two are independent: an algorithm that never evaluates and is
ended by the kernel timer has the status ``no_evaluation`` and the stop reason ``time_killed``.
"""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """Whether the result of a run is the algorithm's own."""

    OK = "ok"  # The algorithm ran without a fault until its budget, its target or its own end
    RAISED = "raised"
    """The algorithm raised an exception; `message` holds it. Events up to then are kept."""
    EXITED = "exited"  # The algorithm ended the interpreter (`os._exit`); `message`: the exit code
    CRASHED = (
        "crashed"  # A signal ended the process (segmentation fault, abort); `message` names it
    )
    KILLED = "killed"
    """In each attempt, SIGKILL or SIGTERM came from outside before the deadline, or the run ended
    the process that measured it.
    """
    OUT_OF_MEMORY = "out_of_memory"
    """The memory limit of a run was reached: Python raised MemoryError, or the system ENOMEM."""
    WALL_LIMIT = "wall_limit"
    """A run without a budget in seconds had not used its evaluations at ``limits.wall_s``."""
    INCONSISTENT = "inconsistent"
    """The data that the run's process wrote contradict each other or the clock; `message` says
    where. None of these data are kept.
    """
    NO_EVALUATION = "no_evaluation"  # The run ended without an evaluation
    NO_FINITE_VALUE = "no_finite_value"  # Every value was NaN or infinite


class StopReason(StrEnum):
    """Reason for the end of a run."""

    TARGET = "target"  # The final target was reached
    TIME = "time"  # The objective ended the run at the first evaluation that finished at or after T
    TIME_KILLED = "time_killed"  # The kernel timer ended it between two evaluations, just after T
    EVALUATIONS = "evaluations"  # The budget of evaluations was used up
    ALGORITHM_ENDED = "algorithm_ended"
    """The algorithm returned, and the policy does not restart it (``none``, or an empty launch)."""
    FAILURE = "failure"  # The status gives the reason


ENDED_BY_TIME = (StopReason.TIME, StopReason.TIME_KILLED)
ENDED_BY_BUDGET = (*ENDED_BY_TIME, StopReason.EVALUATIONS)
FINAL_TARGET = 1e-8  # the precision that ends a run, unless a campaign sets another one


class LaunchEnd(StrEnum):
    """Reason for the end of one launch of the algorithm within a run."""

    RETURNED = "returned"  # The algorithm returned by itself: a completed restart
    TAU = "tau"
    """Its share was used up (``fixed``, ``luby``), the problem changed (``at_change``), or it was
    paused and another launch continued (``bet-and-run``): a completed restart.
    """
    STAGNATED = "stagnated"  # It no longer improved (policy ``stagnation``): a completed restart
    TARGET = "target"  # It reached the final target
    CUT = "cut"  # The budget of the run was used up during the launch
    FAILED = "failed"  # It raised, crashed or exited


class Perturbation(StrEnum):
    """Whether other processes slowed a run, by the rule of `timefair.measure.perturbation`."""

    CLEAN = "clean"  # No figure of the machine shows a perturbation
    PERTURBED = "perturbed"  # A perturbation was detected; `perturbed_by` gives the reason
    UNKNOWN = "unknown"
    """The machine does not report waiting times, and the reference kernel was not timed."""


class Isolation(StrEnum):
    """How the files of a run were kept from other runs; `measure.isolation` lists the folders."""

    PRIVATE = "private"  # The run had a private view of all these folders
    WATCHED = "watched"
    """The machine allows no private view of some of these folders; `watched_because` gives the
    reason. The shared folders were compared before and after the run."""
    STRICT = "strict"
    """As ``private``, and the algorithm ran in a process without the problem: of an extension."""
    SHARED = "shared"
    """The campaign lets the algorithm's runs share these folders, compared around each run."""


COMPLETED = frozenset({LaunchEnd.RETURNED, LaunchEnd.TAU, LaunchEnd.STAGNATED})
"""The ends of a launch that count as a restart completed within the budget."""
