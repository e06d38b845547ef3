"""The campaign: one YAML file, checked before anything runs.

`load` and `parse` read what a user wrote; they raise `InputError` with one line per fault.
`restore` reads the snapshot of a campaign that they have checked.
"""

from __future__ import annotations

import os
import re
import sys
from collections.abc import Collection, Hashable, Iterable, Iterator, Mapping
from itertools import chain, product
from pathlib import Path
from typing import TYPE_CHECKING, Any, get_args

import yaml
from pydantic import ValidationError
from pydantic_core import ErrorDetails

from timefair.basics.disk import regular
from timefair.basics.errors import LIST_OF_TABLES, InputError, suggest, unknown
from timefair.basics.extension import added_keys, elsewhere
from timefair.basics.sections import Section, format_ranges
from timefair.campaign.configuration.model import (
    CHOICES,
    UNKNOWN,
    AlgorithmSpec,
    Campaign,
    Published,
    json_schema,
)
from timefair.problems.names import declared

if TYPE_CHECKING:
    from timefair.problems.problem import Suite

_SAID = {
    **dict.fromkeys(("int_type", "int_from_float"), "should be a whole number"),
    **dict.fromkeys(
        ("dict_type", "mapping_type", "model_type", "model_attributes_type"),
        "should be keys with values",
    ),
    "float_type": "should be a number",
    "string_type": "should be text",
    "string_pattern_mismatch": "letters, digits and . _ + - only, a letter or digit first",
    "string_too_long": "longer than {max_length} characters",
    "tuple_type": "should be a list",
    "greater_than_equal": "should be at least {ge:.16g}",
    "less_than_equal": "should be at most {le:.16g}",
}
"""What would be right, by the type of pydantic's error, with places for its context."""
FIRST = {"budget": "evaluations", "restart": "policy", "stopping": "rule", "problems": "suite"}
"""The key of a section for which users give the section itself."""

LONGEST_LIST = 150  # characters of the list of a job's instances, in the names of its files
SETS = ("all", "default")  # words that may replace names of tables and figures
ONE_VALUE = ("stagnation", "bet-and-run")  # restart policies that compare the values of a launch
OF_CHANGES = ("at_change",)  # restart policies that need a problem that changes
LABELLED: dict[str, type[Section]] = {"algorithms": AlgorithmSpec, "published": Published}
"""Keys that contain one section per label."""


def fault(error: ErrorDetails) -> str:
    """One line for an error of pydantic: the key, the value, and what would be right."""
    context, kind, given = error.get("ctx", {}), error["type"], error["input"]
    path, section, chosen = _place(error["loc"])
    last, of_key = str(path[-1]), path[-1] == "[key]"
    words = [str(part) for part in path if part != "[key]"]
    key = ".".join(word if word.isprintable() else repr(word) for word in words)
    value = _shown(given)
    if kind == "missing":
        return f"{key}: missing; {section.model_fields[last].description}"
    if kind == "extra_forbidden":
        return f"{key}: {_unknown_key(last, value, section, chosen)}"
    if kind == UNKNOWN:
        choice = CHOICES[last]
        value, known = _shown(given[choice.key]), ", ".join(map(repr, choice.kinds))
        return (
            f"{key}.{choice.key}: {value}: should be one of {known}{suggest(value, choice.kinds)}"
        )
    if kind == "too_short":
        return f"{key}: empty; name at least one"
    if of_key and not kind.startswith("string"):
        return f"{key}: should be the number of a function"
    said = error["msg"].removeprefix("Value error, ").removeprefix("Input ")
    if kind in _SAID:
        said = _SAID[kind].format(**context)
    if kind == "string_type" and not isinstance(given, list | tuple | Mapping | None):
        said += "; write it in quotes"
    elif "model" in kind and (first := FIRST.get(key)):
        said += f"; write {key}: {{{first}: {value}}}"
    return f"{key}: {value}: {said}"


