"""Facts that a reader has to know before trusting the findings."""

from __future__ import annotations

from collections.abc import Iterator

from timefair.basics.words import ALL, counted, listed, number, percent
from timefair.campaign.configuration import ALLOWED
from timefair.exhibits import unknown_optimum
from timefair.exhibits.campaign.outcomes import ALMOST
from timefair.exhibits.comparisons.comparison import MOST_PERTURBED
from timefair.exhibits.registry import TABLES
from timefair.problems.suites import Refutation
from timefair.report.evidence import NOTICEABLE, Evidence
from timefair.report.findings import functions_of, is_over_functions, sample, targeted

MOST_MESSAGES = 3  # number of failed algorithms with a shown message of a run
FEW_RUNS = 10  # number of runs below which intervals are wide; a 95 % interval of a median needs 6

NORMAL = (
    "With more than half of the runs, this is the normal state of the machine: all algorithms have "
    "met it. For times of an idle machine, use fewer cores or another machine (timefair doctor "
    "shows what perturbs)."
)

MEASUREMENT = "campaign"  # the room of tables on the measurement, which may count some runs only

CLOCKS = {
    "cpu": "Seconds are seconds of CPU time, not of the wall clock.",
    "reference": "Seconds are CPU time as multiples of a reference kernel, not of the wall clock.",
}


def cautions(evidence: Evidence) -> dict[str, str]:
    """The cautions by topic, the most important first; empty if there are none."""
    kinds = {
        "Wrong optimum": _wrong_optimum(evidence),
        "Foreign clock": _foreign_clock(evidence),
        "Unknown optimum": _unknown_optimum(evidence),
        "Failed runs": _failures(evidence),
        "Remarks on runs": _remarks(evidence),
        "Launches cut short": _cut_short(evidence),
        "Carried-over state": _carried_over(evidence),
        "Equal runs": _equal_runs(evidence),
        "Few runs": _few_runs(evidence),
        "Few functions": _few_functions(evidence),
        "Unreached targets": _unreached(evidence),
        "Perturbed runs": _perturbation(evidence),
        "Timing noise": _timing_noise(evidence),
        "Heavy-tailed runtimes": _heavy_tails(evidence),
        "Speed": _speed(evidence),
        "Mixed records": _mixed(evidence),
        "Seconds": _seconds(evidence),
        "Unmet items of the checklist": _unmet(evidence),
    }
    told = {topic: " ".join(texts) for topic, texts in kinds.items()}
    return {topic: text for topic, text in told.items() if text}


def _wrong_optimum(evidence: Evidence) -> Iterator[str]:
    attrs = evidence.some_frame.attrs
    if not (found := [Refutation(**one) for one in attrs.get(unknown_optimum.REFUTED, ())]):
        return
    worst = max(found, key=lambda one: one.f_opt - one.f)
    remedy = "in the table, and analyse" if evidence.campaign.is_foreign else "and measure"
    noisy = " If the values have noise, give the function `noise_free`, or no optimum."
    yield (
        f"The optimum is wrong on {counted(len(found), 'problem')}. {worst}. Precisions and "
        "targets there do not mean what they say, and runs may have ended at a wrong value: these "
        "functions decide nothing, but average ranks and curves contain them. "
        f"Correct the optimum {remedy} again.{noisy * (':' in worst.suite)}"
    )


def _foreign_clock(evidence: Evidence) -> Iterator[str]:
    if lacks := evidence.campaign.lacks:
        yield ALLOWED[lacks]
    if lacks or not evidence.campaign.is_foreign:
        return
    yield (
        "timefair has not measured these runs. What a time includes, and what else the machine did,"
        " is not known. Do not compare these seconds with those of other tables or campaigns."
    )
    rows = evidence.table("checklist")
    if not rows.loc[rows["part"] == "Time T", "met"].all():
        yield (
            "Not all runs lasted equally long (part Time T of the checklist). Precisions at the "
            "end of the runs therefore belong to different times. The column budget_s gives all "
            "runs the same T."
        )


def _unknown_optimum(evidence: Evidence) -> Iterator[str]:
    kind = evidence.optimum
    if kind == "known":
        return
    where = "No" if kind == "unknown" else "On some problems no"
    yield (
        f"{where} optimum is known. f is minimized, and results are compared with the least f that "
        "any run here found. At least one run reaches it by construction, a lower value may exist, "
        "and the numbers change if another algorithm or run is added."
    )
    if evidence.some_frame.attrs[unknown_optimum.TARGETS] == unknown_optimum.SHARE:
        yield (
            "A target is a share of the distance between the median first value and that least f, "
            "and is reached if at most this share is left. The best run reaches every target by "
            "construction. To avoid this, list values of f in target_values."
        )
    yield "The table best_points contains f itself, as does paper_values if it is selected."


