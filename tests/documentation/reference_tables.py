"""Tables of the documentation that are made from the code: ``python reference_tables.py --fix``."""

import inspect
import re
import sys
from collections.abc import Callable, Iterable, Iterator, Mapping
from pathlib import Path
from typing import NamedTuple

from pydantic.fields import FieldInfo

from timefair.basics.sections import Section
from timefair.campaign.configuration import LABELLED, Campaign, section_of
from timefair.campaign.configuration.model import CHOICES
from timefair.io.table_read import COLUMNS
from timefair.policies import restart_policies, stopping_rules

ROOT = Path(__file__).parents[2]
PROMISE = "Promise: "
DESCRIBED = {"restart": "docs/guide/restarts.md", "stopping": "docs/validation/run-count.md"}
"""The pages that have a table of the classes of a chosen section."""


FIRST = (
    "name",
    *(f"problems.{key}" for key in ("suite", "functions", "dimensions", "instances")),
    *(f"algorithms.<label>.{key}" for key in ("use", "parameters")),
    *(f"budget.{key}" for key in ("time_s", "evaluations", "evaluations_per_dimension")),
    *("runs", "rounds", "targets", "tables", "figures"),
)
"""The keys that nine of ten campaigns need."""

TOPICS = {
    "Problems": ("problems", "seed"),
    "Algorithms": ("algorithms",),
    "Tuning": ("algorithms.<label>.tune",),
    "Published data": ("published",),
    "Budget and limits": ("budget", "limits"),
    "Restarts": ("restart",),
    "Stopping rules": ("stopping",),
    "Machine and jobs": ("block", "instances_per_job", "machine", "isolation", "network", "timing"),
    "Targets, statistics and figures": (
        "target_values", "statistics", "figures",
    ),
    "Meters": ("meters",),
    "Registered question": ("registered",),
    "Paper": ("paper",),
    "Comparison of stopping rules": ("statistics.run_count",),
}  # fmt: skip
"""The other keys: those that begin with one of these words; the longest one decides."""

SHARED = 4
"""A key of so many stopping rules stands once, if it means the same in all of them."""

HEAD = ("| key | default | meaning |", "|---|---|---|")


class Key(NamedTuple):
    """A key of the campaign file, in full; a `section` only holds other keys."""

    name: str
    default: str
    meaning: str
    section: bool = False

    @property
    def row(self) -> str:
        return f"| `{self.name}` | {self.default} | {self.meaning} |"


def keys() -> Iterator[str]:
    """The keys that come first, the others by topic, and a table for each stopping rule."""
    known = {key.name: key for key in _keys(Campaign)}
    yield from ("### The first fifteen", "", *HEAD, *(known.pop(name).row for name in FIRST))
    for title, found in by_topic(known).items():
        told = [key.meaning for key in found if key.section and "." not in key.name]
        yield from ("", f"### {title}", "", *([*told, ""] if len(told) == 1 else ()))
        rows = [key.row for key in found if not key.section]
        yield from (_stopping() if title == "Stopping rules" else (*HEAD, *rows))


def by_topic(known: Mapping[str, Key]) -> dict[str, list[Key]]:
    """The keys of each topic; ValueError if a key has none."""
    found: dict[str, list[Key]] = {title: [] for title in TOPICS}
    for name, key in known.items():
        words = {word: title for title, words in TOPICS.items() for word in words}
        fitting = [word for word in words if name == word or name.startswith(f"{word}.")]
        if not fitting:
            raise ValueError(f"{name}: has no topic")
        found[words[max(fitting, key=len)]].append(key)
    return found


def _keys(section: type[Section], prefix: str = "") -> Iterator[Key]:
    """The keys of a section, those of sections below it after theirs; not those of `stopping`, and
    not those that timefair writes itself.
    """
    for name, field in section.model_fields.items():
        meaning = str(field.description)
        if f"{prefix}{name}" == "stopping" or meaning.startswith("Written by timefair"):
            continue
        labelled, chosen = name in LABELLED and not prefix, name in CHOICES and not prefix
        below = LABELLED[name] if labelled else section_of(section, name)
        known = labelled or chosen or (below is not None and name not in (*CHOICES, "figures"))
        yield Key(f"{prefix}{name}", _default(field), meaning, known)
        if chosen:
            yield from _chosen(name)
        elif name not in CHOICES and below is not None:
            yield from _keys(below, f"{prefix}{name}{'.<label>' * labelled}.")


def _chosen(name: str) -> Iterator[Key]:
    """The keys that any class of a chosen section has."""
    choice = CHOICES[name]
    kinds = ", ".join(f"`{kind}`" for kind in choice.kinds)
    meaning = f"{kinds}: [what each does](../{DESCRIBED[name]})."
    yield Key(f"{name}.{choice.key}", str(choice.default), meaning)
    every = dict.fromkeys(key for kind in choice.kinds.values() for key in kind.model_fields)
    for key in every:
        if key != choice.key:
            fields = {kind: choice.kinds[kind].model_fields[key] for kind in choice.having(key)}
            defaults = _joined({kind: _default(field) for kind, field in fields.items()}, " ({})")
            meaning = _joined({kind: str(field.description) for kind, field in fields.items()})
            yield Key(f"{name}.{key}", defaults, meaning)


