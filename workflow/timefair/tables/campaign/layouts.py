"""How the runs of a campaign went."""

from __future__ import annotations

from timefair.tables.layout import Layout, Points, Value

LAYOUTS = {
    "restarts": (
        Layout(
            caption="Launches and completed restarts of a run, on average, and speed of all runs "
            "together.",
            values=(
                Value("launches_mean", "Launches", decimals=1),
                Value("completed_restarts_mean", "Completed", decimals=1),
                Value("evaluations_per_s", "Evaluations/s"),
                Value("s_per_evaluation", "s/evaluation"),
                Value("cpu_per_wall", "CPU/wall clock", decimals=2),
            ),
            rows=("function", "algorithm"),
        ),
    ),
    "runs": (
        Layout(
            caption="How runs went. Overshoot: how far a last evaluation ended after the budget, "
            "at most. Queue: waiting for a core, whoever had it, as a share of the wall clock. "
            "Preparation: imports and warm-up before the clock. Objective: time inside the "
            "objective, as a share of the wall clock, and what an evaluation costs, as a multiple "
            "of the suite's own call.",
            values=(
                Value("runs", "Runs"),
                Value("disturbed", "Disturbed"),
                Value("overshoot_max_s", "Overshoot, s"),
                Value("run_queue_delay_share", "Queue", decimals=3),
                Value("preparation_mean_s", "Preparation, s"),
                Value("objective_share", "Objective", decimals=3),
                Value("objective_per_bare", "Multiple", decimals=2),
            ),
            rows=("algorithm", "status", "stop_reason"),
        ),
    ),
    "disturbance": (
        Layout(
            caption="Runs that others have disturbed, of each algorithm. Again: measured again "
            "because of it. Delay: waiting for a core that others had, as a share of the wall "
            "clock. Reference: the reference kernel around a run, as a multiple of its best.",
            values=(
                Value("runs", "Runs"),
                Value("clean", "Clean"),
                Value("disturbed", "Disturbed"),
                Value("unknown", "Unknown"),
                Value("excluded", "Left out"),
                Value("repeated", "Again"),
                Value("delay_share_median", "Delay, median", decimals=3),
                Value("delay_share_max", "at most", decimals=3),
                Value("reference_ratio_median", "Reference, median", decimals=2),
                Value("reference_ratio_max", "at most", decimals=2),
            ),
            rows=("algorithm",),
        ),
    ),
    "leftovers": (
        Layout(
            caption="What the algorithms wrote and left behind. Processes: runs that left any when "
            "their own had ended, external commands at the end of the time among them. Files: runs "
            "that left any in their temporary folder. Names: runs during which names appeared in "
            "the working folder. Written: by write(), also to pipes, at most in one run.",
            values=(
                Value("runs", "Runs"),
                Value("with_processes", "Processes"),
                Value("left_processes_max", "at most"),
                Value("with_files", "Files"),
                Value("left_files_max", "at most"),
                Value("left_mb_max", "MB, at most", decimals=1),
                Value("with_names", "Names"),
                Value("written_mb_max", "Written, MB", decimals=1),
            ),
            rows=("algorithm",),
        ),
    ),
    "units": (
        Layout(
            caption="Geometric standard deviation of the time of an evaluation between runs, by "
            "three clocks: 1 repeats perfectly.",
            values=(Value("geometric_sd", "Geometric SD", "low", decimals=2),),
            rows=("function", "algorithm"),
            columns="clock",
        ),
    ),
    "drift": (
        Layout(
            caption="Time of an evaluation and of the reference kernel in each round, relative to "
            "the first. Spread: standard deviation over mean. First: a problem's first run over "
            "the others.",
            values=(
                Value("runs", "Runs"),
                Value("per_evaluation", "Evaluation", decimals=2),
                Value("reference", "Reference", decimals=2),
                Value("spread", "Spread", decimals=2),
                Value("outliers", "Outliers"),
                Value("first_run", "First", decimals=2),
                Value("warnings", "Warnings"),
            ),
            rows=("algorithm", "round"),
        ),
    ),
    "ancillary": (
        Layout(
            caption="Tuning and preparation of each algorithm in seconds, declared or measured, "
            "the share of one problem in them, and that share of the budget.",
            values=(
                Value("tuning_s", "Tuning, s"),
                Value("preparation_s", "Preparation, s"),
                Value("preparation", "Known from"),
                Value("problems", "Problems"),
                Value("share_s", "Share, s"),
                Value("share_of_budget", "Share of budget", decimals=3),
            ),
            rows=("algorithm",),
        ),
    ),
    "ancillary_effect": (
        Layout(
            caption="A number that ancillary cost changes, without that cost and with it.",
            values=(
                Value("excluded", "Excluded"),
                Value("amortised", "Amortised"),
            ),
            rows=("function", "algorithm"),
            parts=("suite", "dimension", "table", "column", "row"),
            points=(Points("row", 1),),
        ),
    ),
    "checklist": (
        Layout(
            caption="Reporting checklist of time-fair, section 4. An item is met if all its parts "
            "are; what the records say is the evidence.",
            values=(
                Value("met", "Met"),
                Value("evidence", "Evidence", wrap=38),
                Value("missing", "Missing", wrap=22),
            ),
            rows=("item", "topic", "part"),
        ),
    ),
}
