"""Frames to LaTeX that a paper can ``\\input``: booktabs, best in bold, captions with units."""

from timefair.latex.captions import Setting
from timefair.latex.document import document, typeset

__all__ = ["Setting", "document", "typeset"]
