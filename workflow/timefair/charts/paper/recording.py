"""A figure that is drawn once and written in several formats."""

from __future__ import annotations

import re
import zlib
from collections.abc import Iterator
from contextlib import contextmanager
from copy import copy
from functools import lru_cache
from io import StringIO
from pathlib import Path
from typing import Any

import numpy as np
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.backends.backend_agg import RendererAgg
from matplotlib.figure import Figure
from matplotlib.font_manager import FontProperties
from matplotlib.textpath import text_to_path
from matplotlib.transforms import Affine2D, Bbox, Transform, TransformedPath
from PIL import Image

FONT_TABLES = ("cmap", "cvt ", "fpgm", "glyf", "head", "hhea", "hmtx", "loca", "maxp", "prep")
"""Tables of a font from which glyphs are drawn; a PDF contains their places and the text itself."""

Call = tuple[str, GraphicsContextBase, tuple[Any, ...], dict[str, Any]]
"""A method of a renderer, the graphics context, and the other arguments."""


class Ruler(RendererBase):
    """A renderer that measures text and draws nothing.

    Parameters
    ----------
    width, height : float
        Size of the figure in pixels.
    dpi : float
        Pixels per inch.
    """

    def __init__(self, width: float, height: float, dpi: float) -> None:
        super().__init__()
        self.width, self.height, self.dpi = width, height, dpi

    def flipy(self) -> bool:
        """False: y grows upwards."""
        return False

    def get_canvas_width_height(self) -> tuple[float, float]:
        """Size of the figure in pixels."""
        return self.width, self.height

    def points_to_pixels(self, points: Any) -> Any:
        """Convert 1/72 inch to pixels."""
        return points * self.dpi / 72

    def get_text_width_height_descent(
        self, s: str, prop: FontProperties, ismath: Any
    ) -> tuple[float, float, float]:
        """Size of a text in pixels, without hinting."""
        width, height, descent = _extent(s, prop, ismath)
        scale = self.dpi / 72
        return width * scale, height * scale, descent * scale


@lru_cache(4096)
def _extent(s: str, prop: FontProperties, ismath: Any) -> tuple[float, float, float]:
    """Width, height and descent of a text in points, for all figures of a process."""
    width, height, descent = text_to_path.get_text_width_height_descent(s, prop, ismath)
    return float(width), float(height), float(descent)


COORDINATES = re.compile(r' (?:d|x|y|width|height)="[^"]*"')
DECIMALS = re.compile(r"(?<=\.\d\d)\d+")
"""SVG attributes with coordinates, and the decimals that are cut off there; exponents have none."""

PATH = re.compile(r' d="([^"]*)"')
MARKERS = re.compile(r"<g([^>]*)>\n((?: *<use [^>]*/>\n)+)(?= *</g>)")
STYLE = re.compile(r' style="[^"]*"')
"""In an SVG: a path, a group of nothing but markers, and a style."""

NAME = re.compile(r'(?<=["#])[a-z][0-9a-f]{10}(?=[")])')
"""The names that matplotlib gives to markers and clip paths in an SVG."""


class _Recorder(Ruler):
    """A renderer that keeps the calls of its methods."""

    def __init__(self, width: float, height: float, dpi: float) -> None:
        super().__init__(width, height, dpi)
        self.calls: list[Call] = []

    def draw_path(self, gc: GraphicsContextBase, *arguments: Any, **named: Any) -> None:
        """Keep a path."""
        self._keep("draw_path", gc, arguments, named)

    def draw_markers(self, gc: GraphicsContextBase, *arguments: Any, **named: Any) -> None:
        """Keep markers."""
        self._keep("draw_markers", gc, arguments, named)

    def draw_path_collection(self, gc: GraphicsContextBase, *arguments: Any, **named: Any) -> None:
        """Keep a collection of paths, unless it is empty."""
        if len(arguments[1]):
            self._keep("draw_path_collection", gc, arguments, named)

    def draw_quad_mesh(self, gc: GraphicsContextBase, *arguments: Any, **named: Any) -> None:
        """Keep a heat map."""
        self._keep("draw_quad_mesh", gc, arguments, named)

    def draw_text(
        self, gc: GraphicsContextBase, x: float, y: float, *arguments: Any, **named: Any
    ) -> None:
        """Keep a line of text and the position of its anchor."""
        if (text := named.get("mtext")) is not None:
            anchor = copy(text)
            anchor.set_position(text.get_transform().transform(text.get_unitless_position()))
            named["mtext"] = anchor
        self._keep("draw_text", gc, (x, y, *arguments), named)

    def _keep(
        self, name: str, gc: GraphicsContextBase, given: tuple[Any, ...], named: dict[str, Any]
    ) -> None:
        kept = GraphicsContextBase()
        kept.copy_properties(gc)
        _clip(kept, gc, 1.0)
        frozen = tuple(a.frozen() if isinstance(a, Transform) else a for a in given)
        self.calls.append((name, kept, frozen, named))


