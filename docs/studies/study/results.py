"""What the page quotes from an archive, kept in one file beside its pictures."""

from __future__ import annotations

import hashlib
import json
from pathlib import Path
from typing import TypedDict

from study import blocks, numbers, pictures
from study.tables import Study, opened
from timefair.basics.errors import InputError
from timefair.basics.files import atomic_file
from timefair.extensions.archive.files import MANIFEST

NAME = "bbob-2026"
"""Of the study, its page and the folder of its results."""

FILE = f"{NAME}/results.json"
ARCHIVE = f"{NAME}/archive.zip"
"""Where the archive is, if it comes with the repository."""


class Results(TypedDict):
    """The content of the file.

    ``archive`` is the SHA-256 of the manifest of the archive, which has the SHA-256 of every file.
    ``values`` are the numbers and the tables of the page, as text, by name.
    """

    archive: str
    values: dict[str, str]


def write(archive: Path, folder: Path) -> None:
    """Compute the results of an archive, and draw the pictures.

    Raises
    ------
    InputError
        If the archive is damaged.
    """
    with opened(archive) as study:
        found = of_study(study)
        pictures.draw(study, found["archive"], folder / NAME)
    text = json.dumps(found, indent=1, sort_keys=True, ensure_ascii=False) + "\n"
    with atomic_file(folder / FILE) as file:
        file.write(text.encode())


def of_study(study: Study) -> Results:
    """The results of an open archive."""
    known = (study.folder.parents[1] / MANIFEST).read_bytes()
    values = {**numbers.of_study(study), **blocks.of_study(study)}
    return {"archive": hashlib.sha256(known).hexdigest(), "values": values}


def read(folder: Path) -> Results:
    """The results in a folder.

    Raises
    ------
    InputError
        If there are none.
    """
    path = folder / FILE
    if not path.is_file():
        raise InputError(f"{path}: missing; name the archive of the study")
    found: Results = json.loads(path.read_text(encoding="utf-8"))
    return found
