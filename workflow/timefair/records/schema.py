"""The schema of a record: one row per run. Launches and events of the run are nested rows.

Times are seconds of the run's clock since its start (t0, the moment the algorithm is first called
with a ready objective). The run's clock is a monotonic clock of the machine, which is advanced by
``evaluation_cost_s`` when an evaluation begins, or for every k-th point of a batch on k cores.
``time_s``, ``start_s``, ``end_s``, ``wall_s``, ``last_evaluation_s``, ``overshoot_s`` and the
budget T refer to this clock. All other times are real times of the machine. A record contains no
event at or after T.

A record of published data has the same columns. Only these are not null: the keys except the round,
``f_opt``, ``evaluations``, ``best_f``, ``best_precision``, and the evaluations and precisions of
events. If the data have times (`FOREIGN_CLOCK`), ``wall_s``, ``status``, ``stop_reason``, the
budgets and the times of events are not null either. See `PUBLISHED`.
"""

from __future__ import annotations

import pyarrow as pa

SCHEMA_VERSION = 7
PUBLISHED = "published"
"""Name of the fact with the source of published data; only their records have it."""
FOREIGN_CLOCK = "foreign_clock"
"""Key within that fact: whether the record has times, which others have measured."""

BRIDGE = "bridge"
"""Key within that fact: what the times of a record of timefair can be compared by, the kernels of
its records (`rundata.published`) with their ``clock``, ``implementation`` and ``machine``.
"""

BY_PLACE = ("stopping", "schedule", "readings")
"""Facts that are lists: decisions of a stopping rule, and lengths of launches, which jobs chose;
and what meters read beside the runs (`records.store`).
"""

EVENT = pa.struct(
    [
        ("launch", pa.int32()),  # the launch that made it, from 0
        ("evaluations", pa.int64()),  # begun in the run so far; in one thread, this is the last
        ("time_s", pa.float64()),  # stamped when the evaluation returned
        # f - f_opt, negative if f_opt is wrong or only the best value known (`basics.optimum`), or
        # f itself where f_opt is null; falls from event to event
        ("precision", pa.float64()),
    ]
)

LAUNCH = pa.struct(
    [
        ("start_s", pa.float64()),
        ("end_s", pa.float64()),  # cut at the run's end
        ("evaluations", pa.int64()),  # of this launch alone
        ("best_precision", pa.float64()),  # of this launch alone; inf when it found nothing
        ("end", pa.string()),  # a LaunchEnd
    ]
)

BATCH = pa.struct(
    [
        ("first", pa.int64()),  # evaluations of the run before it
        ("size", pa.int64()),  # its points
        ("count", pa.int64()),  # how many batches of this size came one after the other
    ]
)

VECTOR = pa.struct(
    [
        ("launch", pa.int32()),  # the launch that made it, from 0
        ("evaluations", pa.int64()),  # begun in the run so far; in one thread, this is the last
        ("time_s", pa.float64()),  # stamped when the evaluation returned
        ("outputs", pa.list_(pa.float64())),  # the numbers of the evaluation, all finite
    ]
)

RECOMMENDATION = pa.struct(
    [
        ("launch", pa.int32()),  # the launch that recommended the point, from 0
        ("evaluations", pa.int64()),  # evaluations of the run so far
        ("time_s", pa.float64()),
        ("noise_free", pa.float64()),  # f without noise at the point, finite
    ]
)

