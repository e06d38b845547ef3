"""Results of `timefair selftest` for this machine, in the user's folder for state.

There is one file per machine, because several may share the folder: its name is a digest of the
names of the host and the processor.
"""

from __future__ import annotations

import hashlib
import json
from collections.abc import Mapping
from pathlib import Path
from typing import Any

from timefair.basics.files import atomic_file
from timefair.basics.slowdowns import NAMES, OF_TEST, UNMEASURED, in_words
from timefair.machine import system
from timefair.machine.host import Host, Unknown, gather


def place(host: Host) -> Path:
    """The file of this machine; it may be missing. `Unknown` if no variable names the folder."""
    variables = host.environment
    if not (variables.get("XDG_STATE_HOME") or variables.get("HOME")):
        raise Unknown("neither XDG_STATE_HOME nor HOME is set")
    state = variables.get("XDG_STATE_HOME") or Path(variables["HOME"], ".local", "state")
    names = gather({"hostname": system.hostname, "cpu": system.model}, host)
    digest = hashlib.sha256(repr((names["hostname"], names["cpu"])).encode()).hexdigest()
    return Path(state, "timefair", f"selftest-{digest[:12]}.json")


def slowdown(host: Host) -> dict[str, Any]:
    """The minimum detectable slowdowns of this machine, with the names of `NAMES`.

    `Unknown` if they have not been measured, or the file is not one of this command.
    """
    path = place(host)
    try:
        text = host.text(str(path).lstrip("/"))
    except Unknown:
        raise Unknown(UNMEASURED) from None
    try:
        content = json.loads(text)
        found = {name: content[name] for name in NAMES}
        for test in ("seconds", "precision"):
            found[test] = {name: content[test][name] for name in OF_TEST}
        in_words(found)
    except (ValueError, LookupError, TypeError):
        raise Unknown(f"{path.name} is damaged; run timefair selftest") from None
    return found


def write(content: Mapping[str, Any], host: Host) -> Path:
    """Store the measured values, and return their file."""
    path = place(host)
    path.parent.mkdir(parents=True, exist_ok=True)
    with atomic_file(path) as file:
        file.write((json.dumps(content, indent=2) + "\n").encode())
    return path
