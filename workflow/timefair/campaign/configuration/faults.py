"""What is wrong with a campaign, and what would be right: one line a fault."""

from __future__ import annotations

import os
import re
from collections.abc import Iterable, Iterator, Mapping
from itertools import product
from typing import TYPE_CHECKING, cast

from pydantic import BaseModel
from pydantic_core import ErrorDetails

from timefair.basics.errors import InputError, suggest
from timefair.campaign.configuration.model import (
    RESTART_KEYS,
    RULE_KEYS,
    AlgorithmSpec,
    Campaign,
    Published,
    Restart,
    Stopping,
    known_figures,
    known_tables,
)

if TYPE_CHECKING:
    from timefair.problems.base import Suite

_KINDS = {
    "int_type": "a whole number",
    "int_from_float": "a whole number",
    "float_type": "a number",
    "string_type": "text",
    "finite_number": "a finite number",
    "dict_type": "keys with values",
    "mapping_type": "keys with values",
    "model_type": "keys with values",
    "tuple_type": "a list",
}
SETS = ("all", "default")
"""What may be written instead of names of tables and figures."""

LABELLED: dict[str, type[BaseModel]] = {"algorithms": AlgorithmSpec, "published": Published}
"""Keys that hold a section for each label."""

_LEAST_RUNS = {
    "skewness": ("a skewness", 3),
    "mean": ("an interval of a mean", 2),
    "pair": ("a standard error", 2),
}
"""What each rule of `stopping` takes from a sample, and of how many runs at least."""

_BOUNDS = {
    "greater_than": ("gt", "greater than"),
    "greater_than_equal": ("ge", "at least"),
    "less_than": ("lt", "less than"),
    "less_than_equal": ("le", "at most"),
}


def fault(error: ErrorDetails) -> str:
    """One line for one error of pydantic: the key, the value, what would be right."""
    path, context, kind = error["loc"], error.get("ctx", {}), error["type"]
    key = ".".join(_one_line(str(part)) for part in path if part != "[key]")
    value = _shown(error["input"])
    if kind == "missing":
        return f"{key}: missing; {_description(path)}"
    if kind == "extra_forbidden":
        known = _keys(path[:-1])
        return f"{key}: unknown key{suggest(path[-1], known)}; known here: {', '.join(known)}"
    if path[-1] == "[key]" or kind == "string_pattern_mismatch":
        return f"{key}: {value}: letters, digits and . _ + - only, a letter or digit first"
    if kind == "literal_error":
        known = [word.strip("'") for word in re.split(", | or ", str(context["expected"]))]
        return f"{key}: {value}: should be {context['expected']}{suggest(value, known)}"
    if kind in _BOUNDS:
        bound, words = _BOUNDS[kind]
        return f"{key}: {value}: should be {words} {context[bound]:.16g}"
    if kind in _KINDS:
        return f"{key}: {value}: should be {_KINDS[kind]}"
    if kind == "too_short":
        return f"{key}: empty; name at least one"
    if kind == "string_too_long":
        return f"{key}: {value}: longer than {context['max_length']} characters"
    return f"{key}: {value}: {error['msg'].removeprefix('Value error, ')}"


def follows(error: ErrorDetails) -> bool:
    """Whether it is said only because of another: a list is short of its wrong members."""
    return error["type"] == "too_short" and bool(error["input"])


def _shown(value: object) -> str:
    """A value on one line, as YAML has it where that is short."""
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = repr(value)
    except ValueError:  # a whole number of more digits than Python prints
        text = "a very large number"
    return text if len(text) <= 60 else text[:57] + "..."


def _one_line(text: str) -> str:
    return text if text.isprintable() else repr(text)


def _section(path: tuple[int | str, ...]) -> type[BaseModel]:
    """The model that holds the keys at a path."""
    model: type[BaseModel] = Campaign
    if path and path[0] in LABELLED:
        model, path = LABELLED[str(path[0])], path[2:]  # without the label
    for part in path:
        model = cast(type[BaseModel], model.model_fields[str(part)].annotation)
    return model