def _unknown_key(last: str, value: str, section: type[Section], chosen: str | None) -> str:
    """A key that its section does not have; `chosen`: the section, if a key chooses its class."""
    if chosen and (others := CHOICES[chosen].having(last)):
        choosing = CHOICES[chosen].key
        this = section.model_fields[choosing].default
        return f"{value}: only with {choosing} {' or '.join(map(repr, others))}, not {this!r}"
    known = list(section.model_fields)
    return f"unknown key{suggest(last, known)}; known here: {', '.join(known)}"


def _shown(value: object) -> str:
    if value is None:
        return "empty"
    if isinstance(value, bool):
        return str(value).lower()
    try:
        text = repr(value)
    except ValueError:  # a whole number with more digits than Python prints
        text = "a very large number"
    return text if len(text) <= 60 else text[:57] + "..."


def _place(loc: tuple[int | str, ...]) -> tuple[list[int | str], type[Section], str | None]:
    """The place of an error of pydantic: the keys as a user writes them, the section of the last
    key, and its name if a key chooses its class.
    """
    section: type[Section] = Campaign
    path, chosen, parts = [loc[0]], None, iter(loc[1:])
    name = str(loc[0])
    for part in parts:
        if section is Campaign and name in LABELLED:
            section, name = LABELLED[name], ""
            path.append(part)  # a label, which may look like a key
            continue
        if name in CHOICES and name in section.model_fields:
            section, chosen = CHOICES[name].kinds[str(part)], name
            part = next(parts, "")
        elif (below := section_of(section, name)) is not None:
            section = below
        path.append(part)
        name = str(part)
    return path, section, chosen


def section_of(section: type[Section], name: str) -> type[Section] | None:
    """The section that a key contains, if it contains one; `null` may be allowed, too."""
    if (field := section.model_fields.get(name)) is None:
        return None
    kinds = (*get_args(field.annotation), field.annotation)
    held = (kind for kind in kinds if isinstance(kind, type) and issubclass(kind, Section))
    return next(held, None)


def disagreements(campaign: Campaign, section: Section | None = None, *place: str) -> Iterator[str]:
    """Keys that are valid by themselves and invalid together, by the checks of every section."""
    section = section or campaign
    for key, text in section.faults(campaign):
        yield f"{'.'.join(filter(None, (*place, key)))}: {text}"
    for name, value in section:
        for label, below in value.items() if isinstance(value, dict) else [("", value)]:
            # The faults of a tuned variant are those of its algorithm.
            is_variant = isinstance(below, AlgorithmSpec) and below.tuned is not None
            if isinstance(below, Section) and not is_variant:
                yield from disagreements(campaign, below, *place, name, label)


def unknown_names(campaign: Campaign) -> Iterator[str]:
    """Names that no library, suite or registry has; algorithms that do not support the suite."""
    from timefair.problems import suites

    problems, suite = campaign.problems, None
    try:
        suite = suites.find(problems.suite, problems.parameters)
    except InputError as error:
        yield from (f"problems.{fault}" for fault in error.faults)
    else:
        yield from _problem_faults(campaign, suite)
    longest = max((format_ranges(chunk, "_") for chunk in campaign.instance_chunks), key=len)
    if len(longest) > LONGEST_LIST:
        yield (
            f"instances_per_job: {campaign.instances_per_job}: the list of the instances of a job "
            f"has {len(longest)} characters, and file names have room for {LONGEST_LIST}; use a "
            "smaller number, or instances without gaps"
        )
    for label, spec in campaign.algorithms.items():
        if spec.tuned is None:
            yield from _algorithm_faults(campaign, label, suite)
    if suite is not None:
        labels = campaign.algorithms
        yield from dict.fromkeys(chain(*(_run_faults(campaign, label, suite) for label in labels)))
    for label, data in campaign.published.items():
        if not os.path.exists(data.path):
            yield f"published.{label}.path: {data.path!r}: there is no such file or folder"
    yield from unknown_exhibits(campaign)


