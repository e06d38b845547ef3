"""Draws pictures from tidy frames, one module per family of tables; `registry` names all of them.

`style` determines how everything looks and is saved, `panels` lays out small multiples, and
`scales` handles 0 and infinity on logarithmic axes. No module reads records.
"""
