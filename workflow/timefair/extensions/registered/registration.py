"""The registration of a campaign: its question, plan and code, written before its first run."""

from __future__ import annotations

import json
from collections.abc import Callable, Iterator, Mapping
from datetime import UTC, datetime
from pathlib import Path
from typing import Any

from timefair import __version__
from timefair.basics.errors import InputError, storing
from timefair.basics.files import atomic_file, regular, short
from timefair.basics.words import counted
from timefair.campaign import plan, provenance
from timefair.campaign.configuration import Campaign
from timefair.extensions.registered.deviations import KEY, Deviation, Kind, changes, moment, of_runs
from timefair.machine.facts import commit, package_commit
from timefair.machine.host import Host, gather
from timefair.records.integrity import Measured

FILE = "registration.json"  # the registration, relative to ``results/<campaign>/``


def register(campaign: Campaign, folder: Path) -> dict[str, Any]:
    """Write the registration of a campaign into its folder, before its first run; its content.

    It replaces an existing registration, whose digest is kept under ``replaces``. `InputError` if
    the campaign has no question, runs exist, or an earlier registration cannot be read.
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
    content = {
        "version": __version__,
        "registered_utc": datetime.now(UTC).isoformat(timespec="milliseconds"),
        "git": gather({"commit": commit, "package_commit": package_commit}, Host()),
        "campaign": campaign.model_dump(mode="json"),
        "planned_runs": plan.cell_count(campaign) * campaign.runs,
        **_code(campaign),
        "replaces": [] if before is None else [*before["replaces"], before["digest"]],
    }
    content["digest"] = provenance.key_of(content)
    with storing(), atomic_file(folder / FILE) as file:
        file.write((json.dumps(content, indent=1) + "\n").encode())
    return content


def _code(campaign: Campaign) -> dict[str, Any]:
    """The digests of everything that determines the runs and the answer."""
    keys: dict[str, dict[str, str]] = {}
    for (label, round), key in provenance.measure_keys(campaign).items():
        keys.setdefault(label, {})[str(round)] = key
    return {
        "keys": keys,
        "code": {label: provenance.measure_code(campaign, label) for label in campaign.algorithms},
        "analysis_code": provenance.table_key(KEY),
    }


def first_run(folder: Path) -> Path | None:
    """A file in a campaign's folder with runs, or with the note of a run that has begun."""
    rooms = (folder / "tuning", folder / "records", folder / "collected")
    files = (path for room in rooms for path in sorted(room.rglob("*.parquet*")))
    return next((path for path in files if path.is_file()), None)


def read(folder: Path) -> dict[str, Any] | None:
    """The content of the registration; None if there is none.

    Raises `InputError` if the file cannot be read, or lacks a part.
    """
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
    """The line for the paper."""
    return (
        f"The question, the analysis and {content['planned_runs']} planned runs were registered on "
        f"{moment(datetime.fromisoformat(content['registered_utc']))} with timefair "
        f"{content['version']} (SHA-256 {content['digest']}; git commit "
        f"{content['git']['commit'] or 'unknown'})."
    )


def before_runs(campaign: Campaign, folder: Path) -> Iterator[str]:
    """Yield that a campaign is not registered yet, or lacks its registered question."""
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
    """The registration, if there is one or has to be one."""
    if (folder / FILE).is_file() or campaign.section(KEY) is not None:
        yield FILE


def verifying(
    campaign: Campaign, folder: Path, measured: Mapping[str, Measured], say: Callable[[str], None]
) -> Iterator[str]:
    """Say each deviation, and yield how many there are.

    A deviation is not a problem of the records; the report lists it next to the answer.
    """
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
    """Present state of the campaign and of the code where it differs from the registration."""
    if content is None:
        yield Deviation(Kind.FILE, FILE, "before the first run", "never")
        return
    unsealed = {name: part for name, part in content.items() if name != "digest"}
    if (found := provenance.key_of(unsealed)) != content["digest"]:
        yield Deviation(Kind.FILE, FILE, short(content["digest"]), f"content of {short(found)}")
    yield from changes(_campaign(content).model_dump(mode="json"), campaign.model_dump(mode="json"))
    if (code := provenance.table_key(KEY)) != content["analysis_code"]:
        yield Deviation(Kind.CODE, "the answer", short(content["analysis_code"]), short(code))


def _campaign(content: dict[str, Any]) -> Campaign:
    return Campaign.model_validate_json(json.dumps(content["campaign"]), strict=False)


def settings(campaign: Campaign, folder: Path) -> Iterator[tuple[str, dict[str, Any]]]:
    """The registered campaign with the settings of its analysis, the digests, and the deviations of
    the present campaign and code; nothing without a question.

    If nothing was registered, it is the present campaign, without digests and time.
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
