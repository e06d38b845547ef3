"""The questions, and their answers from the checklist, the records and the final values."""

from __future__ import annotations

from collections.abc import Iterable, Iterator, Mapping
from itertools import combinations, pairwise
from math import comb
from pathlib import Path
from typing import Any, NamedTuple

import numpy as np
import pandas as pd

from timefair.basics.errors import InputError
from timefair.basics.words import counted, first
from timefair.campaign.configuration import Campaign
from timefair.io.reading import Cautions
from timefair.statistics.rank_tests import holm
from timefair.statistics.two_samples import mann_whitney

YES, NO, UNKNOWN = "yes", "no", "unknown"
KEPT = "Every difference survives a correction"
POWER = "Enough runs to show a difference"
PROBLEM = ["dimension", "function"]
ALPHA = 0.05
SAME = 1.05  # the largest ratio of two costs that are called equal
BASELINES = ("random", "hillclimb", "hill-climb")
SIMPLE = ("nelder", "l-bfgs", "bfgs", "powell", "cobyla", "cobyqa", "bobyqa", "(1+1)", "onepluson")
"""Parts of names of random search, and of simple algorithms whose restarts are a baseline."""
COLUMNS = ("algorithm", "function", "value")


class Answer(NamedTuple):
    """A question, yes, no or unknown, and the sentence that an author could print."""

    question: str
    answer: str
    sentence: str


def page(what: str, answers: Iterable[Answer]) -> str:
    rows = [f"| {one.question} | **{one.answer}** | {one.sentence} |" for one in answers]
    found = [row.split("**")[1] for row in rows]
    numbers = ", ".join(f"{found.count(kind)} {kind}" for kind in (YES, NO, UNKNOWN))
    titles = "| question | answer | sentence for the paper |\n|---|---|---|"
    return f"# What {what} can claim\n\n{numbers}.\n\n{titles}\n" + "\n".join(rows) + "\n"


def _power(finals: pd.DataFrame) -> Answer:
    labels = finals["algorithm"].nunique()
    sizes = finals.groupby([*PROBLEM, "algorithm"], observed=True).size()
    problems = finals[PROBLEM].drop_duplicates().shape[0]
    per_dimension = finals.groupby("dimension", observed=True)["function"].nunique()
    tests = comb(labels, 2) * int(per_dimension.min())  # as in `comparison`, each by itself
    after = f"after {counted(tests, 'test')}" + " in a dimension" * (len(per_dimension) > 1)
    least, most = int(sizes.min()), int(sizes.max())
    runs = f"{least} to {most}" if most > least else least
    of, on = counted(labels, "algorithm"), counted(problems, "problem")
    said = f"{of} had {runs} runs on each of {on}"
    if not tests:
        return Answer(POWER, NO, f"{said}; there is nothing to compare.")
    smallest = 2 / comb(2 * least, least) * tests
    if smallest > ALPHA:
        lacking = f"no difference on a problem can be significant {after}"
        return Answer(POWER, NO, f"{said}; {lacking} (least corrected p {smallest:.2g}).")
    return Answer(POWER, YES, f"{said}; {after}, p can be {smallest:.1g}.")


def _equal(finals: pd.DataFrame, column: str, unit: str = "evaluations") -> Answer:
    question = f"Equal {column}"
    if column not in finals or finals[column].isna().any():
        return Answer(question, UNKNOWN, f"The {column} of the runs are not reported.")
    medians = finals.groupby([*PROBLEM, "algorithm"], observed=True)[column].median()
    by_problem = medians.groupby(PROBLEM)
    ratio, least, most = (by_problem.max() / by_problem.min()).max(), medians.min(), medians.max()
    spent = f"A run of an algorithm took a median of {least:.4g} to {most:.4g} {unit}"
    said = f"{spent}; on one problem, they differ by a factor of up to {ratio:.3g}."
    return Answer(question, YES if ratio <= SAME else NO, said)


