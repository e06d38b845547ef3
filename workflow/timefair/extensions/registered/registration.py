"""The registration of a campaign: its question, plan and code, written before its first run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from itertools import product
from pathlib import Path
from types import MappingProxyType
from typing import TYPE_CHECKING, Any, NamedTuple

from timefair import __version__
from timefair.basics.disk import atomic_file, regular, short
from timefair.basics.errors import InputError, storing
from timefair.basics.words import counted
from timefair.campaign import plan, provenance
from timefair.campaign.configuration import Campaign
from timefair.machine.facts import some_facts
from timefair.records.integrity import RUN_KEY, Measured, Origins, RunKey, spared
from timefair.records.rundata.settings import Analysis

if TYPE_CHECKING:
    import numpy as np
    import pandas as pd

    from timefair.records.rundata.runs import Runs

KEY = "registered"  # the key of a campaign file, and the table with the answer


OF_KEY = {
    **{"registered": "question", "runs": "number of runs", "problems": "problems"},
    **dict.fromkeys(("targets", "target_values"), "targets"),
    **dict.fromkeys(("algorithms", "published"), "algorithms"),
    **dict.fromkeys(("statistics", "tables"), "analysis"),
}
"""The kind of a change of a key of the campaign; all others are of the measurement."""

PRESENTATION = ("figures", "problems.names")
"""Keys that change no number, and therefore are no deviations."""


class Deviation(NamedTuple):
    kind: str
    subject: str
    registered: str
    found: str

    def __str__(self) -> str:
        return f"{self.kind}: {self.subject}: registered {self.registered}, found {self.found}"


def changes(registered: Mapping[str, Any], now: Mapping[str, Any]) -> Iterator[Deviation]:
    for key, before, after in _differing(registered, now, ""):
        if not any(key == one or key.startswith(f"{one}.") for one in PRESENTATION):
            kind = OF_KEY.get(key.partition(".")[0], "measurement")
            yield Deviation(kind, key, before, after)


def _differing(before: object, after: object, place: str) -> Iterator[tuple[str, str, str]]:
    if isinstance(before, Mapping) and isinstance(after, Mapping):
        for key in dict.fromkeys([*before, *after]):
            below = f"{place}.{key}" if place else str(key)
            yield from _differing(before.get(key), after.get(key), below)
    elif before != after:
        yield place, _shown(before), _shown(after)


def _shown(value: object) -> str:
    if value is None:
        return "none"
    if isinstance(value, list | tuple):
        return ", ".join(map(_shown, value)) or "none"
    if isinstance(value, Mapping):
        return ", ".join(f"{key}: {_shown(one)}" for key, one in value.items()) or "none"
    return f"{value:.15g}" if isinstance(value, float) else str(value)


def planned_runs(campaign: Mapping[str, Any]) -> set[RunKey]:
    """(function, dimension, instance, run) of every planned run of each algorithm."""
    chosen = campaign["problems"]
    keys = (chosen["functions"], chosen["dimensions"], chosen["instances"])
    own = chosen.get("own_dimensions", {})
    planned = set(product(*keys, range(campaign["runs"])))
    return {key for key in planned if own.get(str(key[0]), key[1]) == key[1]}


def of_runs(
    registration: Mapping[str, Any],
    measured: Mapping[str, Measured],
    excluded: Mapping[str, int] = MappingProxyType({}),
) -> Iterator[Deviation]:
    """How the measured runs of each algorithm deviate from a registration, which has ``campaign``
    and, if the question was registered, ``keys``, ``code`` and ``registered_utc``, as in `FILE`.
    `excluded`: planned runs that the answer omits because they were perturbed.
    """
    campaign = registration["campaign"]
    planned = planned_runs(campaign)
    for label in dict.fromkeys([*campaign["algorithms"], *measured]):
        one = measured.get(label, Measured())
        wanted = planned if label in campaign["algorithms"] else set()
        if added := len(one.runs - wanted):
            yield Deviation("added runs", label, str(len(wanted)), f"{added} more")
        unmeasured = wanted - one.runs
        mine = [row for row in one.decided if row.get("algorithm", label) == label]
        if missing := len(unmeasured - spared(unmeasured, one.runs, mine)):
            yield Deviation("missing runs", label, str(len(wanted)), f"{missing} fewer")
        if omitted := excluded.get(label):
            yield Deviation("excluded runs", label, str(len(wanted)), f"{omitted} omitted")
        if wanted and registration.get("registered_utc"):
            yield from _of_origins(registration, label, one)


def _of_origins(registration: Mapping[str, Any], label: str, one: Measured) -> Iterator[Deviation]:
    code = registration["code"].get(label)
    others = [found for found in one.origins.code if found != code]
    for found in others:
        yield Deviation("code", f"measuring {label}", short(code), short(found))
    keys = set(registration["keys"].get(label, {}).values())
    foreign = [found for found in one.origins.key if found not in keys]
    if foreign and not others:
        several = ", ".join(map(short, sorted(map(str, foreign))))
        yield Deviation("settings or software", label, ", ".join(map(short, sorted(keys))), several)
    registered = datetime.fromisoformat(registration["registered_utc"])
    if one.started is not None and one.started < registered:
        yield Deviation("time", label, moment(registered), f"runs from {moment(one.started)}")


def moment(time: datetime) -> str:
    return f"{time.astimezone(UTC):%Y-%m-%d %H:%M:%S} UTC"


def registration_of(analysis: Analysis) -> dict[str, Any]:
    found: dict[str, Any] = analysis.added.get(KEY, {})
    return found


def registered_analysis(analysis: Analysis) -> Analysis:
    return Analysis.of(registration_of(analysis)["analysis"])


def answering(runs: Runs, analysis: Analysis) -> Runs:
    """The planned runs of all registered algorithms, treated as registered; so precisions without a
    known optimum are distances to the best of the planned runs. Algorithms that made no evaluation
    in any planned run are omitted, and perturbed runs if the registration excludes them.
    """
    from timefair.records.rundata.runs import without_failed

    asked, settings = registration_of(analysis)["campaign"], registered_analysis(analysis)
    planned = _is_planned(runs.frame, analysis)
    kept = runs.where(planned & runs.frame["algorithm"].isin(asked["algorithms"]).to_numpy())
    kept = without_failed(kept.from_own_best()).wanted(settings)
    kept = kept.with_values(settings.noisy_value).timed_by(settings.time)
    return kept.amortised(settings) if settings.ancillary == "amortised" else kept


def all_deviations(runs: Runs, analysis: Analysis) -> list[Deviation]:
    import numpy as np
    import pandas as pd

    registration = registration_of(analysis)
    if not registration:
        return []
    frame, measured = runs.frame, {}
    omitted = np.zeros(len(frame), dtype=np.bool_)
    if registered_analysis(analysis).perturbed == "exclude":
        omitted = runs.perturbed & _is_planned(frame, analysis)
    excluded = {}
    for label, rows in frame.groupby("algorithm", observed=True).indices.items():
        mine = frame.iloc[rows]
        started = mine["started_utc"].min()
        measured[str(label)] = Measured(
            runs.origins.get(str(label), Origins()),
            set(mine[list(RUN_KEY)].itertuples(index=False, name=None)),
            runs.stopping.to_dict("records"),
            None if pd.isna(started) else started.to_pydatetime(),
        )
        excluded[str(label)] = int(omitted[rows].sum())
    known = [Deviation(*one) for one in registration["deviations"]]
    return known + list(of_runs(registration, measured, excluded))


def _is_planned(frame: pd.DataFrame, analysis: Analysis) -> np.ndarray:
    planned = planned_runs(registration_of(analysis)["campaign"])
    return frame.set_index(list(RUN_KEY)).index.isin(list(planned))


FILE = "registration.json"  # the registration, relative to ``results/<campaign>/``


def register(campaign: Campaign, folder: Path) -> dict[str, Any]:
    """Write the registration of a campaign before its first run; its content. `InputError` if the
    campaign has no question, runs exist, or an earlier registration cannot be read.
    """
    if campaign.section(KEY) is None:
        raise InputError(
            "registered: missing; state the question, as docs/guide/registered.md shows"
        )
    if (found := first_run(folder)) is not None:
        raise InputError(
            f"{found}: runs exist, so nothing can be registered any more; give the campaign "
            "another name and measure again"
        )
    before = read(folder)
    keys: dict[str, dict[str, str]] = {}
    for (label, round), key in provenance.measure_keys(campaign).items():
        keys.setdefault(label, {})[str(round)] = key
    content = {
        "version": __version__,
        "registered_utc": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "git": some_facts(("commit", "package_commit")),
        "campaign": campaign.model_dump(mode="json"),
        "planned_runs": plan.cell_count(campaign) * campaign.runs,
        "keys": keys,
        "code": {label: provenance.measure_code(campaign, label) for label in campaign.algorithms},
        "analysis_code": provenance.table_key(KEY),
        "replaces": [] if before is None else [*before["replaces"], before["digest"]],
    }
    content["digest"] = provenance.key_of(content)
    with storing(), atomic_file(folder / FILE) as file:
        file.write((json.dumps(content, indent=1) + "\n").encode())
    return content


def first_run(folder: Path) -> Path | None:
    rooms = (folder / "tuning", folder / "records", folder / "collected")
    files = (path for room in rooms for path in sorted(room.rglob("*.parquet*")))
    return next((path for path in files if path.is_file()), None)


def read(folder: Path) -> dict[str, Any] | None:
    """The registration; None if there is none. `InputError` if the file is damaged."""
    path = folder / FILE
    try:
        content: dict[str, Any] = json.loads(regular(path).read_text(encoding="utf-8"))
        _check_parts(content)
    except FileNotFoundError:
        return None
    except (OSError, ValueError, LookupError, TypeError):
        raise InputError(
            f"{path}: not a registration that this timefair can read; restore the file"
        ) from None
    return content


def _check_parts(content: dict[str, Any]) -> None:
    """ValueError, LookupError or TypeError unless everything that is read later is present."""
    if _campaign(content).section(KEY) is None:
        raise ValueError("no question")
    statement(content)
    if datetime.fromisoformat(content["registered_utc"]).utcoffset() is None:
        raise ValueError("a time without its zone")
    rounds = [dict(keys).values() for keys in dict(content["keys"]).values()]
    digests = [dict(content["code"]).values(), content["replaces"], *rounds]
    single = [content["digest"], content["analysis_code"]]
    if not all(isinstance(text, str) for texts in (single, *digests) for text in texts):
        raise ValueError("a digest that is no text")


def statement(content: dict[str, Any]) -> str:
    return (
        f"The question, the analysis and {content['planned_runs']} planned runs were registered on "
        f"{moment(datetime.fromisoformat(content['registered_utc']))} with timefair "
        f"{content['version']} (SHA-256 {content['digest']}; git commit "
        f"{content['git']['commit'] or 'unknown'})."
    )


def before_runs(campaign: Campaign, folder: Path) -> Iterator[str]:
    there = read(folder) is not None
    if there and campaign.section(KEY) is None:
        yield (
            f"registered: missing, but {folder / FILE} registers a question; restore the section, "
            "or give the campaign another name"
        )
    if campaign.section(KEY) is not None and not there and first_run(folder) is None:
        yield (
            "registered: not registered yet; run `timefair register` with this campaign, or remove "
            "the section"
        )


def files(campaign: Campaign, folder: Path) -> Iterator[str]:
    if (folder / FILE).is_file() or campaign.section(KEY) is not None:
        yield FILE


def verifying(
    campaign: Campaign, folder: Path, measured: Mapping[str, Measured], say: Callable[[str], None]
) -> Iterator[str]:
    """Say each deviation, and yield how many there are; they are no problems of the records."""
    content = read(folder)
    if content is None and campaign.section(KEY) is None:
        return
    found = list(deviations(content, campaign))
    if content is not None:
        found += of_runs(content, measured)
    for deviation in found:
        say(f"{folder}: {deviation}")
    yield f"{counted(len(found), 'deviation')} from the registration"


def deviations(content: dict[str, Any] | None, campaign: Campaign) -> Iterator[Deviation]:
    if content is None:
        yield Deviation("registration", FILE, "before the first run", "never")
        return
    unsealed = {name: part for name, part in content.items() if name != "digest"}
    if (found := provenance.key_of(unsealed)) != content["digest"]:
        yield Deviation(
            "registration", FILE, short(content["digest"]), f"content of {short(found)}"
        )
    yield from changes(_campaign(content).model_dump(mode="json"), campaign.model_dump(mode="json"))
    if (code := provenance.table_key(KEY)) != content["analysis_code"]:
        yield Deviation("code", "the answer", short(content["analysis_code"]), short(code))


def _campaign(content: dict[str, Any]) -> Campaign:
    return Campaign.model_validate_json(json.dumps(content["campaign"]), strict=False)


def settings(campaign: Campaign, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The registered campaign, or the present one, with the settings of its analysis, digests and
    deviations; nothing without a question.
    """
    if campaign.section(KEY) is None:
        return
    content = read(folder)
    asked = campaign if content is None else _campaign(content)
    known = ("registered_utc", "digest", "keys", "code")
    yield (
        KEY,
        {
            **{name: content[name] for name in known if content is not None},
            "statement": "" if content is None else statement(content),
            "campaign": asked.model_dump(mode="json"),
            "analysis": asked.analysis_settings,
            "deviations": [list(one) for one in deviations(content, campaign)],
        },
    )
