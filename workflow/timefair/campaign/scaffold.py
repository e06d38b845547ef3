"""The workflow that belongs to this package: that of the clone, or what an installation brought."""

from __future__ import annotations

import shutil
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
    """Where ``workflow/``, ``config/``, ``envs/`` and ``profiles/`` lie."""
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


def begin(target: Path) -> None:
    """Write what a folder needs to run campaigns: a Snakefile, a campaign and the profiles.

    Raises
    ------
    InputError
        If any of it is there already, or cannot be written.
    """
    source, names = folder(), ("Snakefile", CAMPAIGN, "profiles")
    there = [str(target / name) for name in names if (target / name).exists()]
    if there:
        raise InputError(*(f"{path}: exists already; name another folder" for path in there))
    try:
        target.mkdir(parents=True, exist_ok=True)
        (target / "Snakefile").write_text(_ENTRY, encoding="utf-8")
        shutil.copyfile(source / "config/config.yaml", target / CAMPAIGN)
        shutil.copytree(source / "profiles", target / "profiles")
    except OSError as error:
        raise InputError(f"{error.filename}: {error.strerror}") from None