def _failures(evidence: Evidence) -> Iterator[str]:
    rows = evidence.table("runs")
    spaces = {space.title: evidence.failed(space) for space in evidence.spaces}
    without = sorted(frozenset().union(*spaces.values()))
    for name in without:
        where = [title for title, names in spaces.items() if name in names]
        yield f"{name} made no evaluation in any run ({listed(where)}) and is not compared."
    failed = rows[rows["status"] != "ok"]
    counting = failed[~failed["algorithm"].isin(without)]
    by_status = counting.groupby(["algorithm", "status"], observed=True)["runs"].sum()
    said = [
        f"{counted(int(runs), 'run')} of {algorithm} ({status})"
        for algorithm, status, runs in by_status.reset_index().itertuples(index=False)
    ]
    if said:
        yield f"{listed(said)} failed. Their results up to the failure are used."
    messages = failed[failed["message"] != "none"].drop_duplicates("algorithm")
    for row in messages.head(MOST_MESSAGES).to_dict("records"):
        yield f"{row['algorithm']}: {row['message'].rstrip('.')}."


def _remarks(evidence: Evidence) -> Iterator[str]:
    rows = evidence.table("runs")
    said = rows[(rows["status"] == "ok") & (rows["message"] != "none")]
    for row in said.drop_duplicates(["algorithm", "message"]).to_dict("records"):
        runs = f"{counted(int(row['runs']), 'run')} of {row['algorithm']}"
        reason = f"the stop reason {row['stop_reason']}"
        yield f"Among the {runs} with {reason}: {row['message'].rstrip('.')}."


def _cut_short(evidence: Evidence) -> Iterator[str]:
    rows = evidence.table("restarts")
    for label, spec in evidence.campaign.algorithms.items():
        mine = rows[rows["algorithm"] == label]
        if not spec.schedule or mine.empty or mine["completed_restarts_mean"].any():
            continue
        if (share := mine["stopped_at"].median()) < ALMOST:
            (name,) = spec.schedule
            yield (
                f"{label} never completed a launch: it was stopped at {percent(share)} of its "
                f"schedule. A smaller {name} suits the budget, as schedule: {{{name}: fill}} finds."
            )


def _carried_over(evidence: Evidence) -> Iterator[str]:
    rows = evidence.table("leftovers")
    if len(shared := rows[rows["shared"] > 0]):
        yield (
            f"Runs of {listed(sorted(shared['algorithm']))} share files, because the campaign "
            "allows it (isolation: shared). A run may use results of an earlier run."
        )
    found = (rows["with_names"] > 0) | (rows["appeared_in_trial"] != "none")
    if len(left := rows[(rows["watched"] > 0) & found]):
        reasons = sorted(set(left["watched_because"]))
        yield (
            f"During runs of {listed(sorted(left['algorithm']))}, files appeared or changed in "
            "folders that runs share (table leftovers). A later run may have used results of an "
            f"earlier run. The machine allows no private folders ({'; '.join(reasons)})."
        )


def _equal_runs(evidence: Evidence) -> Iterator[str]:
    if names := evidence.table("comparison").attrs.get("repeated"):
        yield (
            f"All runs of {listed(names)} on a problem are the same, whatever the seed. P-values "
            "count them as independent, and are too small."
        )


def _few_runs(evidence: Evidence) -> Iterator[str]:
    timed = evidence.campaign.timed
    told = [
        frame["runs"][(frame["function"].astype(str) != ALL) & frame["algorithm"].isin(timed)]
        for name, frame in evidence.tables.items()
        if TABLES[name].room != MEASUREMENT
        if {"function", "dimension", "algorithm", "runs"} <= {*frame} and "instance" not in frame
    ]
    counts = [int(runs) for each in told for runs in each.unique()]
    if not counts or (least := min(counts)) >= FEW_RUNS:
        return
    yield (
        f"{'Some algorithms have' if max(counts) > least else 'Every algorithm has'} only "
        f"{counted(least, 'run')} on a function. Intervals are wide, and a difference that is not "
        "significant may still exist."
    )


def _few_functions(evidence: Evidence) -> Iterator[str]:
    few = [
        found
        for space in evidence.spaces
        if functions_of(evidence, space) and not is_over_functions(evidence, space)
        if (found := sample(evidence, space))[0]  # 0: the optimum of each is wrong
    ]
    if not few:
        return
    count, pairs, least = min(few)
    smallest = f"{number(least)} for {counted(pairs, 'pair')}"
    why = f" (the smallest p-value of a test over them is {smallest})" * (count > 1)
    yield (
        f"{counted(count, 'function is', 'functions are')} too few for verdicts about other "
        f"functions{why}. The verdicts come from the runs and hold only for "
        f"{'this function' if count == 1 else 'these functions'}."
    )


