"""The keys ``python`` and ``path`` of an algorithm."""

from __future__ import annotations

from typing import Annotated

from pydantic import Field

Python = Annotated[
    str,
    Field(
        min_length=1,
        description="Path to the Python interpreter that measures this algorithm, such as "
        "`venvs/old/bin/python`; `null`: the one that runs the workflow.",
    ),
]
Folder = Annotated[
    str,
    Field(
        min_length=1,
        description="Folder that comes first on the `sys.path` of this algorithm, such as a "
        "checkout of its library; `null`: none.",
    ),
]