def _keys(path: tuple[int | str, ...]) -> list[str]:
    return list(_section(path).model_fields)


def _description(path: tuple[int | str, ...]) -> str:
    return str(_section(path[:-1]).model_fields[str(path[-1])].description)


def disagreements(campaign: Campaign) -> Iterator[str]:
    """Keys that are right alone and wrong together."""
    budget = campaign.budget
    if budget.time_s is None and budget.evaluations_for(1) is None:
        yield "budget: empty; give time_s, evaluations or evaluations_per_dimension"
    if budget.evaluations is not None and budget.evaluations_per_dimension is not None:
        yield (
            f"budget.evaluations: {budget.evaluations}: "
            f"excludes evaluations_per_dimension ({budget.evaluations_per_dimension}); give one"
        )
    yield from _restart_disagreements("restart", campaign.restart)
    for label, spec in campaign.algorithms.items():
        if spec.restart is not None:
            yield from _restart_disagreements(f"algorithms.{label}.restart", spec.restart)
    yield from _stopping_disagreements(campaign)
    yield from _timing_disagreements(campaign)
    for key, numbers in (
        ("targets", campaign.targets),
        ("relative_targets", campaign.relative_targets),
        ("statistics.quantiles", campaign.statistics.quantiles),
    ):
        for number in dict.fromkeys(n for n in numbers if numbers.count(n) > 1):
            yield f"{key}: {number}: named twice"
    for label in campaign.published:
        if label in campaign.algorithms:
            yield f"published.{label}: an algorithm has this label already; give another"
    if campaign.rounds > campaign.runs:
        yield f"rounds: {campaign.rounds}: more than runs ({campaign.runs})"


def _restart_disagreements(place: str, restart: Restart) -> Iterator[str]:
    known = RESTART_KEYS[restart.policy]
    given = [key for key in type(restart).model_fields if getattr(restart, key) is not None]
    for key in given:
        if key != "policy" and key not in known:
            yield (
                f"{place}.{key}: {getattr(restart, key)}: only with policy "
                f"{_readers(key, RESTART_KEYS)}, not {restart.policy!r}"
            )
    taus = [key for key in given if key in known and key.startswith("tau")]
    if "tau_s" in known and len(taus) != 1:
        what = "both tau_s and tau_evaluations" if taus else "no tau"
        yield f"{place}.policy: {restart.policy!r} with {what}: give tau_s or tau_evaluations"
    if "plateau_s" in known and not any(key in given for key in known):
        yield (
            f"{place}.policy: {restart.policy!r} with no plateau: "
            "give plateau_s, plateau_evaluations or both"
        )


def _readers(key: str, keys_of: Mapping[str, tuple[str, ...]]) -> str:
    """The choices that read a key."""
    return " or ".join(repr(choice) for choice, keys in keys_of.items() if key in keys)


def _stopping_disagreements(campaign: Campaign) -> Iterator[str]:
    stopping = campaign.stopping
    for key, info in type(stopping).model_fields.items():
        value = getattr(stopping, key)
        if key != "rule" and key not in RULE_KEYS[stopping.rule] and value != info.default:
            rules = _readers(key, RULE_KEYS)
            shown = list(value) if isinstance(value, tuple) else value
            yield f"stopping.{key}: {shown}: only with rule {rules}, not {stopping.rule!r}"
    if stopping.start is not None and stopping.start > campaign.runs:
        yield f"stopping.start: {stopping.start}: more than runs ({campaign.runs})"
    what, least = _LEAST_RUNS.get(stopping.rule, ("", 1))
    if (stopping.start or campaign.runs) < least:
        yield f"stopping.start: {what} needs at least {least} runs"
    if stopping.rule == "mean":
        yield from _mean_disagreements(stopping)
    if stopping.compares and campaign.rounds < 2:
        yield (
            f"rounds: {campaign.rounds}: with stopping.rule {stopping.rule!r} algorithms are "
            "compared after each round; give 2 or more"
        )
    if stopping.rule == "pair" and len(campaign.algorithms) != 2:
        yield f"stopping.rule: 'pair' with {len(campaign.algorithms)} algorithms: takes two"


