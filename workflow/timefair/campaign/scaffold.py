"""The workflow that belongs to this package: in the clone, or as installed with the package."""

from __future__ import annotations

import shutil
import sys
from collections.abc import Mapping
from importlib import metadata
from pathlib import Path

from timefair.basics.errors import InputError

CAMPAIGN = "campaign.yaml"
_ENTRY = '''"""Campaigns of timefair: `snakemake --cores all --configfile campaign.yaml`."""

from timefair.campaign.scaffold import snakefile


include: snakefile()


rule default:
    default_target: True
    input:
        rules.all.input,
'''


def folder() -> Path:
    """The folder that contains ``workflow/``, ``config/``, ``envs/`` and ``profiles/``."""
    clone = Path(__file__).parents[3]
    if (clone / "workflow/Snakefile").is_file():
        return clone
    for file in metadata.files("timefair") or ():
        if file.match("share/timefair/workflow/Snakefile"):
            return Path(str(file.locate())).resolve().parents[1]
    raise InputError("the workflow is not installed with the package; install timefair again")


def snakefile() -> str:
    """The path of the workflow, for ``include:`` and ``module``."""
    return str(folder() / "workflow/Snakefile")


def command(config: Path, cores: int | str, *options: str) -> list[str]:
    """The command that runs a campaign in the working directory, which needs no Snakefile."""
    return [
        sys.executable, "-P", "-m", "snakemake", "--snakefile", snakefile(),
        "--workflow-profile", str(folder() / "profiles/default"), "--cores", str(cores),
        "--configfile", str(config), *options,
    ]  # fmt: skip


def begin(target: Path, own: Mapping[str, str]) -> None:
    """Write the files that a folder needs to run campaigns: a Snakefile, a campaign, the profiles.

    `own` are other files by name, maybe with a `CAMPAIGN`. `InputError` if one exists already, or
    cannot be written.
    """
    source, names = folder(), ("Snakefile", CAMPAIGN, "profiles", *own)
    there = [str(target / name) for name in dict.fromkeys(names) if (target / name).exists()]
    if there:
        raise InputError(*(f"{path}: exists already; name another folder" for path in there))
    try:
        target.mkdir(parents=True, exist_ok=True)
        (target / "Snakefile").write_text(_ENTRY, encoding="utf-8")
        if CAMPAIGN not in own:
            shutil.copyfile(source / "config/config.yaml", target / CAMPAIGN)
        for name, text in own.items():
            (target / name).write_text(text, encoding="utf-8")
        shutil.copytree(source / "profiles", target / "profiles")
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}") from None
