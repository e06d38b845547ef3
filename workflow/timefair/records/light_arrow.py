"""pyarrow without pandas, for processes that only read and write records."""

from __future__ import annotations

import pyarrow as pa

from timefair.basics.hidden_modules import hidden_modules


def avoid_pandas() -> None:
    """Keep pyarrow from importing pandas when it first converts a list.

    pyarrow imports pandas only to recognise pandas objects in the list, and this import takes
    longer than everything else in writing a record. Afterwards, pyarrow no longer converts missing
    values of pandas to null. Its conversions to pandas, and imports of pandas by other code, still
    work.
    """
    with hidden_modules("pandas"):
        pa.array([0])