def _unreached(evidence: Evidence) -> Iterator[str]:
    if evidence.optimum == "unknown":
        return
    for space in evidence.spaces:
        every = functions_of(evidence, space)
        if count := len(set(every) - set(targeted(evidence, space, evidence.unit))):
            yield (
                f"On {count} of {counted(len(every), 'function')} ({space.title}), no run has "
                "reached a target, and precisions decide. Are the targets too hard, or is the "
                "optimum (f_opt) too low?"
            )


def _heavy_tails(evidence: Evidence) -> Iterator[str]:
    column = "ert_s_heavy_tail" if evidence.unit == "seconds" else "ert_evaluations_heavy_tail"
    rows = evidence.table("ert")
    if column not in rows or not (marked := rows[rows[column].astype(bool)]).size:
        return
    names = sorted(set(marked["algorithm"].astype(str)))
    yield (
        f"{counted(len(marked), 'expected running time')} of {listed(names)} "
        f"{'comes' if len(marked) == 1 else 'come'} from runtimes that look heavy-tailed: the "
        "interval may be too short, and more runs may change the value."
    )


def _perturbation(evidence: Evidence) -> Iterator[str]:
    told = [*filter(None, (frame.attrs.get("perturbed") for frame in evidence.tables.values()))]
    if not told or (told[0].startswith("0 of") and "unknown" not in told[0]):
        return
    text = told[0]
    if unperturbed := evidence.table("comparison").attrs.get("unperturbed"):
        text = f"{text[:-1]}; {unperturbed[0].lower()}{unperturbed[1:]}"
    rows = evidence.table("perturbation")
    if rows["perturbed"].any():
        worst = max(rows.to_dict("records"), key=lambda row: row["perturbed"] / row["runs"])
        most = f"{worst['algorithm']} has the most: {worst['perturbed']} of {worst['runs']}."
        if rows["perturbed"].sum() / rows["runs"].sum() > MOST_PERTURBED:
            text = f"{text[:-1]}: the times are those of a shared machine."
            most += f" {NORMAL}"
        text += f" {most}"
    yield text


def _timing_noise(evidence: Evidence) -> Iterator[str]:
    rows = evidence.table("timing_noise")
    if not rows["detectable_ratio"].max() >= NOTICEABLE:
        return
    everywhere, ratio = rows["function"].astype(str) == ALL, rows["detectable_ratio"]
    each = (rows["slowdown_max"], ratio[~everywhere], ratio[everywhere])
    slowest, on, over = (number(values.max()) for values in each)
    all_together = f", and above {over} over all functions" if on != over else ""
    yield (
        f"The speed of the machine varied: the same work took up to {slowest} times its shortest "
        f"time. Times of two algorithms count as different if their ratio is above {on} on one "
        f"function{all_together}; smaller ratios may come from the machine."
    )
    if evidence.unit == "seconds":
        what = "Gaps" if evidence.optimum == "unknown" else "Precisions"
        yield f"{what} at the end of the budget are not corrected for this."


def _speed(evidence: Evidence) -> Iterator[str]:
    rows = evidence.table("drift")
    for warning, meaning in {
        "spread": "The time of an evaluation varied by 10\u00a0% or more between runs",
        "slow first runs": "First runs were slower than later ones by more than 10\u00a0%",
        "outliers": "Single runs were far slower or faster than others",
    }.items():
        shown = rows["warnings"].str.contains(warning, regex=False)
        if names := sorted(set(rows.loc[shown, "algorithm"])):
            yield f"{meaning}: {listed(names)}."


def _mixed(evidence: Evidence) -> Iterator[str]:
    if evidence.campaign.statistics.mixed == "allow":
        yield "The campaign allows runs of different machines, software or code to be compared."
    mixtures = (frame.attrs.get("machines") for frame in evidence.tables.values())
    yield from [*filter(None, mixtures)][:1]


def _seconds(evidence: Evidence) -> Iterator[str]:
    statistics = evidence.campaign.statistics
    if statistics.time in CLOCKS:
        yield CLOCKS[statistics.time]
    if statistics.ancillary == "amortised":
        yield "Seconds include each run’s share of tuning and preparation."
    if (told := evidence.table("ert").attrs.get("published")) and not evidence.campaign.is_foreign:
        yield told


def _unmet(evidence: Evidence) -> Iterator[str]:
    rows = evidence.table("checklist")
    unmet = rows.loc[~rows["met"].fillna(True).astype(bool)]
    if topics := list(dict.fromkeys(unmet["topic"])):
        items = rows["item"].nunique()
        are = "is" if len(topics) == 1 else "are"
        yield f"{len(topics)} of {items} items of the checklist {are} not met: {listed(topics)}."