class Recording(Figure):
    """The drawing commands of a figure. They can be written in any format without its artists.

    Parameters
    ----------
    figure : Figure
        The figure; it may change or be deleted afterwards.
    dpi : float
        Dots per inch of images.
    """

    def __init__(self, figure: Figure, dpi: float) -> None:
        super().__init__(figsize=tuple(figure.get_size_inches()), dpi=dpi)
        before = figure.get_dpi()
        figure.set_dpi(dpi)
        recorder = _Recorder(figure.bbox.width, figure.bbox.height, dpi)
        figure.draw(recorder)
        figure.set_dpi(before)
        self._calls, self._calls_dpi = recorder.calls, dpi

    def draw(self, renderer: RendererBase) -> None:
        """Repeat all calls, scaled to the pixels of a renderer."""
        scale = self.dpi / self._calls_dpi
        height = renderer.get_canvas_width_height()[1]
        for name, kept, given, named in self._calls:
            gc = renderer.new_gc()
            gc.copy_properties(kept)
            _clip(gc, kept, scale)
            if name == "draw_text":
                x, y, *text = given
                if (anchor := named.get("mtext")) is not None:
                    anchor.set_transform(Affine2D().scale(scale))
                y = height - scale * y if renderer.flipy() else scale * y
                renderer.draw_text(gc, scale * x, y, *text, **named)
            else:
                scaled = (_scaled(a, scale) if isinstance(a, Transform) else a for a in given)
                getattr(renderer, name)(gc, *scaled, **named)
            gc.restore()

    def write(self, path: Path, metadata: dict[str, Any]) -> None:
        """Write a file.

        Parameters
        ----------
        path : Path
            Path of the file. The suffix is the format: ``.pdf``, ``.svg`` or ``.png``.
        metadata : dict
            Metadata of a PDF or an SVG; a key with the value None is omitted.
        """
        if path.suffix == ".pdf":
            with _with_needed_tables():
                self.savefig(path, metadata=metadata)
        elif path.suffix == ".png":
            self._image().save(path, dpi=(self.dpi, self.dpi), compress_type=zlib.Z_RLE)
        else:
            text = StringIO()
            self.savefig(text, format="svg", metadata=metadata)
            path.write_text(_smaller(_numbered(text.getvalue())), encoding="utf-8")

    def _image(self) -> Image.Image:
        """The picture without an alpha channel: nothing in it is transparent."""
        width, height = np.round(self.bbox.size)
        renderer: Any = RendererAgg(width, height, self.dpi)  # type: ignore[no-untyped-call]
        self.draw(renderer)
        return Image.fromarray(np.asarray(renderer.buffer_rgba())).convert("RGB")


def _smaller(text: str) -> str:
    """The same picture in an SVG of half the size.

    Coordinates are cut to a hundredth of a point, lines along an axis name one coordinate, and
    markers of one style have it in common.
    """
    text = COORDINATES.sub(lambda attribute: DECIMALS.sub("", attribute[0]), text)
    text = PATH.sub(lambda attribute: f' d="{_short(attribute[1])}"', text)
    return MARKERS.sub(_with_one_style, text)


def _short(path: str) -> str:
    """The same path with the commands H and V of SVG, and without steps to the same point."""
    kept: list[str] = []
    here: list[str] = []
    for step in path.split("\n"):
        command, *point = step.split() or [""]
        if command != "L" or len(here) != 2:
            kept.append(command + " ".join(point))
        elif point[1] != here[1]:
            kept.append(f"V{point[1]}" if point[0] == here[0] else f"L{' '.join(point)}")
        elif point[0] != here[0] or kept[-1].startswith("M"):  # the second is a dot
            kept.append(f"H{point[0]}")
        here = point
    return "\n".join(kept)


def _with_one_style(group: re.Match[str]) -> str:
    attributes, markers = group.groups()
    styles = STYLE.findall(markers)
    if "style=" in attributes or len(styles) < markers.count("<use") or len(set(styles)) > 1:
        return group[0]
    return f"<g{attributes}{styles[0]}>\n{STYLE.sub('', markers)}"


def _numbered(text: str) -> str:
    """Replace the names in an SVG by numbers, in the order in which they appear.

    The names that matplotlib gives are hashes of coordinates with all digits. The last digits are
    not always the same, because they depend on what was drawn before.
    """
    numbers: dict[str, str] = {}
    return NAME.sub(lambda name: numbers.setdefault(name[0], f"n{len(numbers)}"), text)


@contextmanager
def _with_needed_tables() -> Iterator[None]:
    """Embed fonts with `FONT_TABLES` alone, and without names of glyphs.

    This takes a third of the time, because fontTools, with which matplotlib embeds fonts, reads
    neither the names of all glyphs of a font nor the rules that place them.
    """
    from fontTools import subset

    load = subset.load_font

    def load_needed(*arguments: Any, **named: Any) -> Any:
        font = load(*arguments, **named)
        for table in set(font.reader.keys()) - set(FONT_TABLES):
            del font[table]
        font.setGlyphOrder([f"glyph{number}" for number in range(font["maxp"].numGlyphs)])
        return font

    subset.load_font = load_needed
    try:
        yield
    finally:
        subset.load_font = load


def _clip(gc: GraphicsContextBase, like: GraphicsContextBase, scale: float) -> None:
    """Copy the present clipping of another graphics context, scaled to pixels of another size."""
    if (box := like.get_clip_rectangle()) is not None:
        gc.set_clip_rectangle(Bbox(scale * box.get_points()))
    clip: tuple[Any, Any] = like.get_clip_path()
    path, transform = clip
    if path is not None:
        gc.set_clip_path(TransformedPath(path, _scaled(transform, scale)))


def _scaled(transform: Transform, scale: float) -> Affine2D:
    """An affine transform to pixels of another size."""
    matrix = np.array(transform.get_matrix())
    matrix[:2] *= scale
    return Affine2D(matrix)
