"""Checks an archive of `timefair export crate` with roc-validator, without a network.

    python -m venv validator
    validator/bin/pip install roc-validator==0.13.0 rocrate==0.16.0
    validator/bin/python tests/peers/validate_crate.py default.zip

roc-validator has requirements of its own, so it gets an environment of its own. It reads the
context of RO-Crate 1.1 from the network. Here it gets the context that rocrate brings, which is
that of RO-Crate 1.3, with the names of Bioschemas as version 1.1 has them. Printed: each
requirement (MUST) and recommendation (SHOULD) that is not met. The exit status is 1 if a
requirement is not met.
"""

from __future__ import annotations

import json
import sys
import tempfile
import zipfile
from importlib import resources
from pathlib import Path

import requests
from rocrate_validator import services
from rocrate_validator.models import Severity, ValidationSettings
from rocrate_validator.utils.http import HttpRequester

PROFILE = "workflow-run-crate-0.5"
CONTEXT = "https://w3id.org/ro/crate/1.1/context"


def context() -> bytes:
    text = resources.files("rocrate").joinpath("data/ro-crate.jsonld").read_text()
    return text.replace("https://bioschemas.org/terms/", "https://bioschemas.org/").encode()


def answer(requester: HttpRequester, url: str, **_: object) -> requests.Response:
    response = requests.Response()
    response.status_code, response.url = 404, url
    if url == CONTEXT:
        response.status_code, response._content = 200, context()
        response.headers["Content-Type"] = "application/ld+json"
    return response


def findings(folder: Path) -> list[tuple[str, str]]:
    HttpRequester.get = HttpRequester.head = answer
    settings = ValidationSettings(
        rocrate_uri=str(folder),
        profile_identifier=PROFILE,
        requirement_severity=Severity.RECOMMENDED,
        skip_availability_check=True,
    )
    result = services.validate(settings)
    return [
        (issue.severity.name, f"{issue.check.identifier}: {issue.message}")
        for issue in result.get_issues()
    ]


def main() -> int:
    (path,) = map(Path, sys.argv[1:])
    with tempfile.TemporaryDirectory() as place:
        if path.is_file():
            zipfile.ZipFile(path).extractall(place)
            path = Path(place)
        found = findings(path)
        entities = len(json.loads((path / "ro-crate-metadata.json").read_text())["@graph"])
    for severity, line in sorted(found):
        print(f"{severity}: {line}")
    print(f"{PROFILE}: {entities} entities, {len(found)} findings")
    return int(any(severity == "REQUIRED" for severity, _ in found))


if __name__ == "__main__":
    raise SystemExit(main())
