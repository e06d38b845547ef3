"""Small pieces of HTML; every text in them is escaped."""

from __future__ import annotations

from collections.abc import Iterable, Mapping, Sequence
from dataclasses import dataclass
from html import escape
from typing import Any, NamedTuple

from timefair.exhibits.charts.style import COLOURS, LEADERS, Look, highlighted, looks

NUMBER = ' class="number"'
DASH = 1.6  # length of a unit of a dash, in widths of the line


@dataclass(frozen=True)
class Names:
    """The names of algorithms, each after a spot in its colour on the page."""

    looks: Mapping[str, Look]  # in the order of the legend
    shown: frozenset[str]  # by figures at first

    @classmethod
    def of(
        cls,
        algorithms: Iterable[str],
        published: Iterable[str] = (),
        first: Sequence[str] = (),
        order: Sequence[str] = (),
    ) -> Names:
        """All names with the looks of figures whose tables have this ``order``. Of more than there
        are `COLOURS`, those in ``first`` are first, and `LEADERS` are shown.
        """
        names = [*sorted(algorithms), *sorted(published)]
        every, shown = looks(names, order or names), names
        if len(names) > len(COLOURS):
            names = list(dict.fromkeys([*(name for name in first if name in every), *names]))
            shown = names[:LEADERS]
        vivid = highlighted(every, shown)
        chosen = {name: (vivid if name in shown else every)[name] for name in names}
        return cls(chosen, frozenset(shown))

    def one(self, name: str) -> str:
        look = self.looks.get(name)
        style = f' style="--look: {look.color}"' if look else ""
        return f'<span class="algorithm"{style}>{escape(name)}</span>'

    def some(self, names: Iterable[str]) -> str:
        return ", ".join(map(self.one, names))

    def for_script(self) -> list[dict[str, Any]]:
        return [
            {"name": name, "color": look.color, "dash": dashes(look), "shown": name in self.shown}
            for name, look in self.looks.items()
        ]

    def legend(self) -> str:
        """One button per algorithm. A button shows and hides the curves of its algorithm."""
        buttons = "\n".join(self._button(name) for name in self.looks if name in self.shown)
        others = [name for name in self.looks if name not in self.shown]
        if others:
            more = "\n".join(map(self._button, others))
            buttons += (
                f'\n<details class="long"><summary>{len(others)} others, in grey</summary>\n'
                f'<div class="others">\n{more}\n</div></details>'
            )
        return (
            '<div class="legend needs-script" role="group" '
            f'aria-label="Algorithms shown in the figures">\n{buttons}\n</div>'
        )

    def _button(self, name: str) -> str:
        look, pressed = self.looks[name], str(name in self.shown).lower()
        return (
            f'<button type="button" aria-pressed="{pressed}" data-algorithm="{escape(name)}">'
            '<svg viewBox="0 0 30 10" aria-hidden="true"><line x1="0" y1="5" x2="30" y2="5" '
            f'stroke="{look.color}" stroke-dasharray="{dashes(look)}"/></svg>'
            f"{escape(name)}</button>"
        )


def dashes(look: Look) -> str:
    """The dashes of a line in the format of SVG."""
    if look.linestyle == "-":
        return "none"
    return " ".join(f"{DASH * length:.3g}" for length in look.linestyle[1])


def definitions(pairs: Mapping[str, str]) -> str:
    items = "\n".join(f"<dt>{escape(t)}</dt><dd>{escape(d)}</dd>" for t, d in pairs.items() if d)
    return f'<dl class="cautions">\n{items}\n</dl>'


def table(head: Iterable[str], rows: Iterable[str], numbers: int = 0) -> str:
    """A table of rows in HTML below headings, of which so many before the last are of numbers."""
    named = list(head)
    first = len(named) - 1 - numbers
    cells = "".join(
        f'<th scope="col"{NUMBER * (first <= k < len(named) - 1)}>{name}</th>'
        for k, name in enumerate(named)
    )
    body = "\n".join(rows)
    return (
        f'<div class="scroll"><table class="stacked">\n<thead><tr>{cells}</tr></thead>\n'
        f"<tbody>\n{body}\n</tbody>\n</table></div>"
    )


def folded(summary: str, content: str, items: int, most: int) -> str:
    """Content below a heading; folded if it has more than a given number of items."""
    if items <= most:
        return f"<h4>{escape(summary)}</h4>\n{content}"
    heading = f"<h4>{escape(summary)} ({items})</h4>"
    return f"<details><summary>{heading}</summary>\n{content}\n</details>"


class Part(NamedTuple):
    """A part of the page that an extension adds: its name in links, its heading, its content and
    the headline in place of that of the findings, in HTML, and what the heading of these says.
    """

    key: str
    title: str
    content: str
    headline: str
    findings: str


def section(name: str, title: str, *content: str) -> str:
    """A part of the page; empty without content."""
    inside = "\n".join(filter(None, content))
    if not inside:
        return ""
    return (
        f'<section aria-labelledby="{name}">\n<h2 id="{name}">{escape(title)}</h2>\n'
        f"{inside}\n</section>"
    )
