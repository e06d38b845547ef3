"""Frames to LaTeX for papers to ``\\input``: booktabs, best in bold, captions with units.

`pages` arranges a frame in columns of text, divides it into pages and writes ``tabular``
environments, `notation` writes numbers, and `document` writes the captions and joins the parts.
"""

from timefair.exhibits.latex.document import CaptionFacts as Setting
from timefair.exhibits.latex.document import document, typeset

__all__ = ["Setting", "document", "typeset"]