def _algorithm_faults(campaign: Campaign, label: str, suite: Suite | None) -> Iterator[str]:
    """What an algorithm lacks, and whether it supports the suite; None if that is unknown."""
    from timefair.algorithms import libraries as algorithms
    from timefair.problems.problem import ROUNDED, takes

    spec, key = campaign.algorithms[label], f"algorithms.{label}"
    if (there := elsewhere(campaign, label)) is None:
        found = algorithms.remembered_faults(spec.use, spec.arguments)
        faults = [f"{key}: {fault}" for fault in found]
    else:
        faults = [f"{key}.{fault}" for fault in there["faults"]]
    yield from faults
    if faults:
        return
    if spec.schedule:
        length, (name,) = algorithms.declared(spec.use)[0].length, spec.schedule
        if length not in ("", name):
            yield (
                f"{key}.schedule: {name!r}: {spec.use} follows the budget unless {length!r} is "
                "given; name that, or remove it"
            )
    if (search := spec.search) is not None:
        unknown = search.unknown(campaign, label, suite)
        yield from (f"{key}.{search.key}.{fault}" for fault in unknown)
    if suite is None:
        return
    kinds, tasks = (
        set(there[name] if there else getattr(algorithms, name)(spec.use, spec.arguments))
        for name in ("variables", "tasks")
    )
    if spec.constraint_penalty is not None:
        if not suite.kind.penalized:
            weight = f"{spec.constraint_penalty:g}"
            yield f"{key}.constraint_penalty: {weight}: {suite.name} has no constraints; remove it"
            return
        tasks |= {suite.task} if "one objective" in tasks else set()
    if suite.task not in tasks:
        said = f"{key}: {spec.use} is for {_joined(tasks)}, but {suite.name} has {suite.task}"
        if suite.task != "one objective":
            said += f", as {', '.join(algorithms.able(suite.task))} can take"
            if suite.kind.penalized and "one objective" in tasks:
                said += "; or add constraint_penalty: 1000 to this algorithm"
        yield said
    orders = suite.variables == "permutation"
    if spec.integer == "keys" and not (orders and "continuous" in kinds):
        lack = f"{spec.use} is not continuous" if orders else f"{suite.name} has no permutations"
        yield f"{key}.integer: 'keys': {lack}"
        return
    if spec.integer != "native" and "continuous" in kinds:
        kinds |= ROUNDED if spec.integer == "round" else {"permutation"}
    chosen = [f for f in campaign.problems.functions if f in suite.functions]
    has = {suite.variables_of(f): f for f in reversed(chosen)}
    if wrong := next((each for each in has if not takes(frozenset(kinds), each)), None):
        one = "" if {suite.variables, *has} == {wrong} else f" f{has[wrong]}"
        rounding = f"; add integer: {'keys' if orders else 'round'} to this algorithm"
        yield (
            f"{key}: {spec.use} takes {_joined(kinds)} variables, but {suite.name}{one} has "
            f"{wrong} ones{rounding if 'continuous' in kinds else ''}"
        )


def _run_faults(campaign: Campaign, label: str, suite: Suite) -> Iterator[str]:
    """Restart policies, isolation and threads that do not go together with a suite."""
    spec, policy, kind = campaign.algorithms[label], campaign.restart_of(label).policy, suite.kind
    key = f"algorithms.{label}.restart.policy" if spec.restart else "restart.policy"
    if policy in OF_CHANGES and suite.environments == 1:
        yield f"{key}: {policy!r}: needs a suite whose problems change, such as moving"
    if kind.stopping and policy in ONE_VALUE:
        others = ONE_VALUE if suite.environments > 1 else (*ONE_VALUE, *OF_CHANGES)
        known = ", ".join(name for name in CHOICES["restart"].kinds if name not in others)
        yield f"{key}: {policy!r}: needs {kind.stopping}; with {kind.said}: {known}"
    if not kind.apart and campaign.is_apart(label):
        key = f"algorithms.{label}.isolation" if spec.isolation else "isolation"
        yield f"{key}: 'strict': with {kind.said}: private, shared"
    if not kind.cores and spec.threads > 1:
        yield f"algorithms.{label}.threads: {spec.threads}: should be 1 with {kind.said}"


