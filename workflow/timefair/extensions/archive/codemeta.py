"""CodeMeta of timefair itself, from the metadata of the package."""

from __future__ import annotations

import json
from collections.abc import Mapping, Sequence
from importlib import metadata
from typing import Any


def codemeta(
    *,
    name: str,
    version: str,
    description: str,
    license: str,
    author: str,
    python: str,
    keywords: Sequence[str],
    requirements: Sequence[str],
) -> str:
    """The text of ``codemeta.json`` (CodeMeta 3.0).

    Parameters
    ----------
    license
        As SPDX writes it.
    python
        The versions of Python that it runs with: ``>=3.11``.
    requirements
        The packages that it needs, as ``pyproject.toml`` has them.
    """
    content: dict[str, Any] = {
        "@context": "https://w3id.org/codemeta/3.0",
        "type": "SoftwareSourceCode",
        "name": name,
        "version": version,
        "description": description,
        "license": f"https://spdx.org/licenses/{license}",
        "author": [{"type": "Organization", "name": author}],
        "keywords": [*keywords],
        "programmingLanguage": ["Python", "Cython", "Snakemake"],
        "runtimePlatform": f"Python {python}",
        "operatingSystem": "Linux",
        "softwareRequirements": [*requirements],
    }
    return json.dumps(content, indent=2, ensure_ascii=False) + "\n"


def of_project(project: Mapping[str, Any]) -> str:
    """``codemeta.json`` of a project, from the table of that name in its ``pyproject.toml``."""
    return codemeta(
        author=project["authors"][0]["name"],
        python=project["requires-python"],
        requirements=sorted(project["dependencies"], key=str.lower),
        **{name: project[name] for name in ("name", "version", "description", "license")},
        keywords=project["keywords"],
    )


def of_installed(version: str) -> str:
    """``codemeta.json`` of the installed package, with the version that is given."""
    known = metadata.metadata("timefair")
    needed = [line for line in known.get_all("Requires-Dist") or () if "extra ==" not in line]
    return codemeta(
        name=known["Name"],
        version=version,
        description=known["Summary"],
        license=known["License-Expression"] or known["License"],
        author=known["Author"],
        python=known["Requires-Python"],
        keywords=known["Keywords"].split(","),
        requirements=sorted(needed, key=str.lower),
    )
