"""Is an estimate reliable? What a classifier needs to know, and what its stopping rule saves.

    python benchmarks/reliability.py results/reliability [--unseen results/reliability-unseen]

Makes every number of docs/how-to/reliability.md from collected runs of two campaigns in
config/studies: reliability.yaml and reliability-unseen.yaml. Nothing is timed. The first 50 runs of
a cell are the sample. The other 50 judge its median, which is accurate if theirs is within the
width of it.

The first table compares what a classifier knows, and two models: the logistic one of timefair, and
gradient boosting of scikit-learn, at every fifth number of runs. Functions, algorithms, and
families of algorithms (one implementation with other parameters) are held out in turn. Skill is
that of the Brier score in comparison with the share of accurate estimates at the same number of
runs in the training data. "Miscal." is the mean distance between stated and observed shares in ten
bins. The gain is in skill over the shape alone: 95 % of 2000 bootstrap resamples of the groups.

The other tables compare stopping rules on the same samples, the classifier on groups that it has
not seen, and on the campaign named by --unseen, of which it has seen nothing.
"""

from __future__ import annotations

import argparse
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

import numpy as np
from sklearn.ensemble import HistGradientBoostingClassifier

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
SETS = {
    "shape of run_count_reliability": (),
    "shape": (),
    "shape, landscape": ("landscape",),
    "shape, parameters": ("parameters",),
    "all": ("landscape", "parameters"),
}
EVERY = 5
RESAMPLES = 2000


class Rule(NamedTuple):
    name: str
    n: np.ndarray
    met: np.ndarray
    racing: np.ndarray | bool = True


def boosted(tables, known, accurate, groups) -> np.ndarray:
    """As `held_out`, by gradient boosting, which takes missing features as they are."""
    looks = range(0, accurate.shape[1], EVERY)
    stated = np.empty((len(groups), len(looks)))
    known = known[:, [np.unique(column[~np.isnan(column)]).size > 1 for column in known.T]]
    for name in np.unique(groups):
        held = groups == name
        used = [c for c in range(known.shape[1]) if np.unique(known[~held, c]).size > 2
                or np.isfinite(known[~held, c]).all()]  # fmt: skip
        seen = np.concatenate([np.hstack([tables[~held, k], known[~held][:, used]]) for k in looks])
        right = np.concatenate([accurate[~held, k] for k in looks])
        model = HistGradientBoostingClassifier(
            max_iter=60, max_leaf_nodes=8, min_samples_leaf=40, random_state=1
        ).fit(seen, right)
        for place, k in enumerate(looks):
            other = np.hstack([tables[held, k], known[held][:, used]])
            stated[held, place] = model.predict_proba(other)[:, 1]
    return stated


def gain_interval(errors, before, base, groups, rng) -> tuple[float, float]:
    """Of the gain in skill, by resampling groups; sums of squared errors per sample."""
    names, labels = np.unique(groups, return_inverse=True)
    sums = np.array([np.bincount(labels, weights=each) for each in (errors, before, base)])
    drawn = sums[:, rng.integers(names.size, size=(RESAMPLES, names.size))].sum(axis=2)
    low, high = np.quantile((drawn[1] - drawn[0]) / drawn[2], [0.025, 0.975])
    return low, high


def knowledge(training: TrainingSamples, question: Question, rng) -> None:
    cases, names = training.cases, training.names
    tables, accurate = described(cases, question), cases.accurate(question)
    for title, column in GROUPS.items():
        groups = names[column].astype(str).to_numpy()
        base = base_rates(accurate, groups)
        before = None
        print(f"\n{title} held out ({np.unique(groups).size})")
        print(
            f"{'known':<34}{'skill':>8}{'gain':>18}{'AUC':>8}{'miscal.':>9}  boosting: skill, AUC"
        )
        for name, kinds in SETS.items():
            part = tables[:, :, :-1] if name.startswith("shape of") else tables
            known = cases.known[:, list(columns(cases, kinds))]
            stated = held_out(part, known, accurate, groups)
            errors = ((stated - accurate) ** 2).sum(axis=1)
            of_base = ((base - accurate) ** 2).sum(axis=1)
            gain = ""
            if name == "shape":
                before = errors
            elif before is not None:
                low, high = gain_interval(errors, before, of_base, groups, rng)
                gain = f"{low:+.2f} to {high:+.2f}"
            curve = calibration_curve(stated.ravel(), accurate.ravel())
            apart = np.average(np.abs(curve.stated - curve.observed), weights=curve.cases)
            trees = boosted(part, known, accurate, groups)
            some, rate = accurate[:, ::EVERY], base[:, ::EVERY]
            other = skill(trees, some, rate)
            print(
                f"{name:<34}{skill(stated, accurate, base):8.3f}{gain:>18}"
                f"{auc(stated.ravel(), accurate.ravel()):8.3f}{apart:9.3f}"
                f"{other:18.3f}{auc(trees.ravel(), some.ravel()):8.3f}",
                flush=True,
            )


def skill(stated, accurate, base) -> float:
    brier = [brier_score(each.ravel(), accurate.ravel()) for each in (stated, base)]
    return 1.0 - brier[0] / brier[1]


def columns(cases: Cases, kinds) -> Iterator[int]:
    """The known features of some kinds."""
    from timefair.extensions.classifier.landscape import LANDSCAPE

    for place, name in enumerate(cases.names):
        if ("landscape" if name in LANDSCAPE else "parameters") in kinds:
            yield place


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
    shape = Cases(training.cases.values, training.cases.truth, training.cases.known[:, :0])
    tables, accurate = described(shape, question), shape.accurate(question)
    for title, column in GROUPS.items():
        groups = training.names[column].astype(str).to_numpy()
        n = np.full((len(PROBABILITIES), len(groups)), question.cap)
        met = np.zeros(n.shape, dtype=bool)
        for name in np.unique(groups):
            held = groups == name
            inner = held_out(tables[~held], shape.known[~held], accurate[~held], groups[~held])
            kept = stops(inner, accurate[~held], question)
            stated = held_out(tables, shape.known, accurate, held)[held]
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
    shape = Cases(training.cases.values, training.cases.truth, training.cases.known[:, :0])
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
        training = TrainingSamples.read([options.folder], question, ("landscape", "parameters"))
        accurate = training.cases.accurate(question)
        shares = ", ".join(f"{100 * accurate[:, n - 10].mean():.1f} % of {n}" for n in (10, 20, 50))
        print(f"\n== width {width:g}: {len(accurate)} samples; accurate: {shares} runs")
        knowledge(training, question, np.random.default_rng(1))
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
