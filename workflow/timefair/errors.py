"""What the user can mend: one clear line, no traceback."""

from __future__ import annotations

import difflib
from collections.abc import Iterable


class InputError(Exception):
    """Input that a user gave is wrong. `faults` holds one line for each thing to mend."""

    def __init__(self, *faults: str) -> None:
        super().__init__("\n".join(faults))
        self.faults = faults


def suggest(word: object, known: Iterable[object]) -> str:
    """A clause that helps with a misspelling: the nearest of the known words, else ``""``.

    Comparison ignores case; the answer is in the spelling of `known`.
    """
    by_lower = {str(k).lower(): str(k) for k in known}
    near = difflib.get_close_matches(str(word).lower(), by_lower, n=1, cutoff=0.6)
    return f"; did you mean {by_lower[near[0]]!r}?" if near else ""
