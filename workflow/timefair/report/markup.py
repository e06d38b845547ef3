"""Small pieces of HTML; every text that comes in is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping
from dataclasses import dataclass
from html import escape
from typing import Any

import pandas as pd

from timefair.charts.paper.style import Look, looks

DASH = 1.6
"""Widths of a line that a unit of a dash is drawn with."""


@dataclass(frozen=True)
class Names:
    """The names of algorithms, each behind a spot of the colour that it has in all figures."""

    looks: Mapping[str, Look]

    @classmethod
    def of(cls, algorithms: Iterable[str], published: Iterable[str] = ()) -> Names:
        order = [*sorted(algorithms), *sorted(published)]
        return cls(looks(pd.Categorical(order, order)))

    def one(self, name: str) -> str:
        look = self.looks.get(name)
        style = f' style="--look: {look.color}"' if look else ""
        return f'<span class="algorithm"{style}>{escape(name)}</span>'

    def some(self, names: Iterable[str]) -> str:
        return ", ".join(map(self.one, names))

    def for_script(self) -> list[dict[str, Any]]:
        """Name, colour and dashes of each."""
        return [
            {"name": name, "color": look.color, "dash": dashes(look)}
            for name, look in self.looks.items()
        ]

    def legend(self) -> str:
        """A button an algorithm, which shows and hides its curves."""
        buttons = "\n".join(
            f'<button type="button" aria-pressed="true" data-algorithm="{escape(name)}">'
            f'<svg viewBox="0 0 30 10" aria-hidden="true"><line x1="0" y1="5" x2="30" y2="5" '
            f'stroke="{look.color}"{_dashed(look)}/></svg>{escape(name)}</button>'
            for name, look in self.looks.items()
        )
        return (
            '<div class="legend needs-script" role="group" '
            f'aria-label="Algorithms shown in the figures">\n{buttons}\n</div>'
        )


def dashes(look: Look) -> str | None:
    """The dashes of a line as SVG has them; None for an unbroken one."""
    if look.linestyle == "-":
        return None
    _, lengths = look.linestyle
    return " ".join(f"{DASH * length:.3g}" for length in lengths)


def _dashed(look: Look) -> str:
    found = dashes(look)
    return f' stroke-dasharray="{found}"' if found else ""


def definitions(pairs: Mapping[str, str], kind: str) -> str:
    """A list of terms, each with what is said of it as a text."""
    items = "\n".join(f"<dt>{escape(t)}</dt><dd>{escape(d)}</dd>" for t, d in pairs.items() if d)
    return f'<dl class="{kind}">\n{items}\n</dl>'


def section(name: str, title: str, *content: str) -> str:
    """A part of the page; empty without content."""
    inside = "\n".join(filter(None, content))
    if not inside:
        return ""
    return (
        f'<section aria-labelledby="{name}">\n<h2 id="{name}">{escape(title)}</h2>\n'
        f"{inside}\n</section>"
    )