def unknown_exhibits(campaign: Campaign) -> Iterator[str]:
    """Names of tables and figures that the registry does not have."""
    from timefair.exhibits.registry import FIGURES, TABLES

    asked = (("tables", campaign.tables, TABLES), ("figures", campaign.figures.names, FIGURES))
    for key, names, known in asked:
        words = (*SETS, *known)
        lacking = (name for name in names if name not in words)
        yield from (f"{key}: {unknown(name, words, LIST_OF_TABLES)}" for name in lacking)


def warnings(campaign: Campaign) -> Iterator[str]:
    """One line each on forbidden actions of the user's modules during import, on threads that
    evaluate nothing, and on launches with a number of iterations that nobody gave.
    """
    from timefair.algorithms import libraries
    from timefair.basics import user_code

    most = max((spec.threads for spec in campaign.algorithms.values()), default=1)
    used = [("problems.suite", campaign.problems.suite, most)]
    used += [(f"algorithms.{k}", one.use, one.threads) for k, one in campaign.algorithms.items()]
    places = {(use.rpartition(":")[0], threads): (key, use) for key, use, threads in used[::-1]}
    for (_, threads), (key, use) in reversed(places.items()):
        yield from (f"{key}: {line}" for line in user_code.warnings(use, threads))
    one_by_one = []
    for label, spec in campaign.algorithms.items():
        if spec.threads > 1:
            there = elsewhere(campaign, label)
            found = there.get("batches") if there else libraries.batches(spec.use, spec.arguments)
            one_by_one += [f"{label} ({spec.threads})"] if found is False else []
    if one_by_one:
        yield (
            f"threads: {', '.join(one_by_one)}: asks for one point at a time, and so evaluates on "
            "one of its threads"
        )
    for label, spec in campaign.algorithms.items():
        parameter, count = libraries.declared(spec.use)[0].iterated or ("", 0)
        if parameter and spec.schedule is None and parameter not in spec.arguments:
            yield (
                f"algorithms: {label}: launches have {count} iterations, the default; schedule: "
                f"{{{parameter}: fill}} fits them to the budget"
            )


def not_above_zero(campaign: Campaign) -> Iterator[str]:
    """Targets that no precision can reach, or that only the optimum reaches."""
    from timefair.problems.suites import SUITES

    suite = SUITES.get(campaign.problems.suite)
    if suite is not None and suite.kind.signed:
        return
    for place, wanted in enumerate(campaign.targets):
        if wanted <= 0:
            yield f"targets.{place}: {wanted:g}: should be greater than 0"


def _problem_faults(campaign: Campaign, suite: Suite) -> Iterator[str]:
    chosen = campaign.problems
    functions, instances = list(chosen.functions), list(chosen.instances)
    if chosen.own_dimensions:
        each = (suite.faults([f], [dimension], instances) for f, dimension in chosen.spaces)
        faults = list(dict.fromkeys(chain.from_iterable(each)))
    else:
        faults = suite.faults(functions, list(chosen.dimensions), instances)
    yield from (f"problems.{fault}" for fault in faults)

    def known() -> Iterator[bool]:
        each = product(chosen.spaces, instances)
        return (suite.knows_optimum(*space, instance) for space, instance in each)

    target = campaign.budget.final_target
    given = target not in (None, type(campaign.budget).model_fields["final_target"].default)
    yield from _faults_of_period(campaign, suite)
    if given and suite.kind.unsettled:
        yield f"budget.final_target: {target}: {suite.kind.unsettled}; write null"
    yield from not_above_zero(campaign)
    if given and not faults and not any(known()):
        yield (
            f"budget.final_target: {target}: the optimum of these problems is unknown; "
            "write null, or give problems.parameters.f_opt of your own function"
        )
    if campaign.published and (needs := suite.published_needs):
        yield f"published: {suite.name}: its published data have other precisions; write {needs}"
    if campaign.published and not faults and not all(known()):
        yield (
            "published: the optimum of some of these problems is unknown, and published data are "
            "distances to it"
        )


