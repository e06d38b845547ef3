"""The LaTeX of a complete table, and a document of many tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator
from dataclasses import replace

import pandas as pd

from timefair.exhibits.exhibit import Exhibit
from timefair.exhibits.layout import Layout, PrintedPart, parts
from timefair.exhibits.unknown_optimum import captioned, measured, worded
from timefair.latex.captions import CaptionFacts, caption
from timefair.latex.notation import escape
from timefair.latex.pages import Tabular, pages
from timefair.latex.shortening import fitted
from timefair.problems.names import GIVEN, title

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
    table: Exhibit, frame: pd.DataFrame, layouts: Iterable[Layout], setting: CaptionFacts
) -> str:
    """A table as LaTeX.

    Parameters
    ----------
    table
        The exhibit. Its name is the first part of every label, ``tab:<name>-<suite>-<dimension>``.
    frame : DataFrame
        Tidy, in the order in which it is printed; may be empty. Its attributes `NOTES` are
        sentences for the captions.
    layouts
        Printed forms of the table. Each combination of their parts is a ``table*`` of one page. A
        longer part is printed in part (`latex.shortening`), unless it has text that is broken into
        lines. Such a part is continued on further pages.
    setting
        The facts of the campaign that captions state.

    Raises
    ------
    ValueError
        If the keys of a layout do not identify the rows.
    """
    heading = worded(table.title, frame)
    notes = " ".join(filter(None, (frame.attrs.get(name) for name in NOTES)))
    printed = _plain(_named(measured(frame)))
    floats = [
        text
        for layout in layouts
        for part in parts(printed, _suited(layout, frame))
        for text in _floats(table, heading, part, setting, notes)
    ]
    header = HEADER.format(title=heading, name=table.name)
    return "\n\n".join([header, *floats]) + "\n"


def _named(frame: pd.DataFrame) -> pd.DataFrame:
    """The table, with the campaign's names of functions in addition to their numbers."""
    given = frame.attrs.get(GIVEN)
    if given is None or not {"suite", "function"} <= set(frame.columns):
        return frame
    functions = [
        title(str(suite), function, given) if str(function).isdigit() else function
        for suite, function in zip(frame["suite"], frame["function"], strict=True)
    ]
    return frame.assign(function=functions)


def _plain(frame: pd.DataFrame) -> pd.DataFrame:
    """The same table without attributes, which pandas copies in each operation, and with texts and
    names of columns as objects, which it compares and finds faster.
    """
    plain = frame.copy(deep=False)
    for name in [name for name in plain if pd.api.types.is_string_dtype(plain[name])]:
        plain[name] = plain[name].astype(object)
    plain.columns = plain.columns.astype(object)
    plain.attrs = {}
    return plain


def _suited(layout: Layout, frame: pd.DataFrame) -> Layout:
    """A layout whose words suit known or unknown optima."""
    values = tuple(replace(value, label=worded(value.label, frame)) for value in layout.values)
    return replace(layout, caption=captioned(layout.caption, frame), values=values)


def _floats(
    table: Exhibit, heading: str, part: PrintedPart, facts: CaptionFacts, notes: str
) -> Iterator[str]:
    pieces = (table.name, part.layout.name, *part.shared.values())
    part, cut = fitted(part) if len(part.rows) else (part, [NO_ROWS])
    incomplete = any("n/a" in tabular.tex for tabular in cut)
    text = caption(part, facts, charged=table.charged, incomplete=incomplete, notes=notes)
    label = "-".join(re.sub("[^0-9A-Za-z.]+", "_", str(piece)) for piece in pieces if piece != "")
    first = f"\\caption[{escape(heading)}]{{{text}}}\n\\label{{tab:{label}}}"
    for number, page in enumerate(pages(cut)):
        yield FLOAT.format(
            caption=CONTINUED if number else first,
            tabulars=BETWEEN.join(tabular.tex for tabular in page),
        )
