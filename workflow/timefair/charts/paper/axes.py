"""Axes of a panel with few ticks. They are drawn without an artist for each tick."""

from __future__ import annotations

from typing import Any

import numpy as np
from matplotlib.axes import Axes
from matplotlib.axis import Axis, Tick, XAxis, YAxis
from matplotlib.backend_bases import GraphicsContextBase, RendererBase
from matplotlib.path import Path
from matplotlib.text import Text
from matplotlib.ticker import NullLocator, ScalarFormatter
from matplotlib.transforms import Affine2D, Bbox
from numpy.typing import NDArray

from timefair.charts.paper.style import SETTINGS

CLOSE = 1e-9
"""Largest distance outside the axis at which a tick is drawn, as a share of the axis's length."""


class PlainAxes(Axes):
    """Axes that are created and drawn in a third of the time that matplotlib's need."""

    def __init__(self, *arguments: Any, **more: Any) -> None:
        super().__init__(*arguments, **more)
        for side in ("bottom", "left"):
            self.spines[side].set_position(("outward", 0))  # matplotlib does it with a first tick

    def _init_axis(self) -> None:
        self.xaxis, self.yaxis = _PlainX(self, clear=False), _PlainY(self, clear=False)
        for side, axis in zip(
            ("bottom", "top", "left", "right"),
            (self.xaxis, self.xaxis, self.yaxis, self.yaxis),
            strict=True,
        ):
            self.spines[side].register_axis(axis)


