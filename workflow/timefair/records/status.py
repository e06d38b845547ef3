"""The closed sets of words that say how a run and a launch went. Each is defined here only.

A run has a `Status` (is the result the algorithm's own, or did something go wrong?) and a
`StopReason` (what ended it). The two are independent: an algorithm that never evaluates and is
ended by the kernel timer has the status ``no_evaluation`` and the stop reason ``time_killed``.
"""

from __future__ import annotations

from enum import StrEnum


class Status(StrEnum):
    """Whether the result of a run is the algorithm's own."""

    OK = "ok"
    """The algorithm ran in order until its budget, its target or its own end."""

    RAISED = "raised"
    """The algorithm raised an exception; `message` holds it. Events up to then are kept."""

    EXITED = "exited"
    """The algorithm ended the interpreter itself (``os._exit``); `message` holds the exit code."""

    CRASHED = "crashed"
    """A signal ended the process (segmentation fault, abort); `message` names the signal."""

    KILLED = "killed"
    """SIGKILL or SIGTERM came from outside before the deadline, in every one of the attempts, or
    the run ended the process that measured it in every one of them."""

    OUT_OF_MEMORY = "out_of_memory"
    """The memory limit of a run was reached: Python raised MemoryError, or the system ENOMEM."""

    WALL_LIMIT = "wall_limit"
    """A run without a budget in seconds had not used its evaluations at ``limits.wall_s``."""

    INCONSISTENT = "inconsistent"
    """What the run's process wrote contradicts itself or the clock; `message` says where. Nothing
    of it is kept."""

    NO_EVALUATION = "no_evaluation"
    """The run ended without one evaluation."""

    NO_FINITE_VALUE = "no_finite_value"
    """The algorithm evaluated, and every value was NaN or infinite."""


class StopReason(StrEnum):
    """What ended a run."""

    TARGET = "target"
    """The final target was reached."""

    TIME = "time"
    """The objective ended the run at the first evaluation that finished at or after T."""

    TIME_KILLED = "time_killed"
    """The kernel timer ended the run between two evaluations, just after T."""

    EVALUATIONS = "evaluations"
    """The budget of evaluations was used up."""

    ALGORITHM_ENDED = "algorithm_ended"
    """The algorithm returned, and the policy starts it no more (``none``, or an empty launch)."""

    FAILURE = "failure"
    """The status says what happened."""


class LaunchEnd(StrEnum):
    """What ended one launch of the algorithm inside a run."""

    RETURNED = "returned"
    """The algorithm returned by itself: a completed restart."""

    TAU = "tau"
    """Its share was used up (``fixed``, ``luby``), or it was paused and another one went on
    (``bet-and-run``): a completed restart."""

    STAGNATED = "stagnated"
    """It did not improve any more (policy ``stagnation``): a completed restart."""

    TARGET = "target"
    """It reached the final target."""

    CUT = "cut"
    """The budget of the run was used up while it ran."""

    FAILED = "failed"
    """It raised, crashed or exited."""


class Disturbance(StrEnum):
    """Whether others slowed a run, by the rule of `timefair.measure.disturbance.interference`."""

    CLEAN = "clean"
    """Nothing that the machine tells says so."""

    DISTURBED = "disturbed"
    """`disturbed_by` says what does."""

    UNKNOWN = "unknown"
    """The machine tells neither waiting times nor was the reference kernel timed."""


class Isolation(StrEnum):
    """What kept the files of one run from other runs; `measure.isolation.views` has the folders."""

    PRIVATE = "private"
    """The run had a view of its own of all these folders."""

    WATCHED = "watched"
    """The machine allows no private view of some of these folders, which `watched_because` names:
    they were compared before and after the run."""

    STRICT = "strict"
    """The same as ``private``, and the algorithm ran in a process that does not hold the problem:
    `measure.apart`."""

    SHARED = "shared"
    """The campaign lets the runs of the algorithm share these folders; they were compared too."""


COMPLETED = frozenset({LaunchEnd.RETURNED, LaunchEnd.TAU, LaunchEnd.STAGNATED})
"""The ends of a launch that count as a restart completed within the budget."""
