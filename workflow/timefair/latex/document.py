"""The LaTeX of a whole table, and a document of many tables."""

from __future__ import annotations

import re
from collections.abc import Iterable, Iterator

import pandas as pd

from timefair.exhibits.exhibit import Exhibit
from timefair.exhibits.layout import Layout, Part, parts
from timefair.latex.captions import Setting, caption
from timefair.latex.cells import escape
from timefair.latex.pages import Tabular, pages, tabulars
from timefair.latex.sheet import sheet

HEADER = r"""% {title}.
% Needs \usepackage{{booktabs}}; \input this file in a paper of one column or two.
% For a page of 6.5 in by 9 in. Values are rounded; {name}.csv has them unrounded, and all rows."""

DOCUMENT = r"""% All tables of a campaign.
\documentclass[10pt]{{article}}
\usepackage[T1]{{fontenc}}
\usepackage{{lmodern,booktabs}}
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

CONTINUED = r"\tablename~\thetable{} (continued)"
NO_ROWS = Tabular(
    "\\begin{tabular}{@{}l@{}}\n\\toprule\nNo rows. \\\\\n\\bottomrule\n\\end{tabular}", lines=1
)
BETWEEN = "\n\n\\medskip\n\n"


def document(names: Iterable[str]) -> str:
    """A LaTeX document of the tables with these names, from the files beside it."""
    inputs = "\n".join(rf"\input{{{name}.tex}}\clearpage" for name in names)
    return DOCUMENT.format(inputs=inputs or "No table.")


def typeset(
    table: Exhibit, frame: pd.DataFrame, layouts: Iterable[Layout], setting: Setting
) -> str:
    """A table as LaTeX.

    Parameters
    ----------
    table
        Its name is the first part of every label, ``tab:<name>-<suite>-<dimension>``.
    frame : DataFrame
        Tidy, in the order in which it is to be printed; may be empty. Its attributes ``disturbed``
        and ``published`` are sentences for the captions.
    layouts
        Its printed forms; each combination of their parts is a ``table*``, continued on further
        pages if it is long.
    setting
        What captions say about the campaign.

    Raises
    ------
    ValueError
        If a layout does not tell rows apart.
    """
    sentences = (frame.attrs.get(name, "") for name in ("disturbed", "published"))
    told = " ".join(sentence for sentence in sentences if sentence)
    floats = [
        text
        for layout in layouts
        for part in parts(frame, layout)
        for text in _floats(table, part, setting, told)
    ]
    header = HEADER.format(title=table.title, name=table.name)
    return "\n\n".join([header, *floats]) + "\n"


def _floats(table: Exhibit, part: Part, setting: Setting, told: str) -> Iterator[str]:
    cut = _fewest(part.rows, part.layout)
    incomplete = any("n/a" in tabular.tex for tabular in cut)
    whole = caption(part, setting, charged=table.charged, incomplete=incomplete, told=told)
    pieces = (table.name, part.layout.name, *part.shared.values())
    label = "-".join(_slug(piece) for piece in pieces if piece != "")
    heads = [f"\\caption[{escape(table.title)}]{{{whole}}}\n\\label{{tab:{label}}}"]
    for page in pages(cut):
        yield FLOAT.format(
            caption=heads.pop() if heads else CONTINUED,
            tabulars=BETWEEN.join(tabular.tex for tabular in page),
        )


def _slug(piece: object) -> str:
    return re.sub("[^0-9A-Za-z.]+", "_", str(piece))


def _fewest(rows: pd.DataFrame, layout: Layout) -> list[Tabular]:
    """The rows as they are or turned, whichever takes fewer pages, then fewer tabulars."""
    if rows.empty:
        return [NO_ROWS]
    ways = [tabulars(sheet(rows, way)) for way in dict.fromkeys((layout, layout.turned))]
    return min(ways, key=lambda way: (len(list(pages(way))), len(way)))
