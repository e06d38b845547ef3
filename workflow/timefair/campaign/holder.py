"""Finds the snakemake that runs the jobs of a campaign; quick to import, because every
job uses it.
"""

from __future__ import annotations

import os
from pathlib import Path

NAME = ".driver"
"""The file in the campaign's folder that its snakemake locks, with the number of the process."""


def snakemake_above(folder: Path) -> int | None:
    """The snakemake that has locked a campaign, if this process descends from it.

    None for a job of a batch system, whose snakemake runs elsewhere, and for a command started by
    hand.
    """
    try:
        holder = int((folder / NAME).read_text())
        process = os.getppid()
        while process not in (holder, 0):
            stat = Path(f"/proc/{process}/stat").read_text()
            process = int(stat.rpartition(")")[2].split()[1])
    except (OSError, ValueError, IndexError):
        return None
    return holder if process == holder else None