def _faults_of_period(campaign: Campaign, suite: Suite) -> Iterator[str]:
    """Budgets that do not give a period of the changes."""
    budget = campaign.budget
    key = "evaluations" if budget.evaluations_per_dimension is None else "evaluations_per_dimension"
    evaluations = budget.evaluations_for(min(campaign.problems.dimensions))
    if evaluations is None or suite.environments == 1:
        return
    if budget.seconds is not None:
        name = "time_s" if budget.cpu_s is None else "cpu_s"
        yield (
            f"budget.{name}: {budget.seconds:g}: excludes {key} in {suite.name}, whose problems "
            "change after seconds or after evaluations; give one"
        )
    elif evaluations < suite.environments:
        yield (
            f"budget.{key}: {getattr(budget, key)}: {evaluations} evaluations for "
            f"{suite.environments} environments; give at least one for each"
        )


def _joined(kinds: Iterable[str]) -> str:
    return " and ".join(sorted(kinds))


_TAG = "tag:yaml.org,2002:"
TEXT, INT, FLOAT = f"{_TAG}str", f"{_TAG}int", f"{_TAG}float"
MERGE = f"{_TAG}merge"
"""The tag of ``<<``, which adds those keys of another mapping that are not given here."""
REPLACED = (INT, FLOAT, f"{_TAG}timestamp")
WHOLE = re.compile(r"[-+]?[0-9][0-9_]*$")
NUMBER = re.compile(
    r"[-+]?(?:[0-9][0-9_]*(?:\.[0-9_]*)?|\.[0-9][0-9_]*)(?:[eE][-+]?[0-9]+)?$|[-+]?\.(?:inf|nan)$"
)


class _Loader(yaml.SafeLoader):
    """A SafeLoader with the numbers of YAML 1.2, such as ``1e3`` and ``010``, which is ten.

    Keys and dates are text, as written; a key that is given twice is refused.
    """

    yaml_implicit_resolvers = {  # noqa: RUF012
        first: [pair for pair in pairs if pair[0] not in REPLACED]
        for first, pairs in yaml.SafeLoader.yaml_implicit_resolvers.items()
    }

    def construct_mapping(self, node: yaml.MappingNode, deep: bool = False) -> dict[Hashable, Any]:
        seen = set()
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode) and key.tag != MERGE:
                if key.value in seen:
                    raise yaml.constructor.ConstructorError(
                        problem=f"{key.value!r} is given twice", problem_mark=key.start_mark
                    )
                seen.add(key.value)
        self.flatten_mapping(node)
        for key, _ in node.value:
            if isinstance(key, yaml.ScalarNode):
                key.tag = TEXT
        return super().construct_mapping(node, deep)


_Loader.add_implicit_resolver(INT, WHOLE, list("-+0123456789"))
_Loader.add_implicit_resolver(FLOAT, NUMBER, list("-+.0123456789"))
_Loader.add_constructor(INT, lambda _, node: int(node.value.replace("_", "")))


def read_yaml(path: Path) -> dict[str, Any]:
    """The keys and values of a YAML file; raises `InputError` with file and line."""
    try:
        content = yaml.load(regular(path).read_text(encoding="utf-8"), Loader=_Loader)
    except yaml.MarkedYAMLError as error:
        mark = error.problem_mark or error.context_mark
        where = f"{path}:{mark.line + 1}" if mark else str(path)
        raise InputError(f"{where}: {error.problem or error.context}") from None
    except (OSError, RecursionError, ValueError, yaml.YAMLError) as error:
        said = {RecursionError: "nested too deeply", UnicodeDecodeError: "is not text in UTF-8"}
        why = said.get(type(error)) or getattr(error, "strerror", None) or error
        raise InputError(f"{path}: {' '.join(str(why).split())}") from None
    if not isinstance(content, dict):
        raise InputError(f"{path}: {NO_KEYS}")
    return content