def _corrections(finals: pd.DataFrame) -> Answer:
    p = []
    for _, rows in finals.groupby(PROBLEM, observed=True):
        samples = rows.groupby("algorithm", observed=True)["value"]
        values = [of.to_numpy(np.float64) for _, of in samples]
        p += [mann_whitney(a, b) for a, b in combinations(values, 2)]
    if not p:
        return Answer(KEPT, UNKNOWN, "There is no pair of algorithms to test.")
    alone, kept = sum(one <= ALPHA for one in p), int((holm(p) <= ALPHA).sum())
    said = f"Of {counted(len(p), 'rank-sum test')}, {alone} have p ≤ {ALPHA}"
    if not alone:
        return Answer(KEPT, UNKNOWN, f"{said}: there is no difference to correct.")
    answer = YES if alone == kept else NO
    return Answer(KEPT, answer, f"{said}; {kept} still have it after Holm's method.")


def _baselines(names: Mapping[str, str], restarted: Iterable[str]) -> Iterator[Answer]:
    for kind, parts, among in (
        ("random search", BASELINES, names),
        ("restarts of a simple algorithm", SIMPLE, restarted),
    ):
        there = [one for one in among if any(part in names[one].lower() for part in parts)]
        answer, said = YES, f"The comparison includes {first(there, 3)}."
        if not there:
            answer, said = NO, "The comparison has none: it does not show what the method adds."
        yield Answer(f"Baseline: {kind}", answer, said)


def of_table(path: Path) -> Iterator[Answer]:
    """The answers from final values alone, or the best ones of traces; InputError if they cannot be
    read.
    """
    from timefair.io import table_read

    faults = table_read.Faults()
    try:
        table = table_read.rows_of(path, Cautions())
        columns = table_read.guessed([*table])
        if lacking := [name for name in COLUMNS if name not in columns]:
            raise InputError(f"has no column {lacking[0]}; it needs {', '.join(COLUMNS)}")
        numeric = [name for name in columns if table_read.COLUMNS[name].kind != "text"]
        frame = table[[*columns.values()]].set_axis([*columns], axis=1)
        for name in numeric:
            frame[name] = table_read.numbers_of(table[columns[name]], name, faults)
        faults.refuse()
    except (InputError, OSError) as error:
        raise InputError(f"{path}: should be a folder results/NAME or a table: {error}") from None
    if (empty := frame["value"].isna()).any():
        raise InputError(f"{path}: line {int(np.argmax(empty)) + 2}: value: should be a number")
    finals = frame if "dimension" in frame else frame.assign(dimension=0)
    if "run" in finals:
        of_run = [*PROBLEM, "algorithm", *({"instance", "run"} & {*finals})]
        best = finals.groupby(of_run, observed=True)["value"].transform("min")
        finals = finals.assign(value=best).drop_duplicates(of_run, keep="last")
    yield from (_power(finals), _equal(finals, "evaluations"), _equal(finals, "seconds", "s"))
    for question, what in _UNSEEN.items():
        yield Answer(question, UNKNOWN, f"A table of final values does not state {what}.")
    yield _corrections(finals)
    names = {str(label): str(label) for label in finals["algorithm"].unique()}
    yield from _baselines(names, [name for name in names if "restart" in name.lower()])


_UNSEEN = {
    "Tuning stated": "how parameters were chosen",
    "Population and schedule stated": "population sizes and lengths of launches",
    "One language": "in which languages the algorithms are written",
    "No bias found by an audit": "whether an algorithm profits from the place of the optimum",
    "No perturbed run": "what else the machine did",
}


def of_folder(folder: Path) -> Iterator[Answer]:
    from timefair.basics.extension import each
    from timefair.campaign import collected, configuration, plan
    from timefair.cli.python import Results
    from timefair.records.rundata.problems import precision_at_the_end
    from timefair.records.rundata.runs import Runs

    campaign = configuration.restore(folder / plan.SNAPSHOT)
    runs = Runs.read(collected.in_folder(folder, campaign))
    frame = runs.frame.assign(value=precision_at_the_end(runs), seconds=runs.frame["wall_s"])
    finals = frame.astype({"evaluations": float})
    checklist = Results(folder).table("checklist").set_index(["topic", "part"])
    parts = checklist[["evidence", "missing"]].to_dict("index")
    shown = [] if campaign.is_foreign else list(each("check", campaign))
    after = [line for top, line in pairwise(shown) if top.startswith("can show")]
    power = _power(finals)
    detects = [line.split(None, 1)[1] for line in after[:1]]
    more = f" With 80 % probability, the tests find {detects[0]}." if detects else ""
    yield power._replace(sentence=power.sentence + more * (power.answer == YES))
    yield _equal_budget(frame, "budget_evaluations", "evaluations", finals)
    yield _equal_budget(frame, "budget_s", "seconds", finals)
    yield _part("Tuning stated", parts.get(("Tuning", "Tuning")))
    yield _schedules(campaign, parts.get(("Restarts", "Length of a launch")))
    yield _language(campaign)
    yield _part("No bias found by an audit", parts.get(("Code", "Biases")), "profits from")
    yield _perturbed(runs)
    yield _corrections(finals)
    used = campaign.algorithms  # empty for the runs of others
    names = {label: f"{label} {used[label].use}" for label in used}
    restarts = [label for label in used if campaign.restart_of(label).policy != "none"]
    yield from _baselines(
        names or {label: label for label in finals["algorithm"].unique()}, restarts
    )


