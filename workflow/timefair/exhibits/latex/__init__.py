"""Frames to LaTeX for papers to ``\\input``: booktabs, best in bold, captions with units.

Here are the captions, the LaTeX of a table, and a document of many tables. `pages` arranges a frame
in columns of text and writes ``tabular`` environments, and `notation` writes numbers.
"""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator, Mapping
from dataclasses import dataclass, replace

import pandas as pd

from timefair.exhibits.exhibit import Exhibit
from timefair.exhibits.latex.notation import escape
from timefair.exhibits.latex.pages import Tabular, fitted, heading_of, name_of
from timefair.exhibits.latex.pages import pages as put_on_pages
from timefair.exhibits.layout import ALGORITHM, Layout, PrintedPart, parts
from timefair.exhibits.unknown_optimum import captioned, measured, worded
from timefair.problems.names import GIVEN, title
from timefair.records.rundata.settings import Analysis

SECONDS = {
    "wall": "seconds of wall clock",
    "cpu": "seconds of CPU time",
    "reference": "CPU time as a multiple of the reference kernel's",
}
"""Meaning of a second in the tables, for each clock."""

AMORTISED = "Each run is charged its share of tuning and preparation."


@dataclass(frozen=True)
class Setting:
    """The facts of a campaign that captions state: the settings, and the budget of a run, of which
    None is no limit of that kind.
    """

    analysis: Analysis
    time_s: float | None = None
    cpu_s: float | None = None
    evaluations: int | None = None
    evaluations_per_dimension: int | None = None

    @property
    def placeholders(self) -> dict[str, str]:
        low, high = self.analysis.band
        return {
            "confidence": f"{100 * self.analysis.confidence:g}\u00a0%",
            "band": f"{low:g} to {high:g} quantile",
            "budget": self._budget,
            "seconds": SECONDS[self.analysis.time],
        }

    @property
    def _budget(self) -> str:
        limits = []
        if self.time_s is not None:
            limits.append(f"T\u00a0=\u00a0{self.time_s:g}\u00a0s")
        if self.cpu_s is not None:
            limits.append(f"T\u00a0=\u00a0{self.cpu_s:g}\u00a0s of CPU time")
        if self.evaluations_per_dimension is not None:
            limits.append(f"{self.evaluations_per_dimension:g} · D evaluations")
        elif self.evaluations is not None:
            limits.append(f"{self.evaluations:g} evaluations")
        return " and ".join(limits) or "not stated"


def caption(
    part: PrintedPart, facts: Setting, *, charged: bool, incomplete: bool, notes: str = ""
) -> str:
    """The caption of one part, as LaTeX.

    - `charged`: Whether seconds are of the chosen clock, with ancillary cost if it is amortised.
    - `incomplete`: Whether some number is not available.
    - `notes`: Further sentences of the table, about perturbed and published runs.
    """
    placeholders, layout, clock = facts.placeholders, part.layout, facts.analysis.time
    brackets = layout.brackets if any(value.interval for value in layout.values) else ""
    left_out = " and ".join(heading_of(key).lower() for key in part.left_out)
    other_clock = charged and clock != "wall"
    sentences = [
        layout.caption.format_map(placeholders),
        brackets.format_map(placeholders),
        _shared(part.shared),
        _runs(part, placeholders["budget"]),
        notes,
        f"Seconds are {SECONDS[clock].removeprefix('seconds ')}." if other_clock else "",
        AMORTISED if charged and facts.analysis.ancillary == "amortised" else "",
        _bold(layout),
        f"Not every {left_out} is printed." if left_out else "",
        part.said,
        "n/a: not available." if incomplete else "",
    ]
    return escape(" ".join(sentence for sentence in sentences if sentence))


def _shared(names: Mapping[str, object]) -> str:
    shared = ", ".join(
        f"{'cost in' if key == 'unit' else heading_of(key).lower()} {name_of(key, value)}"
        for key, value in names.items()
    )
    return f"{shared[0].upper()}{shared[1:]}." if shared else ""


def _runs(part: PrintedPart, budget: str) -> str:
    printed = any(value.column == "runs" for value in part.layout.values)
    if printed or "runs" not in part.rows or part.rows.empty:
        return f"Budget of a run: {budget}."
    least, most = part.rows["runs"].min(), part.rows["runs"].max()
    number = f"{least}" if least == most else f"{least} to {most}"
    return f"{number} {'run' if most == 1 else 'runs'}, budget of each: {budget}."