NO_KEYS = "should be keys with values, as in config/config.yaml"
__all__ = ["AlgorithmSpec", "Campaign", "json_schema", "warnings"]


def load(path: Path | str) -> Campaign:
    """Read and check a campaign file; raises `InputError`."""
    return parse(read_yaml(Path(path)))


def parse(mapping: object) -> Campaign:
    """Check a campaign given as a mapping; raises `InputError`."""
    if sys.platform != "linux":
        raise InputError(f"timefair measures only on Linux; this is {sys.platform}")
    campaign = check_keys(mapping)
    empty = () if campaign.algorithms else ("algorithms: empty; name at least one",)
    faults = [*empty, *disagreements(campaign), *unknown_names(campaign)]
    if faults:
        raise InputError(*faults)
    return _named(campaign)


def check_keys(mapping: object) -> Campaign:
    """The campaign, each key checked by itself; or `InputError`."""
    if not isinstance(mapping, Mapping):
        raise InputError(f"campaign: {NO_KEYS}")
    try:
        return Campaign.model_validate(dict(mapping))
    except ValidationError as error:
        # Without wrong members, a list is too short: that fault only follows from theirs.
        errors = error.errors(include_url=False)
        told = [fault(e) for e in errors if e["type"] != "too_short" or not e["input"]]
        raise InputError(*told) from None
    except RecursionError:
        raise InputError("campaign: nested too deeply") from None


def check_name(name: object) -> None:
    """Raise `InputError` if this cannot be the name of a campaign."""
    try:
        Campaign.model_validate({"name": name})
    except ValidationError as error:
        if its_own := [e for e in error.errors(include_url=False) if e["loc"] == ("name",)]:
            raise InputError(*map(fault, its_own)) from None


def _named(campaign: Campaign) -> Campaign:
    """The campaign with the names that the user's function gives; those in the file come first."""
    problems = campaign.problems
    if problems.names or not (names := declared(problems.suite)):
        return campaign
    named = problems.model_copy(update={"names": names})
    return campaign.model_copy(update={"problems": named})


def restored(snapshot: str) -> Campaign:
    return Campaign.model_validate_json(snapshot, strict=False)


def restore(path: Path | str) -> Campaign:
    """Read the snapshot of a checked campaign, without asking the libraries again.

    `InputError` if the file cannot be read, or was not written by this version of timefair.
    """
    try:
        return restored(regular(Path(path)).read_text(encoding="utf-8"))
    except OSError as error:
        raise InputError(f"{path}: {error.strerror}; name results/NAME/campaign.json") from None
    except ValueError:
        raise InputError(
            f"{path}: not written by this version of timefair; start snakemake again"
        ) from None


_OF_CORE = ("seed", "targets", "target_values", "statistics", "tables", "figures")
_LONGEST_NAME = 40
RESULTS = ("comparison", "ranks", "friedman", "summary", "quantiles", "paper_values")
COUNTED = (*RESULTS, "ert", "success", "anytime", "ecdf", "profile_evaluations")
TABLES: Mapping[tuple[str, ...], tuple[tuple[str, ...], tuple[str, ...]]] = {
    ("seconds", "evaluations"): ((*RESULTS, "checklist"), ("critical_difference", "quantiles")),
    ("seconds",): (
        (*COUNTED, "checklist"),
        (
            "critical_difference", "quantiles", "anytime_evaluations", "ecdf_evaluations",
            "ert_evaluations", "profile_evaluations",
        ),
    ),
}  # fmt: skip
"""Usual tables and figures of imported runs, by the costs that they lack (`Campaign.lacks`)."""
ALLOWED: Mapping[tuple[str, ...], str] = {
    ("seconds", "evaluations"): "There are no costs: these data allow ranks, tests and effect "
    "sizes of the values at the end. They do not show how soon values were found, nor whether "
    "budgets were equal.",
    ("seconds",): "There are no seconds: these data allow comparisons at equal evaluations, and "
    "none at equal time.",
}
"""What such runs allow."""


