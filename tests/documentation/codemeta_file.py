"""Writes ``codemeta.json`` of the project from ``pyproject.toml``.

python tests/documentation/codemeta_file.py --fix
"""

from __future__ import annotations

import sys
import tomllib
from pathlib import Path

from timefair.extensions.archive.cards import codemeta

ROOT = Path(__file__).resolve().parents[2]
FILE = ROOT / "codemeta.json"


def text() -> str:
    """The file as it should be."""
    return codemeta(tomllib.loads((ROOT / "pyproject.toml").read_text())["project"])


if __name__ == "__main__":
    if "--fix" in sys.argv[1:]:
        FILE.write_text(text())
    raise SystemExit(FILE.read_text() != text())
