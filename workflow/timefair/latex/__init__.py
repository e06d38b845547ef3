"""Frames to LaTeX for papers to ``\\input``: booktabs, best in bold, captions with units.

`grid` arranges a frame in columns of text, `notation` writes numbers, `pages` divides into pages
and writes ``tabular`` environments, `captions` writes the captions, and `document` joins the parts.
"""

from timefair.latex.captions import CaptionFacts as Setting
from timefair.latex.document import document, typeset

__all__ = ["Setting", "document", "typeset"]