def _stopping() -> Iterator[str]:
    """The keys of `stopping`: a table for each rule that has some, after those of most rules."""
    choice = CHOICES["stopping"]
    rules: dict[str, list[str]] = {}
    for name, kind in stopping_rules().items():
        for key, field in kind.model_fields.items():
            row = Key(f"stopping.{key}", _default(field), str(field.description)).row
            rules.setdefault(row, []).extend([name] * (key != choice.key))
    kinds = ", ".join(f"`{kind}`" for kind in stopping_rules())
    meaning = f"{kinds}: [what each does](../{DESCRIBED['stopping']})."
    yield from (*HEAD, Key(f"stopping.{choice.key}", str(choice.default), meaning).row)
    shared = {row: names for row, names in rules.items() if len(names) >= SHARED}
    for row, names in shared.items():
        key, default, text = row.strip("| ").split(" | ", 2)
        yield f"| {key} | {default} | With {', '.join(f'`{n}`' for n in names)}: {_inside(text)} |"
    for name in stopping_rules():
        rows = [row for row, names in rules.items() if name in names and row not in shared]
        if rows:
            yield from ("", f"Only with `rule: {name}`:", "", *HEAD, *rows)


def _joined(texts: Mapping[str, str], only: str = "") -> str:
    """Each text once, with the classes that it is for; `only` is how they follow it."""
    kinds: dict[str, list[str]] = {}
    for kind, text in texts.items():
        kinds.setdefault(text, []).append(f"`{kind}`")
    if only:
        if len(kinds) == 1:
            return next(iter(kinds))
        return ", ".join(
            (text or "`null`") + only.format(", ".join(names)) for text, names in kinds.items()
        )
    return " ".join(f"With {', '.join(names)}: {_inside(text)}" for text, names in kinds.items())


def _inside(sentence: str) -> str:
    """A sentence as it is written after a colon; an abbreviation keeps its capitals."""
    return sentence if sentence[1:2].isupper() else sentence[:1].lower() + sentence[1:]


def _default(field: FieldInfo) -> str:
    if field.is_required():
        return "needed"
    value = field.default
    if value is None or isinstance(value, Section) or value == {}:
        return ""
    if isinstance(value, bool):
        return str(value).lower()
    if isinstance(value, tuple):
        return ", ".join(f"{item:g}" if isinstance(item, float) else str(item) for item in value)
    return f"{value:g}" if isinstance(value, float) else str(value)


def policies() -> Iterator[str]:
    yield "| `policy` | meaning | keys |"
    yield "|---|---|---|"
    for name, kind in restart_policies().items():
        yield f"| `{name}` | {summary(kind)} | {_own_keys(kind, 'policy')} |"


def rules() -> Iterator[str]:
    yield "| `rule` | ends the runs of an algorithm on a problem when | keys | promise |"
    yield "|---|---|---|---|"
    for name, kind in stopping_rules().items():
        promise = promised(kind)
        keys = _own_keys(kind, "rule")
        yield f"| `{name}` | {summary(kind)} | {keys} | {promise[:1].upper()}{promise[1:]} |"


def summary(kind: type[Section]) -> str:
    return paragraphs(kind)[0]


def promised(kind: type[Section]) -> str:
    (promise,) = (text for text in paragraphs(kind) if text.startswith(PROMISE))
    return promise.removeprefix(PROMISE)


def paragraphs(kind: type[Section]) -> list[str]:
    return [" ".join(text.split()) for text in inspect.cleandoc(kind.__doc__ or "").split("\n\n")]


def _own_keys(kind: type[Section], without: str) -> str:
    shown = []
    for key, field in kind.model_fields.items():
        if key != without:
            default = _default(field)
            shown.append(f"`{key}`" + f" ({default})" * bool(default))
    return ", ".join(shown)


def columns() -> Iterator[str]:
    yield "| column | needed | content |"
    yield "|---|---|---|"
    for name, column in COLUMNS.items():
        yield f"| `{name}` | {'yes' if column.needed else 'no'} | {column.meaning} |"


Makers = Mapping[str, Mapping[str, Callable[[], str | Iterable[str]]]]
"""What makes the text between two marks, by the page and the name in the marks: lines or a text."""

MADE: Makers = {
    "config/README.md": {"keys": keys},
    "docs/guide/restarts.md": {"restart policies": policies},
    "docs/validation/run-count.md": {"stopping rules": rules},
    "docs/guide/foreign-tables.md": {"columns of a table": columns},
}


def pages(makers: Makers = MADE) -> Iterator[tuple[str, str]]:
    """Pages with the text between their marks made again; AssertionError if a mark is missing."""
    for page, made_of_it in makers.items():
        text = (ROOT / page).read_text(encoding="utf-8")
        for name, make in made_of_it.items():
            made = make()
            if not isinstance(made, str):
                made = "\n\n" + "".join(f"{line}\n" for line in made) + "\n"
            place = rf"(<!-- {name}(?:: .*)? -->)[\s\S]*?(<!-- (?:/|end of ){name} -->)"
            found = re.search(place, text)
            assert found, f"{page}: no place for {name!r}"
            text = text[: found.end(1)] + made + text[found.start(2) :]
        yield page, text


def main(script: str, made: Iterable[tuple[str, str]]) -> None:
    """Write pages with `--fix`, else say which one is not as it should be."""
    for page, text in made:
        if sys.argv[1:] == ["--fix"]:
            (ROOT / page).write_text(text, encoding="utf-8")
        elif text != (ROOT / page).read_text(encoding="utf-8"):
            sys.exit(f"{page}: python {script} --fix")


if __name__ == "__main__":
    main(__file__, pages())
