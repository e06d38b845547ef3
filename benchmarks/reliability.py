"""Is an estimate reliable? What a classifier needs to know, and what its stopping rule saves.

    python benchmarks/reliability.py results/reliability [--unseen results/reliability-unseen]

Makes every number of docs/how-to/reliability.md from collected runs of two campaigns in
config/studies: reliability.yaml and reliability-unseen.yaml. Nothing is timed. The first 50 runs of
a cell are the sample. The other 50 judge its median, which is accurate if theirs is within the
width of it.

The first table has the quality of the probabilities on functions, algorithms, and families of
algorithms (one implementation with other parameters) that are held out in turn. Skill is that of
the Brier score in comparison with the share of accurate estimates at the same number of runs in the
training data. "Miscal." is the mean distance between stated and observed shares in ten bins.

The other tables compare stopping rules on the same samples, the classifier on groups that it has
not seen, and on the campaign named by --unseen, of which it has seen nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np

from timefair.extensions.classifier.statistics import (
    SHAPE,
    Cases,
    Question,
    auc,
    base_rates,
    brier_score,
    calibration_curve,
    described,
    held_out,
    stop_at,
    stops,
    train,
)
from timefair.extensions.classifier.training import TrainingSamples
from timefair.statistics.run_count.racing import LOOKS, Race
from timefair.statistics.run_count.stopping import stop_counts
from timefair.statistics.run_count.widths import QuantileWidth, Validity

WIDTHS = (0.5, 0.2)
PROBABILITIES = (0.9, 0.95, 0.98)
GROUPS = {"functions": "function", "algorithms": "algorithm", "families": "use"}


class Rule(NamedTuple):
    name: str
    n: np.ndarray
    met: np.ndarray
    racing: np.ndarray | bool = True


def knowledge(training: TrainingSamples, question: Question) -> None:
    cases, names = training.cases, training.names
    tables, accurate = described(cases, question), cases.accurate(question)
    for title, column in GROUPS.items():
        groups = names[column].astype(str).to_numpy()
        base = base_rates(accurate, groups)
        print(f"\n{title} held out ({np.unique(groups).size})")
        print(f"{'features':<34}{'skill':>8}{'AUC':>8}{'miscal.':>9}")
        parts = {"shape of run_count_reliability": tables[:, :, :-1], "shape": tables}
        for name, part in parts.items():
            stated = held_out(part, accurate, groups)
            curve = calibration_curve(stated.ravel(), accurate.ravel())
            apart = np.average(np.abs(curve.stated - curve.observed), weights=curve.cases)
            print(
                f"{name:<34}{skill(stated, accurate, base):8.3f}"
                f"{auc(stated.ravel(), accurate.ravel()):8.3f}{apart:9.3f}",
                flush=True,
            )


def skill(stated, accurate, base) -> float:
    brier = [brier_score(each.ravel(), accurate.ravel()) for each in (stated, base)]
    return 1.0 - brier[0] / brier[1]


def usual_rules(training: TrainingSamples, question: Question) -> Iterator[Rule]:
    """The rules that are not trained."""
    values, cap = training.cases.values, question.cap
    for n in (10, 15, 20, 25, 30, cap):
        yield Rule(f"fixed, n = {n}", np.full(len(values), n), np.full(len(values), n < cap))
    for validity in (Validity.HORIZON, Validity.SINGLE):
        for confidence in (0.95, 0.8, 0.5):
            rule = QuantileWidth(
                question.width, question.p, True, confidence, validity, question.start, cap
            )
            found = stop_counts(rule, values)
            yield Rule(f"{validity}, confidence {confidence:g}", found.n, found.met)
    n, racing = np.full(len(values), cap), np.ones(len(values), dtype=bool)
    for members in problems(training):
        looks = tuple(look for look in LOOKS if look <= cap)
        state = Race(0.05, looks, cap).state(list(values[members]))
        n[members], racing[members] = state.runs, state.goes_on
    yield Rule("race", n, n < cap, racing)


def trained_rules(training: TrainingSamples, question: Question) -> Iterator[Rule]:
    """The classifier on groups that it has not seen; so are the samples that set its threshold."""
    shape = training.cases
    tables, accurate = described(shape, question), shape.accurate(question)
    for title, column in GROUPS.items():
        groups = training.names[column].astype(str).to_numpy()
        n = np.full((len(PROBABILITIES), len(groups)), question.cap)
        met = np.zeros(n.shape, dtype=bool)
        for name in np.unique(groups):
            held = groups == name
            inner = held_out(tables[~held], accurate[~held], groups[~held])
            kept = stops(inner, accurate[~held], question)
            stated = held_out(tables, accurate, held)[held]
            for place, probability in enumerate(PROBABILITIES):
                if (threshold := kept.threshold_for(probability)) is not None:
                    n[place, held], met[place, held] = stop_at(stated, threshold, question)
        for place, probability in enumerate(PROBABILITIES):
            yield Rule(f"classifier {probability:g}, {title} unseen", n[place], met[place])


def rules(training: TrainingSamples, question: Question, entrants: list[Rule]) -> None:
    accurate = training.cases.accurate(question)
    rows = np.arange(len(accurate))
    print(
        f"{'rule':<42}{'saved %':>9}{'kept %':>9}{'at stop %':>11}{'at cap %':>10}{'winner %':>10}"
    )
    for rule in entrants:
        right = accurate[rows, rule.n - question.start]
        at_stop = f"{100 * right[rule.met].mean():.1f}" if rule.met.any() else ""
        print(
            f"{rule.name:<42}{100 * (1 - rule.n.mean() / question.cap):9.1f}"
            f"{100 * right.mean():9.1f}{at_stop:>11}{100 * (1 - rule.met.mean()):10.1f}"
            f"{100 * winners(training, question, rule):10.1f}"
        )


def winners(training: TrainingSamples, question: Question, rule: Rule) -> float:
    """Share of the problems whose best algorithm by the runs made is best by the other runs."""
    from timefair.statistics.quantiles import sample_quantile

    cases = training.cases
    estimate = np.array(
        [sample_quantile(row[:n], question.p) for row, n in zip(cases.values, rule.n, strict=True)]
    )
    estimate = np.where(rule.racing, estimate, np.inf)
    won = [
        cases.truth[members][estimate[members].argmin()] == cases.truth[members].min()
        for members in problems(training)
    ]
    return float(np.mean(won))


def problems(training: TrainingSamples) -> list[np.ndarray]:
    keys = ["suite", "function", "dimension", "instance"]
    return [np.asarray(rows) for rows in training.names.groupby(keys).indices.values()]


def unseen(training: TrainingSamples, other: TrainingSamples, question: Question) -> Iterator[Rule]:
    shape = training.cases
    classifier = train(shape, training.names["function"].astype(str).to_numpy(), question)
    tables = described(
        Cases(other.cases.values, other.cases.truth, other.cases.known[:, :0]), question
    )
    stated = classifier.model.probability(tables.reshape(-1, len(SHAPE))).reshape(tables.shape[:2])
    accurate = other.cases.accurate(question)
    base = np.broadcast_to(shape.accurate(question).mean(axis=0), accurate.shape)
    print(
        f"classifier, trained on the other campaign: skill {skill(stated, accurate, base):.3f}, "
        f"AUC {auc(stated.ravel(), accurate.ravel()):.3f}"
    )
    for probability in PROBABILITIES:
        threshold = classifier.stops.threshold_for(probability)
        if threshold is not None:
            yield Rule(f"classifier {probability:g}", *stop_at(stated, threshold, question))


def main() -> None:
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("folder", type=Path)
    parser.add_argument("--unseen", type=Path)
    options = parser.parse_args()
    for width in WIDTHS:
        question = Question(width=width)
        training = TrainingSamples.read([options.folder], question)
        accurate = training.cases.accurate(question)
        shares = ", ".join(f"{100 * accurate[:, n - 10].mean():.1f} % of {n}" for n in (10, 20, 50))
        print(f"\n== width {width:g}: {len(accurate)} samples; accurate: {shares} runs")
        knowledge(training, question)
        print()
        rules(
            training,
            question,
            [*usual_rules(training, question), *trained_rules(training, question)],
        )
        if options.unseen is not None:
            other = TrainingSamples.read([options.unseen], question)
            print(f"\n{options.unseen.name}: {len(other.names)} samples")
            rules(
                other, question, [*usual_rules(other, question), *unseen(training, other, question)]
            )


if __name__ == "__main__":
    main()
