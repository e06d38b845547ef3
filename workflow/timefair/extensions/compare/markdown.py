"""A comparison for a pull request."""

from __future__ import annotations

from timefair.extensions.compare import words
from timefair.extensions.compare.comparison import Comparison


def markdown(found: Comparison, lines: list[str]) -> str:
    """The verdict, its reasons and the table, in Markdown.

    Parameters
    ----------
    lines
        The lines that the command prints; the last one is the verdict.
    """
    heading, *rows = words.table(found)
    table = [heading, ["---"] * len(heading), *rows]
    body = "\n".join(f"| {' | '.join(map(_escaped, row))} |" for row in table)
    reasons = "\n".join(f"- {_escaped(line)}" for line in lines[:-1])
    meaning = " ".join(words.meaning(found))
    return (
        f"### timefair: {_escaped(found.candidate)} against {_escaped(found.baseline)}\n\n"
        f"**{_escaped(lines[-1])}**\n\n{reasons}\n\n{body}\n\n<sub>{_escaped(meaning)}</sub>\n"
    )


def _escaped(text: str) -> str:
    """Escape the characters that have a meaning in Markdown."""
    return "".join(f"\\{c}" if c in "\\`*_|<>" else c for c in text)
