"""Where the user's cache is."""

from __future__ import annotations

import os
from pathlib import Path


def cache_folder() -> Path:
    """The folder for what can be found again; it may be missing, or not be writable."""
    cache = os.environ.get("XDG_CACHE_HOME") or os.path.join(os.path.expanduser("~"), ".cache")
    return Path(cache, "timefair")