def _bold(layout: Layout) -> str:
    ends = {value.better for value in layout.values if value.better is not None}
    if not ends or ALGORITHM not in layout.keys:
        return ""
    rivals = [heading_of(key).lower() for key in layout.keys if key != ALGORITHM]
    wanted = {"low": "lowest", "high": "highest"}[ends.pop()] if len(ends) == 1 else "best"
    among = f" for each {' and '.join(rivals)}" if rivals else ""
    return f"Bold: the {wanted} value of all algorithms{among}."


HEADER = r"""% {title}.
% Needs \usepackage{{booktabs}}; \input this file in a paper of one column or two.
% For a page of 6.5 in by 9 in. Values are rounded; {name}.csv has more digits, and all rows."""

DOCUMENT = r"""% All tables of a campaign.
\documentclass[10pt]{{article}}
\usepackage[T1]{{fontenc}}
\IfFileExists{{lmodern.sty}}{{\usepackage{{lmodern}}}}{{}}
\usepackage{{booktabs}}
\usepackage[margin=1in]{{geometry}}
\extrafloats{{200}}
\begin{{document}}
{inputs}
\end{{document}}
"""

FLOAT = r"""\begin{{table*}}[tbp]
\centering
{caption}
\par\smallskip
\footnotesize
\setlength{{\tabcolsep}}{{3pt}}
{tabulars}
\end{{table*}}"""

NOTES = ("pairs", "perturbed", "omitted", "published", "machines", "cost", "noise")
"""Attributes of a table that are sentences for its captions."""

CONTINUED = r"\tablename~\thetable{} (continued)"
NO_ROWS = Tabular(
    "\\begin{tabular}{@{}l@{}}\n\\toprule\nNo rows. \\\\\n\\bottomrule\n\\end{tabular}", lines=1
)
BETWEEN = "\n\n\\medskip\n\n"


def document(names: Iterable[str]) -> str:
    """A LaTeX document of the tables with these names, from the files in the same folder."""
    inputs = "\n".join(rf"\input{{{name}.tex}}\clearpage" for name in names)
    return DOCUMENT.format(inputs=inputs or "No table.")


def typeset(
    table: Exhibit, frame: pd.DataFrame, layouts: Iterable[Layout], setting: Setting
) -> str:
    """A table as LaTeX.

    - `table`: The exhibit. Its name is the first part of every label,
      ``tab:<name>-<suite>-<dimension>``.
    - `frame`: Tidy, in the order in which it is printed; may be empty. Its attributes `NOTES` are
      sentences for the captions.
    - `layouts`: Printed forms of the table. Each combination of their parts is a ``table*`` of one
      page; a longer part is printed in part, or continued on further pages (`latex.pages`).

    Raises ValueError if the keys of a layout do not identify the rows.
    """
    heading = worded(table.title, frame)
    notes = " ".join(filter(None, (frame.attrs.get(name) for name in NOTES)))
    printed = _named(measured(frame))
    floats = [
        text
        for layout in layouts
        for part in parts(printed, _suited(layout, frame))
        for text in _floats(table, heading, part, setting, notes)
    ]
    header = HEADER.format(title=heading, name=table.name)
    return "\n\n".join([header, *floats]) + "\n"


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    given = frame.attrs.get(GIVEN)
    if given is None or not {"suite", "function"} <= set(frame.columns):
        return frame
    functions = [
        title(str(suite), function, given) if str(function).isdigit() else function
        for suite, function in zip(frame["suite"], frame["function"], strict=True)
    ]
    return frame.assign(function=functions)


def _suited(layout: Layout, frame: pd.DataFrame) -> Layout:
    """A layout whose words suit known or unknown optima."""
    values = tuple(replace(value, label=worded(value.label, frame)) for value in layout.values)
    return replace(layout, caption=captioned(layout.caption, frame), values=values)


def _floats(
    table: Exhibit, heading: str, part: PrintedPart, facts: Setting, notes: str
) -> Iterator[str]:
    pieces = (table.name, part.layout.name, *part.shared.values())
    part, cut = fitted(part) if len(part.rows) else (part, [NO_ROWS])
    incomplete = any("n/a" in tabular.tex for tabular in cut)
    text = caption(part, facts, charged=table.charged, incomplete=incomplete, notes=notes)
    label = "-".join(re.sub("[^0-9A-Za-z.]+", "_", str(piece)) for piece in pieces if piece != "")
    first = f"\\caption[{escape(heading)}]{{{text}}}\n\\label{{tab:{label}}}"
    for number, page in enumerate(put_on_pages(cut)):
        yield FLOAT.format(
            caption=CONTINUED if number else first,
            tabulars=BETWEEN.join(tabular.tex for tabular in page),
        )
