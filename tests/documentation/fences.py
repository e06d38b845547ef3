"""The pages of the documentation, and the examples in them."""

import re
import sys
import textwrap
from collections.abc import Iterator
from pathlib import Path
from typing import NamedTuple

ROOT = Path(__file__).parents[2]
PAGES = sorted(
    path
    for pattern in ("README.md", "CONTRIBUTING.md", "config/README.md", "docs/**/*.md")
    for path in ROOT.glob(pattern)
)
LANGUAGES = ("sh", "python", "yaml", "snakemake", "c", "latex", "text")
"""What is written after the three ticks: `text` is shown and not run."""


class Fence(NamedTuple):
    page: Path
    line: int
    language: str
    text: str

    @property
    def where(self) -> str:
        return f"{self.page.relative_to(ROOT)}:{self.line}"


def fences(page: Path) -> Iterator[Fence]:
    lines = page.read_text(encoding="utf-8").splitlines()
    begun: int | None = None
    for number, line in enumerate(lines):
        if not line.lstrip().startswith("```"):
            continue
        if begun is None:
            begun = number
        else:
            text = textwrap.dedent("\n".join(lines[begun + 1 : number]) + "\n")
            yield Fence(page, begun + 1, lines[begun].strip().removeprefix("```"), text)
            begun = None


def of_language(*languages: str) -> list[Fence]:
    return [fence for page in PAGES for fence in fences(page) if fence.language in languages]


def commands(fence: Fence) -> list[str]:
    """The command lines of a block: joined where one goes on, without comments."""
    joined = re.sub(r"\\\n\s*", "", fence.text)
    lines = (re.sub(r"\s+#.*$|^#.*$", "", line).strip() for line in joined.splitlines())
    return [line for line in lines if line]


def prose(page: Path) -> str:
    return re.sub(r"^ *```.*?^ *```", "", page.read_text(encoding="utf-8"), flags=re.M | re.S)


def make_environments(folder: Path) -> None:
    """What docs/guide/environments.md has its reader make; the interpreters are this one."""
    for name in ("old", "new"):
        python = folder / "venvs" / name / "bin/python"
        python.parent.mkdir(parents=True)
        python.write_text(f'#!/bin/sh\nexec {sys.executable} "$@"\n')
        python.chmod(0o755)
    for name in ("baseline", "candidate"):
        (folder / "checkouts" / name).mkdir(parents=True)
