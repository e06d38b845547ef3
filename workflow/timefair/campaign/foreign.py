"""A campaign made from imported data with times.

Its algorithms are under ``published``. It has no ``algorithms``, so nothing in it can be measured.
Its tables, figures and report are made like those of any other campaign.
"""

from __future__ import annotations

from collections import Counter
from collections.abc import Collection, Mapping
from dataclasses import dataclass
from pathlib import Path

from timefair.basics.errors import InputError, suggest
from timefair.basics.extension import added_keys
from timefair.campaign.configuration import Campaign, parse_foreign, read_yaml

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


@dataclass(frozen=True)
class ForeignRuns:
    """Description of imported runs.

    `format`, `path` and the names of `columns` and `constants` are as on a command line; `problems`
    are (function, dimension, instance), `names` those of functions, `algorithms` names in the data
    by label. `runs` is the largest number on a problem. `lacks` is as in `Campaign.lacks`.
    `budgets` are the different ones as (dimension, seconds, evaluations), None for none.
    """

    format: str
    path: str
    suite: str
    problems: Collection[tuple[int, int, int]]
    names: Mapping[int, str]
    algorithms: Mapping[str, str]
    columns: Mapping[str, str]
    constants: Mapping[str, str]
    runs: int
    budgets: Collection[tuple[int, float | None, int | None]]
    lacks: tuple[str, ...] = ()


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
    if not isinstance(content, Mapping):
        raise InputError(f"{path}: should be keys with values; {known}")
    unknown = [key for key in content if key not in Campaign.model_fields]
    if unknown:
        raise InputError(
            *(f"{path}: {key}: unknown key{suggest(key, keys)}; {known}" for key in unknown)
        )
    return {key: value for key, value in content.items() if key in keys}


def campaign_of(runs: ForeignRuns, name: str, chosen: Mapping[str, object]) -> Campaign:
    """The campaign of imported runs, with keys of `of_analysis`; `InputError` if one is wrong."""
    functions, dimensions, instances = (
        sorted(set(part)) for part in zip(*runs.problems, strict=True)
    )
    of_each = {function: dimension for function, dimension, _ in runs.problems}
    own = len({problem[:2] for problem in runs.problems}) == len(functions) and len(dimensions) > 1
    tables, figures = TABLES.get(runs.lacks, ((), ()))
    usual = {"tables": tables, "figures": {"names": figures}} if tables else {}
    return parse_foreign(
        {
            **usual,
            **chosen,
            "name": name,
            "problems": {
                "suite": runs.suite,
                "functions": functions,
                **({"own_dimensions": of_each} if own else {"dimensions": dimensions}),
                "instances": instances,
                "names": _short(runs.names),
            },
            "algorithms": {},
            "published": {
                label: {
                    "format": runs.format,
                    "path": runs.path,
                    "algorithm": algorithm,
                    "columns": dict(runs.columns),
                    "set": dict(runs.constants),
                }
                for label, algorithm in runs.algorithms.items()
            },
            "budget": {**_budget(runs.budgets), "final_target": None},
            "restart": {"policy": "none"},
            "runs": runs.runs,
        }
    )


def _short(names: Mapping[int, str]) -> dict[int, str]:
    """Names of functions that fit into figures; those that become equal end in their numbers."""
    printable = {
        number: "".join(letter if letter.isprintable() else "_" for letter in word)
        for number, word in names.items()
    }
    times = Counter(word[:_LONGEST_NAME].strip() for word in printable.values())
    short = {}
    for number, word in printable.items():
        end = f"… ({number})" if times[word[:_LONGEST_NAME].strip()] > 1 else ""
        short[number] = word[: _LONGEST_NAME - len(end)].strip() + end
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