RUN_FIELDS = [
    # which run this is
    ("suite", pa.string()),
    ("function", pa.int32()),
    ("dimension", pa.int32()),
    ("instance", pa.int32()),
    ("algorithm", pa.string()),  # the label in the campaign
    ("round", pa.int32()),  # from 1
    ("run", pa.int32()),  # from 0, unique in its cell over all rounds
    ("f_opt", pa.float64()),  # null: unknown
    ("seed", pa.uint64()),  # the stream of launch k is default_rng([seed, k])
    # what it was allowed
    ("budget_s", pa.float64()),  # null: no budget in seconds
    ("budget_evaluations", pa.int64()),  # null: no budget in evaluations
    ("evaluation_cost_s", pa.float64()),  # simulated
    # how it went
    ("status", pa.string()),  # a Status
    ("stop_reason", pa.string()),  # a StopReason
    ("message", pa.string()),  # null unless there is something to say on the status or on the run
    ("attempts", pa.int32()),  # 1, more if a process was killed from outside and repeated
    # what it used and reached
    ("wall_s", pa.float64()),  # from t0 to the run's end, at most budget_s
    ("real_s", pa.float64()),  # the same in real time
    ("charged_s", pa.float64()),  # simulated cost of all evaluations
    ("cpu_s", pa.float64()),  # user and system, of the run's process and what it waited for
    ("evaluations", pa.int64()),  # that finished within the budget
    ("launches", pa.int32()),  # begun
    ("completed_restarts", pa.int32()),  # launches that ended by themselves or by tau
    ("best_f", pa.float64()),  # inf when there is no finite value
    ("best_precision", pa.float64()),  # inf when there is no finite value
    # f without noise at the best measured point, `inf` without one. null: values have no noise, or
    # f without noise is not known
    ("noise_free_f", pa.float64()),
    # what `best_f` is the value of, as it was evaluated; null: none, published, or the value of
    # several points
    ("best_x", pa.list_(pa.float64())),
    # of `evaluations`, those of the constraints; null: the problem has none
    ("constraint_evaluations", pa.int64()),
    ("last_evaluation_s", pa.float64()),  # end of the last evaluation, counted or not; null: none
    ("overshoot_s", pa.float64()),  # how far the last evaluation ended after T; 0: not at all
    ("reaped_s", pa.float64()),  # t0 to the moment the process was gone
    # what it cost around it
    ("preparation_s", pa.float64()),  # to import and prepare the algorithm, before any clock
    ("objective_s", pa.float64()),  # one instrumented evaluation, measured in this job
    ("bare_s", pa.float64()),  # one evaluation by the suite's own call, beside it
    # whether it was perturbed
    ("perturbation", pa.string()),  # a Perturbation
    ("perturbed_by", pa.string()),  # null unless it was
    ("repeats", pa.int32()),  # how often it was measured again because it was perturbed
    ("run_queue_delay_s", pa.float64()),  # waiting for a core, whoever used it; null: not reported
    ("foreign_delay_s", pa.float64()),  # the same, without waiting for processes of the run itself
    ("involuntary_switches", pa.int64()),
    ("steal_s", pa.float64()),  # time in which the host used its cores; null: not reported
    ("pressure_s", pa.float64()),  # some task of the machine waited for a core; null: not reported
    ("throttled_s", pa.float64()),  # stopped by a quota of its control groups; null: not reported
    ("reference_before_s", pa.float64()),  # CPU time of the reference kernel; null: not timed
    ("reference_after_s", pa.float64()),
    ("peak_memory_mb", pa.float64()),
    # output of the algorithm, and leftovers that the parent ended or removed
    ("written_mb", pa.float64()),  # by write(), also to pipes; null: not reported
    ("left_processes", pa.int32()),  # that were there when the run's own had ended
    ("left_files", pa.int32()),  # in the run's temporary folder
    ("left_mb", pa.float64()),
    ("isolation", pa.string()),  # an Isolation
    ("watched_because", pa.string()),  # null unless it is `watched`
    # files that appeared or changed in folders that runs share; null: none
    ("appeared", pa.string()),
    ("appeared_in_trial", pa.string()),  # the same for the trial launch before the runs
    ("core", pa.int32()),  # null: not pinned
    ("started_utc", pa.timestamp("ms", tz="UTC")),
    ("launch_log", pa.list_(LAUNCH)),
    # the points that were asked for together; all others were asked for alone. null: not known
    ("batches", pa.list_(BATCH)),
    # what evaluations gave that give several numbers, as far as it was kept (`problems.base.Keep`,
    # `thinning.VectorThinning`). null: an evaluation gives one value
    ("vectors", pa.list_(VECTOR)),
    # the points that launches recommended, thinned; null: as `noise_free_f`
    ("recommendations", pa.list_(RECOMMENDATION)),
    # what launches found that did not better the run, thinned (`thinning`); with their own events
    # the traces of launches. null: published, or events that were made from `vectors` after the
    # run
    ("launch_events", pa.list_(EVENT)),
    ("events", pa.list_(EVENT)),
]

RUN_SCHEMA = pa.schema(RUN_FIELDS)
KEYS = ("suite", "function", "dimension", "instance", "algorithm", "run")
"""The columns that name a run; no two rows of a campaign share them."""