class _Plain(Axis):
    """An axis with major ticks at one side, tick labels and a grid.

    An axis that has anything else is drawn by matplotlib: an axis label, minor ticks, an offset of
    the labels, or ticks at the other side. Objects of ticks are made when they are requested.
    """

    axis_name: str

    def __init__(self, *arguments: Any, **more: Any) -> None:
        self._kept_ticks: tuple[list[float], list[str]] = ([], [])
        self._kept_labels: list[Text] = []
        super().__init__(*arguments, **more)

    # matplotlib's own lists begin with one tick each, which takes longer than the rest of the axis.

    @property
    def majorTicks(self) -> list[Tick]:  # type: ignore[override]
        """Objects of major ticks that were requested."""
        ticks: list[Tick] = self.__dict__.setdefault("_asked_major", [])
        return ticks

    @property
    def minorTicks(self) -> list[Tick]:  # type: ignore[override]
        """Objects of minor ticks that were requested."""
        ticks: list[Tick] = self.__dict__.setdefault("_asked_minor", [])
        return ticks

    def get_ticks_position(self) -> Any:
        """Side of the ticks. Matplotlib reads it from the first tick."""
        self._make_first_ticks()
        return super().get_ticks_position()  # type: ignore[misc]

    def get_tightbbox(
        self, renderer: RendererBase | None = None, *, for_layout_only: bool = False
    ) -> Bbox | None:
        """Box around the tick labels in pixels; None if there are none."""
        if not self._is_plain():
            self._make_first_ticks()
            return super().get_tightbbox(renderer, for_layout_only=for_layout_only)
        if not self.get_visible():
            return None
        boxes = [label.get_window_extent(renderer) for label in self._ticks()[1]]
        return Bbox.union(boxes) if boxes else None

    def draw(self, renderer: RendererBase) -> None:
        """Draw the grid, the ticks and their labels."""
        if not self._is_plain():
            self._make_first_ticks()
            super().draw(renderer)
        elif self.get_visible():
            places, labels = self._ticks()
            if places.size and self._has("gridOn"):
                self._draw_grid(renderer, places)
            if places.size and self._has("bottom", "left"):
                self._draw_ticks(renderer, places)
            for label in labels:
                label.draw(renderer)
        self.stale = False

    def _has(self, *keys: str) -> bool:
        """Whether a tick parameter is on; matplotlib 3.9 calls the bottom of an x axis left."""
        shown = self.get_tick_params()
        return any(shown.get(key) for key in keys)

    def _is_plain(self) -> bool:
        formatter = self.get_major_formatter()
        if isinstance(formatter, ScalarFormatter):
            formatter.set_locs(self.get_majorticklocs().tolist())  # decides about the offset
        return (
            not self.label.get_text()
            and isinstance(self.get_minor_locator(), NullLocator)
            and not self._has("top", "right", "labeltop", "labelright")
            and not formatter.get_offset()
        )

    def _make_first_ticks(self) -> None:
        """Make the ticks from which matplotlib copies all others."""
        if not self.majorTicks:
            self.get_major_ticks(1)
            self.get_minor_ticks(1)
            self.set_clip_path(self.axes.patch)

    def _ticks(self) -> tuple[NDArray[np.float64], list[Text]]:
        """Places of the ticks, as shares of the axis, and their labels."""
        values = np.asarray(self.get_majorticklocs(), dtype=np.float64)
        transform = self.get_transform()
        low, high = transform.transform(np.asarray(self.get_view_interval(), dtype=np.float64))
        places = (transform.transform(values) - low) / (high - low) if values.size else values
        inside = (places > -CLOSE) & (places < 1 + CLOSE)
        if not self._has("labelbottom", "labelleft"):
            return places[inside], []
        texts = self.get_major_formatter().format_ticks(values.tolist())
        shown = values[inside].tolist(), [texts[k] for k in np.flatnonzero(inside)]
        if self._kept_ticks != shown:
            self._kept_ticks = shown
            self._kept_labels = [self._text(*each) for each in zip(*shown, strict=True)]
        return places[inside], self._kept_labels

    def _text(self, value: float, text: str) -> Text:
        name = f"{self.axis_name}tick"
        pad = SETTINGS[f"{name}.major.size"] + SETTINGS[f"{name}.major.pad"]
        if self.axis_name == "x":
            place, (transform, va, ha) = (value, 0.0), self.axes.get_xaxis_text1_transform(pad)
        else:
            place, (transform, va, ha) = (0.0, value), self.axes.get_yaxis_text1_transform(pad)
        size, color = SETTINGS[f"{name}.labelsize"], SETTINGS[f"{name}.color"]
        label = Text(*place, text, transform=transform, va=va, ha=ha, fontsize=size, color=color)
        label.set_figure(self.axes.figure)
        return label

    def _draw_grid(self, renderer: RendererBase, places: NDArray[np.float64]) -> None:
        gc = renderer.new_gc()
        gc.set_foreground(SETTINGS["grid.color"])
        gc.set_linewidth(SETTINGS["grid.linewidth"])
        gc.set_clip_rectangle(self.axes.bbox)
        self._draw_lines(renderer, gc, places, 0, 1)

    def _draw_ticks(self, renderer: RendererBase, places: NDArray[np.float64]) -> None:
        name = f"{self.axis_name}tick"
        length = np.asarray(renderer.points_to_pixels(SETTINGS[f"{name}.major.size"])).item()
        box = self.axes.bbox
        gc = renderer.new_gc()
        gc.set_foreground(SETTINGS[f"{name}.color"])
        gc.set_linewidth(SETTINGS[f"{name}.major.width"])
        end = -length / (box.height if self.axis_name == "x" else box.width)
        self._draw_lines(renderer, gc, places, end, 0)

    def _draw_lines(
        self,
        renderer: RendererBase,
        gc: GraphicsContextBase,
        places: NDArray[np.float64],
        start: float,
        end: float,
    ) -> None:
        """Draw a line at each place, as one path, between two shares of the other axis."""
        along, across = np.repeat(places, 2), np.tile([start, end], places.size)
        vertices = (along, across) if self.axis_name == "x" else (across, along)
        path = Path(np.column_stack(vertices), np.tile([Path.MOVETO, Path.LINETO], places.size))
        renderer.draw_path(gc, path, Affine2D(self.axes.transAxes.get_matrix()))
        gc.restore()


class _PlainX(_Plain, XAxis):
    pass


class _PlainY(_Plain, YAxis):
    pass
