"""pyarrow without pandas, for processes that only write records."""

from __future__ import annotations

import sys
from importlib.abc import MetaPathFinder
from typing import Any

import pyarrow as pa


class _NoPandas(MetaPathFinder):
    """Refuses to find pandas."""

    def find_spec(self, name: str, *_: Any) -> None:
        if name == "pandas":
            raise ModuleNotFoundError(name, name=name)


def avoid_pandas() -> None:
    """Keep pyarrow from importing pandas when it first converts a list.

    pyarrow imports it only to recognise pandas objects in the list, and the import takes longer
    than everything else that writes a record. Afterwards pyarrow takes none of pandas' missing
    values for a null; its conversions to pandas, and an import by anybody else, work as ever.
    """
    if "pandas" in sys.modules:
        return
    finder = _NoPandas()
    sys.meta_path.insert(0, finder)
    try:
        pa.array([0])
    finally:
        sys.meta_path.remove(finder)
