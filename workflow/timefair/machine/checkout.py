"""The git commits of the working directory and of this package."""

from __future__ import annotations

import json
import os
import subprocess
from importlib import metadata
from pathlib import Path

from timefair.machine.host import Host, Unknown

_PACKAGE = Path(__file__).parents[1]
_WAIT_S = 5


def commit(host: Host) -> str:
    """The commit of the working directory, with ``-dirty`` if files differ from it."""
    return describe(host.folder)


def package_commit(_: Host) -> str:
    """The commit of this package, if it is a checkout or was installed from a repository."""
    try:
        _git(_PACKAGE, "ls-files", "--error-unmatch", "__init__.py")
    except Unknown:
        return _installed_commit()
    return describe(_PACKAGE)


def describe(folder: Path) -> str:
    """The commit that is checked out in a folder, with ``-dirty`` if files differ from it."""
    return _git(folder, "describe", "--always", "--dirty")


def _installed_commit() -> str:
    try:
        text = metadata.distribution(_PACKAGE.name).read_text("direct_url.json") or "{}"
    except metadata.PackageNotFoundError:
        raise Unknown("the package is not installed") from None
    installed: str | None = json.loads(text).get("vcs_info", {}).get("commit_id")
    if installed is None:
        raise Unknown("the package is not a checkout and was not installed from one")
    return installed


def _git(folder: Path, *arguments: str) -> str:
    """The output of git; it does not wait for locks or a prompt."""
    quiet = {"GIT_OPTIONAL_LOCKS": "0", "GIT_TERMINAL_PROMPT": "0", "LC_ALL": "C"}
    try:
        done = subprocess.run(
            ["git", *arguments],
            cwd=folder,
            env=os.environ | quiet,
            stdin=subprocess.DEVNULL,
            capture_output=True,
            text=True,
            errors="replace",
            timeout=_WAIT_S,
        )
    except FileNotFoundError:
        raise Unknown("no git") from None
    except (OSError, subprocess.TimeoutExpired):
        raise Unknown("git does not answer") from None
    if done.returncode != 0:
        errors = done.stderr.strip().splitlines()
        raise Unknown(errors[0] if errors else f"git ends with {done.returncode}")
    return done.stdout.strip()