def _equal_budget(frame: pd.DataFrame, column: str, unit: str, finals: pd.DataFrame) -> Answer:
    if (budgets := frame[column]).notna().all():
        by_dimension = budgets.groupby(frame["dimension"]).nunique()
        each = " and ".join(f"{one:g}" for one in sorted(budgets.unique())[:3])
        if by_dimension.max() > 1:
            return Answer(f"Equal {unit}", NO, f"The runs had different budgets: {each} {unit}.")
        said = f"Every run of every algorithm had a budget of {each} {unit}, restarts included."
        return Answer(f"Equal {unit}", YES, said)
    return _equal(finals, unit, "s" if unit == "seconds" else unit)


def _part(question: str, row: Mapping[Any, Any] | None, against: str = "") -> Answer:
    """A part of the checklist; `against`: words of the evidence that make it a no."""
    told = row.values() if row else ["", "all"]
    evidence, missing = ("" if pd.isna(one) else one for one in told)
    if missing and not evidence:
        return Answer(question, UNKNOWN, f"It is not stated {_UNSEEN[question]}.")
    more = f"; missing: {missing}" if missing else ""
    answer = NO if missing or (against and against in evidence) else YES
    return Answer(question, answer, f"{evidence[:1].upper()}{evidence[1:]}{more}.")


def _schedules(campaign: Campaign, row: Mapping[Any, Any] | None) -> Answer:
    question = "Population and schedule stated"
    given = [
        f"{label} ({', '.join(f'{key} = {value}' for key, value in spec.parameters.items())})"
        for label, spec in campaign.algorithms.items()
        if spec.parameters
    ]
    said = f"Parameters other than the defaults: {first(given, 4) or 'none'}"
    if campaign.is_foreign:
        return Answer(question, UNKNOWN, "Population sizes and lengths are not recorded.")
    if row is None:
        return Answer(question, UNKNOWN, f"{said}; no algorithm has a declared schedule.")
    lengths = str(row["evidence"])
    answer = NO if "always stopped" in lengths else YES
    return Answer(question, answer, f"{said}. Lengths of launches: {lengths}.")


def _language(campaign: Campaign) -> Answer:
    from timefair.algorithms.libraries import implementation

    if campaign.is_foreign:
        return Answer("One language", UNKNOWN, "The languages of the algorithms are not recorded.")
    kinds: dict[str, list[str]] = {}
    for label, spec in campaign.algorithms.items():
        code = implementation(spec.use)
        kinds.setdefault("Python" if "Python" in code else code, []).append(label)
    said = "; ".join(f"{kind}: {first(labels, 6)}" for kind, labels in kinds.items())
    answer = YES if len(kinds) == 1 else NO
    return Answer("One language", answer, f"Seconds are of these implementations: {said}.")


def _perturbed(runs: Any) -> Answer:
    from timefair.records.status import Perturbation

    states = runs.frame["perturbation"]
    count, total = int(runs.perturbed.sum()), len(states)
    unknown = total - count - int((states == Perturbation.CLEAN).sum())
    answer = NO if count else UNKNOWN if unknown else YES
    if unknown == total:
        return Answer("No perturbed run", answer, "What else the machine did is not recorded.")
    more = f"; for {unknown} this is unknown" * bool(unknown)
    said = f"Of {total} runs, {count} were perturbed by other processes or the host{more}."
    return Answer("No perturbed run", answer, said)
