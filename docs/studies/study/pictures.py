"""The figures of the page, each an overview without panels of single functions."""

from __future__ import annotations

import json
import tempfile
from pathlib import Path

import pandas as pd
from PIL import Image
from PIL.PngImagePlugin import PngInfo

from study.tables import Study
from timefair.exhibits.charts import style
from timefair.exhibits.registry import FIGURES

STAMP = "timefair"
"""The text of a PNG that has the SHA-256 of the archive it is from."""

CHEAP_MAP = "cost_map_without_costly"
SHOWN = (
    "critical_difference", "rank_reversals", "cost_map", "restart_what_if", "portfolio",
)  # fmt: skip
"""Figures of all runs; `CHEAP_MAP` is drawn besides."""

NAMES = (*SHOWN, CHEAP_MAP)


def draw(study: Study, sha256: str, folder: Path) -> None:
    """Write every picture, with the SHA-256 of its archive in it."""
    folder.mkdir(parents=True, exist_ok=True)
    for name in SHOWN:
        _draw(name, study.table(FIGURES[name].table), sha256, folder / f"{name}.png")
    _draw("cost_map", study.cheap_map, sha256, folder / f"{CHEAP_MAP}.png")


def origin(path: Path) -> str:
    """The SHA-256 of the archive that a picture is from; empty if it has none."""
    with Image.open(path) as image:
        return str(json.loads(image.info.get(STAMP, "{}")).get("archive", ""))


def _draw(figure: str, frame: pd.DataFrame, sha256: str, path: Path) -> None:
    page = FIGURES[figure].pages_of(frame)[0]
    kept = PngInfo()
    kept.add_text(STAMP, json.dumps({"archive": sha256}))
    with tempfile.TemporaryDirectory() as place:
        drawn = Path(place) / "picture.png"
        style.save(FIGURES[figure](frame, page), drawn)
        with Image.open(drawn) as image:
            small = image.convert("RGB").quantize(256, dither=Image.Dither.NONE)
            small.save(path, optimize=True, pnginfo=kept)