def of_analysis() -> tuple[str, ...]:
    """The keys of a campaign file that affect only the analysis."""
    added = (key for key, of in added_keys("").items() if getattr(of, "analyses", False))
    return (*_OF_CORE, *added)


def settings(path: Path | None) -> dict[str, object]:
    """Read a file with keys of the analysis, ignoring others of a campaign; or empty."""
    if path is None:
        return {}
    content, keys = read_yaml(path), of_analysis()
    known = f"known: {', '.join(keys)}"
    if unknown := [key for key in content if key not in Campaign.model_fields]:
        raise InputError(
            *(f"{path}: {key}: unknown key{suggest(key, keys)}; {known}" for key in unknown)
        )
    return {key: value for key, value in content.items() if key in keys}


def campaign_of(
    name: str,
    chosen: Mapping[str, object],
    found: Collection[Any],
    given: Mapping[str, object],
    lacks: tuple[str, ...] = (),
) -> Campaign:
    """The campaign of imported runs, with keys of `of_analysis`; `InputError` if one is wrong.

    `found` has an `io.importing.Imported` for each algorithm, `given` the keys of `Published` that
    all of them have; `lacks`: `Campaign.lacks`.
    """
    problems = {problem for one in found for problem in one.runs}
    functions, dimensions, instances = (sorted(set(part)) for part in zip(*problems, strict=True))
    of_each = {function: dimension for function, dimension, _ in problems}
    own = len({problem[:2] for problem in problems}) == len(functions) and len(dimensions) > 1
    tables, figures = TABLES.get(lacks, ((), ()))
    usual = {"tables": tables, "figures": {"names": figures}} if tables else {}
    campaign = check_keys(
        {
            **usual,
            **chosen,
            "name": name,
            "problems": {
                "suite": next(iter(found)).suite,
                "functions": functions,
                **({"own_dimensions": of_each} if own else {"dimensions": dimensions}),
                "instances": instances,
                "names": _short(
                    {number: name for one in found for number, name in one.names.items()}
                ),
            },
            "algorithms": {},
            "published": {one.label: {**given, "algorithm": one.algorithm} for one in found},
            "budget": {
                **_budget({of for one in found for of in one.budgets}),
                "final_target": None,
            },
            "restart": {"policy": "none"},
            "runs": max(max(one.runs.values()) for one in found),
        }
    )
    if faults := [*disagreements(campaign), *not_above_zero(campaign), *unknown_exhibits(campaign)]:
        raise InputError(*faults)
    return campaign


def _short(names: Mapping[int, str]) -> dict[int, str]:
    """Names of functions that fit into figures; those that are cut off end in their numbers."""
    short = {}
    for number, word in names.items():
        said = "".join(letter if letter.isprintable() else "_" for letter in word).strip()
        end = f"… ({number})" if len(said) > _LONGEST_NAME else ""
        short[number] = said[: _LONGEST_NAME - len(end)] + end
    return short


def _budget(budgets: Collection[tuple[int, float | None, int | None]]) -> dict[str, float | int]:
    """The largest budgets; those in evaluations, if they agree, as a multiple of the dimension.

    Those of runs of 0 s count only if there is no budget in seconds.
    """
    allowed: dict[str, float | int] = {}
    if seconds := max((s or 0.0 for _, s, _ in budgets), default=0.0):
        allowed["time_s"] = seconds
    evaluations = {
        (dimension, n) for dimension, s, n in budgets if n is not None and not (seconds and s == 0)
    }
    multiples = {n / dimension for dimension, n in evaluations}
    if len(evaluations) > 1 and len(multiples) == 1 and (each := multiples.pop()).is_integer():
        allowed["evaluations_per_dimension"] = int(each)
    elif evaluations:
        allowed["evaluations"] = max(n for _, n in evaluations)
    return allowed or {"evaluations": 1}