def _mean_disagreements(stopping: Stopping) -> Iterator[str]:
    validity = stopping.validity
    if stopping.bounds is None and validity not in (None, "single"):
        yield (
            f"stopping.validity: {validity!r}: without bounds no interval of a mean holds at more "
            "than one look; give stopping.bounds, or take 'single' or rule 'quantile'"
        )
    if stopping.bounds is not None and validity not in (None, "anytime"):
        yield (
            f"stopping.validity: {validity!r}: a mean with stopping.bounds has the interval that "
            "holds at all looks, 'anytime'; leave the bounds out for 'single'"
        )


def _timing_disagreements(campaign: Campaign) -> Iterator[str]:
    timing, statistics = campaign.timing, campaign.statistics
    if timing.repeats != type(timing).model_fields["repeats"].default and not timing.most_repeats:
        yield f"timing.repeats: {timing.repeats}: only with 'repeat', not {timing.disturbed!r}"
    if statistics.time == "reference" and not campaign.reference_is_timed:
        yield "statistics.time: 'reference': needs timing.reference: true"
    if statistics.time != "wall" and statistics.ancillary == "amortised":
        yield (
            f"statistics.time: {statistics.time!r}: ancillary cost is in seconds of the wall "
            "clock; with statistics.ancillary 'amortised' write 'wall'"
        )


def unknown_names(campaign: Campaign) -> Iterator[str]:
    """Names that no library, suite or registry has, and algorithms that cannot take the suite."""
    from timefair.algorithms import registry as algorithms
    from timefair.problems import registry as suites
    from timefair.problems.base import takes

    problems, suite = campaign.problems, None
    try:
        suite = suites.find(problems.suite, problems.parameters)
    except InputError as error:
        yield from (f"problems.{fault}" for fault in error.faults)
    else:
        yield from _problem_faults(campaign, suite)
    for label, spec in campaign.algorithms.items():
        faults = algorithms.faults(spec.use, spec.parameters)
        yield from (f"algorithms.{label}: {fault}" for fault in faults)
        if suite is not None and not faults:
            kinds = algorithms.variables(spec.use, spec.parameters)
            if not takes(kinds, suite.variables):
                yield (
                    f"algorithms.{label}: {spec.use} takes {_joined(kinds)} variables, and "
                    f"{suite.name} has {suite.variables} ones"
                )
    yield from _published_faults(campaign)
    for key, names, known in (
        ("tables", campaign.tables, known_tables()),
        ("figures", campaign.figures.names, known_figures()),
    ):
        yield from (
            _no_such(key, name, known) for name in names if name not in known and name not in SETS
        )


def _problem_faults(campaign: Campaign, suite: Suite) -> Iterator[str]:
    chosen = campaign.problems
    keys = (list(chosen.functions), list(chosen.dimensions), list(chosen.instances))
    faults = suite.faults(*keys)
    yield from (f"problems.{fault}" for fault in faults)
    target = campaign.budget.final_target
    given = target not in (None, type(campaign.budget).model_fields["final_target"].default)
    if given and not faults and not any(suite.knows_optimum(*names) for names in product(*keys)):
        yield (
            f"budget.final_target: {target}: nobody knows the optimum of these problems; "
            "write null, or give problems.parameters.f_opt of a function of your own"
        )
    if (
        campaign.published
        and not faults
        and not all(suite.knows_optimum(*names) for names in product(*keys))
    ):
        yield (
            "published: nobody knows the optimum of all these problems, and published data are "
            "distances to it"
        )


def _published_faults(campaign: Campaign) -> Iterator[str]:
    for label, data in campaign.published.items():
        if not os.path.exists(data.path):
            yield f"published.{label}.path: {data.path!r}: there is no such file or folder"


def _joined(kinds: Iterable[str]) -> str:
    return " and ".join(sorted(kinds))


def _no_such(key: str, name: str, known: Mapping[str, object]) -> str:
    return f"{key}: {name!r} is unknown{suggest(name, known)}; known: {', '.join((*SETS, *known))}"
