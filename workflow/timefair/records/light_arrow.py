"""pyarrow without pandas, for processes that only write records."""

from __future__ import annotations

import pyarrow as pa

from timefair.basics.hidden_modules import hidden_modules


def avoid_pandas() -> None:
    """Keep pyarrow from importing pandas when it first converts a list.

    pyarrow imports it only to recognise pandas objects in the list, and the import takes longer
    than everything else that writes a record. Afterwards pyarrow takes none of pandas' missing
    values for a null; its conversions to pandas, and an import by anybody else, work as ever.
    """
    with hidden_modules("pandas"):
        pa.array([0])
